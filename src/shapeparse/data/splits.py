"""Seeded splits of a dataset into images to train on, to validate with and to test on."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..support.errors import UserError


@dataclass(frozen=True)
class Split:
    """Which images (by their index) are for training, validation and test: sorted, and never shared."""

    train: tuple[int, ...]
    validation: tuple[int, ...]
    test: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in ("train", "validation", "test"):
            object.__setattr__(self, name, _indices(name, getattr(self, name)))
        together = self.train + self.validation + self.test
        if len(set(together)) != len(together):
            raise UserError("A split uses an image twice; train, validation and test must share no index.")

    def with_validation(self, amount: float, seed: int = 0) -> Split:
        """Move images drawn from the training part, and only from it, to validation.

        ``amount`` is a fraction of the training part if it is a float (at least one image is moved), and
        a number of images if it is an int.
        """
        if self.validation:
            raise UserError("The split has validation images already; start from one without.")
        wanted = max(1, round(amount * len(self.train))) if _is_fraction(amount) else amount
        if isinstance(wanted, float) or not 1 <= wanted < len(self.train):
            raise UserError(
                f"Cannot take {amount} of {len(self.train)} training images for validation; "
                "give a fraction between 0 and 1, or a number that leaves at least one."
            )
        shuffled = _generator(seed).permutation(np.array(self.train))
        return Split(tuple(shuffled[wanted:]), tuple(shuffled[:wanted]), self.test)

    def to_json(self) -> dict[str, list[int]]:
        """Return the split as plain lists, ready for :func:`shapeparse.support.files.write_json`."""
        return {"train": list(self.train), "validation": list(self.validation), "test": list(self.test)}

    @classmethod
    def from_json(cls, content: Any) -> Split:
        """Make a split of what :meth:`to_json` gave."""
        names = ("train", "validation", "test")
        if not isinstance(content, dict) or not all(isinstance(content.get(name), list) for name in names):
            raise UserError("A split must be an object with the lists train, validation and test.")
        return cls(**{name: tuple(content[name]) for name in names})


def random_splits(count: int, train: int, folds: int = 3, seed: int = 0) -> list[Split]:
    """Draw ``folds`` random splits of ``count`` images: ``train`` for training, the rest for test.

    The paper's are three of 300 / 62.
    """
    if not 1 <= train < count:
        raise UserError(
            f"Cannot train on {train} of {count} images and test on the rest; "
            "give at least 1, and fewer than there are images."
        )
    if folds < 1:
        raise UserError(f"The number of splits must be at least 1, not {folds}.")
    generator = _generator(seed)
    test = count - train
    shuffles = [generator.permutation(count) for _ in range(folds)]
    return [Split(tuple(shuffled[test:]), (), tuple(shuffled[:test])) for shuffled in shuffles]


def k_fold(count: int, folds: int, seed: int = 0) -> list[Split]:
    """Cut ``count`` shuffled images into ``folds`` parts, and test on each in turn."""
    if not 2 <= folds <= count:
        raise UserError(f"Cannot cut {count} images into {folds} folds; give a number from 2 to {count}.")
    parts = np.array_split(_generator(seed).permutation(count), folds)
    return [
        Split(tuple(np.concatenate(parts[:fold] + parts[fold + 1 :])), (), tuple(parts[fold])) for fold in range(folds)
    ]


def _indices(name: str, values: Iterable[Any]) -> tuple[int, ...]:
    try:
        indices = tuple(sorted(operator.index(value) for value in values))
    except TypeError as error:
        raise UserError(f"The {name} part of a split must be a list of whole numbers.") from error
    if indices and indices[0] < 0:
        raise UserError(f"The {name} part of a split has the index {indices[0]}; indices start at 0.")
    return indices


def _is_fraction(amount: float) -> bool:
    return isinstance(amount, float) and 0 < amount < 1


def _generator(seed: int) -> np.random.Generator:
    if seed < 0:
        raise UserError(f"The seed must not be negative, but is {seed}.")
    return np.random.default_rng(seed)
