"""What tests of learning share: learners with a minibatch of their own rollout, and batches made by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from shapeparse import Limits, Nodes
from shapeparse.learning.batch import Batch, Minibatch
from shapeparse.learning.critic_losses import CriticInput
from shapeparse.learning.learner import Learner
from shapeparse.learning.memory import Transitions
from shapeparse.learning.methods import method_named
from shapeparse.learning.rollout import Rollout
from shapeparse.learning.scenes import Scenes
from shapeparse.learning.settings import LearningSettings, TrainSettings
from shapeparse.networks.critic import CriticOutput
from shapeparse.networks.policy import PolicyOutput

LIMITS = Limits(depth=3)


@pytest.fixture
def lesson(tiny_presets, photographs) -> Callable[..., tuple[Learner, Minibatch, Rollout]]:
    """A learner of some method with a minibatch that its own rollout gathered."""

    def prepare(
        method: str, preset: str = "fast", seed: int = 0, **settings: Any
    ) -> tuple[Learner, Minibatch, Rollout]:
        shape = tiny_presets[preset]
        images, masks = photographs(3, shape.side)
        scenes = Scenes(images, masks, flips=True)
        learner = Learner(method_named(method), shape, LIMITS, LearningSettings(**{"warm_up": 0, **settings}), seed)
        rollout = Rollout.of(method_named(method), scenes, LIMITS, teacher=TrainSettings(method).teacher)
        chosen = np.array([5, 0, 2])
        kept = rollout.gather(learner.policy, chosen, 0.5, np.random.default_rng(seed))
        kept = kept.take(np.arange(min(len(kept), 30)))
        return learner, Minibatch.of(chosen, scenes.pixels(chosen), kept, scenes, LIMITS), rollout

    return prepare


@pytest.fixture
def judge() -> Callable[..., tuple[Any, torch.Tensor, Batch]]:
    """What a learner's critic says of a minibatch, its loss, and the batch as the policy's loss would get it."""

    def call(learner: Learner, minibatch: Minibatch, rollout: Rollout) -> tuple[Any, torch.Tensor, Batch]:
        assert learner.critic is not None and learner.method.critic is not None
        features = learner.policy.trunk(learner.policy.encode(minibatch.pixels), minibatch.view)
        output = learner.policy.decide(features, minibatch.view.valid).detach()
        rng = np.random.default_rng(0)
        given = (rollout.oracle, rollout.rewards, learner.limits, learner.settings, learner.exploring, rng)
        seen = learner.critic.look(minibatch.pixels, minibatch.view, features)
        heard = CriticInput(learner.critic, seen, learner.targets)
        judged, loss = learner.method.critic.loss(Batch(minibatch, output, None, *given), heard)
        return judged, loss, Batch(minibatch, output, judged.detach(), *given)

    return call


@pytest.fixture(scope="session")
def hand_made() -> Callable[..., Batch]:
    """A batch whose nodes and policy output are given, and all else that is."""

    def make(
        nodes: Nodes,
        output: PolicyOutput,
        judged: CriticOutput | torch.Tensor | None = None,
        oracle: Any = None,
        limits: Limits = LIMITS,
        exploring: float = 1.0,
        settings: dict[str, Any] | None = None,
        **transitions: Any,
    ) -> Batch:
        labels = {"rule": np.full(len(nodes), 3, np.int8), "cut": np.zeros(len(nodes), np.int32)}
        kept = Transitions(nodes, **{**labels, **transitions})
        minibatch = Minibatch(None, None, None, None, kept)  # type: ignore[arg-type]  # pixels play no part here
        learning = LearningSettings(**{"entropy": 0.0, "centring": 0.0, **(settings or {})})
        rng = np.random.default_rng(0)
        return Batch(minibatch, output, judged, oracle, None, limits, learning, exploring, rng)

    return make


class KnownCritic(CriticOutput):
    """Q falls with the squared distance of the cut from a goal, and is what it is for labels; alike at all nodes."""

    def __init__(
        self, nodes: int, goal: float = 0.25, split: tuple[float, float] = (0.9, 0.1), paint: float = -0.2
    ) -> None:
        self.nodes, self.goal, self.split, self.paint = nodes, goal, torch.tensor(split), paint

    def split_value(self, location: torch.Tensor) -> torch.Tensor:
        return self.split - 2 * (location - self.goal) ** 2

    def label_values(self) -> torch.Tensor:
        return torch.tensor([[self.paint, -self.paint]]).expand(self.nodes, 2)

    def detach(self) -> KnownCritic:
        return self


@pytest.fixture(scope="session")
def known_critic() -> type[KnownCritic]:
    return KnownCritic
