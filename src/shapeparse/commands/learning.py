"""What the learning commands share: where the data comes from, its parts, and the settings a run remembers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import progress
from ..data import BUILT_IN, Loaded, Split, load, random_splits
from ..errors import UserError
from ..grammar import is_whole
from ..images import shown
from ..learner import LearningSettings
from ..rollout import Exploration
from ..runs import RunFolder
from ..train import TrainSettings
from ..training import TrainingData

BUILT_IN_COUNT = 362
BUILT_IN_SEED = 0
PARTS = ("train", "validation", "test")
NOWHERE: dict[str, Any] = {"source": "", "train": [], "validation": [], "test": []}
"""Stands in for the data of a run that was trained from arrays in Python: only its maker knows where they came from."""


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
        from ..data.generator import generate

        indices = range(BUILT_IN_COUNT if self.count is None else self.count)
        samples = [generate(self.seed, index, side) for index in progress.bar("Making photographs")(indices)]
        images, masks = (np.stack(column) for column in zip(*samples, strict=True))
        return Loaded(images, masks, [f"{index:04d}" for index in indices], [])


@dataclass(frozen=True)
class Remembered:
    """What the ``config.json`` of a run says of its training."""

    settings: TrainSettings
    source: Source
    parts: dict[str, list[str]]
    """Names of the photographs of each part."""
    facts: dict[str, Any]
    """The entry ``data`` as it stands there."""

    @classmethod
    def of(cls, run: Path) -> Remembered:
        """Read it; UserError says what is wrong with the file."""
        folder = RunFolder(run)
        config = folder.read_config()
        try:
            stored, facts = dict(config["settings"]), dict(config.get("data", NOWHERE))
            stored["learning"] = LearningSettings(**stored["learning"])
            stored["exploration"] = Exploration(**stored["exploration"])
            options = {name: facts[name] for name in ("threshold", "image_root", "seed", "count") if name in facts}
            source = Source(str(facts["source"]), categories=tuple(facts.get("categories", ())), **options)
            parts = {part: [str(name) for name in facts[part]] for part in PARTS}
            return cls(TrainSettings(**stored), source, parts, facts)
        except UserError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(
                f"{shown(folder.config_path)} does not describe a training ({shown(error)}); restore it or train again."
            ) from error

    def read_data(self, run: Path, elsewhere: str | None, side: int) -> Loaded:
        """The data of the run, from where it was or from ``elsewhere``."""
        source = self.source
        if elsewhere is not None:
            categories = source.categories if elsewhere.lower().endswith(".json") else ()
            source = Source(elsewhere, source.threshold, categories)
        elif not source.source:
            raise UserError(f"{shown(run)} does not say where its data came from; give photographs with --data.")
        elif source.source != BUILT_IN and not Path(source.source).exists():
            raise UserError(
                f"The data of {shown(run)} was in {shown(source.source)}, which is not there; say where with --data."
            )
        return source.read(side)


def split_data(
    loaded: Loaded, validation: float, test: int, seed: int, source: Source
) -> tuple[TrainingData, dict[str, Any]]:
    """Training and validation images, and the entry ``data`` of config.json; ``test`` images are held out of both."""
    count = len(loaded.names)
    if not 0 < validation < 1:
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
    split = whole.with_validation(float(validation), seed)
    names = {part: [loaded.names[i] for i in getattr(split, part)] for part in PARTS}
    return training_data(loaded, names), {**asdict(source), **names}


def training_data(loaded: Loaded, parts: dict[str, list[str]]) -> TrainingData:
    """The images to learn from and to validate with, by their names."""
    train, validation = (pick(loaded, parts[part]) for part in ("train", "validation"))
    return TrainingData(train.images, train.masks, validation.images, validation.masks)


def pick(loaded: Loaded, names: Sequence[str]) -> Loaded:
    """The photographs of the given names, all of which must be there."""
    place = {name: index for index, name in enumerate(loaded.names)}
    missing = [name for name in names if name not in place]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise UserError(
            f"The data lacks the photograph {shown(missing[0])}{more} of this run; restore it, or give other --data."
        )
    chosen = [place[name] for name in names]
    return Loaded(loaded.images[chosen], loaded.masks[chosen], list(names), loaded.skipped)
