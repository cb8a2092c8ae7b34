"""Training: epochs of rollouts and updates, schedules, validation, checkpoints and exact resume."""

from __future__ import annotations

import dataclasses
import math
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from .calibration import Calibration, Leaves
from .errors import UserError
from .evaluate import accuracy_and_leaves
from .grammar import Limits, is_whole
from .learner import Batch, Learner, LearningSettings
from .looks import Looks, look_at
from .memory import Memory
from .methods import method_named
from .networks.presets import preset_named
from .parsing import parse_images
from .rollout import Exploration, Rollout
from .runs import pack_state, unpack_state
from .scenes import Scenes, colour_jitter
from .training import Report, Training, TrainingData

_LEAST = {
    "rollout_images": 1, "updates": 1, "map_updates": 1, "batch_images": 1, "batch_nodes": 1, "memory": 1,
    "seed": 0, "patience": 0, "threads": 1, "first_look": 0,
}  # fmt: skip
"""The smallest that whole-numbered settings may be."""


@dataclass(frozen=True)
class TrainSettings:
    """Everything that decides a run besides its data."""

    method: str = "drag-anchored"
    """Which of the methods to train with."""
    preset: str = "fast"
    """Which network."""
    epochs: int | None = None
    """Budget in passes over the training images: the same seed then always gives the same run."""
    minutes: float | None = None
    """Budget in minutes, if no epochs are given."""
    seed: int = 0
    """Of all that is random."""
    depth: int = 7
    """Depth of the deepest leaf."""
    min_extent: int = 1
    """A node is split along an axis only while its extent there is greater than this many pixels."""
    lookahead: int = 0
    """Cuts an axis that the teaching oracle looks ahead; 0 is the paper's greedy oracle."""
    rollout_images: int = 32
    """Images parsed at a time to gather experience."""
    updates: int = 8
    """Updates after each such rollout."""
    batch_images: int = 8
    """Images in a minibatch."""
    batch_nodes: int = 48
    """Most nodes of each of them."""
    memory: int = 512
    """Nodes remembered of each image and of its flip."""
    beta_end: float = 0.0
    """Probability of following the oracle at the end; it starts at 1. At 0, what the learner meets when it is alone is
    what it learns from."""
    beta_until: float = 0.4
    """Share of the training over which it falls."""
    switch: Literal["depth", "step"] = "depth"
    """What the random switch to the oracle counts: levels, or nodes in depth-first order."""
    below: bool = False
    """Keep the nodes below the switch too, where the oracle acts (only with ``switch="depth"``)."""
    schedule: Literal["cosine", "constant"] = "cosine"
    """Whether the learning rate falls along a cosine after a quick rise, or stays."""
    flips: bool = True
    """Also learn from images flipped left to right."""
    zoom: float = 0.25
    """How much of an image's width and height may lie outside of what a training image shows of it."""
    zoom_chance: float = 0.5
    """Probability that an image is zoomed into anew before it is parsed, and what was remembered of it forgotten."""
    colour: float = 0.15
    """How much the light of training images is varied."""
    map_until: float = 0.0
    """Share of the training in which a network with an evidence map only learns that, from random crops, before it
    parses: a look costs less when no nodes are read from it."""
    map_updates: int = 48
    """Updates from such crops in place of each rollout and its updates. Many, for no policy is ready to be validated
    after each epoch yet, which takes its time too."""
    map_zoom: float = 1.3
    """How many times larger or smaller things may become in these crops; 1 for not at all."""
    first_look: int = 0
    """Side of the smallest of these crops: they grow to the network's own side in three steps. 0 for that at once."""
    patience: int | None = None
    """Stop when validation has not improved for this many epochs."""
    threads: int | None = None
    """Threads; all cores if not given."""
    learning: LearningSettings = field(default_factory=LearningSettings)
    exploration: Exploration = field(default_factory=Exploration)

    def __post_init__(self) -> None:
        method_named(self.method)
        preset_named(self.preset)
        for name, value in _numbers(dataclasses.asdict(self)):
            if not math.isfinite(value):
                raise UserError(f"{name} is {value}; give a finite number.")
            if value < 0:
                raise UserError(f"{name} is {value}; give a number of at least 0.")
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is None and name in ("patience", "threads"):
                continue
            if not is_whole(value) or value < least:
                raise UserError(f"{name} is {value}; give a whole number of at least {least}.")
        for name in ("beta_end", "beta_until", "colour", "zoom", "zoom_chance", "map_until"):
            if not 0 <= getattr(self, name) <= 1:
                raise UserError(f"{name} is {getattr(self, name)}; give a number from 0 to 1.")
        if self.map_zoom < 1:
            raise UserError(f"map_zoom is {self.map_zoom}; give a number of at least 1.")
        learning, exploration = self.learning, self.exploration
        if not is_whole(learning.fresh_actions) or learning.fresh_actions < 2:
            raise UserError(f"learning.fresh_actions is {learning.fresh_actions}; give at least 2 to compare.")
        if not is_whole(learning.dense_actions) or learning.dense_actions < 0:
            raise UserError(f"learning.dense_actions is {learning.dense_actions}; give a whole number of at least 0.")
        if learning.target_rate > 1 or exploration.random_rule > 1:
            raise UserError("learning.target_rate and exploration.random_rule are shares; give numbers from 0 to 1.")
        if self.switch not in ("depth", "step"):
            raise UserError(f"switch is {self.switch!r}; choose one of depth, step.")
        if self.below and self.switch == "step":
            raise UserError("below goes with the switch that counts depth; choose one of them.")
        if self.schedule not in ("cosine", "constant"):
            raise UserError(f"schedule is {self.schedule!r}; choose one of cosine, constant.")
        _ = self.limits  # which checks depth and min_extent
        if self.epochs is None and self.minutes is None:
            object.__setattr__(self, "minutes", 5.0)
        no_epochs = self.epochs is not None and (not is_whole(self.epochs) or self.epochs < 1)
        if no_epochs or (self.minutes is not None and self.minutes <= 0):
            raise UserError("The budget is empty; give --epochs or --minutes greater than 0.")

    def beta_at(self, progress: float) -> float:
        """The probability of following the oracle when this share of the training is done."""
        return 1 - (1 - self.beta_end) * min(self.parsing(progress) / max(self.beta_until, 1e-9), 1)

    def parsing(self, progress: float) -> float:
        """Share of what comes after the map that is done when this share of the training is."""
        return max(progress - self.map_until, 0) / max(1 - self.map_until, 1e-9)

    @property
    def limits(self) -> Limits:
        """How far parses go."""
        return Limits(self.depth, self.min_extent)


