"""All that decides a training besides its data. Nothing here loads PyTorch, so that help texts are quick.

What is not given comes from the preset's recipe and from the method's own tuning, and nowhere else: see
``TrainSettings``.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from ..networks.presets import preset_named
from ..support.checks import is_whole
from ..support.errors import UserError
from ..support.limits import TEACHER_PRICE
from ..support.text import checked_names
from .names import KNOW_WORTH, check_method_name

if TYPE_CHECKING:
    from ..grammar import Limits


MOST_ACTIONS = 1024
"""Actions per node that a critic or a policy may compare; all of them are in memory."""


@dataclass(frozen=True)
class LearningSettings:
    """How a policy and a critic are moved. The same for every method unless a method's own tuning says otherwise."""

    rate: float = 1.5e-3
    """Highest learning rate of the policy."""
    critic_rate: float = 1.5e-3
    """Highest learning rate of the critic."""
    encoder_rate: float = 3e-4
    """Highest learning rate of a pretrained encoder; 0 leaves it as it is."""
    frozen_stages: int = 2
    """Stages of it, from the finest, that stay as they are."""
    weight_decay: float = 0.01
    """AdamW's decay; 0 makes it Adam."""
    clip: float = 10.0
    """Largest norm of a gradient."""
    split_weight: float = 10.0
    """Weight of the squared distance of split locations beside the cross-entropy of rules."""
    entropy: float = 0.3
    """Weight of the rules' entropy in all losses without imitation, at first; it falls with the learning rate. Without
    it, rules are settled before values are known."""
    warm_up: int = 128
    """Updates in which a critic that judges actions learns alone, before the policy follows it. Until then the policy
    only keeps its split locations in the middle."""
    centring: float = 0.3
    """Weight of what pulls split locations to the middle during the warm-up, and never after it."""
    fresh_actions: int = 4
    """Actions AggreVaTeD draws at each remembered state."""
    most_importance: float = 5.0
    """Where importance weights are cut off."""
    dense_actions: int = 4
    """Random split locations per axis whose cost-to-go teaches a dense critic, beside those of policy and oracle."""
    target_rate: float = 0.02
    """How fast target networks follow, per update."""
    quick: bool = False
    """Convolve in bfloat16 on processors that have it, and normalise by batches as they are: about half the time, but
    too coarse for methods that weigh the likelihood of actions, on which their rollouts and updates must agree. These
    do not do it in any case."""
    map_weight: float = 1.0
    """Weight of the cross-entropy of the evidence map, if the network has one and the method may ask the oracle."""
    fresh_heads: bool = False
    """Where an evidence map is learned first, give the heads a schedule of their own: they begin at their highest rate
    when their time comes, and are averaged from then on."""
    averaging: float = 0.0
    """Decay of the EMA weights; these are validated, and those of the last epoch are kept. 0 for none: then the epoch
    that is best on validation images is kept."""

    def __post_init__(self) -> None:
        if not is_whole(self.fresh_actions) or not 2 <= self.fresh_actions <= MOST_ACTIONS:
            raise UserError(
                f"learning.fresh_actions is {self.fresh_actions}; give from 2 to {MOST_ACTIONS} to compare."
            )
        if not is_whole(self.frozen_stages) or self.frozen_stages < 0:
            raise UserError(f"learning.frozen_stages is {self.frozen_stages}; give a whole number of at least 0.")
        if not is_whole(self.dense_actions) or not 0 <= self.dense_actions <= MOST_ACTIONS:
            raise UserError(
                f"learning.dense_actions is {self.dense_actions}; give a whole number from 0 to {MOST_ACTIONS}."
            )
        if not 0 <= self.averaging < 1:
            raise UserError(f"learning.averaging is {self.averaging}; give a decay from 0 to below 1.")
        if not is_whole(self.warm_up) or self.warm_up < 0:
            raise UserError(f"learning.warm_up is {self.warm_up}; give a whole number of updates, at least 0.")


@dataclass(frozen=True)
class ExplorationSettings:
    """How a learner strays from its most likely action while it gathers experience."""

    random_rule: float = 1e-3
    """Probability of a rule drawn uniformly from the valid ones."""
    location_noise: float = 0.3
    """Standard deviation of the noise that is added to the split's logit of a deterministic policy, if a critic learns
    from the actions taken."""


GENERAL: dict[str, Any] = {
    "min_extent": 1, "teacher": "igm", "switch": "every",
    "rollout_images": 32, "updates": 8, "batch_images": 8, "batch_nodes": 48, "memory": 512,
    "beta_end": 0.0, "beta_until": 0.4, "schedule": "cosine", "flips": True, "zoom": 0.25, "zoom_chance": 0.5,
    "colour": 0.15, "map_until": 0.0, "map_updates": 48, "map_zoom": 1.3, "first_look": 0,
    "learning": LearningSettings(), "exploration": ExplorationSettings(),
}  # fmt: skip
"""The recipe of a preset that has none of its own."""

