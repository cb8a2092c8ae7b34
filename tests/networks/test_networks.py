"""The networks of every preset: proper probabilities, locations inside nodes, a critic that can be asked anywhere."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from shapeparse import Limits, Nodes, Rule
from shapeparse.networks.critic import Critic, DenseHead, DenseOutput, ProfileOutput
from shapeparse.networks.policy import Policy, along
from shapeparse.networks.presets import PRESETS, preset_named
from shapeparse.networks.trunks import Features
from shapeparse.networks.views import NodeView

LIMITS = Limits(depth=3, min_extent=2)
SIZES = np.array([[48, 32], [32, 64]], np.int32)
NODES = Nodes(
    *(np.array(column, np.int32) for column in zip(
        (0, 0, 0, 48, 32, 0),  # a root: anything may be done
        (1, 3, 5, 9, 2, 1),  # two pixels high: not split along y
        (0, 40, 8, 1, 20, 2),  # one pixel wide: not split along x
        (1, 0, 0, 2, 1, 2),  # too small either way
        (0, 8, 8, 16, 16, 3),  # as deep as may be
        strict=True,
    ))
)  # fmt: skip
VALID = [[1, 1, 1, 1], [1, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]]


@pytest.fixture(params=list(PRESETS))
def preset(request, tiny_presets):
    return tiny_presets[request.param]


def shaken(network: torch.nn.Module, seed: int = 0) -> torch.nn.Module:
    """The network with random weights everywhere, also where it starts with zeros."""
    chance = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.15 * torch.randn(parameter.shape, generator=chance))
    return network.eval()


def pictures(side: int, count: int = 2) -> torch.Tensor:
    return torch.rand(count, 3, side, side, generator=torch.Generator().manual_seed(1))


def ask(network: torch.nn.Module, images: torch.Tensor, nodes: Nodes = NODES, sizes: np.ndarray = SIZES):
    view = NodeView.of(nodes, sizes, LIMITS)
    features = network.trunk(network.trunk.encode(images), view)
    return network(features) if isinstance(network, Critic) else network.decide(features, view.valid)


def test_rules_are_probabilities_and_invalid_ones_are_exactly_impossible(preset):
    output = ask(shaken(Policy(preset)), pictures(preset.side))
    probability = output.log_rule.exp().detach()
    np.testing.assert_allclose(probability.sum(dim=1), 1, atol=1e-6)
    np.testing.assert_array_equal(probability > 0, VALID)


def test_locations_lie_inside_the_node_and_sigmas_are_bounded(preset):
    output = ask(shaken(Policy(preset)), pictures(preset.side))
    assert output.location.shape == (5, 2)
    assert ((output.location > 0) & (output.location < 1)).all()
    assert ((output.split_log_sigma >= -3) & (output.split_log_sigma <= 0.4)).all()


def test_a_new_policy_prefers_no_rule(preset):
    probability = ask(Policy(preset), pictures(preset.side)).log_rule.exp().detach()
    np.testing.assert_allclose(probability, np.array(VALID) / np.sum(VALID, axis=1, keepdims=True), atol=1e-6)


def test_only_shares_of_the_image_are_seen_so_any_size_can_be_parsed(preset):
    """Nodes three times as large, of images three times as large, are the same to a network."""
    roomy = NODES.take(np.array([0, 4]))
    tripled = Nodes(roomy.image, *(3 * column for column in (roomy.x, roomy.y, roomy.w, roomy.h)), roomy.depth)
    policy, critic, images = shaken(Policy(preset)), shaken(Critic(preset)), pictures(preset.side)
    small, large = ask(policy, images, roomy), ask(policy, images, tripled, 3 * SIZES)
    for name in ("log_rule", "split_logit", "split_log_sigma"):
        torch.testing.assert_close(getattr(small, name), getattr(large, name), rtol=0, atol=0)
    where = torch.full((2, 2), 0.4)
    values = [ask(critic, images, *seen).values(where) for seen in ((roomy, SIZES), (tripled, 3 * SIZES))]
    torch.testing.assert_close(*values, rtol=0, atol=0)


def test_a_node_is_judged_alike_whoever_else_is_in_the_batch(preset):
    """Running statistics, not those of the batch, as soon as a network is set to evaluate."""
    policy, images = shaken(Policy(preset)), pictures(preset.side)
    together, alone = ask(policy, images), ask(policy, images[:1], NODES.take(np.array([2])))
    torch.testing.assert_close(alone.log_rule[0], together.log_rule[2], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(alone.split_logit[0], together.split_logit[2], rtol=1e-4, atol=1e-5)


def test_both_axes_are_seen_the_same_way_up(tiny_presets):
    """The split of a transposed picture along x is that of the picture along y, if the network treats both alike."""
    policy = shaken(Policy(tiny_presets["fast"]))
    with torch.no_grad():
        policy.split.profile.axis[1] = policy.split.profile.axis[0]
    features = policy.trunk(
        policy.encode(pictures(32, 1)), NodeView.of(Nodes.roots([(8, 8)]), np.array([[8, 8]]), LIMITS)
    )
    turned = Features(features.vector, features.mean, features.profiles.flip(1))
    torch.testing.assert_close(policy.split(features)[0], policy.split(turned)[0].flip(1))


def test_profiles_run_along_their_own_axis(tiny_presets):
    """What varies from left to right shows in the profile along x, and is flat in the one along y."""
    trunk = Policy(tiny_presets["fast"]).trunk
    columns = torch.arange(8.0).expand(1, 4, 8, 8)  # a feature map whose value is the column
    features = trunk(columns, NodeView.of(Nodes.roots([(8, 8)]), np.array([[8, 8]]), LIMITS))
    along_x, along_y = features.profiles[0]
    torch.testing.assert_close(along_x[:, 0], torch.arange(8.0))
    assert along_y.std(dim=0).max() == 0


@pytest.mark.parametrize("dilation", [1, 2])
def test_a_convolution_along_the_middle_axis_is_one_along_the_last(dilation):
    convolution = nn.Conv1d(4, 6, 5, padding=2 * dilation, dilation=dilation)
    rows = torch.randn(3, 9, 4)
    torch.testing.assert_close(along(convolution, rows), convolution(rows.transpose(1, 2)).transpose(1, 2))


def test_the_fast_critic_knows_that_skip_is_the_opposite_of_paint(tiny_presets):
    values = ask(shaken(Critic(tiny_presets["fast"])), pictures(32)).label_values()
    torch.testing.assert_close(values[:, 0], -values[:, 1], rtol=0, atol=0)
    assert values.abs().max() <= 1


def test_the_critic_gives_every_rule_its_value_and_one_action_the_value_of_its_rule(preset):
    judged = ask(shaken(Critic(preset)), pictures(preset.side))
    where = torch.rand(5, 2, generator=torch.Generator().manual_seed(2))
    values = judged.values(where)
    torch.testing.assert_close(values[:, :2], judged.split_value(where))
    torch.testing.assert_close(values[:, 2:], judged.label_values())
    for rule in Rule:
        axis = min(rule, 1)
        rules = torch.full((5,), int(rule))
        torch.testing.assert_close(judged.value_of(rules, where[:, axis]), values[:, rule])


def test_the_value_of_a_split_is_read_off_the_curve_linearly():
    curve = torch.tensor([[[0.0, 1.0, -1.0, 0.5], [0.2, 0.2, 0.2, 0.2]]])
    judged = ProfileOutput(curve, torch.tensor([0.3]))
    for location, value in [
        (0.125, 0.0),
        (0.25, 0.5),
        (0.375, 1.0),
        (0.5, 0.0),
        (0.625, -1.0),
        (0.02, 0.0),
        (0.99, 0.5),
    ]:
        assert judged.split_value(torch.tensor([[location, location]])).tolist() == [pytest.approx([value, 0.2])]


def test_the_value_of_a_split_has_the_gradient_of_finite_differences():
    chance = torch.Generator().manual_seed(3)
    head = shaken(DenseHead(6)).double()
    curve = torch.randn(4, 2, 8, generator=chance, dtype=torch.float64)
    seen = torch.rand(4, 40, generator=chance, dtype=torch.float64)
    where = (0.15 + 0.7 * torch.rand(4, 2, generator=chance, dtype=torch.float64)).requires_grad_()
    for judged in (ProfileOutput(curve, curve[:, 0, 0]), DenseOutput(head, seen)):
        assert torch.autograd.gradcheck(judged.split_value, (where,))


def test_a_detached_critic_still_answers_with_a_gradient_in_the_location(preset):
    judged = ask(shaken(Critic(preset)), pictures(preset.side))
    where = torch.full((5, 2), 0.45, requires_grad=True)
    torch.testing.assert_close(judged.detach().values(where), judged.values(where))
    (gradient,) = torch.autograd.grad(judged.detach().split_value(where).sum(), where)
    assert (gradient != 0).any()


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_pixels_are_normalised_by_their_channel_wherever_they_lie_in_memory(tiny_presets, layout):
    trunk = Policy(tiny_presets["best"]).trunk
    trunk.pixel_mean.copy_(torch.tensor([0.1, 0.2, 0.3]))
    trunk.pixel_std.copy_(torch.tensor([0.4, 0.5, 0.6]))
    images = torch.rand(2, 3, 5, 7).contiguous(memory_format=layout)
    found = trunk.normalise(images)
    for channel in range(3):
        expected = (images[:, channel] - 0.1 * (channel + 1)) / (0.4 + 0.1 * channel)
        torch.testing.assert_close(found[:, channel], expected)
    assert found.is_contiguous(memory_format=torch.channels_last)


def test_the_paper_preset_is_the_authors_network():
    """7 convolutions of 20 filters, dense 1000 and 200; the split by 100 units; the critic by 40, then 50."""
    policy, critic = Policy(preset_named("paper")), Critic(preset_named("paper"))
    shapes = [tuple(layer.weight.shape) for layer in policy.trunk.convolutions if hasattr(layer, "weight")]
    strides = [layer.stride[0] for layer in policy.trunk.convolutions if hasattr(layer, "stride")]
    assert shapes == [(20, 3, 3, 3)] + [(20, 20, 3, 3)] * 6
    assert strides == [1, 1, 1, 2, 2, 2, 2]
    assert [layer.out_features for layer in policy.trunk.dense if hasattr(layer, "out_features")] == [1000, 200]
    assert policy.split.hidden[0].out_features == 100
    assert critic.head.narrow[0].out_features == 40
    assert critic.head.hidden[0].in_features == 40 + 1 + 4
    assert critic.head.hidden[0].out_features == 50


def test_the_paper_preset_sees_nothing_outside_the_node(tiny_presets):
    policy, images = shaken(Policy(tiny_presets["paper"])), pictures(48, 1)
    node = Nodes(*(np.array([value], np.int32) for value in (0, 12, 12, 24, 24, 1)))
    changed = images.clone()
    changed[:, :, :12] = 0
    changed[:, :, :, 36:] = 1
    sizes = np.array([[48, 48]])
    torch.testing.assert_close(ask(policy, images, node, sizes).log_rule, ask(policy, changed, node, sizes).log_rule)