TUNED: dict[str, dict[str, float]] = {
    "ddpg": {"rate": 0.75e-3, "critic_rate": 0.75e-3},
    "off-mcpg": {"rate": 0.75e-3, "critic_rate": 0.75e-3},
    "drag-dense": {"entropy": 0.9},
}
"""What a method is given of its own, because it was better by a point or more in its trials (benchmarks/tuning.py)."""


def learning_for(preset: str, method: str | None = None) -> LearningSettings:
    """The learning settings that go with a preset: those of all methods, or of one with what is its own."""
    if preset == "best":
        return LearningSettings(
            rate=3e-3, weight_decay=0.05, clip=1.0, averaging=0.998, quick=True, fresh_heads=True
        )  # fmt: skip
    if preset == "paper":
        return LearningSettings(rate=1e-4, critic_rate=1e-4, weight_decay=0.0, entropy=0.0, centring=0.0)
    return LearningSettings(**TUNED.get(method or "", {}))  # type: ignore[arg-type]


def settings_for(preset: str, **given: Any) -> TrainSettings:
    """The training settings that go with a preset and method, but for those that are given.

    ``learning`` and ``exploration`` may be dictionaries of what is to be changed of them. ``paper`` is trained as its
    authors did: one update of 25 nodes an image, no augmentation, Adam at a constant 1e-4, about 2000 nodes remembered,
    nodes of 25 pixels left whole, and beta falling over the first fifth.
    """
    learning = learning_for(preset, given.get("method", TrainSettings.method))
    usual: dict[str, Any] = {"learning": learning, "exploration": Exploration()}
    if preset == "best":
        usual |= {"updates": 16, "batch_nodes": 24, "map_until": 0.8, "first_look": 128}
    if preset == "paper":
        usual |= {
            "min_extent": 25, "rollout_images": 1, "updates": 1, "batch_images": 25, "batch_nodes": 1, "memory": 7,
            "beta_until": 0.2, "beta_end": 0.5, "schedule": "constant", "flips": False, "zoom": 0.0, "colour": 0.0,
        }  # fmt: skip
    return TrainSettings(preset=preset, **changed(usual, given))


