"""Runs grouped into rows, their means over folds, and how sure a difference between two rows is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..support.errors import UserError
from ..support.limits import DEFAULT_PRICE

Run = dict[str, Any]
"""One row on one fold, as ``results.json`` holds it."""

SAMPLES, LEVEL = 10_000, 0.95
_NUMBERS_AT_ONCE = 4_000_000
"""Drawn in one go, so that thousands of images do not fill the memory."""


class Spread(NamedTuple):
    """A mean over folds, and the sample standard deviation, which one fold has none of."""

    mean: float
    deviation: float | None
    folds: int


class Interval(NamedTuple):
    """A mean difference and the interval that it is believed to lie in."""

    mean: float
    low: float
    high: float

    @property
    def is_positive(self) -> bool:
        """Whether all of the interval lies above zero."""
        return self.low > 0

    @property
    def is_negative(self) -> bool:
        """Whether all of the interval lies below zero."""
        return self.high < 0


@dataclass(frozen=True)
class Group:
    """The runs that differ only in their fold: one line of the table."""

    preset: str
    row: str
    runs: dict[int, Run]
    """One a fold, in order."""

    @property
    def any_run(self) -> Run:
        """The first of the runs, for what all of them share."""
        return next(iter(self.runs.values()))

    def over_folds(self, name: str, part: str | None = None) -> Spread | None:
        """A number of each run, or of its evaluation on ``part`` (train, validation, test), over the folds."""
        holders = [run if part is None else run.get(part) or {} for run in self.runs.values()]
        return spread(holder[name] for holder in holders if holder.get(name) is not None)

    def worth(self) -> Spread | None:
        """What the trees of test images are worth, over the folds."""
        return spread(worth(run) for run in self.runs.values() if (run.get("test") or {}).get("leaves") is not None)

    def by_depth(self, name: str) -> list[float]:
        """A figure of the test evaluation at each depth, mean over the folds; empty if no run has it."""
        found = [(run.get("test") or {}).get(name) for run in self.runs.values()]
        tables = [values for values in found if values]
        shortest = min(map(len, tables), default=0)
        return [float(np.mean([values[depth] for values in tables])) for depth in range(shortest)]


def worth(run: Run) -> float:
    """Accuracy on test images, minus what ``parse`` asks of every rectangle if nothing else is said."""
    return float(run["test"]["accuracy"] - DEFAULT_PRICE * run["test"]["leaves"])


def grouped(runs: Iterable[Run], preset: str = "") -> dict[tuple[str, str], Group]:
    """Runs by (preset, row), each group's folds in order; ``preset`` is for runs that name none.

    If a fold was run twice, the later run counts.
    """
    found: dict[tuple[str, str], dict[int, Run]] = {}
    for run in runs:
        found.setdefault((run.get("preset") or preset, run["row"]), {})[run["fold"]] = run
    return {key: Group(*key, dict(sorted(folds.items()))) for key, folds in found.items()}


def spread(values: Iterable[float]) -> Spread | None:
    """Mean and sample standard deviation; None if there are no values."""
    array = np.fromiter(values, np.float64)
    if not len(array):
        return None
    return Spread(float(array.mean()), float(array.std(ddof=1)) if len(array) > 1 else None, len(array))


def image_differences(first: Group, second: Group, tests: Sequence[Sequence[int]]) -> list[dict[int, float]]:
    """For each fold that both rows were run on: by how much ``first`` is more accurate on each test image.

    ``tests`` are the test images of every fold, in the order of a run's accuracies.
    """
    differences = []
    for fold in sorted(first.runs.keys() & second.runs.keys()):
        images = tests[fold] if fold < len(tests) else []
        ours, theirs = (group.runs[fold].get("test_accuracy_each") or [] for group in (first, second))
        if images and len(ours) == len(theirs) == len(images):
            differences.append({image: a - b for image, a, b in zip(images, ours, theirs, strict=True)})
    return differences


def paired_bootstrap(
    differences: Sequence[Mapping[int, float]], samples: int = SAMPLES, seed: int = 0, level: float = LEVEL
) -> Interval:
    """The mean difference, and the percentile interval of ``level`` that resampling the test images gives.

    ``differences`` holds a mapping from image to difference for each fold. Random splits may test an image in several
    folds, and its differences there are alike, so the images are the clusters that are resampled: an image that is
    drawn brings the differences of all its folds, each weighed so that every fold counts the same. The mean is thus
    the mean over folds of their mean differences, as in the table.

    The interval tells how much hangs on the choice of test images. It does not know how much another seed of the same
    training would change.
    """
    folds = [fold for fold in differences if fold]
    if not folds:
        raise UserError("There is nothing to resample; give the differences of at least one image.")
    place = {image: index for index, image in enumerate(sorted(set().union(*folds)))}
    total, weight = np.zeros(len(place)), np.zeros(len(place))
    for fold in folds:
        at = [place[image] for image in fold]
        total[at] += np.fromiter(fold.values(), np.float64) / len(fold)
        weight[at] += 1 / len(fold)
    random = np.random.default_rng(seed)
    means, most = [], max(1, _NUMBERS_AT_ONCE // len(place))
    for first in range(0, samples, most):
        drawn = random.integers(len(place), size=(min(most, samples - first), len(place)))
        means.append(total[drawn].sum(axis=1) / weight[drawn].sum(axis=1))
    low, high = np.quantile(np.concatenate(means), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(total.sum() / weight.sum()), float(low), float(high))


class Curve(NamedTuple):
    """A course of numbers: its mean over folds, and the least and the greatest of them."""

    x: npt.NDArray[np.float64]
    mean: npt.NDArray[np.float64]
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]


def mean_curve(curves: Iterable[Sequence[Sequence[float]]], points: int = 120, by_ratio: bool = False) -> Curve | None:
    """The mean of curves of (x, y) over the stretch that all of them cover, straight between their points.

    With ``by_ratio`` its own points lie the same ratio apart, for a logarithmic axis.
    """
    arrays = [np.asarray(curve, np.float64) for curve in curves if len(curve)]
    if not arrays:
        return None
    first, last = max(array[0, 0] for array in arrays), min(array[-1, 0] for array in arrays)
    spaced = np.geomspace if by_ratio else np.linspace
    x = spaced(first, last, points) if last > first else np.array([last])
    y = np.stack([np.interp(x, array[:, 0], array[:, 1]) for array in arrays])
    return Curve(x, y.mean(axis=0), y.min(axis=0), y.max(axis=0))