RECIPES: dict[str, dict[str, Any]] = {
    "best": {
        "updates": 16, "batch_nodes": 24, "map_until": 0.9, "map_updates": 16, "first_look": 192,
        "learning": LearningSettings(
            rate=2e-3, weight_decay=0.05, clip=1.0, averaging=0.99, quick=True, fresh_heads=True
        ),
    },
    "scratch": {
        "updates": 16, "batch_nodes": 24, "map_until": 0.8, "first_look": 128,
        "learning": LearningSettings(
            rate=3e-3, weight_decay=0.05, clip=1.0, averaging=0.998, quick=True, fresh_heads=True
        ),
    },
    # An update is so cheap here that rollouts would take most of the time: fewer images, and more updates of each.
    "frozen": {
        "rollout_images": 16, "updates": 24, "batch_images": 6, "batch_nodes": 20, "memory": 256, "colour": 0.0,
        "learning": LearningSettings(warm_up=512),
    },
    # As its authors did: one update of 25 nodes per image, no augmentation, Adam at a constant 1e-4, about 2000 nodes
    # remembered, nodes of 25 pixels left whole, and beta falling over the first fifth.
    "paper": {
        "min_extent": 25, "rollout_images": 1, "updates": 1, "batch_images": 25, "batch_nodes": 1, "memory": 7,
        "beta_until": 0.2, "beta_end": 0.5, "schedule": "constant", "flips": False, "zoom": 0.0, "colour": 0.0,
        "switch": "depth",
        "learning": LearningSettings(
            rate=1e-4, critic_rate=1e-4, weight_decay=0.0, entropy=0.0, warm_up=0, centring=0.0
        ),
    },
}  # fmt: skip
"""What a preset's training changes of the general recipe."""

TUNED: dict[str, dict[str, float]] = {
    "ddpg": {"rate": 0.75e-3, "critic_rate": 0.75e-3},
    "off-mcpg": {"rate": 0.75e-3, "critic_rate": 0.75e-3},
    "drag-dense": {"entropy": 0.9},
    "drag-expected-entropy": {"entropy": 0.9},
}
"""What a method is given of its own, because it was better by a point or more in its trials (benchmarks/tuning.py).
The trials were made with the general recipe, so presets with learning settings of their own are left alone."""


OWN: dict[str, dict[str, Any]] = {
    "aggrevated": {"beta_end": 0.5},
    "ac-aggrevated": {"beta_end": 0.5},
    "drag": {"beta_end": 0.5},
    "drag-control": {"beta_end": 0.5},
    "dagger-optimal": {"teacher": "optimal"},
    "dagger-places": {"teacher": "optimal"},
}
"""What makes a method what it is, whatever the preset: methods that learn from the stored action need the oracle's
among them, so beta falls to 0.5 as published; two imitate the best tree."""


def recipe(preset: str, method: str) -> dict[str, Any]:
    """The settings that go with a preset and a method."""
    own = RECIPES.get(preset, {})
    usual = {**GENERAL, **own, **OWN.get(method, {})}
    if method in KNOW_WORTH:
        usual["teacher"] = "optimal"
    if "learning" not in own:
        usual["learning"] = replace(usual["learning"], **TUNED.get(method, {}))
    return usual


def encoder_of(preset: str) -> str:
    """The name of the encoder that a preset begins with."""
    return preset_named(preset).encoder or "none"


FROM_RECIPE: Any = None
"""Stands where nothing was given, until the recipe has its say."""


