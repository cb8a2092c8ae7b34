"""The loss that moves each method's policy: the right weights, and the right way."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
import torch

from shapeparse import Actions, Limits, Nodes, Oracle, Rule
from shapeparse.learning import losses, policy_losses
from shapeparse.learning.batch import cut_tensors, locations
from shapeparse.learning.methods import METHODS
from shapeparse.learning.rollout import Rollout
from shapeparse.learning.scenes import Scenes
from shapeparse.networks.policy import PolicyOutput

from .conftest import KnownCritic

SCORES = [0.5, 0.3, -0.2, 0.1]
LOGITS = [0.6, -0.4]


class Leaf:
    """A policy that is a few numbers, the same at every node, and the gradients of losses in them."""

    def __init__(self, scores=SCORES, logits=LOGITS, log_sigma=(-0.5, -0.7)) -> None:
        self.parts = [torch.tensor(part, requires_grad=True) for part in (scores, logits, list(log_sigma))]

    def output(self, nodes: int) -> PolicyOutput:
        scores, logit, log_sigma = self.parts
        return PolicyOutput(*(part.expand(nodes, -1) for part in (torch.log_softmax(scores, dim=0), logit, log_sigma)))

    def descent(self, loss: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The step that lowers the loss: of the rules' scores, and of the splits' logits."""
        found = torch.autograd.grad(loss, self.parts, allow_unused=True)
        scores, logit, _ = (torch.zeros_like(p) if g is None else -g for p, g in zip(self.parts, found, strict=True))
        return scores, logit


def roots(count: int, width: int = 20, height: int = 20) -> Nodes:
    return Nodes.roots([(width, height)]).take(np.zeros(count, int))


# ---- weights -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "copied"), [("dagger", "oracle"), ("dagger-taken", "taken")])
def test_imitation_copies_the_oracle_or_what_was_done(lesson, method, copied):
    learner, batch, rollout = lesson(method)
    kept = batch.transitions
    actions = Actions(kept.oracle_rule, kept.oracle_cut) if copied == "oracle" else kept.actions
    assert not np.array_equal(kept.oracle_rule, kept.rule)
    learner.policy.train()
    output = learner.policy(learner.policy.encode(batch.pixels), batch.view)
    rule = torch.from_numpy(actions.rule.astype(np.int64))
    where = torch.from_numpy(locations(kept.nodes, actions))
    expected = losses.imitation_loss(output, rule, where, learner.settings.split_weight)
    report = learner.update(batch, rollout, np.random.default_rng(0))
    assert report["policy_loss"] == pytest.approx(expected.item(), rel=1e-3)


def test_the_gradient_of_fresh_actions_averages_to_that_of_the_expected_cost_to_go(hand_made):
    """Eq. 2 at one node: actions drawn many times over, against the sum over all actions of pi(a) Q*(a)."""
    mask = np.array([[1, 1, 0, 0, 1], [1, 0, 0, 1, 1], [1, 1, 0, 1, 0]], bool)
    scenes, many, limits = Scenes(np.zeros((1, 3, 5, 3), np.uint8), mask[None], flips=False), 20_000, Limits(1)
    rollout = Rollout.of(METHODS["aggrevated-expected"], scenes, limits)
    parameters = torch.tensor([0.5, 0.3, -0.2, 0.1, 0.6, -0.4, -0.5, -0.7], requires_grad=True)
    scores, logit, log_sigma = parameters.split([4, 2, 2])

    def output(nodes: int) -> PolicyOutput:
        parts = (torch.log_softmax(scores, dim=0), logit, log_sigma)
        return PolicyOutput(*(part.expand(nodes, -1) for part in parts))

    root = Nodes.roots([(5, 3)])
    actions = [
        (Rule.PAINT, 0),
        (Rule.SKIP, 0),
        *((Rule.SPLIT_X, c) for c in (1, 2, 3, 4)),
        (Rule.SPLIT_Y, 1),
        (Rule.SPLIT_Y, 2),
    ]
    every = Actions(
        *(np.array(column, kind) for column, kind in zip(zip(*actions, strict=True), (np.int8, np.int32), strict=True))
    )
    each = root.take(np.zeros(len(actions), int))
    assert rollout.oracle is not None
    value = torch.from_numpy(rollout.oracle.cost_to_go(each, every) / mask.size).float()
    cuts = cut_tensors(each, every, torch.device("cpu"))
    expected = (losses.action_probability(output(len(actions)), *cuts) * value).sum()
    (true,) = torch.autograd.grad(expected, parameters)

    copies = root.take(np.zeros(many, int))
    batch = hand_made(copies, output(many), oracle=rollout.oracle, limits=limits)
    loss, _ = policy_losses.fresh_by_return(batch)
    (found,) = torch.autograd.grad(-loss, parameters)
    torch.testing.assert_close(found, true, rtol=0, atol=0.005)
    assert true.abs().max() > 0.05


