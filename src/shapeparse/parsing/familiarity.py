"""Whether a photograph is like those that a parser has learned from: a parser knows when it does not know.

The signatures of photographs, what the encoder saw of each as a whole, are described by probabilistic principal
component analysis (Tipping and Bishop 1999): their mean, the few directions in which they differ most, and one variance
for all others. Photographs of another kind lie far from that mean, by the distance of Mahalanobis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..grammar import FloatArray
from .estimate import student

MOST_DIRECTIONS, MOST_NUMBERS, MOST_STORED = 16, 8192, 12_000
"""Directions; numbers of a signature; numbers of all directions together, which are written with every parser."""
PER_DIRECTION = 10
"""Photographs that it takes to learn a direction."""
LEAST_PHOTOGRAPHS = 3
"""From fewer, nothing is known."""
FOLDS = 10
REACH = 2.5
"""The edge lies at least so many standard deviations out; with few photographs, as many as Student's 95 %."""
MOST_LOG = 50.0
"""Of the edge, which float32 has to hold."""
LEAST = 1e-9
"""Of a variance, beside that of all numbers together: photographs may be all alike."""
PREFIX = "familiarity."
"""Of the names of its tensors, which lie beside the parser's weights."""


@dataclass(frozen=True)
class Familiarity:
    """What the signatures of known photographs are like, and how far those of the kind lie from their mean at most."""

    mean: FloatArray
    """(numbers,)."""
    directions: FloatArray
    """(directions, numbers): orthonormal, those of the greatest variance first."""
    variance: FloatArray
    """(directions,): along each of them."""
    rest: float
    """Variance along every other direction."""
    edge: float = 1.0
    """A distance that photographs of the kind hardly exceed."""

    def __call__(self, signatures: npt.NDArray[np.floating]) -> FloatArray:
        """How strange photographs are: 0 is the mean of those known, beyond 1 they are unlike them."""
        return self.distance(signatures) / self.edge

    def distance(self, signatures: npt.NDArray[np.floating]) -> FloatArray:
        """Mahalanobis' distance from the mean, for each of (photographs, numbers)."""
        apart = np.asarray(signatures, np.float64) - self.mean
        along = apart @ self.directions.T
        beside = np.maximum((apart**2).sum(axis=1) - (along**2).sum(axis=1), 0.0)
        found: FloatArray = np.sqrt((along**2 / self.variance).sum(axis=1) + beside / self.rest)
        return found

    @classmethod
    def fit(cls, signatures: npt.NDArray[np.floating]) -> Familiarity | None:
        """What is known from (photographs, numbers); None from too few photographs, or numbers that are none.

        The edge is from photographs that were left out in turn: their distances, as logarithms, are about normal, so
        Student's distribution says where those of further photographs lie. The fewer are known, the further out.
        """
        known = np.asarray(signatures, np.float64)
        if len(known) < LEAST_PHOTOGRAPHS or known.shape[1] > MOST_NUMBERS or not np.isfinite(known).all():
            return None
        order = np.arange(len(known))
        held = np.empty(len(known))
        for part in np.array_split(order, min(len(known), FOLDS)):
            held[part] = _described(known[np.setdiff1d(order, part)]).distance(known[part])
        logs = np.log(np.maximum(held, LEAST))
        spread = logs.std(ddof=1) * math.sqrt(1 + 1 / len(logs))
        whole = _described(known)
        edge = math.exp(min(logs.mean() + max(student(len(logs) - 1), REACH) * spread, MOST_LOG))
        return cls(whole.mean, whole.directions, whole.variance, whole.rest, edge)

    def tensors(self) -> dict[str, Tensor]:
        """As they are written beside a parser's weights."""
        scales = np.array([self.rest, self.edge])
        named = {"mean": self.mean, "directions": self.directions, "variance": self.variance, "scales": scales}
        return {PREFIX + name: torch.tensor(array, dtype=torch.float32) for name, array in named.items()}

    @classmethod
    def from_tensors(cls, tensors: dict[str, Tensor]) -> Familiarity | None:
        """What ``tensors`` gave; None if there is nothing of it, and an error if there is something else."""
        given = {name.removeprefix(PREFIX): tensor for name, tensor in tensors.items() if name.startswith(PREFIX)}
        if not given:
            return None
        parts = [given[name] for name in ("mean", "directions", "variance", "scales")]
        if not all(part.dtype in (torch.float32, torch.float16) and torch.isfinite(part).all() for part in parts):
            raise ValueError("a familiarity must be finite numbers")
        mean, directions, variance, scales = (part.double().numpy() for part in parts)
        shapes = [(len(variance), mean.size), (len(variance),), (2,)]
        if (
            mean.ndim != 1
            or [directions.shape, variance.shape, scales.shape] != shapes
            or directions.size > MOST_STORED
        ):
            raise ValueError("a familiarity must have numbers that belong together")
        if not (mean.size <= MOST_NUMBERS and (variance > 0).all() and (scales > 0).all()):
            raise ValueError("a familiarity must have variances above 0")
        return cls(mean, directions, variance, float(scales[0]), float(scales[1]))


def _described(known: FloatArray) -> Familiarity:
    """Mean, directions and variances of signatures, of which there are at least two."""
    count, numbers = known.shape
    mean = known.mean(axis=0)
    _, sizes, axes = np.linalg.svd(known - mean, full_matrices=False)
    variance = sizes**2 / (count - 1)
    chosen = min(MOST_DIRECTIONS, count // PER_DIRECTION, MOST_STORED // numbers, len(variance) - 1)
    least = LEAST * max(float(variance.sum()), LEAST)
    rest = float(variance[chosen:].sum()) / max(numbers - chosen, 1)
    return Familiarity(mean, axes[:chosen], np.maximum(variance[:chosen], least), max(rest, least))
