"""A live view of a training: a bar on a terminal, a line an epoch, and TensorBoard if it is installed."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from ..learning.trainer import Trainer
from ..support import progress


class Watch:
    """Is told what a trainer does, and shows it on standard error."""

    def __init__(self, trainer: Trainer) -> None:
        self.trainer = trainer
        self.console = progress.errors()
        columns = (
            TextColumn("{task.description}"), BarColumn(bar_width=24), TextColumn("{task.percentage:>3.0f} %"),
            TimeRemainingColumn(),
        )  # fmt: skip
        self.bar = Progress(*columns, console=self.console, transient=True, disable=not self.console.is_terminal)
        self.task = self.bar.add_task(trainer.method.title, total=1.0)
        self.board: Any = None
        self.epochs = 0
        """How many have been trained since it began to watch."""

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
        """A row of an epoch's metrics, or within an epoch how far it is."""
        if "epoch" not in row:
            doing = row.get("doing", self.trainer.method.title)
            self.bar.update(self.task, completed=row["progress"], description=doing)
            return
        self.epochs += 1
        self.bar.update(self.task, completed=self.trainer.progress())
        self.console.print(epoch_line(row))
        if self.board is None:  # only now: a run that is refused leaves nothing behind
            self.board = _tensorboard(self.trainer)
        if self.board is not None:
            for name, value in row.items():
                self.board.add_scalar(name, value, row["epoch"])


def epoch_line(row: dict[str, Any]) -> str:
    """What the terminal says of an epoch, in at most 80 characters; metrics.csv has all of it."""
    learned = next(
        (name for name in ("policy_loss", "map_loss") if name in row), None
    )  # first the map is learned alone
    policy = f"  loss {row[learned]:.3f}" if learned else ""
    critic = f"  critic {row['critic_loss']:.3f}" if "critic_loss" in row else ""
    validated = ""  # as long as no photographs are held out
    if "validation_accuracy" in row:
        accuracy, rectangles = progress.percent(row["validation_accuracy"]), row["validation_leaves"]
        validated = f"  validation {accuracy}  {rectangles:>3.0f} rectangles"
    return f"epoch {row['epoch']:>3}  {row['seconds']:>4.0f} s{validated}{policy}{critic}"


def _tensorboard(trainer: Trainer) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(trainer.folder.path / "tensorboard"))  # type: ignore[no-untyped-call]
