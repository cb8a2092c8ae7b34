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

from ..grammar import Forest
from ..networks.devices import choose_device
from ..networks.frozen import FrozenTrunk, with_eyes
from ..networks.presets import Preset, preset_named
from ..oracle.optimal import OptimalOracle
from ..parsing.actors import PolicyActor
from ..parsing.calibration import Calibration, Leaves
from ..parsing.estimate import Estimate
from ..parsing.evaluation import accuracy_and_leaves, off_middle
from ..parsing.familiarity import Familiarity
from ..parsing.load import load
from ..parsing.settings import ParseSettings
from ..parsing.trees import WITHIN_DEPTH, parse_images, signatures_of
from ..support.errors import UserError
from .batch import Minibatch
from .beginning import NOTHING, fill, usual_beginning
from .checkpoints import pack_state, unpack_state
from .data import TrainingData
from .few import SHARE, cross_validated
from .learner import Learner
from .looks import Looks, look_side
from .memory import Memory
from .methods import method_named
from .plateau import Plateau
from .rollout import Rollout
from .run import Report, Training
from .scenes import Scenes
from .settings import TrainSettings
from .sight import Sight
from .sight.features import FOLDER, Features, FrozenSight
from .sight.pixels import Pixels

Scene = npt.NDArray[np.integer]
"""Scenes by number; see ``Scenes``."""
LEAST_PARTS = 8
"""Of an epoch of few photographs, which would be too short to be validated and written down otherwise."""

MOST_FAMILIAR = 160
"""Training photographs that are looked at once more, to tell what they are like."""


@dataclasses.dataclass(frozen=True)
class Validation:
    """What is known of the trees of photographs that were not learned from."""

    accuracy: npt.NDArray[np.float64]
    """(photographs,)."""
    rectangles: npt.NDArray[np.int64]
    leaves: Leaves
    off_middle: list[float]
    """How far the policy's cuts lie from the middle, by depth; empty where a search made the trees."""


