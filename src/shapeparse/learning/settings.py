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
from ..support.text import checked_names
from .names import check_method_name

if TYPE_CHECKING:
    from ..grammar import Limits


@dataclass(frozen=True)
class LearningSettings:
    """How a policy and a critic are moved. The same for every method unless a method's own tuning says otherwise."""

    rate: float = 1.5e-3
    """Highest learning rate of the policy."""
    critic_rate: float = 1.5e-3
    """Highest learning rate of the critic."""
    weight_decay: float = 0.01
    """AdamW's decay; 0 makes it Adam."""
    clip: float = 10.0
    """Largest norm of a gradient."""
    split_weight: float = 10.0
    """Weight of the squared distance of split locations beside the cross-entropy of rules."""
    entropy: float = 0.3
    """Weight of the rules' entropy in all losses without imitation, at first; it falls with the learning rate. Without
    it, rules are settled before values are known."""
    centring: float = 0.3
    """Weight of what pulls split locations to the middle where a critic alone says what they are worth, at first; it
    falls too. Without it, locations run to an edge before the critic knows better, and cannot come back."""
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
        if not is_whole(self.fresh_actions) or self.fresh_actions < 2:
            raise UserError(f"learning.fresh_actions is {self.fresh_actions}; give at least 2 to compare.")
        if not is_whole(self.dense_actions) or self.dense_actions < 0:
            raise UserError(f"learning.dense_actions is {self.dense_actions}; give a whole number of at least 0.")


@dataclass(frozen=True)
class ExplorationSettings:
    """How a learner strays from its most likely action while it gathers experience."""

    random_rule: float = 1e-3
    """Probability of a rule drawn uniformly from the valid ones."""
    location_noise: float = 0.3
    """Standard deviation of the noise that is added to the split's logit of a deterministic policy, if a critic learns
    from the actions taken."""


GENERAL: dict[str, Any] = {
    "min_extent": 1, "rollout_images": 32, "updates": 8, "batch_images": 8, "batch_nodes": 48, "memory": 512,
    "beta_end": 0.0, "beta_until": 0.4, "schedule": "cosine", "flips": True, "zoom": 0.25, "zoom_chance": 0.5,
    "colour": 0.15, "map_until": 0.0, "map_updates": 48, "map_zoom": 1.3, "first_look": 0,
    "learning": LearningSettings(), "exploration": ExplorationSettings(),
}  # fmt: skip
"""The recipe of a preset that has none of its own."""

RECIPES: dict[str, dict[str, Any]] = {
    "best": {
        "updates": 16, "batch_nodes": 24, "map_until": 0.8, "first_look": 128,
        "learning": LearningSettings(
            rate=3e-3, weight_decay=0.05, clip=1.0, averaging=0.998, quick=True, fresh_heads=True
        ),
    },
    "lite": {
        "updates": 16, "batch_nodes": 24, "map_until": 0.8,
        "learning": LearningSettings(
            rate=2e-3, weight_decay=0.05, clip=1.0, averaging=0.99, quick=True, fresh_heads=True
        ),
    },
    # As its authors did: one update of 25 nodes per image, no augmentation, Adam at a constant 1e-4, about 2000 nodes
    # remembered, nodes of 25 pixels left whole, and beta falling over the first fifth.
    "paper": {
        "min_extent": 25, "rollout_images": 1, "updates": 1, "batch_images": 25, "batch_nodes": 1, "memory": 7,
        "beta_until": 0.2, "beta_end": 0.5, "schedule": "constant", "flips": False, "zoom": 0.0, "colour": 0.0,
        "learning": LearningSettings(rate=1e-4, critic_rate=1e-4, weight_decay=0.0, entropy=0.0, centring=0.0),
    },
}  # fmt: skip
"""What a preset's training changes of the general recipe."""

TUNED: dict[str, dict[str, float]] = {
    "ddpg": {"rate": 0.75e-3, "critic_rate": 0.75e-3},
    "off-mcpg": {"rate": 0.75e-3, "critic_rate": 0.75e-3},
    "drag-dense": {"entropy": 0.9},
}
"""What a method is given of its own, because it was better by a point or more in its trials (benchmarks/tuning.py).
The trials were made with the general recipe, so presets with learning settings of their own are left alone."""


def recipe(preset: str, method: str) -> dict[str, Any]:
    """The settings that go with a preset and a method."""
    own = RECIPES.get(preset, {})
    usual = {**GENERAL, **own}
    if "learning" not in own:
        usual["learning"] = replace(usual["learning"], **TUNED.get(method, {}))
    return usual


