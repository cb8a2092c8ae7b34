"""The training of one parser by one method: Algorithm 1, with schedules, validation and exact resume."""

from __future__ import annotations

import dataclasses
import json
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ..networks.devices import choose_device
from ..networks.presets import Preset, preset_named
from ..parsing.calibration import Calibration, Leaves
from ..parsing.evaluation import accuracy_and_leaves
from ..parsing.trees import parse_images
from .augmentation import colour_jitter
from .batch import Minibatch
from .checkpoints import pack_state, unpack_state
from .data import TrainingData
from .learner import Learner
from .looks import Looks, look_side
from .memory import Memory
from .methods import method_named
from .rollout import Rollout
from .run import Report, Training
from .scenes import Scenes
from .settings import TrainSettings

Scene = npt.NDArray[np.integer]
"""Scenes by number; see ``Scenes``."""


class Trainer(Training):
    """The training of one parser by one method (Algorithm 1; its line 1 is the constructor)."""

    def __init__(
        self,
        settings: TrainSettings,
        data: TrainingData,
        folder: str | Path,
        facts: dict[str, Any] | None = None,
        device: str = "cpu",
    ) -> None:
        super().__init__(settings, data, folder)
        self.settings, self.facts, self.device = settings, facts or {}, choose_device(device)
        self.method, self.preset = method_named(settings.method), preset_named(settings.preset)
        self.learner = Learner(self.method, self.preset, settings.limits, settings.learning, settings.seed, self.device)
        self._set_pixel_statistics()
        scenes = Scenes(data.train_images, data.train_masks, settings.flips)
        self.rollout = Rollout.of(
            self.method, scenes, settings.limits, settings.lookahead, settings.teacher, settings.teacher_price,
            switch=settings.switch, below=settings.below, exploration=settings.exploration,
        )  # fmt: skip
        self.memory = Memory(len(scenes), settings.memory)
        self.calibration = Calibration()
        self.learns_map = self.preset.trunk == "map" and self.method.uses_oracle
        self.looks = Looks(data.train_images, data.train_masks, settings.map_zoom, settings.flips, settings.colour)

    # ---- Algorithm 1 ---------------------------------------------------------------------------------------------

    def _iterate(self, images: Scene, beta: float) -> Iterator[dict[str, float]]:
        """One iteration, line 2, for some images: experience, then updates. The losses of each update.

        The images are parsed together, level by level, which gives the same trees as one after the other.
        """
        rng = self.rng
        self._reframe(images)
        if self.method.on_policy:
            self.memory.clear()
        # 3      pi_i <- beta pi* + (1 - beta) pi_theta           (method.acts, asked at every node)
        # 4      for every image D_j
        # 5          t ~ U[1, H]                                  (a depth, or a step)
        # 6          tau_j <- Parse(D_j), by pi_i until t, by pi* thereafter
        # 7          G_t <- G(tau_j^t), by the oracle's cost-to-go (method.returns, Eq. 1)
        transitions = self.rollout.gather(self.learner.policy, images, beta, rng)
        # 8          M <- M + {(s_t, r_t, l_t, t, G_t)}            (the nodes that method.keeps)
        self.memory.add(transitions)
        for chosen in self._draws(images):
            # 9      B ~ U[M]
            minibatch = self._minibatch(chosen)
            # 10     theta <- theta + alpha grad_theta|B           (method.policy_loss; DRAG's is Eq. 8)
            # 11     omega <- omega - alpha grad_omega|B           (method.critic; Eq. 6)
            losses = self.learner.update(minibatch, self.rollout, rng)
            yield {"nodes": len(minibatch.transitions), **losses}

    def _reframe(self, images: Scene) -> None:
        """Zoom into some images anew, and forget what was remembered of them."""
        if self.settings.zoom:
            anew = images[self.rng.random(len(images)) < self.settings.zoom_chance]
            self.rollout.reframe(anew, self.settings.zoom, self.rng)
            self.memory.forget(anew)

    def _draws(self, images: Scene) -> list[Scene]:
        """The scenes of each minibatch: drawn from all that are remembered; on-policy, those just parsed."""
        settings = self.settings
        if self.method.on_policy:
            return np.array_split(images, max(1, round(len(images) / settings.batch_images)))
        stored = np.flatnonzero(self.memory.added)
        size = min(settings.batch_images, len(stored))
        if size == 0:  # no tree was deep enough for its switch
            return []
        return [self.rng.choice(stored, size, replace=False) for _ in range(settings.updates)]

    def _minibatch(self, scenes: Scene) -> Minibatch:
        transitions = self.memory.sample(scenes, self.settings.batch_nodes, self.rng)
        pixels = self.learner.policy.trunk.shrink(self.rollout.scenes.pixels(scenes, self.device))
        pixels = colour_jitter(pixels, self.settings.colour, self.rng)
        masks = self.rollout.scenes.masks_of(scenes, self.device) if self.learns_map else None
        return Minibatch.of(scenes, pixels, transitions, self.rollout.scenes, self.rollout.limits, masks)

    # ---- epochs --------------------------------------------------------------------------------------------------

    def _one_epoch(self, started: float, report: Report) -> dict[str, Any]:
        order = self.rollout.scenes.draw(self.rng)
        parts = np.array_split(order, max(1, round(len(order) / self.settings.rollout_images)))
        sums: dict[str, float] = {}
        updates, epoch_start = 0, time.perf_counter()
        for number, part in enumerate(parts):
            progress = self.progress(number / len(parts))
            if progress >= 1:
                break
            beta = self.settings.beta_at(progress)
            self._set_rates(progress)
            looking = self.learns_map and progress < self.settings.map_until
            for losses in self._look(part, progress) if looking else self._iterate(part, beta):
                updates += 1
                for name, value in losses.items():
                    sums[name] = sums.get(name, 0.0) + value
            self.seconds = time.perf_counter() - started
            report({"within": (number + 1) / len(parts), "progress": self.progress((number + 1) / len(parts))})
        self.epoch += 1
        nodes = sums.pop("nodes", 0.0)
        validation = self._validate()
        self.seconds = time.perf_counter() - started
        speed = nodes / max(time.perf_counter() - epoch_start, 1e-9)
        return {
            "epoch": self.epoch,
            "seconds": round(self.seconds, 2),
            "beta": round(beta, 4),
            **{name: value / max(updates, 1) for name, value in sums.items()},
            **validation,
            "nodes_per_second": round(speed),
            "memory": len(self.memory),
        }

    def _validate(self) -> dict[str, float]:
        """Parse the validation images by most likely actions, and learn from them how sure the parser may be."""
        self.learner.check_finite()
        forests = list(parse_images(self.learner.learned, self.data.validation_images, self.settings.limits))
        accuracy, leaves = accuracy_and_leaves(forests, self.data.validation_masks)
        self.calibration = Calibration.fit(Leaves.of(forests, self.data.validation_masks))
        return {"validation_accuracy": float(accuracy.mean()), "validation_leaves": float(leaves.mean())}

    def _look(self, images: Scene, progress: float) -> Iterator[dict[str, float]]:
        """Looks at some images, to learn the evidence map alone; the loss of each update."""
        settings = self.settings
        self.looks.shrink_to(look_side(progress / settings.map_until, settings.first_look, self.preset.look))
        for _ in range(settings.map_updates):
            drawn = self.rng.choice(images, settings.batch_images) // self.rollout.scenes.variants
            yield {"map_loss": self.learner.update_map(*self.looks(drawn, self.rng, self.device))}

    def _set_rates(self, progress: float) -> None:
        """Let the learner know how far the training is; with fresh heads, how far that is which comes after the map."""
        share = rate_share if self.settings.schedule == "cosine" else lambda _: 1.0
        own = self.settings.parsing(progress) if self.learner.fresh_heads else progress
        self.learner.set_progress(own, share(own), share(progress))

    # ---- what a run keeps ----------------------------------------------------------------------------------------

    def config(self) -> dict[str, Any]:
        """What ``config.json`` holds: the settings, the network, and where the data came from."""
        return {
            "title": self.method.title,
            "settings": dataclasses.asdict(self.settings),
            "network": dataclasses.asdict(self.preset),
            "limits": dataclasses.asdict(self.settings.limits),
            "fingerprint": self.fingerprint,
            **self.facts,
        }

    def _as_now(self, theirs: dict[str, Any]) -> dict[str, Any]:
        try:
            network = dataclasses.asdict(Preset.from_json(theirs["network"]))
            settings = dataclasses.asdict(TrainSettings.from_json(theirs["settings"]))
        except (KeyError, TypeError, ValueError):
            return theirs
        return {**theirs, **json.loads(json.dumps({"network": network, "settings": settings}))}

    def model(self) -> nn.Module:
        return self.learner.learned

    def model_facts(self) -> dict[str, Any]:
        return {"calibration": dataclasses.asdict(self.calibration)}

    def _finished(self) -> bool:
        patience, reached = self.settings.patience, [row["validation_accuracy"] for row in self.rows]
        waited = len(reached) - 1 - int(np.argmax(reached)) if reached else 0
        return super()._finished() or (patience is not None and waited > patience)

    def _keep_best(self, row: dict[str, Any]) -> None:
        if self.learner.averaged is not None:  # EMA weights are best when they are complete
            self.best = -1.0
        super()._keep_best(row)

    def _pack(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors = pack_state(self.learner.networks(), self.learner.optimisers(), self.memory)
        tensors["frames"] = torch.from_numpy(self.rollout.scenes.frames)
        return tensors, {
            "present": sorted(self.memory.present),
            "updates": self.learner.updates,
            "node_updates": self.learner.node_updates,
        }

    def _unpack(self, tensors: dict[str, Tensor], values: dict[str, Any]) -> None:
        learner = self.learner
        unpack_state(learner.networks(), learner.optimisers(), self.memory, tensors, self.folder.checkpoint_path)
        self.rollout.set_frames(tensors["frames"].numpy())
        self.memory.present = set(values["present"])
        learner.updates, learner.node_updates = values["updates"], values["node_updates"]

    def _set_pixel_statistics(self) -> None:
        """Mean and spread of the training images alone."""
        images = self.data.train_images.reshape(-1, 3)
        mean = torch.tensor(images.mean(axis=0) / 255, dtype=torch.float32, device=self.device)
        std = torch.tensor(images.std(axis=0) / 255, dtype=torch.float32, device=self.device).clamp(min=0.02)
        for network in self.learner.networks().values():
            if network.trunk is not None and not network.trunk.fixed_pixels:  # type: ignore[union-attr]
                network.trunk.pixel_mean.copy_(mean)  # type: ignore[union-attr, operator]
                network.trunk.pixel_std.copy_(std)  # type: ignore[union-attr, operator]


def rate_share(progress: float, warm_up: float = 0.03) -> float:
    """The learning rate over the course of training: up quickly, then down along a cosine."""
    if progress < warm_up:
        return 0.1 + 0.9 * progress / warm_up
    return 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * (progress - warm_up) / (1 - warm_up)))
