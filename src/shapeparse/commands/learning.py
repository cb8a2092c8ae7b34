"""What the learning commands share: data in memory, its parts, and a live view of a training."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from .. import progress
from ..data import Loaded, Split, load, random_splits
from ..errors import UserError
from ..train import Trainer, TrainingData

BUILT_IN_COUNT = 362
BUILT_IN_SEED = 0


def open_data(source: str | None, side: int) -> Loaded:
    """All images and masks of a dataset at one size, or of the built-in generator."""
    if source is not None:
        return load(source).read_all(side, progress.bar("Reading photographs"))
    from ..data.generator import generate

    samples = [
        generate(BUILT_IN_SEED, index, side) for index in progress.bar("Making photographs")(range(BUILT_IN_COUNT))
    ]
    images, masks = (np.stack(column) for column in zip(*samples, strict=True))
    return Loaded(images, masks, [f"{index:04d}" for index in range(BUILT_IN_COUNT)], [])


def training_parts(
    loaded: Loaded, validation: float, test: int, seed: int
) -> tuple[TrainingData, dict[str, list[str]]]:
    """Training and validation images, and the names of all parts; ``test`` images are held out altogether."""
    count = len(loaded.names)
    if not 0 < validation < 1:
        raise UserError(f"validation is {validation}; give a share between 0 and 1, such as 0.1.")
    if test < 0 or count - test < 2:
        raise UserError(f"There are {count} images, and {test} for test leave too few to learn from; add images.")
    whole = random_splits(count, count - test, 1, seed)[0] if test else Split(tuple(range(count)), (), ())
    split = whole.with_validation(float(validation), seed)
    names = {part: [loaded.names[i] for i in getattr(split, part)] for part in ("train", "validation", "test")}
    train, held = list(split.train), list(split.validation)
    return TrainingData(loaded.images[train], loaded.masks[train], loaded.images[held], loaded.masks[held]), names


class Watch:
    """Shows a training as it goes: a bar on a terminal, else a line an epoch; and TensorBoard if it is installed."""

    def __init__(self, trainer: Trainer) -> None:
        self.trainer = trainer
        self.console = progress.errors()
        columns = (
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"),
            TimeRemainingColumn(), TextColumn("{task.fields[state]}"),
        )  # fmt: skip
        self.bar = Progress(*columns, console=self.console, transient=True, disable=not self.console.is_terminal)
        self.task = self.bar.add_task(trainer.method.title, total=1.0, state="")
        self.board = _tensorboard(trainer)

    def __enter__(self) -> Watch:
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.stop()
        if self.board is not None:
            self.board.close()

    def __call__(self, row: dict[str, Any]) -> None:
        if "epoch" not in row:
            self.bar.update(self.task, completed=row["progress"])
            return
        self.bar.update(
            self.task, completed=self.trainer.progress(), state=f"validation {row['validation_accuracy']:.4f}"
        )
        self.console.print(_line(row))
        if self.board is not None:
            for name, value in row.items():
                self.board.add_scalar(name, value, row["epoch"])


def _line(row: dict[str, Any]) -> str:
    losses = "  ".join(f"{name} {row[name]:.4f}" for name in ("policy_loss", "critic_loss") if name in row)
    return (
        f"epoch {row['epoch']:>3}  {row['seconds']:>6.0f} s  beta {row['beta']:.2f}  {losses}  "
        f"validation {row['validation_accuracy']:.4f}  {row['validation_leaves']:.0f} leaves  "
        f"{row['nodes_per_second']} nodes/s"
    )


def _tensorboard(trainer: Trainer) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(trainer.folder.path / "tensorboard"))  # type: ignore[no-untyped-call]
