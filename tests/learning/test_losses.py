"""Every loss against numbers worked out by hand, and the policy gradients against the gradients they stand for."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch
from torch import Tensor

from shapeparse import Actions, Limits, Nodes, Rule
from shapeparse.learning import losses
from shapeparse.learning.batch import cut_tensors
from shapeparse.learning.distributions import logit_normal_log_density
from shapeparse.learning.methods import METHODS
from shapeparse.learning.rollout import Rollout
from shapeparse.learning.scenes import Scenes
from shapeparse.learning.settings import ExplorationSettings
from shapeparse.networks.critic import CriticOutput
from shapeparse.networks.devices import CPU
from shapeparse.networks.policy import PolicyOutput
from shapeparse.networks.views import NodeView

EVERY_RULE = torch.arange(4)


def output_of(probability: list[list[float]], location: list[list[float]], sigma: float = 1.0) -> PolicyOutput:
    """A policy's output with these probabilities of rules and these locations."""
    place = torch.tensor(location)
    return PolicyOutput(torch.tensor(probability).log(), torch.logit(place), torch.full_like(place, math.log(sigma)))


@dataclass(frozen=True)
class KnownQ(CriticOutput):
    """Q*(s, x, l) = 1 - (l - 0.3)^2, Q*(s, y, l) = 0.5 - 2 (l - 0.8)^2, paint 0.2, skip -0.2."""

    nodes: int = 1

    def split_value(self, location: Tensor) -> Tensor:
        x, y = location.unbind(dim=1)
        return torch.stack([1 - (x - 0.3) ** 2, 0.5 - 2 * (y - 0.8) ** 2], dim=1)

    def label_values(self) -> Tensor:
        return torch.tensor([[0.2, -0.2]]).expand(self.nodes, 2)

    def detach(self) -> KnownQ:
        return self


# ---- imitation -----------------------------------------------------------------------------------------------------


def test_imitation_is_cross_entropy_plus_the_squared_distance_of_the_split():
    output = output_of([[0.5, 0.25, 0.125, 0.125], [0.25, 0.25, 0.25, 0.25]], [[0.3, 0.9], [0.5, 0.5]])
    loss = losses.imitation_loss(output, torch.tensor([0, 3]), torch.tensor([0.4, 0.5]), split_weight=10.0)
    assert float(loss) == pytest.approx((math.log(2) + 10 * 0.1**2 + math.log(4)) / 2)


def test_imitation_pulls_only_on_the_axis_that_is_split_and_not_at_assignments():
    """Bug 4 of the authors' code: at assignments the split output was pulled towards 0."""
    logit = torch.zeros(4, 2, requires_grad=True)
    output = PolicyOutput(torch.full((4, 4), 0.25).log(), logit, torch.zeros(4, 2))
    losses.imitation_loss(output, EVERY_RULE, torch.tensor([0.2, 0.9, 0.0, 0.0])).backward()
    assert logit.grad is not None
    assert logit.grad[0, 0] > 0  # towards 0.2
    assert logit.grad[1, 1] < 0  # towards 0.9
    untouched = torch.tensor([[0, 1], [1, 0], [2, 0], [2, 1], [3, 0], [3, 1]])
    assert logit.grad[untouched[:, 0], untouched[:, 1]].eq(0).all()


# ---- what an action's probability is -------------------------------------------------------------------------------


def test_an_actions_probability_is_that_of_its_rule_and_if_it_splits_of_its_cut():
    output = output_of([[0.1, 0.2, 0.3, 0.4]] * 4, [[0.5, 0.5]] * 4)
    cut, extent = torch.tensor([1.0, 1.0, 0.0, 0.0]), torch.tensor([3.0, 2.0, 5.0, 5.0])
    # In 3 pixels the two cuts are alike when mu is in the middle; in 2 there is only one; labels have none.
    found = losses.action_probability(output, EVERY_RULE, cut, extent)
    torch.testing.assert_close(found, torch.tensor([0.1 / 2, 0.2, 0.3, 0.4]))
    torch.testing.assert_close(losses.action_log_probability(output, EVERY_RULE, cut, extent), found.log())


