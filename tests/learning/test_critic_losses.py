"""How critics are fitted: on which actions, and towards which goals."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from shapeparse import Actions, Limits, Nodes, Oracle, Rule
from shapeparse.grammar import location_from_cut, split_children
from shapeparse.learning import critic_losses
from shapeparse.learning.batch import Batch, Minibatch
from shapeparse.learning.critic_losses import CriticInput
from shapeparse.learning.memory import Transitions
from shapeparse.learning.methods import METHODS
from shapeparse.learning.scenes import Scenes
from shapeparse.learning.settings import LearningSettings
from shapeparse.networks.critic import CriticOutput
from shapeparse.networks.policy import PolicyOutput
from shapeparse.networks.views import NodeView

LIMITS = Limits(depth=3)


def test_the_critic_is_fitted_on_the_action_that_was_taken(lesson, judge):
    """Bugs 5 and 6 of the authors' code: not on the actor's own split, and the split as a location in (0, 1)."""
    learner, batch, rollout = lesson("drag")
    kept = batch.transitions
    asked: list[tuple[torch.Tensor, torch.Tensor]] = []

    class Listening(CriticOutput):
        def value_of(self, rule: torch.Tensor, location: torch.Tensor) -> torch.Tensor:
            asked.append((rule, location))
            return torch.zeros(len(rule), requires_grad=True)

        def detach(self) -> CriticOutput:
            return self

    learner.critic.forward = lambda features: Listening()
    _, loss, _ = judge(learner, batch, rollout)
    ((rule, location),) = asked
    assert rule.tolist() == kept.rule.tolist()
    split = kept.rule < Rule.PAINT
    expected = location_from_cut(kept.cut, kept.nodes.extent(kept.rule))
    np.testing.assert_allclose(location[split], expected[split], rtol=1e-6)
    assert loss.item() == pytest.approx(float((kept.returns**2).mean()))


class ExactPolicy:
    """A target policy that paints everything that it may not split, and else splits along x in the middle."""

    def encode(self, pixels: torch.Tensor) -> None:
        return None

    def trunk(self, encoded: None, view: NodeView) -> NodeView:
        return view

    def decide(self, view: NodeView, valid: torch.Tensor) -> PolicyOutput:
        splits = valid[:, Rule.SPLIT_X]
        rule = torch.where(splits, int(Rule.SPLIT_X), int(Rule.PAINT))
        log_rule = torch.full((len(view), 4), -1e9)
        log_rule[torch.arange(len(view)), rule] = 0.0
        return PolicyOutput(log_rule, torch.zeros(len(view), 2), torch.zeros(len(view), 2))


class ExactCritic:
    """A target critic that knows the mask: the return of painting a node is the same however it is split."""

    def __init__(self, mask: np.ndarray) -> None:
        self.truth = np.where(mask, 1.0, -1.0)

    def look(self, pixels: torch.Tensor, view: NodeView, policy: NodeView) -> NodeView:
        return view

    def __call__(self, view: NodeView) -> CriticOutput:
        height, width = self.truth.shape
        paint = []
        for x, y, w, h in zip(view.x, view.y, view.w, view.h, strict=True):
            left, top = round(x * width), round(y * height)
            paint.append(self.truth[top : top + round(h * height), left : left + round(w * width)].mean())
        values = torch.tensor(paint, dtype=torch.float32)

        class Exact(CriticOutput):
            def split_value(self, location: torch.Tensor) -> torch.Tensor:
                return values[:, None].expand(-1, 2)

            def label_values(self) -> torch.Tensor:
                return torch.stack([values, -values], dim=1)

        return Exact()


def backed_up(scenes: Scenes, scene: np.ndarray, kept: Transitions, targets: tuple, limits: Limits) -> torch.Tensor:
    """The goal that DDPG's critic is given."""
    minibatch = Minibatch.of(scene, scenes.pixels(scene), kept, scenes, limits)
    output = PolicyOutput(torch.zeros(len(kept), 4), torch.zeros(len(kept), 2), torch.zeros(len(kept), 2))
    rng = np.random.default_rng(0)
    batch = Batch(minibatch, output, None, None, scenes.rewards(), limits, LearningSettings(), 1.0, rng)
    return critic_losses._bootstrapped(batch, CriticInput(None, None, targets))