def changed(usual: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Settings with what is given instead; where a dictionary is given, only that part of what is usual is replaced."""
    parts = {name: replace(usual[name], **value) for name, value in given.items() if isinstance(value, dict)}
    return {**usual, **given, **parts}


class Trainer(Training):
    """The training of one parser by one method."""

    def __init__(
        self, settings: TrainSettings, data: TrainingData, folder: str | Path, facts: dict[str, Any] | None = None
    ) -> None:
        super().__init__(settings, data, folder)
        self.settings, self.facts = settings, facts or {}
        self.method, self.preset = method_named(settings.method), preset_named(settings.preset)
        self.learner = Learner(self.method, self.preset, settings.limits, settings.learning, settings.seed)
        self._set_pixel_statistics()
        scenes = Scenes(data.train_images, data.train_masks, settings.flips)
        self.rollout = Rollout.of(
            self.method, scenes, settings.limits, settings.lookahead,
            switch=settings.switch, below=settings.below, exploration=settings.exploration,
        )  # fmt: skip
        self.memory = Memory(len(scenes), settings.memory)
        self.calibration = Calibration()
        self.learns_map = self.preset.trunk == "map" and self.method.uses_oracle
        self.looks = Looks(data.train_images, data.train_masks, settings.map_zoom, settings.flips, settings.colour)

    def config(self) -> dict[str, Any]:
        """What ``config.json`` holds: the settings, the network, and where the data came from."""
        return {
            "settings": dataclasses.asdict(self.settings),
            "network": dataclasses.asdict(self.preset),
            "limits": dataclasses.asdict(self.settings.limits),
            "fingerprint": self.fingerprint,
            **self.facts,
        }

    def model(self) -> nn.Module:
        return self.learner.learned

    def critic(self) -> nn.Module | None:
        """The critic as it is, of which no mean is taken; none before its first update."""
        learned = any("critic_loss" in row for row in self.rows)
        return self.learner.critic if self.method.learns_q and learned else None

    def model_facts(self) -> dict[str, Any]:
        return {"calibration": dataclasses.asdict(self.calibration)}

    def _finished(self) -> bool:
        patience, reached = self.settings.patience, [row["validation_accuracy"] for row in self.rows]
        waited = len(reached) - 1 - int(np.argmax(reached)) if reached else 0
        return super()._finished() or (patience is not None and waited > patience)

    def _keep_best(self, row: dict[str, Any]) -> None:
        if self.learner.averaged is not None:  # a mean is best when it is complete, its policy above all
            self.best = -1.0
        super()._keep_best(row)

    def _one_epoch(self, started: float, report: Report) -> dict[str, Any]:
        order = self.rollout.scenes.draw(self.rng)
        parts = np.array_split(order, max(1, round(len(order) / self.settings.rollout_images)))
        sums: dict[str, float] = {}
        nodes, updates, epoch_start = 0, 0, time.perf_counter()
        for number, part in enumerate(parts):
            progress = self.progress(number / len(parts))
            if progress >= 1:
                break
            beta = self.settings.beta_at(progress)
            self._set_rates(progress)
            looking = self.learns_map and progress < self.settings.map_until
            learned = self._look(part, progress) if looking else self._gather_and_learn(part, beta)
            for losses, count in learned:
                nodes, updates = nodes + count, updates + 1
                for name, value in losses.items():
                    sums[name] = sums.get(name, 0.0) + value
            self.seconds = time.perf_counter() - started
            report({"within": (number + 1) / len(parts), "progress": self.progress((number + 1) / len(parts))})
        self.epoch += 1
        forests = list(parse_images(self.learner.learned, self.data.validation_images, self.settings.limits))
        validation, leaves = accuracy_and_leaves(forests, self.data.validation_masks)
        self.calibration = Calibration.fit(Leaves.of(forests, self.data.validation_masks))
        self.seconds = time.perf_counter() - started
        speed = nodes / max(time.perf_counter() - epoch_start, 1e-9)
        return {
            "epoch": self.epoch,
            "seconds": round(self.seconds, 2),
            "beta": round(beta, 4),
            **{name: value / max(updates, 1) for name, value in sums.items()},
            "validation_accuracy": float(validation.mean()),
            "validation_leaves": float(leaves.mean()),
            "nodes_per_second": round(speed),
            "memory": len(self.memory),
        }

    def _set_rates(self, progress: float) -> None:
        """Let the learner know how far the training is; with fresh heads, how far that is which comes after the map."""
        share = rate_share if self.settings.schedule == "cosine" else lambda _: 1.0
        own = self.settings.parsing(progress) if self.learner.fresh_heads else progress
        self.learner.set_progress(own, share(own), share(progress))

    def _look(self, part: npt.NDArray[np.int64], progress: float) -> list[tuple[dict[str, float], int]]:
        """Looks at some scenes, to learn the evidence map alone."""
        settings = self.settings
        self.looks.shrink_to(look_at(progress / settings.map_until, settings.first_look, self.preset.look))
        found = []
        for _ in range(settings.map_updates):
            drawn = self.rng.choice(part, settings.batch_images) // self.rollout.scenes.variants
            found.append(({"map_loss": self.learner.update_map(*self.looks(drawn, self.rng))}, 0))
        return found

    def _gather_and_learn(self, part: npt.NDArray[np.int64], beta: float) -> list[tuple[dict[str, float], int]]:
        """A rollout of some scenes, then updates: from memory, or on-policy from these scenes alone."""
        settings = self.settings
        if self.method.on_policy:
            self.memory.clear()
        if settings.zoom:
            anew = part[self.rng.random(len(part)) < settings.zoom_chance]
            self.rollout.reframe(anew, settings.zoom, self.rng)
            self.memory.forget(anew)
        self.memory.add(self.rollout.gather(self.learner.policy, part, beta, self.rng))
        if self.method.on_policy:
            pieces = np.array_split(part, max(1, round(len(part) / settings.batch_images)))
        else:
            stored = np.flatnonzero(self.memory.added)
            size = min(settings.batch_images, len(stored))
            if size == 0:  # no tree was deep enough for its switch
                return []
            pieces = [self.rng.choice(stored, size, replace=False) for _ in range(settings.updates)]
        return [self._update(piece) for piece in pieces]

    def _update(self, scenes: npt.NDArray[np.integer]) -> tuple[dict[str, float], int]:
        transitions = self.memory.sample(scenes, self.settings.batch_nodes, self.rng)
        pixels = self.learner.policy.trunk.shrink(self.rollout.scenes.pixels(scenes))
        pixels = colour_jitter(pixels, self.settings.colour, self.rng)
        masks = self.rollout.scenes.masks_of(scenes) if self.learns_map else None
        batch = Batch.of(scenes, pixels, transitions, self.rollout, masks)
        return self.learner.update(batch, self.rollout, self.rng), len(transitions)

    def _pack(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors = pack_state(self.learner, self.memory)
        tensors["frames"] = torch.from_numpy(self.rollout.scenes.frames)
        return tensors, {
            "present": sorted(self.memory.present),
            "updates": self.learner.updates,
            "node_updates": self.learner.node_updates,
        }

    def _unpack(self, tensors: dict[str, Tensor], values: dict[str, Any]) -> None:
        unpack_state(self.learner, self.memory, tensors, self.folder.checkpoint_path)
        self.rollout.set_frames(tensors["frames"].numpy())
        self.memory.present = set(values["present"])
        self.learner.updates, self.learner.node_updates = values["updates"], values["node_updates"]

    def _set_pixel_statistics(self) -> None:
        """Mean and spread of the training images alone."""
        images = self.data.train_images.reshape(-1, 3)
        mean = torch.tensor(images.mean(axis=0) / 255, dtype=torch.float32)
        std = torch.tensor(images.std(axis=0) / 255, dtype=torch.float32).clamp(min=0.02)
        for network in self.learner.networks().values():
            if network.trunk is not None:
                network.trunk.pixel_mean.copy_(mean)  # type: ignore[union-attr, operator]
                network.trunk.pixel_std.copy_(std)  # type: ignore[union-attr, operator]


def rate_share(progress: float, warm_up: float = 0.03) -> float:
    """The learning rate over the course of training: up quickly, then down along a cosine."""
    if progress < warm_up:
        return 0.1 + 0.9 * progress / warm_up
    return 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * (progress - warm_up) / (1 - warm_up)))


def _numbers(settings: dict[str, Any], prefix: str = "") -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    for name, value in settings.items():
        if isinstance(value, dict):
            found += _numbers(value, f"{prefix}{name}.")
        elif isinstance(value, float):
            found.append((prefix + name, value))
    return found
