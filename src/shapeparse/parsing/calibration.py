"""How sure a parser may be: what it finds likely, corrected by what was true of validation images."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..grammar import FloatArray, Forest, Rule
from ..grammar.tree import beside_masks
from ..oracle.rewards import Rewards

BINS = 10
_LEAST = 1e-4
"""Nothing is found less likely than this, or its opposite would be certain."""
_ROUNDS, _TIE = 50, 1e-3


@dataclass(frozen=True)
class Calibration:
    """Platt scaling: the logit of what is found likely, stretched and shifted."""

    slope: float = 1.0
    shift: float = 0.0

    def __call__(self, likely: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
        """How likely paint is, corrected."""
        return _logistic(self.slope * _logit(likely) + self.shift).astype(np.float32)

    @classmethod
    def from_json(cls, content: Any) -> Calibration:
        """What a model's notes hold; none if they hold nothing of it, and an error if they hold something else."""
        if content is None:
            return cls()
        slope, shift = (float(content[name]) for name in ("slope", "shift"))
        if not (math.isfinite(slope) and math.isfinite(shift)):
            raise ValueError("a calibration must be finite")
        return cls(slope, shift)

    @classmethod
    def fit(cls, leaves: Leaves) -> Calibration:
        """The correction under which the true labels of the leaves' pixels are likeliest.

        A small penalty keeps it near none, which is what nothing to learn from gives. Newton's method: the loss is
        convex in both numbers.
        """
        logit = _logit(leaves.likely)
        given, usual = np.stack([logit, np.ones_like(logit)], axis=1), np.array([1.0, 0.0])
        found = usual.copy()
        for _ in range(_ROUNDS):
            expected = _logistic(given @ found)
            slope = given.T @ (leaves.weight * (expected - leaves.paint)) + _TIE * (found - usual)
            bend = (given * (leaves.weight * expected * (1 - expected))[:, None]).T @ given + _TIE * np.eye(2)
            step = np.linalg.solve(bend, slope)
            found -= step / max(1.0, np.abs(step).max())  # no further than 1 at a time: far away the loss is flat
        return cls(float(found[0]), float(found[1]))


class Leaves(NamedTuple):
    """The leaves of some trees, as far as certainty is concerned."""

    likely: FloatArray
    """How likely the parser found paint."""
    paint: FloatArray
    """The share of pixels that really are paint."""
    is_paint: npt.NDArray[np.bool_]
    """The label that they got."""
    weight: FloatArray
    """Share of all pixels."""

    @classmethod
    def of(cls, forests: Iterable[Forest], masks: npt.NDArray[np.bool_]) -> Leaves:
        """Those of forests that together are of these masks, in order."""
        columns: list[tuple[npt.NDArray, ...]] = []
        for forest, some in beside_masks(forests, masks):
            assert forest.likely is not None  # a parser made it
            chosen = np.flatnonzero(forest.rule >= Rule.PAINT)
            nodes = forest.nodes.take(chosen)
            positive = Rewards(list(some)).positives(nodes)
            is_paint = forest.rule[chosen] == Rule.PAINT
            columns.append((forest.likely[chosen].astype(float), positive / nodes.area, is_paint, nodes.area))
        likely, paint, is_paint, area = (np.concatenate(column) for column in zip(*columns, strict=True))
        return cls(likely, paint, is_paint, area / area.sum())


class Reliability(NamedTuple):
    """For labels of about the same certainty: how certain, how often right, and how much of the images they cover."""

    certainty: FloatArray
    right: FloatArray
    weight: FloatArray

    @classmethod
    def of(cls, leaves: Leaves) -> Reliability:
        """In bins of equal width; those without leaves are left out."""
        certainty = np.where(leaves.is_paint, leaves.likely, 1 - leaves.likely)
        right = np.where(leaves.is_paint, leaves.paint, 1 - leaves.paint)
        place = np.minimum((certainty * BINS).astype(int), BINS - 1)
        weight: FloatArray = np.bincount(place, leaves.weight, BINS).astype(np.float64)
        sums = (np.bincount(place, leaves.weight * column, BINS) for column in (certainty, right))
        filled = weight > 0
        means = [total[filled] / weight[filled] for total in sums]
        return cls(means[0], means[1], weight[filled])

    @property
    def error(self) -> float:
        """Expected calibration error: the mean distance of certainty and truth."""
        return float((self.weight * np.abs(self.certainty - self.right)).sum())


def _logit(likely: npt.NDArray[np.floating]) -> FloatArray:
    kept = np.clip(np.asarray(likely, np.float64), _LEAST, 1 - _LEAST)
    return np.log(kept / (1 - kept))


def _logistic(logit: FloatArray) -> FloatArray:
    return 1 / (1 + np.exp(-logit))