def test_an_actions_density_goes_through_the_same_logit_normal_whoever_chose_it():
    output = output_of([[0.1, 0.2, 0.3, 0.4]] * 4, [[0.3, 0.6]] * 4, sigma=0.5)
    location = torch.tensor([0.4, 0.7, 0.5, 0.5])
    expected = output.log_rule[0].clone()
    for axis in (0, 1):
        expected[axis] += logit_normal_log_density(
            location[axis], output.split_logit[0, axis], torch.tensor(math.log(0.5))
        )
    torch.testing.assert_close(losses.action_log_density(output, EVERY_RULE, location), expected)


# ---- weights and values, by hand -----------------------------------------------------------------------------------


def test_the_policy_gradient_is_weighed_log_probability_and_the_weight_is_held_still():
    log_probability = torch.tensor([-1.0, -2.0], requires_grad=True)
    weight = torch.tensor([0.5, -0.25], requires_grad=True)
    loss = losses.policy_gradient_loss(log_probability, weight)
    loss.backward()
    assert loss.item() == pytest.approx(-(-0.5 + 0.5) / 2)
    assert log_probability.grad is not None
    assert log_probability.grad.tolist() == pytest.approx([-0.25, 0.125])
    assert weight.grad is None


def test_the_baseline_of_an_action_is_the_mean_of_the_others_at_its_node():
    found = losses.leave_one_out(torch.tensor([[1.0, 0.0], [2.0, 0.0], [6.0, 0.3]]))
    torch.testing.assert_close(found, torch.tensor([[1 - 4, -0.15], [2 - 3.5, -0.15], [6 - 1.5, 0.3]]))


def test_the_critics_loss_is_the_squared_distance_to_the_return():
    value, returns = torch.tensor([0.5, -1.0]), torch.tensor([1.0, 0.0])
    assert float(losses.critic_loss(value, returns)) == pytest.approx((0.25 + 1) / 2)
    assert float(losses.critic_loss(value, returns, torch.tensor([2.0, 0.0]))) == pytest.approx(0.25)


def test_a_split_in_the_middle_is_not_off_centre():
    output = PolicyOutput(torch.zeros(2, 4), torch.tensor([[0.0, 0.0], [2.0, -1.0]]), torch.zeros(2, 2))
    assert float(losses.off_centre(output)) == pytest.approx(5 / 4)


def test_entropy_is_that_of_the_valid_rules():
    impossible = PolicyOutput(torch.tensor([[-1e9, -1e9, math.log(0.5), math.log(0.5)]]), *[torch.zeros(1, 2)] * 2)
    assert float(losses.entropy(impossible)) == pytest.approx(math.log(2))


def test_the_value_of_the_policy_is_that_of_its_rules_at_mu():
    output = output_of([[0.4, 0.3, 0.2, 0.1]], [[0.5, 0.8]])
    expected = 0.4 * (1 - 0.04) + 0.3 * 0.5 + 0.2 * 0.2 - 0.1 * 0.2
    assert float(losses.expected_value(output, KnownQ())) == pytest.approx(expected)
    assert float(losses.mixed_policy_loss(output, KnownQ())) == pytest.approx(-expected)
    assert float(losses.mixed_policy_loss(output, KnownQ(), price=0.1)) == pytest.approx(-expected + 0.7 * 0.1)


def test_the_value_of_a_split_is_its_childrens_by_area():
    """area(N) Q(N, a) = sum over children c of area(c) V(c)."""
    found = losses.tree_backup(torch.tensor([[1.0, -0.5], [0.2, 0.2]]), torch.tensor([[10.0, 30.0], [1.0, 1.0]]))
    assert found.tolist() == pytest.approx([(10 - 15) / 40, 0.2])


# ---- importance weights --------------------------------------------------------------------------------------------


def test_importance_weights_make_what_another_policy_did_count_as_if_the_learner_had_done_it():
    """A bandit: b = beta * oracle + (1 - beta) * pi, and the expectation of weight * reward over b is that over pi."""
    beta, advised = 0.5, 2
    policy = torch.tensor([0.1, 0.2, 0.3, 0.4])
    reward = torch.tensor([1.0, -2.0, 3.0, 0.5])
    behaviour = (1 - beta) * policy + beta * (advised == EVERY_RULE)
    weight = losses.importance_weight(policy, behaviour, most=5.0)
    assert float((behaviour * weight * reward).sum()) == pytest.approx(float((policy * reward).sum()))


