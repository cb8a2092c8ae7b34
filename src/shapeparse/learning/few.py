"""Few photographs: all are learned from, and what to expect of the parser is estimated by cross-validation."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..parsing.calibration import Calibration, Leaves
from ..parsing.estimate import Estimate
from .data import TrainingData

if TYPE_CHECKING:
    from .settings import TrainSettings
    from .trainer import Trainer

FEW = 40
"""With fewer photographs, holding some out would cost more accuracy than it tells of."""
FOLDS = 3
SHARE = 0.3
"""Of the budget, for all folds together."""


def cross_validated(
    make: Callable[[TrainSettings, TrainingData, Path], Trainer],
    settings: TrainSettings,
    data: TrainingData,
    folder: Path,
    told: Callable[[float], None],
) -> tuple[Estimate, Calibration]:
    """Train briefly without each of some folds in turn, and parse what was left out.

    The trainings are shorter and have fewer photographs than the real one, so the estimate errs on the low side. A fold
    that was finished before a kill is not trained again.

    Args:
        make: makes a trainer.
        settings: those of the real training.
        data: all photographs.
        folder: where the trainings of the folds lie meanwhile.
        told: is told which share of the work is done.
    """
    brief = replace(
        settings, map_until=1.0, patience=None,
        epochs=None if settings.epochs is None else max(1, round(SHARE * settings.epochs)),
        minutes=None if settings.minutes is None else SHARE * settings.minutes / FOLDS,
    )  # fmt: skip
    accuracies, leaves = [], []
    parts = list(folds(len(data.train_images), settings.seed))
    for number, held in enumerate(parts):
        part = without(data, held)
        trainer = make(brief, part, folder / str(number))
        trainer.run(resume=True, report=_share_of(told, number))
        found = trainer.validation()
        accuracies += found.accuracy.tolist()
        leaves.append(found.leaves)
    shutil.rmtree(folder, ignore_errors=True)
    all_leaves = Leaves(*(np.concatenate(column) for column in zip(*leaves, strict=True)))
    return Estimate.of(accuracies, len(parts)), Calibration.fit(all_leaves)


def folds(count: int, seed: int) -> Iterator[npt.NDArray[np.int64]]:
    """The photographs of each fold, drawn at random; a fold for each, if there are no more."""
    yield from np.array_split(np.random.default_rng(seed).permutation(count), min(FOLDS, count))


def without(data: TrainingData, held: npt.NDArray[np.int64]) -> TrainingData:
    """All photographs but some, which are to validate with."""
    rest = np.setdiff1d(np.arange(len(data.train_images)), held)
    return TrainingData(
        data.train_images[rest], data.train_masks[rest], data.train_images[held], data.train_masks[held]
    )


def _share_of(told: Callable[[float], None], number: int) -> Callable[[dict[str, float]], None]:
    def report(row: dict[str, float]) -> None:
        if "progress" in row:
            told((number + row["progress"]) / FOLDS)

    return report