@pytest.fixture
def weighed(monkeypatch) -> list[torch.Tensor]:
    """The weights that likelihoods were given."""
    seen: list[torch.Tensor] = []
    real = losses.policy_gradient_loss

    def listen(log_probability: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        seen.append(weight)
        return real(log_probability, weight)

    monkeypatch.setattr(losses, "policy_gradient_loss", listen)
    return seen


def test_off_policy_weights_are_importance_times_advantage(lesson, judge, weighed):
    """Bug 9 of the authors' code, and bug 2: every weight belongs to its own node."""
    for method in ("off-acpg", "off-mcpg"):
        learner, minibatch, rollout = lesson(method, most_importance=3.0)
        kept = minibatch.transitions
        judged, _, batch = judge(learner, minibatch, rollout)
        output = batch.output
        learner.method.policy_loss(batch)
        ratios, advantages = [], []
        for i in range(len(kept)):
            rule, cut = int(kept.rule[i]), int(kept.cut[i])
            probability = float(output.log_rule[i, rule].exp())
            if rule < Rule.PAINT:
                extent = int(kept.nodes.w[i] if rule == Rule.SPLIT_X else kept.nodes.h[i])
                probability *= cut_probability(cut, extent, output, i, rule)
            ratios.append(min(probability / float(kept.behaviour[i]), 3.0))
            if method == "off-mcpg":
                advantages.append(float(kept.returns[i] - judged[i].detach()))
            else:
                values = judged.values(output.location)[i]
                where = torch.full((len(kept), 2), cut / extent if rule < Rule.PAINT else 0.5)
                expected = (output.log_rule[i].exp() * values).sum()
                advantages.append(float((judged.values(where)[i, rule] - expected).detach()))
        np.testing.assert_allclose(weighed[-1].detach(), np.array(ratios) * advantages, rtol=2e-3, atol=1e-3)


def cut_probability(cut: int, extent: int, output: PolicyOutput, node: int, axis: int) -> float:
    """By the normal distribution of the standard library."""
    normal = NormalDist(float(output.split_logit[node, axis]), float(output.split_log_sigma[node, axis].exp()))

    def below(pixel: float) -> float:
        return normal.cdf(float(np.log(pixel / (extent - pixel))))

    return (1.0 if cut == extent - 1 else below(cut + 0.5)) - (0.0 if cut == 1 else below(cut - 0.5))


def test_reinforce_weighs_by_return_minus_baseline(lesson, judge, weighed):
    learner, minibatch, rollout = lesson("mcpg")
    judged, _, batch = judge(learner, minibatch, rollout)
    learner.method.policy_loss(batch)
    (weight,) = weighed
    torch.testing.assert_close(weight, torch.from_numpy(minibatch.transitions.returns) - judged.detach())
    assert not weight.requires_grad


def test_fresh_actions_are_weighed_each_by_what_the_critic_says_beyond_the_others(hand_made, known_critic):
    """At many copies of a node: the gradient of the sum over all actions of pi(a) Q(a), as Eq. 2 has it."""
    many, leaf = 20_000, Leaf()
    critic = known_critic(many, goal=0.25)
    loss, _ = policy_losses.fresh_by_critic(hand_made(roots(many), leaf.output(many), critic))
    scores, logit = leaf.descent(loss)
    every = [(Rule.PAINT, 0), (Rule.SKIP, 0), *((axis, cut) for axis in (0, 1) for cut in range(1, 20))]
    actions = Actions(np.array([r for r, _ in every], np.int8), np.array([c for _, c in every], np.int32))
    nodes = roots(len(every))
    value = known_critic(len(every), goal=0.25).value_of(
        torch.from_numpy(actions.rule.astype(np.int64)), torch.from_numpy(locations(nodes, actions))
    )
    cuts = cut_tensors(nodes, actions, torch.device("cpu"))
    expected = -(losses.action_probability(leaf.output(len(every)), *cuts) * value).sum()
    true_scores, true_logit = leaf.descent(expected)
    torch.testing.assert_close(scores, true_scores, rtol=0, atol=0.01)
    torch.testing.assert_close(logit, true_logit, rtol=0, atol=0.01)
    assert true_scores.abs().max() > 0.05


# ---- which way -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("price", [0.0, 0.02])
def test_the_mixed_gradient_is_that_of_the_expected_value(hand_made, known_critic, price):
    """Eq. 8: towards rules of greater Q, less the price of a split, and towards locations of greater Q."""
    leaf, critic = Leaf(), known_critic(5, goal=0.25)
    loss, _ = policy_losses.mixed_gradient(price)(hand_made(roots(5), leaf.output(5), critic))
    scores, logit = leaf.descent(loss)
    probability = torch.softmax(leaf.parts[0].detach(), dim=0)
    where = torch.sigmoid(leaf.parts[1].detach())
    value = torch.cat([critic.split - 2 * (where - 0.25) ** 2 - price, torch.tensor([-0.2, 0.2])])
    torch.testing.assert_close(scores, probability * (value - (probability * value).sum()), rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(logit, probability[:2] * -4 * (where - 0.25) * where * (1 - where))
    assert scores[Rule.SPLIT_X] > 0 and logit[0] < 0


LOSSES = {
    "reinforce": policy_losses.reinforce,
    "off_policy_returns": policy_losses.off_policy_returns,
    "off_policy_critic": policy_losses.off_policy_critic,
    "fresh_by_return": policy_losses.fresh_by_return,
    "fresh_by_critic": policy_losses.fresh_by_critic,
    "mixed_gradient": policy_losses.mixed_gradient(),
}


@pytest.fixture
def worthless(hand_made):
    """A batch in which no action is better than any other, so that only what keeps the policy exploring moves it."""

    class Worthless(KnownCritic):
        def split_value(self, location: torch.Tensor) -> torch.Tensor:
            return 0.0 * location

        def label_values(self) -> torch.Tensor:
            return torch.zeros(self.nodes, 2)

    def make(name: str, leaf: Leaf, nodes: int = 4, **settings: float):
        returns = name in ("reinforce", "off_policy_returns")
        half = np.full((20, 20), 0.5)  # soft, so that no label and no cut is worth anything
        return hand_made(
            roots(nodes), leaf.output(nodes), torch.zeros(nodes) if returns else Worthless(nodes),
            oracle=Oracle([half.round(1)], Limits(1)) if name == "fresh_by_return" else None, limits=Limits(1),
            returns=np.zeros(nodes, np.float32), behaviour=np.ones(nodes, np.float32), settings=settings,
            exploring=0.5,
        )  # fmt: skip

    return make


@pytest.mark.parametrize("name", LOSSES)
def test_entropy_makes_likely_rules_less_likely_as_long_as_it_explores(worthless, name):
    leaf = Leaf(scores=[2.0, 0.0, 0.0, 0.0])
    still, _ = leaf.descent(LOSSES[name](worthless(name, leaf))[0])
    scores, _ = leaf.descent(LOSSES[name](worthless(name, leaf, entropy=0.4))[0])
    (true,) = torch.autograd.grad(0.5 * 0.4 * losses.entropy(leaf.output(1)), leaf.parts[:1])
    torch.testing.assert_close(scores - still, true, rtol=1e-4, atol=1e-6)
    assert scores[0] < -0.01 and (scores[1:] > 0).all()


@pytest.mark.parametrize("name", LOSSES)
def test_no_loss_of_a_method_pulls_cuts_to_the_middle(worthless, name):
    leaf = Leaf(logits=[1.0, -2.0])
    _, still = leaf.descent(LOSSES[name](worthless(name, leaf))[0])
    _, logit = leaf.descent(LOSSES[name](worthless(name, leaf, centring=0.4))[0])
    torch.testing.assert_close(logit, still)


def test_while_a_critic_warms_up_cuts_are_pulled_to_the_middle_and_rules_stay(worthless):
    leaf = Leaf(logits=[1.0, -2.0])
    scores, logit = leaf.descent(policy_losses.keep_in_the_middle(worthless("mixed_gradient", leaf, centring=0.4))[0])
    torch.testing.assert_close(logit, torch.tensor([-0.4, 0.8]), rtol=1e-4, atol=1e-5)
    assert not scores.any()


# ---- as stored -----------------------------------------------------------------------------------------------------

STORED = {"rule": np.array([0, 1, 3], np.int8), "cut": np.array([5, 16, 0], np.int32)}
"""At three roots of 20 by 20: a split along x at 5, one along y at 16, and a label."""


def test_drag_as_published_is_eq_8_at_the_stored_rule(hand_made, known_critic):
    """Computed by hand: Q at mu of the stored rule weighs its likelihood, and moves the split of its own axis alone."""
    leaf = Leaf(scores=[0.0, 0.0, 0.0, 0.0], logits=[0.0, 0.0])  # each rule 1/4, mu 1/2
    loss, _ = policy_losses.stored_gradient()(hand_made(roots(3), leaf.output(3), known_critic(3, goal=0.25), **STORED))
    split_x, split_y, skip = 0.9 - 2 * 0.25**2, 0.1 - 2 * 0.25**2, 0.2
    assert loss.item() == pytest.approx((np.log(4) * (split_x + split_y + skip) - split_x - split_y) / 3, rel=1e-5)
    scores, logit = leaf.descent(loss)
    weights = np.array([split_x, split_y, 0.0, skip])
    np.testing.assert_allclose(scores, (weights - 0.25 * weights.sum()) / 3, rtol=1e-5)  # no baseline
    np.testing.assert_allclose(logit, [-4 * 0.25 * 0.25 / 3] * 2, rtol=1e-5)  # dQ/dl times dmu/dlogit, a third each


def test_the_control_weighs_every_stored_rule_by_1_and_moves_splits_alike(hand_made, known_critic):
    leaf = Leaf(scores=[0.0, 0.0, 0.0, 0.0], logits=[0.0, 0.0])
    batch, same = (hand_made(roots(3), leaf.output(3), known_critic(3, goal=0.25), **STORED) for _ in range(2))
    scores, logit = leaf.descent(policy_losses.stored_gradient(weighed=False)(batch)[0])
    np.testing.assert_allclose(scores, (np.array([1, 1, 0, 1]) - 0.75) / 3, rtol=1e-5)
    _, as_published = leaf.descent(policy_losses.stored_gradient()(same)[0])
    torch.testing.assert_close(logit, as_published)


@pytest.mark.parametrize("by_critic", [False, True])
def test_aggrevated_as_published_weighs_the_stored_action_without_a_baseline(hand_made, known_critic, by_critic):
    leaf = Leaf(scores=[0.0, 0.0, 0.0, 0.0], logits=[0.0, 0.0], log_sigma=(0.0, 0.0))
    returns = np.array([0.5, -0.25, 1.0], np.float32)
    batch = hand_made(roots(3), leaf.output(3), known_critic(3, goal=0.25), returns=returns, **STORED)
    loss, _ = (policy_losses.stored_by_critic if by_critic else policy_losses.stored_by_return)(batch)
    weights = [0.9, 0.1 - 2 * (0.8 - 0.25) ** 2, 0.2] if by_critic else returns  # Q at the stored cuts, 5/20 and 16/20
    cuts = [np.log(cut_probability(cut, 20, leaf.output(1), 0, axis)) for axis, cut in ((0, 5), (1, 16))]
    likelihoods = [np.log(0.25) + cuts[0], np.log(0.25) + cuts[1], np.log(0.25)]
    assert loss.item() == pytest.approx(-np.mean(np.array(weights) * likelihoods), rel=1e-4)


def test_an_anchor_is_the_imitation_loss_without_what_keeps_exploring(hand_made, known_critic):
    leaf, nodes = Leaf(), roots(3)
    advice = {"oracle_rule": np.array([0, 1, 3], np.int8), "oracle_cut": np.array([5, 10, 0], np.int32)}
    batch = hand_made(nodes, leaf.output(3), known_critic(3), settings={"entropy": 9.0, "centring": 9.0}, **advice)
    found, metrics = policy_losses.mixed_gradient(0.02, anchor=0.5)(batch)
    imitation, _ = policy_losses.imitate_oracle(batch)
    assert found.item() == pytest.approx(
        (losses.mixed_policy_loss(batch.output, batch.q, 0.02) + 0.5 * imitation).item()
    )
    assert metrics == {}