@dataclass(frozen=True)
class TrainSettings:
    """Everything that decides a run besides its data. What is not given comes from the recipe of preset and method.

    ``learning`` and ``exploration`` may be given as dictionaries of what is to be changed of them.

    >>> TrainSettings(preset="best").map_until, TrainSettings(preset="fast").map_until
    (0.9, 0.0)
    >>> TrainSettings(preset="best", learning={"rate": 1e-3}).learning.averaging
    0.99
    """

    method: str = "drag-anchored"
    """Which of the methods to train with."""
    preset: str = "best"
    """Which network."""
    epochs: int | None = None
    """Budget in passes over the training images: the same seed then always gives the same run."""
    minutes: float | None = None
    """Budget in minutes, if no epochs are given; 5 if neither is."""
    encoder: str | None = None
    """``lite0`` to begin with an encoder that was pretrained on ImageNet, ``none`` to begin with random weights; as the
    preset says, if not given."""
    seed: int = 0
    """Of all that is random."""
    depth: int = 7
    """Depth of the deepest leaf."""
    min_extent: int = FROM_RECIPE
    """A node is split along an axis only while its extent there is greater than this many pixels."""
    teacher: Literal["igm", "lookahead", "optimal"] = FROM_RECIPE
    """Who is imitated: the paper's greedy oracle, one that looks ahead, or one that knows the best tree at a price."""
    teacher_price: float = TEACHER_PRICE
    """Accuracy, as a share of the image, that every rectangle of the optimal teacher must bring."""
    lookahead: int = 0
    """Candidate cuts per axis that the teaching oracle looks ahead; 0 is the paper's greedy oracle."""
    rollout_images: int = FROM_RECIPE
    """Images parsed at a time to gather experience."""
    updates: int = FROM_RECIPE
    """Updates after each such rollout."""
    batch_images: int = FROM_RECIPE
    """Images in a minibatch."""
    batch_nodes: int = FROM_RECIPE
    """Most nodes of each of them."""
    memory: int = FROM_RECIPE
    """Nodes remembered of each image and of its flip."""
    beta_end: float = FROM_RECIPE
    """Probability of following the oracle at the end; it starts at 1. At 0, what the learner meets when it is alone is
    what it learns from."""
    beta_until: float = FROM_RECIPE
    """Share of the training over which it falls."""
    switch: Literal["every", "depth", "step"] = FROM_RECIPE
    """Which nodes methods with a switch to the oracle learn from: those of every level, for each may be the switch, and
    the oracle's return is looked up; those of one level drawn for each tree; or one node in depth-first order."""
    below: bool = False
    """Keep the nodes below the switch too, where the oracle acts (only with ``switch="depth"``)."""
    schedule: Literal["cosine", "constant"] = FROM_RECIPE
    """Whether the learning rate falls along a cosine after a quick rise, or stays."""
    flips: bool = FROM_RECIPE
    """Also learn from images flipped left to right."""
    zoom: float = FROM_RECIPE
    """How much of an image's width and height may lie outside of what a training image shows of it."""
    zoom_chance: float = FROM_RECIPE
    """Probability that an image is zoomed into anew and relit before it is parsed, and what was remembered of it
    forgotten: whoever acts and whoever learns see the same pixels."""
    colour: float = FROM_RECIPE
    """How much the light of training images is varied."""
    map_until: float = FROM_RECIPE
    """Share of the training in which a network with an evidence map only learns that, from random crops, before it
    parses: a look costs less when no nodes are read from it."""
    map_updates: int = FROM_RECIPE
    """Updates from such crops in place of each rollout and its updates. Many, for no policy is ready to be validated
    after each epoch yet, which takes its time too."""
    map_zoom: float = FROM_RECIPE
    """How many times larger or smaller things may become in these crops; 1 for not at all."""
    first_look: int = FROM_RECIPE
    """Side of the smallest of these crops: they grow to the network's own side in three steps. 0 for that at once."""
    plateau: int | None = None
    """Train until validation has not improved for so many updates, and let the learning rate fall only then; epochs or
    minutes, if given, are then the most that it may take."""
    patience: int | None = None
    """Stop when validation has not improved for this many epochs."""
    threads: int | None = None
    """Threads; all cores if not given."""
    learning: LearningSettings = FROM_RECIPE
    exploration: ExplorationSettings = FROM_RECIPE

    def __post_init__(self) -> None:
        check_method_name(self.method)
        self._settle_encoder()
        self._take_from_recipe()
        _check_numbers(self)
        if self.switch not in ("every", "depth", "step"):
            raise UserError(f"switch is {self.switch!r}; choose one of every, depth, step.")
        if self.below and self.switch != "depth":
            raise UserError('below goes with the switch that counts depth; give switch="depth" too.')
        if self.teacher not in ("igm", "lookahead", "optimal"):
            raise UserError(f"teacher is {ascii(self.teacher)[:40]}; choose one of igm, lookahead, optimal.")
        if self.colour and preset_named(self.preset).trunk == "frozen":
            raise UserError(
                f"colour is {self.colour}; a frozen encoder saw every photograph in its own light, so give 0."
            )
        if not 0 < self.teacher_price <= 1:
            raise UserError(
                f"teacher_price is {self.teacher_price}; give a share above 0 and at most 1, such as {TEACHER_PRICE}."
            )
        if self.schedule not in ("cosine", "constant"):
            raise UserError(f"schedule is {self.schedule!r}; choose one of cosine, constant.")
        _ = self.limits  # which checks depth and min_extent
        if self.plateau is not None and self.map_until:
            raise UserError("A network with an evidence map learns in a given time; leave plateau out.")
        if self.epochs is None and self.minutes is None and self.plateau is None:
            object.__setattr__(self, "minutes", 5.0)
        no_epochs = self.epochs is not None and (not is_whole(self.epochs) or self.epochs < 1)
        if no_epochs or (self.minutes is not None and self.minutes <= 0):
            raise UserError("The budget is empty; give --epochs or --minutes greater than 0.")
        if self.teacher != "optimal":  # where it counts for nothing, it must not tell two runs apart
            object.__setattr__(self, "teacher_price", TEACHER_PRICE)

    def _settle_encoder(self) -> None:
        """The preset with the encoder that was asked for: ``scratch`` is ``best`` without one."""
        given = self.encoder
        if given not in (None, encoder_of(self.preset)):
            other = {"none": "scratch", "lite0": "best"}.get(str(given))
            if other is None:
                raise UserError(f"encoder is {ascii(given)[:40]}; choose one of lite0, none.")
            if self.preset not in ("best", "scratch"):
                raise UserError(
                    f"The preset {self.preset} has no encoder to choose; --encoder goes with --preset best."
                )
            object.__setattr__(self, "preset", other)
        object.__setattr__(self, "encoder", encoder_of(self.preset))

    def _take_from_recipe(self) -> None:
        for name, usual in recipe(self.preset, self.method).items():
            given = getattr(self, name)
            if isinstance(given, dict):
                checked_names(name, given, usual)
                object.__setattr__(self, name, replace(usual, **given))
            elif given is FROM_RECIPE:
                object.__setattr__(self, name, usual)

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> TrainSettings:
        """What ``config.json`` holds: all of it was settled when the run began."""
        stored = dict(content)
        stored["learning"] = LearningSettings(**stored["learning"])
        stored["exploration"] = ExplorationSettings(**stored["exploration"])
        return cls(**stored)

    def beta_at(self, progress: float) -> float:
        """The probability of following the oracle when this share of the training is done."""
        return 1 - (1 - self.beta_end) * min(self.parsing(progress) / max(self.beta_until, 1e-9), 1)

    def parsing(self, progress: float) -> float:
        """Share of what comes after the map that is done when this share of the training is."""
        return max(progress - self.map_until, 0) / max(1 - self.map_until, 1e-9)

    @property
    def limits(self) -> Limits:
        """How far parses go."""
        from ..grammar import Limits  # with NumPy, which help texts do without

        return Limits(self.depth, self.min_extent)