class Trainer(Training):
    """The training of one parser by one method (Algorithm 1; its line 1 is the constructor)."""

    def __init__(
        self,
        settings: TrainSettings,
        data: TrainingData,
        folder: str | Path,
        facts: dict[str, Any] | None = None,
        device: str = "cpu",
        begin_with: str | Path | None = None,
    ) -> None:
        super().__init__(settings, data, folder)
        self.settings, self.facts, self.device = settings, facts or {}, choose_device(device)
        self.method, self.preset = method_named(settings.method), preset_named(settings.preset)
        if self.method.split_policy == "categorical":
            self.preset = with_places(self.preset, self.method.title)
        self.learner = Learner(self.method, self.preset, settings.limits, settings.learning, settings.seed, self.device)
        self._set_pixel_statistics()
        photographs = len(data.train_images) + len(data.validation_images)
        self.begins_with = str(begin_with or usual_beginning(self.preset, photographs))
        if self.begins_with != NOTHING and not self.folder.checkpoint_path.exists():
            fill(self.learner.policies(), self.preset, self.begins_with)
        scenes = Scenes(data.train_images, data.train_masks, settings.flips)
        self.seen_validation: Tensor | None = None
        self.rollout = Rollout.of(
            self.method, scenes, settings.limits, settings.lookahead, settings.teacher, settings.teacher_price,
            self._sight(scenes), switch=settings.switch, below=settings.below, exploration=settings.exploration,
        )  # fmt: skip
        points = self.rollout.oracle.points if isinstance(self.rollout.oracle, OptimalOracle) else 0
        self.memory = Memory(len(scenes), settings.memory, points if self.method.knows_worth else 0)
        self.calibration = Calibration()
        self.plateau = None if settings.plateau is None else Plateau(settings.plateau)
        self.node_samples = 0
        self.estimate: Estimate | None = None
        """What to expect of the parser on other photographs of the kind."""
        self.holds_out = len(data.validation_images) > 0
        self.learning_share = 1.0 if self.holds_out else 1 - SHARE
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

    def _learn(self, images: Scene, beta: float) -> Iterator[dict[str, float]]:
        """``updates`` updates: of an iteration for all images; on-policy, of an iteration each, for some of them."""
        if not self.method.on_policy:
            yield from self._iterate(images, beta)
            return
        size = min(self.settings.batch_images, len(images))
        for _ in range(self.settings.updates):
            yield from self._iterate(self.rng.choice(images, size, replace=False), beta)

    def _reframe(self, images: Scene) -> None:
        """Zoom into some images anew, under another light, and forget what was remembered of them."""
        if self.settings.zoom or self.settings.colour:
            anew = images[self.rng.random(len(images)) < self.settings.zoom_chance]
            self.rollout.reframe(anew, self.settings.zoom, self.rng, self.settings.colour)
            self.memory.forget(anew)

    def _draws(self, images: Scene) -> list[Scene]:
        """The scenes of each minibatch: drawn from all that are remembered; on-policy, those just parsed."""
        settings = self.settings
        if self.method.on_policy:
            return [images]
        stored = np.flatnonzero(self.memory.added)
        size = min(settings.batch_images, len(stored))
        if size == 0:  # no tree was deep enough for its switch
            return []
        return [self.rng.choice(stored, size, replace=False) for _ in range(settings.updates)]

    def _minibatch(self, scenes: Scene) -> Minibatch:
        transitions = self.memory.sample(scenes, self.settings.batch_nodes, self.rng)
        pixels = self.rollout.sight(scenes, self.device)  # as whoever acted saw them
        masks = self.rollout.scenes.masks_of(scenes, self.device) if self.learns_map else None
        return Minibatch.of(scenes, pixels, transitions, self.rollout.scenes, self.rollout.limits, masks)

    # ---- epochs --------------------------------------------------------------------------------------------------

    def _one_epoch(self, started: float, report: Report) -> dict[str, Any]:
        parts = self._parts()
        sums: dict[str, float] = {}
        updates, epoch_start = 0, time.perf_counter()
        for number, part in enumerate(parts):
            progress = self.progress(number / len(parts))
            if progress >= 1:
                break
            beta = self.settings.beta_at(progress)
            self._set_rates(progress)
            looking = self.learns_map and progress < self.settings.map_until
            for losses in self._look(part, progress) if looking else self._learn(part, beta):
                updates += 1
                for name, value in losses.items():
                    sums[name] = sums.get(name, 0.0) + value
            self.seconds = time.perf_counter() - started
            report({"within": (number + 1) / len(parts), "progress": self.progress((number + 1) / len(parts))})
        self.epoch += 1
        nodes = sums.pop("nodes", 0.0)
        self.node_samples += int(nodes)
        validation = self._validate()
        self.seconds = time.perf_counter() - started
        if self.plateau is not None:
            accuracy = validation["validation_accuracy"]
            self.plateau.note(accuracy, self.learner.updates, self.node_samples, self.seconds)
        speed = nodes / max(time.perf_counter() - epoch_start, 1e-9)
        return {
            "epoch": self.epoch,
            "seconds": round(self.seconds, 2),
            "beta": round(beta, 4),
            **{name: value / max(updates, 1) for name, value in sums.items()},
            **validation,
            "updates": self.learner.updates,
            "node_samples": self.node_samples,
            "nodes_per_second": round(speed),
            "memory": len(self.memory),
        }

    def _parts(self) -> list[Scene]:
        """The images of an epoch, some at a time; few photographs are gone through several times in one."""
        parts = max(1, round(len(self.data.train_images) / self.settings.rollout_images))
        times = 1 if self.holds_out else max(1, LEAST_PARTS // parts)
        orders = [self.rollout.scenes.draw(self.rng) for _ in range(times)]
        return [part for order in orders for part in np.array_split(order, parts)]

    def _prepare(self, report: Report) -> None:
        """Where no photographs are held out, cross-validate first."""
        if self.holds_out or self.estimate is not None:
            return

        def fold(settings: TrainSettings, data: TrainingData, folder: Path) -> Trainer:
            # What another parser has seen before is not known: it may be what is held out here.
            begin_with = NOTHING if self.begins_with == NOTHING else None
            return Trainer(settings, data, folder, device=str(self.device), begin_with=begin_with)

        def told(share: float) -> None:
            report({"progress": SHARE * share, "doing": "cross-validation"})

        self.estimate, self.calibration = cross_validated(
            fold, self.settings, self.data, self.folder.path / "folds", told
        )

    def _conclude(self) -> None:
        """Note beside the kept model what the photographs are like that it has learned from.

        It is done once, at the end: looking at them all in every epoch would cost more than it tells. No random number
        is drawn, and no weight changes.
        """
        with torch.random.fork_rng(devices=[]):
            parser = load(self.folder.path, str(self.device))
        if parser.familiarity is None:
            step = -(-len(self.data.train_images) // MOST_FAMILIAR)
            seen = signatures_of(parser.policy, self.data.train_images[::step])
            found = None if seen is None else Familiarity.fit(seen)
            if found is not None:
                self.folder.add_familiarity(found)

    def _validate(self) -> dict[str, float]:
        """Parse the validation images, and learn from them how sure the parser may be, and what to expect of it."""
        self.learner.check_finite()
        if not self.holds_out:
            return {}
        found = self.validation()
        self.calibration = Calibration.fit(found.leaves)
        self.estimate = Estimate.of(found.accuracy.tolist())
        means = {
            "validation_accuracy": float(found.accuracy.mean()),
            "validation_leaves": float(found.rectangles.mean()),
        }
        return means | {f"off_middle_{depth}": share for depth, share in enumerate(found.off_middle)}

    def validation(self) -> Validation:
        """What is known of the trees of the validation images."""
        forests, masks = self._parsed_validation(), self.data.validation_masks
        by_depth = [] if self.learns_map else off_middle(forests, self.settings.limits)  # a search moves the others
        return Validation(*accuracy_and_leaves(forests, masks), Leaves.of(forests, masks), by_depth)

    def _parsed_validation(self) -> list[Forest]:
        """Trees by most likely actions; the best ones of the map, if one is learned."""
        policy, limits, images = self.learner.learned, self.settings.limits, self.data.validation_images
        if self.seen_validation is None:
            how = ParseSettings(flips=False) if self.learns_map else WITHIN_DEPTH
            return list(parse_images(policy, images, limits, settings=how))
        sizes = np.tile(np.array(images.shape[2:0:-1], np.int32), (len(images), 1))
        with torch.no_grad():
            encoded = policy.eval().encode(self.seen_validation)
        return [PolicyActor(policy, encoded, sizes, limits).parse()]

    def _look(self, images: Scene, progress: float) -> Iterator[dict[str, float]]:
        """Looks at some images, to learn the evidence map alone; the loss of each update."""
        settings = self.settings
        self.looks.shrink_to(look_side(progress / settings.map_until, settings.first_look, self.preset.look))
        for _ in range(settings.map_updates):
            drawn = self.rng.choice(images, settings.batch_images) // self.rollout.scenes.variants
            yield {"map_loss": self.learner.update_map(*self.looks(drawn, self.rng, self.device))}

    def _set_rates(self, progress: float) -> None:
        """Let the learner know how far the training is; with fresh heads, how far that is which comes after the map."""
        if self.plateau is not None:
            self.learner.set_progress(progress, self.plateau.share(self.learner.updates))
            return
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
            "from": self.begins_with,
            **self.facts,
        }

    def _as_now(self, theirs: dict[str, Any]) -> dict[str, Any]:
        try:
            network = dataclasses.asdict(Preset.from_json(theirs["network"]))
            settings = dataclasses.asdict(TrainSettings.from_json(theirs["settings"]))
        except (KeyError, TypeError, ValueError):
            return theirs
        return {"from": NOTHING, **theirs, **json.loads(json.dumps({"network": network, "settings": settings}))}

    def model(self) -> nn.Module:
        learned = self.learner.learned
        return with_eyes(learned) if isinstance(learned.trunk, FrozenTrunk) else learned

    def model_facts(self) -> dict[str, Any]:
        known = {} if self.estimate is None else {"estimate": self.estimate.to_json()}
        return {"calibration": dataclasses.asdict(self.calibration), **known}

    def progress(self, within: float = 0.0) -> float:
        if self.plateau is None:
            return super().progress(within)
        limited = self.settings.epochs is not None or self.settings.minutes is not None
        over = limited and super().progress(within) >= 1
        return 1.0 if over else self.plateau.progress(self.learner.updates)

    def _finished(self) -> bool:
        patience, reached = self.settings.patience, [row.get("validation_accuracy", 0.0) for row in self.rows]
        waited = len(reached) - 1 - int(np.argmax(reached)) if reached else 0
        return super()._finished() or (patience is not None and waited > patience)

    def _keep_best(self, row: dict[str, Any]) -> None:
        if self.learner.averaged is not None:  # EMA weights are best when they are complete
            self.best = -1.0
        super()._keep_best(row)

    def _pack(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors = pack_state(self.learner.networks(), self.learner.optimisers(), self.memory)
        scenes = self.rollout.scenes
        tensors |= {"frames": torch.from_numpy(scenes.frames), "lights": torch.from_numpy(scenes.lights)}
        return tensors, {
            "present": sorted(self.memory.present),
            "updates": self.learner.updates,
            "node_updates": self.learner.node_updates,
            "critic_updates": self.learner.critic_updates,
            "node_samples": self.node_samples,
            "plateau": None if self.plateau is None else self.plateau.to_json(),
            **self.model_facts(),
        }

    def _unpack(self, tensors: dict[str, Tensor], values: dict[str, Any]) -> None:
        learner = self.learner
        unpack_state(learner.networks(), learner.optimisers(), self.memory, tensors, self.folder.checkpoint_path)
        self.rollout.set_frames(tensors["frames"].numpy(), tensors["lights"].numpy())
        self.memory.present = set(values["present"])
        self.node_samples = values["node_samples"]
        self.plateau = None if self.plateau is None else Plateau(**values["plateau"])
        for name in ("updates", "node_updates", "critic_updates"):
            setattr(learner, name, values[name])
        self.calibration = Calibration.from_json(values.get("calibration"))
        self.estimate = Estimate.from_json(values.get("estimate"))

    def _sight(self, scenes: Scenes) -> Sight:
        """Of pixels; or, if the encoder does not learn, of what it saw of them, computed once for all trainings."""
        trunk, images = self.learner.policy.trunk, self.data.validation_images
        if not isinstance(trunk, FrozenTrunk):
            return Pixels(scenes, trunk.shrink)
        folder, zoom = self.folder.path.parent / FOLDER, self.settings.zoom
        self.seen_validation = Features.of(images, self.preset, folder).all_whole(self.device)
        return FrozenSight(scenes, Features.of(scenes.images, self.preset, folder, zoom, self.settings.flips))

    def _set_pixel_statistics(self) -> None:
        """Mean and spread of the training images alone."""
        images = self.data.train_images.reshape(-1, 3)
        mean = torch.tensor(images.mean(axis=0) / 255, dtype=torch.float32, device=self.device)
        std = torch.tensor(images.std(axis=0) / 255, dtype=torch.float32, device=self.device).clamp(min=0.02)
        for network in self.learner.networks().values():
            if network.trunk is not None and not network.trunk.fixed_pixels:  # type: ignore[union-attr]
                network.trunk.pixel_mean.copy_(mean)  # type: ignore[union-attr, operator]
                network.trunk.pixel_std.copy_(std)  # type: ignore[union-attr, operator]


def with_places(preset: Preset, title: str) -> Preset:
    """The network for a method with a distribution over places: it takes the likeliest of them."""
    if preset.trunk in ("paper", "crop"):
        raise UserError(f"{title} needs a network that keeps places; give the preset frozen, fast, lite or best.")
    return dataclasses.replace(preset, location="mode")


def rate_share(progress: float, warm_up: float = 0.03) -> float:
    """The learning rate over the course of training: up quickly, then down along a cosine."""
    if progress < warm_up:
        return 0.1 + 0.9 * progress / warm_up
    return 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * (progress - warm_up) / (1 - warm_up)))
