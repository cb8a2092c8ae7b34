"""How sure differences and ranks are when other splits, seeds and images might have been drawn.

Every fold is another split with another seed, and tests other images. What comes of other images is known from
resampling those that were tested: an image that is drawn brings its differences from the mean of all folds that it was
tested in. What comes of other splits and seeds is known from how far the means of the folds are apart. Folds are few,
so they are not resampled: Student's t says how far off their mean may be, drawn for all rows together. Both are added
up. As the means of folds also vary with their images, intervals are a little wider than they would have to be.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..support.errors import UserError
from .statistics import LEVEL, SAMPLES, Interval

FloatArray = npt.NDArray[np.float64]


class Resampled(NamedTuple):
    """Means of some rows over folds, and what they might be with other folds and images."""

    means: FloatArray
    """(rows,)."""
    samples: FloatArray
    """(rows, samples)."""


class Rank(NamedTuple):
    """Where a row stands among others, 1 being the best."""

    rank: int
    low: int
    high: int
    """The 95 % interval of the rank."""
    best: float
    """How often it is first."""


def resample(
    rows: Sequence[Sequence[Mapping[int, float]]], samples: int = SAMPLES, seed: int = 0, at_once: int = 1000
) -> Resampled:
    """Resample rows that were all run on the same folds; each fold is a mapping from image to number."""
    folds = len(rows[0]) if rows else 0
    if folds < 2 or any(not fold for row in rows for fold in row):
        raise UserError("There is nothing to resample; give the numbers of at least two folds.")
    place = {image: index for index, image in enumerate(sorted({image for fold in rows[0] for image in fold}))}
    of_folds = np.array([[np.mean(list(fold.values())) for fold in row] for row in rows])
    share, away = np.zeros(len(place)), np.zeros((len(rows), len(place)))
    for fold in range(folds):
        at = [place[image] for image in rows[0][fold]]
        share[at] += 1 / (folds * len(at))
        for number, row in enumerate(rows):
            from_mean = np.array([row[fold][image] for image in rows[0][fold]]) - of_folds[number, fold]
            away[number, at] += from_mean / (folds * len(at))
    random, means, found = np.random.default_rng(seed), of_folds.mean(axis=1), []
    apart = (of_folds - means[:, None]) / math.sqrt(folds * (folds - 1))  # normal draws of it: the error of the mean
    for first in range(0, samples, at_once):
        count = min(at_once, samples - first)
        drawn = random.multinomial(len(place), np.full(len(place), 1 / len(place)), count).astype(np.float64)
        of_images = (away @ drawn.T) / np.maximum(share @ drawn.T, 1e-12)
        freedom = np.sqrt(random.chisquare(folds - 1, count) / (folds - 1))
        found.append(of_images + apart @ (random.standard_normal((folds, count)) / freedom))
    return Resampled(means, means[:, None] + np.concatenate(found, axis=1))


def difference_interval(differences: Sequence[Mapping[int, float]], samples: int = SAMPLES, seed: int = 0) -> Interval:
    """The mean difference over folds, and its 95 % interval. A single fold says nothing of others: it has none."""
    if len(differences) == 1 and differences[0]:
        return Interval(float(np.mean(list(differences[0].values()))), math.nan, math.nan)
    found = resample([differences], samples, seed)
    low, high = np.quantile(found.samples[0], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(found.means[0]), float(low), float(high))


def ranks(rows: Sequence[Sequence[Mapping[int, float]]], samples: int = SAMPLES, seed: int = 0) -> list[Rank]:
    """The rank of each row by its mean, how far it might be another, and how often the row is first."""
    found = resample(rows, samples, seed)
    place = (found.samples[None] > found.samples[:, None]).sum(axis=1) + 1  # (rows, samples)
    now = (found.means[None] > found.means[:, None]).sum(axis=1) + 1
    low, high = np.quantile(place, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=1, method="nearest")
    best = (place == 1).mean(axis=1)
    return [Rank(int(now[row]), int(low[row]), int(high[row]), float(best[row])) for row in range(len(rows))]