_LEAST = {
    "rollout_images": 1, "updates": 1, "map_updates": 1, "batch_images": 1, "batch_nodes": 1, "memory": 1,
    "seed": 0, "patience": 0, "plateau": 1, "threads": 1, "first_look": 0,
}  # fmt: skip
"""The smallest that whole-numbered settings may be."""
_MOST = {"seed": 2**63 - 1, "threads": 1024, "epochs": 10**9, "memory": 10**7, "first_look": 1024}
"""The greatest that some of them may be."""
MOST = 10**9
"""The greatest that any other may be."""
_SHARES = ("beta_end", "beta_until", "colour", "zoom", "zoom_chance", "map_until")


def _check_numbers(settings: TrainSettings) -> None:
    for name, value in _numbers(dataclasses.asdict(settings)):
        if not math.isfinite(value):
            raise UserError(f"{name} is {value}; give a finite number.")
        if not 0 <= value <= MOST:
            raise UserError(f"{name} is {value}; give a number from 0 to {MOST:,}.")
    for name, least in _LEAST.items():
        value = getattr(settings, name)
        if value is None and name in ("patience", "plateau", "threads"):
            continue
        if not is_whole(value) or value < least:
            raise UserError(f"{name} is {value}; give a whole number of at least {least}.")
    for name, most in _MOST.items():
        value = getattr(settings, name)
        if value is not None and value > most:
            raise UserError(f"{name} is {value}; give a whole number of at most {most:,}.")
    for name in _SHARES:
        if not 0 <= getattr(settings, name) <= 1:
            raise UserError(f"{name} is {getattr(settings, name)}; give a number from 0 to 1.")
    if settings.map_zoom < 1:
        raise UserError(f"map_zoom is {settings.map_zoom}; give a number of at least 1.")
    if settings.learning.target_rate > 1 or settings.exploration.random_rule > 1:
        raise UserError("learning.target_rate and exploration.random_rule are shares; give numbers from 0 to 1.")


def _numbers(settings: dict[str, Any], prefix: str = "") -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    for name, value in settings.items():
        if isinstance(value, dict):
            found += _numbers(value, f"{prefix}{name}.")
        elif isinstance(value, float) or (is_whole(value) and name != "seed"):
            found.append((prefix + name, value))
    return found
