"""What every dataset can do: name its samples, read one, read all at one size, and say what it left out."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..support.errors import UserError
from ..support.text import one_line
from .images import resize_image, resize_mask

#: Wraps the indices while they are worked through, to show a progress bar.
Progress = Callable[[Iterable[int]], Iterable[int]]


@dataclass(frozen=True)
class Sample:
    """One photograph, uint8 (h, w, 3), and its mask, bool (h, w), True = paint."""

    name: str
    image: NDArray[np.uint8]
    mask: NDArray[np.bool_]


@dataclass(frozen=True)
class Skipped:
    """A file that was left out, and the sentence that says why and what to do."""

    path: Path
    reason: str


class Loaded(NamedTuple):
    """A whole dataset in memory, at one size."""

    images: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    names: list[str]
    skipped: list[Skipped]


def identity(indices: Iterable[int]) -> Iterable[int]:
    """Show no progress."""
    return indices


class Dataset(ABC):
    """Samples that are read when asked for.

    ``names`` are unique and in natural order; ``skipped`` is what was left out when the dataset was opened.
    With ``side``, every sample is squashed to that square.
    """

    def __init__(self, path: Path, names: list[str], skipped: list[Skipped], side: int | None = None) -> None:
        if side is not None:
            check_side(side)
        self.path = path
        self.names = names
        self.skipped = skipped
        self.side = side

    def __len__(self) -> int:
        return len(self.names)

    @abstractmethod
    def image_path(self, index: int) -> Path:
        """Return the file of the photograph."""

    @abstractmethod
    def _read(self, index: int) -> Sample:
        """Read one sample at its own size, or raise UserError."""

    def read(self, index: int) -> Sample:
        """Read one sample; raises UserError, in one sentence, if it is broken."""
        sample = self._read(index)
        return sample if self.side is None else squash(sample, self.side)

    def check(self, progress: Progress = identity) -> list[Skipped]:
        """Read everything, keep nothing, and return all that was left out or is broken."""
        broken = list(self.skipped)
        for index in progress(range(len(self))):
            try:
                self.read(index)
            except UserError as error:
                broken.append(Skipped(self.image_path(index), str(error)))
        return broken

    def read_all(self, side: int = 256, progress: Progress = identity) -> Loaded:
        """Read every sample, squashed to ``side`` x ``side``; broken ones are skipped, with their reason.

        Raises UserError if nothing is left.
        """
        check_side(side)
        try:
            images = np.empty((len(self), side, side, 3), np.uint8)
            masks = np.empty((len(self), side, side), np.bool_)
        except (MemoryError, ValueError) as error:
            raise UserError(
                f"{len(self)} images of {side} x {side} do not fit into memory; choose a smaller side."
            ) from error
        names: list[str] = []
        skipped = list(self.skipped)
        for index in progress(range(len(self))):
            try:
                sample = squash(self._read(index), side)
            except UserError as error:
                skipped.append(Skipped(self.image_path(index), str(error)))
                continue
            images[len(names)], masks[len(names)] = sample.image, sample.mask
            names.append(sample.name)
        if not names:
            raise _nothing_left(self.path, skipped)
        return Loaded(images[: len(names)], masks[: len(names)], names, skipped)


def squash(sample: Sample, side: int) -> Sample:
    """Return the sample at ``side`` x ``side``."""
    return Sample(sample.name, resize_image(sample.image, side), resize_mask(sample.mask, side))


def natural_order(name: str) -> list[tuple[int, str]]:
    """Return a sort key that puts photo2 before photo10."""
    parts = re.split(r"([0-9]+)", name)  # text and numbers by turns, so like is compared with like
    return [(int(part) if place % 2 else 0, part) for place, part in enumerate(parts)]


def check_side(side: int) -> None:
    """Raise UserError unless ``side`` is a sensible number of pixels."""
    if not 1 <= side <= 8192:
        raise UserError(f"The side must be from 1 to 8192 pixels, not {side}; 256 is usual.")


def _nothing_left(path: Path, skipped: list[Skipped]) -> UserError:
    first = f" (the first of {len(skipped)}: {skipped[0].reason.rstrip('.')})" if skipped else ""
    return UserError(f"{one_line(path)} has no sample that can be used{first}; mend or replace the files.")