def test_the_backup_is_the_true_return_when_the_targets_know_it():
    """Two levels of a tiny mask: splits return what their children do, labels what Eq. 1 says."""
    mask = np.random.default_rng(0).random((4, 6)) < 0.5
    truth = np.where(mask, 1.0, -1.0)
    scenes = Scenes(np.zeros((2, 4, 6, 3), np.uint8), np.stack([~mask, mask]), flips=False)
    root = Nodes(*(np.array([value], np.int32) for value in (1, 0, 0, 6, 4, 0)))
    halves = split_children(root, Actions(np.array([1], np.int8), np.array([3], np.int32)))
    kept = Transitions(
        Nodes.concatenate([root, root, halves, root]),
        rule=np.array([Rule.SPLIT_X, Rule.SPLIT_Y, Rule.PAINT, Rule.SPLIT_X, Rule.SKIP], np.int8),
        cut=np.array([2, 3, 0, 4, 0], np.int32),
    )
    whole, top, bottom = truth.mean(), truth[:3].mean(), truth[3:].mean()
    goal = backed_up(scenes, np.array([1]), kept, (ExactPolicy(), ExactCritic(mask)), Limits(2))
    assert goal.tolist() == pytest.approx([whole, whole, top, bottom, -whole], abs=1e-6)


def test_the_backup_follows_the_target_policy_not_the_learned_one():
    """If the target policy labels the left child paint and the right one skip, the goal is the return of that."""
    mask = np.zeros((2, 4), bool)
    mask[:, :2] = True

    class LeftPaints(ExactPolicy):
        def decide(self, view: NodeView, valid: torch.Tensor) -> PolicyOutput:
            chance = torch.tensor(np.where(view.x == 0, 0.75, 0.0), dtype=torch.float32)
            log_rule = torch.full((len(view), 4), -1e9)
            log_rule[:, Rule.PAINT], log_rule[:, Rule.SKIP] = chance.log().clamp(min=-1e9), (1 - chance).log()
            return PolicyOutput(log_rule, torch.zeros(len(view), 2), torch.zeros(len(view), 2))

    scenes = Scenes(np.zeros((1, 2, 4, 3), np.uint8), mask[None], flips=False)
    kept = Transitions(Nodes.roots([(4, 2)]), np.array([0], np.int8), np.array([1], np.int32))
    goal = backed_up(scenes, np.array([0]), kept, (LeftPaints(), ExactCritic(mask)), Limits(1))
    # Left, 2 of 8 pixels: 0.75 * 1 + 0.25 * -1. Right, 6 of 8: skip returns minus its mean of (2 - 4) / 6.
    expected = (2 * 0.5 + 6 * (1 / 3)) / 8
    assert goal.tolist() == pytest.approx([expected])


def test_a_dense_critic_that_knows_the_cost_to_go_has_no_loss(lesson, judge):
    """Asked wherever it likes, it is compared with the exact cost-to-go of the cut that the location rounds to."""
    learner, batch, rollout = lesson("drag-dense")
    judged = Knowing(rollout.oracle, batch.transitions.nodes)
    learner.critic.forward = lambda features: judged
    _, loss, _ = judge(learner, batch, rollout)
    assert loss.item() == pytest.approx(0, abs=1e-10)
    assert judged.asked >= 6  # mu, near it, the oracle's and four at random


