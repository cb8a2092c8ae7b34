"""How accurate a parser will be on photographs like those it was trained with, and how little is known of that."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

NORMAL = 1.959964
"""The normal distribution lies within so many standard deviations of its mean with a probability of 95 %."""


@dataclass(frozen=True)
class Estimate:
    """The mean accuracy over photographs that were not learned from, and where the true mean lies, 19 times of 20.

    >>> found = Estimate.of([0.90, 0.80, 0.95, 0.85])
    >>> print(found)
    about 88 % (77 to 98), from 4 photographs
    """

    accuracy: float
    low: float
    high: float
    photographs: int

    @classmethod
    def of(cls, accuracies: Sequence[float], folds: int = 0) -> Estimate:
        """The mean over some photographs, with Student's interval; one photograph says next to nothing.

        ``folds`` says of how many folds of a cross-validation they are, if they are. Parsers of the folds learn from
        much the same photographs, so the interval must be wider, to hold for other photographs to learn from as well:
        Nadeau and Bengio (2003) add the held-out share over the learned share, 1 / (folds - 1), to the variance of a
        mean over folds, 1 / folds.
        """
        mean, count = fmean(accuracies), len(accuracies)
        wider = math.sqrt(1 + folds / (folds - 1)) if folds > 1 else 1.0
        reach = wider * student(count - 1) * stdev(accuracies) / math.sqrt(count) if count > 1 else 1.0
        return cls(mean, max(mean - reach, 0.0), min(mean + reach, 1.0), count)

    @classmethod
    def from_json(cls, content: Any) -> Estimate | None:
        """What a model's notes hold; None if they hold nothing of it, and an error if they hold something else."""
        if content is None:
            return None
        accuracy, low, high = (float(content[name]) for name in ("accuracy", "low", "high"))
        if not 0 <= low <= accuracy <= high <= 1:
            raise ValueError("an estimate must be a share")
        return cls(accuracy, low, high, int(content["photographs"]))

    def to_json(self) -> dict[str, Any]:
        """The notes for ``from_json``."""
        return asdict(self)

    def __str__(self) -> str:
        digits = 0 if self.high - self.low > 0.02 else 1
        accuracy, low, high = (f"{100 * share:.{digits}f}" for share in (self.accuracy, self.low, self.high))
        plural = "" if self.photographs == 1 else "s"
        return f"about {accuracy} % ({low} to {high}), from {self.photographs} photograph{plural}"


def student(freedom: int) -> float:
    """The 97.5th percentile of Student's distribution: Cornish and Fisher's expansion, but for the smallest, where it
    is off by more than a percent.

    >>> [round(student(freedom), 2) for freedom in (1, 5, 9, 30)]
    [12.71, 2.57, 2.26, 2.04]
    """
    known = {1: 12.706, 2: 4.303, 3: 3.182}
    if freedom in known:
        return known[freedom]
    z = NORMAL
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )
