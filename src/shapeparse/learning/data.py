"""Photographs to learn from and to validate with, drawn from a dataset."""

from __future__ import annotations

import zlib
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..data import Loaded, Source, Split, random_splits
from ..data.source import PARTS, pick
from ..support.errors import UserError


@dataclass(frozen=True)
class TrainingData:
    """Images squashed to the preset's side with their masks, training and validation apart."""

    train_images: npt.NDArray[np.uint8]
    train_masks: npt.NDArray[np.bool_]
    validation_images: npt.NDArray[np.uint8]
    validation_masks: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        if not len(self.train_images):
            raise UserError("Training needs at least one image to learn from; add images.")

    def fingerprint(self) -> int:
        """A number that other images or masks would change: resuming needs the same data."""
        number = 0
        for array in (self.train_images, self.train_masks, self.validation_images, self.validation_masks):
            number = zlib.crc32(np.ascontiguousarray(array).data, number)
        return number


def split_data(
    loaded: Loaded, validation: float, test: int, seed: int, source: Source
) -> tuple[TrainingData, dict[str, Any]]:
    """Training and validation images, and the entry ``data`` of config.json; ``test`` images are held out of both.

    A ``validation`` of 0 learns from all the others.
    """
    count = len(loaded.names)
    if not 0 <= validation < 1:
        raise UserError(f"validation is {validation}; give a share between 0 and 1, such as 0.1.")
    if test < 0:
        raise UserError(f"test is {test}; give a whole number of images, at least 0.")
    if count - test < 2:
        rest = f" and {test} are to be held out" if test else ""
        raise UserError(
            f"The data has {count} usable image{'' if count == 1 else 's'}{rest}; training needs one to learn from and "
            "one to validate with besides, so add images."
        )
    whole = random_splits(count, count - test, 1, seed)[0] if test else Split(tuple(range(count)), (), ())
    split = whole.with_validation(float(validation), seed) if validation else whole
    names = {part: [loaded.names[i] for i in getattr(split, part)] for part in PARTS}
    return training_data(loaded, names), {**asdict(source), **names}


def training_data(loaded: Loaded, parts: dict[str, list[str]]) -> TrainingData:
    """The images to learn from and to validate with, by their names."""
    train, validation = (pick(loaded, parts[part]) for part in ("train", "validation"))
    return TrainingData(train.images, train.masks, validation.images, validation.masks)