FROM_RECIPE: Any = None
"""Stands where nothing was given, until the recipe has its say."""


@dataclass(frozen=True)
class TrainSettings:
    """Everything that decides a run besides its data. What is not given comes from the recipe of preset and method.

    ``learning`` and ``exploration`` may be given as dictionaries of what is to be changed of them.

    >>> TrainSettings(preset="best").map_until, TrainSettings(preset="fast").map_until
    (0.8, 0.0)
    >>> TrainSettings(preset="best", learning={"rate": 1e-3}).learning.averaging
    0.998
    """

    method: str = "drag-anchored"
    """Which of the methods to train with."""
    preset: str = "fast"
    """Which network."""
    epochs: int | None = None
    """Budget in passes over the training images: the same seed then always gives the same run."""
    minutes: float | None = None
    """Budget in minutes, if no epochs are given; 5 if neither is."""
    seed: int = 0
    """Of all that is random."""
    depth: int = 7
    """Depth of the deepest leaf."""
    min_extent: int = FROM_RECIPE
    """A node is split along an axis only while its extent there is greater than this many pixels."""
    teacher: Literal["igm", "lookahead", "optimal"] = "igm"
    """Who is imitated: the paper's greedy oracle, one that looks ahead, or one that knows the best tree at a price."""
    teacher_price: float = 0.001
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
    switch: Literal["depth", "step"] = "depth"
    """What the random switch to the oracle counts: levels, or nodes in depth-first order."""
    below: bool = False
    """Keep the nodes below the switch too, where the oracle acts (only with ``switch="depth"``)."""
    schedule: Literal["cosine", "constant"] = FROM_RECIPE
    """Whether the learning rate falls along a cosine after a quick rise, or stays."""
    flips: bool = FROM_RECIPE
    """Also learn from images flipped left to right."""
    zoom: float = FROM_RECIPE
    """How much of an image's width and height may lie outside of what a training image shows of it."""
    zoom_chance: float = FROM_RECIPE
    """Probability that an image is zoomed into anew before it is parsed, and what was remembered of it forgotten."""
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
    patience: int | None = None
    """Stop when validation has not improved for this many epochs."""
    threads: int | None = None
    """Threads; all cores if not given."""
    learning: LearningSettings = FROM_RECIPE
    exploration: ExplorationSettings = FROM_RECIPE

    def __post_init__(self) -> None:
        check_method_name(self.method)
        preset_named(self.preset)
        self._take_from_recipe()
        _check_numbers(self)
        if self.switch not in ("depth", "step"):
            raise UserError(f"switch is {self.switch!r}; choose one of depth, step.")
        if self.below and self.switch == "step":
            raise UserError("below goes with the switch that counts depth; choose one of them.")
        if self.teacher not in ("igm", "lookahead", "optimal"):
            raise UserError(f"teacher is {ascii(self.teacher)[:40]}; choose one of igm, lookahead, optimal.")
        if not self.teacher_price > 0:
            raise UserError(f"teacher_price is {self.teacher_price}; give a share above 0, such as 0.001.")
        if self.schedule not in ("cosine", "constant"):
            raise UserError(f"schedule is {self.schedule!r}; choose one of cosine, constant.")
        _ = self.limits  # which checks depth and min_extent
        if self.epochs is None and self.minutes is None:
            object.__setattr__(self, "minutes", 5.0)
        no_epochs = self.epochs is not None and (not is_whole(self.epochs) or self.epochs < 1)
        if no_epochs or (self.minutes is not None and self.minutes <= 0):
            raise UserError("The budget is empty; give --epochs or --minutes greater than 0.")

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
    "seed": 0, "patience": 0, "threads": 1, "first_look": 0,
}  # fmt: skip
"""The smallest that whole-numbered settings may be."""
_MOST = {"seed": 2**63 - 1, "threads": 1024, "epochs": 10**9, "memory": 10**7, "first_look": 1024}
"""The greatest that some of them may be."""
_SHARES = ("beta_end", "beta_until", "colour", "zoom", "zoom_chance", "map_until")


def _check_numbers(settings: TrainSettings) -> None:
    for name, value in _numbers(dataclasses.asdict(settings)):
        if not math.isfinite(value):
            raise UserError(f"{name} is {value}; give a finite number.")
        if value < 0:
            raise UserError(f"{name} is {value}; give a number of at least 0.")
    for name, least in _LEAST.items():
        value = getattr(settings, name)
        if value is None and name in ("patience", "threads"):
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
        elif isinstance(value, float):
            found.append((prefix + name, value))
    return found