class Knowing(CriticOutput):
    """The oracle's cost-to-go itself, as a critic."""

    def __init__(self, oracle: Oracle, nodes: Nodes) -> None:
        self.oracle, self.nodes, self.asked = oracle, nodes, 0

    def _exact(self, rule: int, location: np.ndarray) -> torch.Tensor:
        extent = self.nodes.extent(np.full(len(self.nodes), rule))
        able = (self.nodes.depth < LIMITS.depth) & (extent > 1) if rule < Rule.PAINT else np.ones(len(self.nodes), bool)
        some = self.nodes.take(able)
        actions = Actions.at_locations(some, np.full(len(some), rule), location[able])
        value = np.zeros(len(self.nodes))
        value[able] = self.oracle.cost_to_go(some, actions) / some.area
        return torch.from_numpy(value.astype(np.float32))

    def detach(self) -> CriticOutput:
        return self

    def split_value(self, location: torch.Tensor) -> torch.Tensor:
        self.asked += 1
        return torch.stack([self._exact(axis, location[:, axis].double().numpy()) for axis in (0, 1)], dim=1)

    def label_values(self) -> torch.Tensor:
        return torch.stack([self._exact(rule, np.full(len(self.nodes), 0.5)) for rule in (2, 3)], dim=1)


def test_a_dense_critic_is_asked_nothing_it_cannot_answer(lesson, judge):
    """A critic that is wrong by a half about everything has the loss of all labels and of all valid splits."""
    learner, batch, rollout = lesson("drag-dense")

    class Wrong(Knowing):
        def split_value(self, location: torch.Tensor) -> torch.Tensor:
            return super().split_value(location) + 0.5

        def label_values(self) -> torch.Tensor:
            return super().label_values() - 0.5

    learner.critic.forward = lambda features: Wrong(rollout.oracle, batch.transitions.nodes)
    _, loss, _ = judge(learner, batch, rollout)
    assert loss.item() == pytest.approx(0.25 + 0.25, abs=1e-6)


def test_the_baseline_is_fitted_to_the_returns_of_its_nodes(lesson, judge):
    learner, batch, rollout = lesson("mcpg")
    value, loss, _ = judge(learner, batch, rollout)
    assert value.shape == (len(batch.transitions),)
    expected = ((value.detach().numpy() - batch.transitions.returns) ** 2).mean()
    assert loss.item() == pytest.approx(float(expected), rel=1e-5)
    assert loss.requires_grad


@pytest.mark.parametrize(("name", "goal"), [("drag", "returns"), ("ddpg", "backup")])
def test_a_critic_of_actions_is_fitted_to_the_return_or_to_what_the_children_promise(lesson, judge, name, goal):
    learner, batch, rollout = lesson(name)
    judged, loss, given = judge(learner, batch, rollout)
    wanted = given.returns
    if goal == "backup":
        wanted = critic_losses._bootstrapped(given, CriticInput(None, None, learner.targets))
    expected = (judged.value_of(*given.taken) - wanted).square().mean()
    assert loss.item() == pytest.approx(expected.item(), rel=1e-4)


def test_only_critics_of_the_actions_taken_need_noise_in_the_locations_and_only_ddpg_slow_copies():
    noisy = {name for name, method in METHODS.items() if method.critic and method.critic.location_noise}
    expected = {"ac-aggrevated-expected", "drag-expected"}
    assert noisy == {"ddpg", "ac-aggrevated", "off-acpg", "drag", "drag-control"} | expected
    assert {name for name, method in METHODS.items() if method.critic and method.critic.targets} == {"ddpg"}


def test_a_dense_critic_is_asked_of_mu_near_mu_the_oracles_cut_on_its_own_axis_and_some_at_random(lesson, judge):
    learner, minibatch, rollout = lesson("drag-dense", dense_actions=3)
    _, _, batch = judge(learner, minibatch, rollout)
    offered, counted = critic_losses._offered_locations(batch)
    assert offered.shape == counted.shape == (3 + 3, len(batch.nodes), 2)
    np.testing.assert_allclose(offered[0], batch.output.location, atol=1e-6)
    assert 0 < np.abs(offered[1] - offered[0]).mean() < 0.2
    valid = minibatch.view.valid[:, :2].numpy()
    assert (counted[[0, 1, 3, 4, 5]] == valid).all()
    advice = batch.minibatch.transitions.advice
    assert counted[2].tolist() == [[rule == axis for axis in (0, 1)] for rule in advice.rule.tolist()]
    where = location_from_cut(advice.cut, batch.nodes.extent(advice.rule).clip(min=1))
    np.testing.assert_allclose(offered[2][counted[2]], where[advice.rule < Rule.PAINT], atol=1e-6)