def test_importance_weights_are_cut_off():
    found = losses.importance_weight(torch.tensor([0.9, 0.1, 0.5]), torch.tensor([0.01, 0.2, 0.0]), most=5.0)
    assert found.tolist() == pytest.approx([5.0, 0.5, 5.0])


# ---- Eq. 10 --------------------------------------------------------------------------------------------------------


def policy_from(parameters: Tensor) -> PolicyOutput:
    """One node's policy: four scores of rules, two logits of locations."""
    scores, logit = parameters.split([4, 2])
    return PolicyOutput(torch.log_softmax(scores, dim=0)[None], logit[None], torch.zeros(1, 2, dtype=logit.dtype))


START = [0.3, -0.2, 0.5, 0.1, 0.4, -0.7]


def test_eq_10_is_the_gradient_of_the_expected_cost_to_go():
    parameters = torch.tensor(START, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda p: losses.mixed_policy_loss(policy_from(p), KnownQ()), (parameters,))


def test_eq_10_is_its_score_function_form():
    """sum over r of pi(r) grad log pi(r) Q(r, mu), plus pi(r) grad_l Q(r, l) at mu times grad mu."""
    parameters = torch.tensor(START, dtype=torch.float64, requires_grad=True)
    (found,) = torch.autograd.grad(-losses.mixed_policy_loss(policy_from(parameters), KnownQ()), parameters)

    output = policy_from(parameters)
    probability = output.log_rule[0].exp().detach()
    location = output.location.detach().requires_grad_()
    values = KnownQ().values(location)[0]
    (slope,) = torch.autograd.grad(values[:2].sum(), location)  # grad_l Q at l = mu, for each split rule
    expected = torch.zeros(6, dtype=torch.float64)
    for rule in range(4):
        (score,) = torch.autograd.grad(output.log_rule[0, rule], parameters, retain_graph=True)
        expected += probability[rule] * score * values[rule].detach()
    for axis in range(2):
        (grad_mu,) = torch.autograd.grad(output.location[0, axis], parameters, retain_graph=True)
        expected += probability[axis] * slope[0, axis] * grad_mu
    torch.testing.assert_close(found, expected)


def test_ascent_on_eq_10_finds_the_best_action():
    """Split along x at 0.3: no other action has a greater Q*."""
    parameters = torch.zeros(6, requires_grad=True)
    optimiser = torch.optim.Adam([parameters], lr=0.05)
    for _ in range(400):
        optimiser.zero_grad()
        losses.mixed_policy_loss(policy_from(parameters), KnownQ()).backward()
        optimiser.step()
    output = policy_from(parameters.detach())
    assert output.log_rule.argmax() == Rule.SPLIT_X
    assert output.log_rule.exp().max() > 0.95
    assert float(output.location[0, 0]) == pytest.approx(0.3, abs=0.01)


def test_eq_10_pushes_no_location_of_a_rule_that_cannot_be():
    logit = torch.zeros(1, 2, requires_grad=True)
    log_rule = torch.log_softmax(torch.tensor([[-1e9, 0.0, 0.0, 0.0]]), dim=1)
    losses.mixed_policy_loss(PolicyOutput(log_rule, logit, torch.zeros(1, 2)), KnownQ()).backward()
    assert logit.grad is not None
    assert logit.grad[0, 0] == 0
    assert logit.grad[0, 1] != 0


# ---- REINFORCE -----------------------------------------------------------------------------------------------------


