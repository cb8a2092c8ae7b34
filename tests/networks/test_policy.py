"""The policy of every preset: proper probabilities, locations inside nodes, the same answer at any size."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from shapeparse import Limits, Nodes, Rule
from shapeparse.networks.critic import Critic
from shapeparse.networks.policy import Policy, PolicyOutput, along, bounded_log_sigma
from shapeparse.networks.trunks import Features
from shapeparse.networks.views import NodeView

VALID = [[1, 1, 1, 1], [1, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]]


def test_rules_are_probabilities_and_invalid_ones_are_exactly_impossible(preset, shaken, pictures, ask):
    output = ask(shaken(Policy(preset)), pictures(preset.side))
    probability = output.log_rule.exp().detach()
    np.testing.assert_allclose(probability.sum(dim=1), 1, atol=1e-6)
    np.testing.assert_array_equal(probability > 0, VALID)


def test_locations_lie_inside_the_node_and_sigmas_are_bounded(preset, shaken, pictures, ask):
    output = ask(shaken(Policy(preset)), pictures(preset.side))
    assert output.location.shape == (5, 2)
    assert ((output.location > 0) & (output.location < 1)).all()
    assert ((output.split_log_sigma >= -3) & (output.split_log_sigma <= 0.4 + 1e-6)).all()


def test_a_new_policy_prefers_no_rule(preset, pictures, ask):
    probability = ask(Policy(preset), pictures(preset.side)).log_rule.exp().detach()
    np.testing.assert_allclose(probability, np.array(VALID) / np.sum(VALID, axis=1, keepdims=True), atol=1e-6)


def test_only_shares_of_the_image_are_seen_so_any_size_can_be_parsed(preset, some_nodes, shaken, pictures, ask):
    """Nodes three times as large, of images three times as large, are the same to a network."""
    nodes, sizes, _ = some_nodes
    roomy = nodes.take(np.array([0, 4]))
    tripled = Nodes(roomy.image, 3 * roomy.x, 3 * roomy.y, 3 * roomy.w, 3 * roomy.h, roomy.depth)
    policy, critic, images = shaken(Policy(preset)), shaken(Critic(preset)), pictures(preset.side)
    small, large = ask(policy, images, roomy), ask(policy, images, tripled, 3 * sizes)
    for name in ("log_rule", "split_logit", "split_log_sigma"):
        torch.testing.assert_close(getattr(small, name), getattr(large, name), rtol=0, atol=0)
    where = torch.full((2, 2), 0.4)
    values = [ask(critic, images, *seen).values(where) for seen in ((roomy, sizes), (tripled, 3 * sizes))]
    torch.testing.assert_close(*values, rtol=0, atol=0)


def test_a_node_is_judged_alike_whoever_else_is_in_the_batch(preset, some_nodes, shaken, pictures, ask):
    """Running statistics, not those of the batch, as soon as a network is set to evaluate."""
    policy, images = shaken(Policy(preset)), pictures(preset.side)
    together, alone = ask(policy, images), ask(policy, images[:1], some_nodes[0].take(np.array([2])))
    torch.testing.assert_close(alone.log_rule[0], together.log_rule[2], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(alone.split_logit[0], together.split_logit[2], rtol=1e-4, atol=1e-5)


def test_deciding_from_encoded_images_is_deciding_from_their_features(preset, some_nodes, shaken, pictures, ask):
    nodes, sizes, limits = some_nodes
    policy, images = shaken(Policy(preset)), pictures(preset.side)
    found = policy(policy.encode(images), NodeView.of(nodes, sizes, limits))
    torch.testing.assert_close(found.log_rule, ask(policy, images).log_rule)


def test_evidence_decides_between_the_labels_alone(tiny_presets, pictures, ask):
    """What speaks for paint speaks as much against skip, and leaves the splits as likely as each other."""
    policy = Policy(tiny_presets["fast"]).eval()
    with torch.no_grad():
        policy.evidence.weight.bias.fill_(0.7)
    log_rule = ask(policy, pictures(32)).log_rule[0].detach()
    assert float(log_rule[Rule.PAINT] - log_rule[Rule.SKIP]) == pytest.approx(1.4, abs=1e-5)
    assert float(log_rule[Rule.SPLIT_X] - log_rule[Rule.SPLIT_Y]) == pytest.approx(0, abs=1e-6)


def test_both_axes_are_seen_the_same_way_up(tiny_presets, shaken, pictures):
    """The split of a transposed picture along x is that of the picture along y, if the network treats both alike."""
    policy = shaken(Policy(tiny_presets["fast"]))
    with torch.no_grad():
        policy.split.profile.axis[1] = policy.split.profile.axis[0]
    view = NodeView.of(Nodes.roots([(8, 8)]), np.array([[8, 8]]), Limits(3, 2))
    features = policy.trunk(policy.encode(pictures(32, 1)), view)
    turned = Features(features.vector, features.mean, features.profiles.flip(1))
    torch.testing.assert_close(policy.split(features)[0], policy.split(turned)[0].flip(1))


@pytest.mark.parametrize("dilation", [1, 2])
def test_a_convolution_along_the_middle_axis_is_one_along_the_last(dilation):
    convolution = nn.Conv1d(4, 6, 5, padding=2 * dilation, dilation=dilation)
    rows = torch.randn(3, 9, 4)
    torch.testing.assert_close(along(convolution, rows), convolution(rows.transpose(1, 2)).transpose(1, 2))


def test_mu_is_the_logistic_of_the_logit_and_detaching_forgets_where_numbers_came_from():
    leaf = torch.tensor([[0.0, 1.0]], requires_grad=True)
    output = PolicyOutput(leaf.expand(1, 2).repeat(1, 2), 2 * leaf, 3 * leaf)
    assert output.location[0].tolist() == pytest.approx([0.5, 1 / (1 + np.exp(-2))])
    still = output.detach()
    for name in ("log_rule", "split_logit", "split_log_sigma"):
        assert not getattr(still, name).requires_grad
        assert torch.equal(getattr(still, name), getattr(output, name))


def test_sigma_starts_near_a_half_and_stays_within_its_bounds():
    assert bounded_log_sigma(torch.zeros(1)).exp().item() == pytest.approx(0.6, abs=0.15)
    low, high = bounded_log_sigma(torch.tensor([-50.0, 50.0])).exp().tolist()
    assert (low, high) == pytest.approx((0.05, 1.5), abs=0.01)
