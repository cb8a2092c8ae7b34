"""Where photographs with masks come from: a folder, a COCO file, or the built-in generator."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..grammar import is_whole
from ..support import progress
from ..support.errors import UserError
from ..support.text import one_line
from .coco import CocoDataset
from .dataset import Dataset, Loaded
from .folder import FolderDataset

BUILT_IN = "built-in generator"
"""What the data is called that nobody had to bring."""
BUILT_IN_COUNT = 362
BUILT_IN_SEED = 0
PARTS = ("train", "validation", "test")
"""What a dataset is divided into."""


def load(
    path: str | Path,
    threshold: float = 0.5,
    side: int | None = None,
    categories: Sequence[str | int] | None = None,
    root: str | Path | None = None,
) -> Dataset:
    """Open a folder with images/ and masks/, or a COCO .json file.

    ``threshold`` is for a folder's masks; ``categories`` (those that are paint; None = all) and ``root``
    (where the photographs are) are for COCO.
    """
    path = Path(path)
    if path.suffix.lower() == ".json" and not os.path.isdir(path):
        return CocoDataset(path, categories=categories, root=root, side=side)
    if categories is not None:
        raise UserError(f"{one_line(path)} is not a COCO .json file, so it has no categories; leave them out.")
    return FolderDataset(path, threshold=threshold, side=side)


@dataclass(frozen=True)
class Source:
    """Where photographs with masks come from, as ``config.json`` remembers it."""

    source: str = BUILT_IN
    """A folder or a COCO file as the user wrote it, or ``BUILT_IN``."""
    threshold: float = 0.5
    categories: tuple[str, ...] = ()
    image_root: str | None = None
    seed: int = BUILT_IN_SEED
    """Of the built-in generator; other seeds give other pictures."""
    count: int | None = None
    """How many pictures it makes; ``BUILT_IN_COUNT`` if not given."""
    world: str = "plain"
    """What they show: ``plain`` for three kinds of parts, as in the stored tables, ``wide`` for many kinds."""

    def __post_init__(self) -> None:
        counted = self.count is None or (is_whole(self.count) and self.count > 0)
        if not counted or not is_whole(self.seed) or self.seed < 0:
            raise UserError(
                f"The {BUILT_IN} cannot make {self.count!a} pictures with the seed {self.seed!a}; give whole numbers, "
                "a count of at least 1 and a seed of at least 0."
            )

    def read(self, side: int) -> Loaded:
        """All images and masks at one size, and the files that had to be left out."""
        if self.source != BUILT_IN:
            dataset = load(self.source, self.threshold, categories=self.categories or None, root=self.image_root)
            return dataset.read_all(side, progress.bar("Reading photographs"))
        from .generator import generate  # which is slow to load, and few need it

        indices = range(BUILT_IN_COUNT if self.count is None else self.count)
        samples = [
            generate(self.seed, index, side, self.world) for index in progress.bar("Making photographs")(indices)
        ]
        images, masks = (np.stack(column) for column in zip(*samples, strict=True))
        return Loaded(images, masks, [f"{index:04d}" for index in indices], [])


def pick(loaded: Loaded, names: Sequence[str]) -> Loaded:
    """The photographs of the given names, all of which must be there."""
    place = {name: index for index, name in enumerate(loaded.names)}
    missing = [name for name in names if name not in place]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise UserError(
            f"The data lacks the photograph {one_line(missing[0])}{more} of this run; restore it, or give other --data."
        )
    chosen = [place[name] for name in names]
    return Loaded(loaded.images[chosen], loaded.masks[chosen], list(names), loaded.skipped)