def expected_return(
    policy: torch.nn.Module, mask: np.ndarray, limits: Limits, box: tuple = (), depth: int = 0
) -> Tensor:
    """The expectation of Eq. 1 over every derivation, each action with its probability; differentiable."""
    x, y, w, h = box or (0, 0, mask.shape[1], mask.shape[0])
    node = Nodes(*(np.array([value], np.int32) for value in (0, x, y, w, h, depth)))
    output = policy(None, NodeView.of(node, np.array([mask.shape[::-1]]), limits))
    label = 2.0 * mask[y : y + h, x : x + w].sum() - w * h
    probability = output.log_rule[0].exp()
    total = (probability[Rule.PAINT] - probability[Rule.SKIP]) * label
    for rule, extent in ((Rule.SPLIT_X, w), (Rule.SPLIT_Y, h)):
        if depth == limits.depth:
            continue
        for cut in range(1, extent):
            action = Actions(np.array([rule], np.int8), np.array([cut], np.int32))
            first = (x, y, cut, h) if rule == Rule.SPLIT_X else (x, y, w, cut)
            second = (x + cut, y, w - cut, h) if rule == Rule.SPLIT_X else (x, y + cut, w, h - cut)
            below = sum(expected_return(policy, mask, limits, child, depth + 1) for child in (first, second))
            total = total + losses.action_probability(output, *cut_tensors(node, action, CPU))[0] * below
    return total


def test_reinforce_averages_to_the_gradient_of_the_expected_return(table_policy):
    """Every derivation of a 4 x 2 image to depth 2, enumerated, against rollouts of the same image."""
    limits, many = Limits(2), 60_000
    mask = np.array([[1, 1, 0, 0], [1, 1, 0, 1]], bool)
    policy = table_policy(limits, seed=3, log_sigma=-0.5)
    with torch.no_grad():  # it tends to split along x, paint the left child and skip the right: so the cut matters
        policy.rule *= 0.2
        policy.rule[[0, 2, 3], [Rule.SPLIT_X, Rule.PAINT, Rule.SKIP]] += 2
        policy.split[0] = torch.tensor([0.8, -0.8])
    parameters = list(policy.parameters())
    wanted = torch.autograd.grad(expected_return(policy, mask, limits) / mask.size, parameters)

    scenes = Scenes(np.zeros((1, 2, 4, 3), np.uint8), mask[None], flips=False)
    rollout = Rollout.of(METHODS["mcpg"], scenes, limits, exploration=ExplorationSettings())
    kept = rollout.gather(policy, np.zeros(many, np.int64), 0.0, np.random.default_rng(0))
    output = policy(None, NodeView.of(replace(kept.nodes, image=0 * kept.nodes.image), scenes.sizes, limits))
    log_probability = losses.action_log_probability(output, *cut_tensors(kept.nodes, kept.actions, CPU))
    # A node's return counts by its share of the image's area: with it the parts add up to the image's own return.
    assert kept.returns is not None
    weight = torch.from_numpy(kept.returns * (kept.nodes.area / mask.size).astype(np.float32))
    loss = losses.policy_gradient_loss(log_probability, weight) * len(kept) / many
    for found, true in zip(torch.autograd.grad(-loss, parameters), wanted, strict=True):
        assert true.abs().max() > 0.02
        torch.testing.assert_close(found, true.float(), rtol=0, atol=0.005)


def test_only_the_probability_of_the_cut_gives_the_true_gradient_and_its_density_does_not():
    """Why: one pixel of a node of four is a wide range of locations. The expectation over all cuts is exact here."""
    extent, logit = 4, torch.tensor([0.4], dtype=torch.float64, requires_grad=True)
    cut = torch.arange(1.0, extent).double()
    rows, log_sigma = (len(cut), 2), torch.full((len(cut), 2), -2.0, dtype=torch.float64)
    log_rule = torch.tensor([[0.0, -1e9, -1e9, -1e9]], dtype=torch.float64).expand(len(cut), 4)
    output = PolicyOutput(log_rule, logit.expand(rows), log_sigma)
    rule, size, value = (
        torch.zeros(len(cut), dtype=torch.long),
        torch.full_like(cut, extent),
        1 - (cut / extent - 0.3) ** 2,
    )
    log_probability = losses.action_log_probability(output, rule, cut, size)
    chance = log_probability.exp()
    (true,) = torch.autograd.grad((chance * value).sum(), logit, retain_graph=True)
    (exact,) = torch.autograd.grad((chance.detach() * log_probability * value).sum(), logit)
    log_density = losses.action_log_density(output, rule, cut / extent)
    (biased,) = torch.autograd.grad((chance.detach() * log_density * value).sum(), logit)
    torch.testing.assert_close(exact, true)
    assert abs(float(biased - true)) > 10 * abs(float(true))
