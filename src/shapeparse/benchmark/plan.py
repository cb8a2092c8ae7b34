"""What is to be compared: the data, its splits, the budget, and a job for every row and fold."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ..data import Loaded, Split, random_splits
from ..grammar import Limits
from ..learning.data import TrainingData
from ..learning.settings import TrainSettings
from ..networks.presets import preset_named
from ..support.errors import UserError

TRAIN_SHARE = 300 / 362
"""The paper trains on 300 of 362 images."""
VALIDATION_SHARE = 0.1


@dataclass(frozen=True)
class Job:
    """One row of the comparison, on one fold."""

    row: str
    """A method, an ablation of one, or one of ``rows.PEERS``."""
    fold: int
    preset: str

    @property
    def name(self) -> str:
        """What its folder is called."""
        return f"{self.preset}-{self.row}-{self.fold}"


@dataclass(frozen=True)
class Plan:
    """Everything that decides a benchmark. ``plan.json`` holds it, so that workers and later starts read the same."""

    data: str
    """What the data is called in tables."""
    names: tuple[str, ...]
    fingerprint: int
    """A number that other images or masks would change."""
    splits: tuple[Split, ...]
    minutes: float | None
    epochs: int | None
    preset: str
    seed: int
    depth: int
    plateau: int | None = None
    device: str = "cpu"
    """Where jobs compute; a benchmark may go on with another one."""

    @classmethod
    def of(
        cls, data: str, loaded: Loaded, folds: int, minutes: float | None, epochs: int | None,
        preset: str = "fast", seed: int = 0, depth: int = 7, plateau: int | None = None,
        device: str = "cpu",
    ) -> Plan:  # fmt: skip
        """Random splits as in the paper, with validation images cut out of the training part."""
        preset_named(preset)
        count = len(loaded.names)
        if count < 4:
            raise UserError(f"The data has {count} usable images; a benchmark needs at least 4, so add images.")
        drawn = random_splits(count, max(2, min(count - 1, round(TRAIN_SHARE * count))), folds, seed)
        splits = tuple(split.with_validation(VALIDATION_SHARE, seed + fold) for fold, split in enumerate(drawn))
        fingerprint = zlib.crc32(loaded.masks.tobytes(), zlib.crc32(loaded.images.tobytes()))
        if minutes is None and epochs is None and plateau is None:
            minutes = 5.0
        plan = cls(
            data, tuple(loaded.names), fingerprint, splits, minutes, epochs, preset, seed, depth, plateau, device
        )
        plan.settings(Job("bc", 0, preset))  # which refuses a budget, seed or depth that cannot be
        return plan

    def jobs(self, rows: Sequence[str]) -> list[Job]:
        """A job for every row and fold, fold by fold."""
        return [Job(row, fold, self.preset) for fold in range(len(self.splits)) for row in rows]

    def settings(self, job: Job, threads: int | None = None) -> TrainSettings:
        """How a method is trained."""
        usual = TrainSettings(job.row, job.preset, self.epochs, self.minutes, depth=self.depth, plateau=self.plateau)
        return replace(usual, seed=self.seed + job.fold, threads=threads)

    @property
    def limits(self) -> Limits:
        """How far every row may parse, so that none has smaller rectangles than another."""
        return self.settings(Job("bc", 0, self.preset)).limits

    def part(self, loaded: Loaded, fold: int, part: str) -> tuple[np.ndarray, np.ndarray]:
        """Images and masks of the train, validation or test part of a fold."""
        chosen = list(getattr(self.splits[fold], part))
        return loaded.images[chosen], loaded.masks[chosen]

    def training_data(self, loaded: Loaded, fold: int) -> TrainingData:
        """What may be learned from and validated with in a fold."""
        return TrainingData(*self.part(loaded, fold, "train"), *self.part(loaded, fold, "validation"))

    def to_json(self) -> dict[str, Any]:
        """As ``results.json`` and ``plan.json`` hold it."""
        return {
            "data": {
                "name": self.data,
                "images": len(self.names),
                "fingerprint": self.fingerprint,
                "names": list(self.names),
            },
            "minutes": self.minutes,
            "epochs": self.epochs,
            "plateau": self.plateau,
            "preset": self.preset,
            "seed": self.seed,
            "depth": self.depth,
            "device": self.device,
            "splits": [split.to_json() for split in self.splits],
        }

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Plan:
        """What ``to_json`` gave."""
        data = content["data"]
        return cls(
            data["name"], tuple(data["names"]), data["fingerprint"],
            tuple(Split.from_json(split) for split in content["splits"]),
            content["minutes"], content["epochs"], content["preset"], content["seed"], content["depth"],
            content.get("plateau"),
            content.get("device", "cpu"),
        )  # fmt: skip


def settings_json(settings: Any) -> dict[str, Any]:
    """Settings as a results file holds them: without threads, which decide the time but not what was asked for."""
    content: dict[str, Any] = json.loads(json.dumps(asdict(settings)))
    content.pop("threads", None)
    return content
