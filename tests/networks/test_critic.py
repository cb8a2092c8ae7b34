"""The critic of every preset: it can be asked anywhere, and answers with a gradient in the location."""

from __future__ import annotations

import pytest
import torch

from shapeparse import Rule
from shapeparse.networks.critic import Critic, DenseHead, DenseOutput, ProfileOutput
from shapeparse.networks.policy import Policy
from shapeparse.networks.trunks import Features
from shapeparse.networks.views import NodeView


def test_the_fast_critic_knows_that_skip_is_the_opposite_of_paint(tiny_presets, shaken, pictures, ask):
    values = ask(shaken(Critic(tiny_presets["fast"])), pictures(32)).label_values()
    torch.testing.assert_close(values[:, 0], -values[:, 1], rtol=0, atol=0)
    assert values.abs().max() <= 1


def test_the_critic_gives_every_rule_its_value_and_one_action_the_value_of_its_rule(preset, shaken, pictures, ask):
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


def test_the_value_of_a_split_has_the_gradient_of_finite_differences(shaken):
    chance = torch.Generator().manual_seed(3)
    head = shaken(DenseHead(6)).double()
    curve = torch.randn(4, 2, 8, generator=chance, dtype=torch.float64)
    seen = torch.rand(4, 40, generator=chance, dtype=torch.float64)
    where = (0.15 + 0.7 * torch.rand(4, 2, generator=chance, dtype=torch.float64)).requires_grad_()
    for judged in (ProfileOutput(curve, curve[:, 0, 0]), DenseOutput(head, seen)):
        assert torch.autograd.gradcheck(judged.split_value, (where,))


def test_a_detached_critic_still_answers_with_a_gradient_in_the_location(preset, shaken, pictures, ask):
    judged = ask(shaken(Critic(preset)), pictures(preset.side))
    where = torch.full((5, 2), 0.45, requires_grad=True)
    torch.testing.assert_close(judged.detach().values(where), judged.values(where))
    (gradient,) = torch.autograd.grad(judged.detach().split_value(where).sum(), where)
    assert (gradient != 0).any()


def test_a_critic_with_a_trunk_of_its_own_looks_itself_and_one_without_reads_the_policys_features(
    tiny_presets, some_nodes, pictures
):
    policy, view, images = Policy(tiny_presets["fast"]), NodeView.of(*some_nodes), pictures(32)
    features = policy.trunk(policy.encode(images), view)
    own, sharing = Critic(tiny_presets["fast"]), Critic(tiny_presets["fast"], policy.trunk)
    assert own.trunk is not None
    assert sharing.trunk is None
    assert sharing.look(images, view, features) is features
    assert not {id(parameter) for parameter in sharing.parameters()} & {id(p) for p in policy.parameters()}
    torch.testing.assert_close(
        own.look(images, view, features).vector, own.trunk(own.trunk.encode(images), view).vector
    )
    assert (own.look(images, view, features).vector - features.vector).abs().max() > 1e-3


def test_the_baseline_is_one_number_a_node(tiny_presets):
    critic = Critic(tiny_presets["paper"])
    assert critic.trunk is not None
    vector = torch.rand(6, critic.trunk.vector_size)
    found = critic.state_value(Features(vector))
    torch.testing.assert_close(found, (vector @ critic.baseline.weight.T + critic.baseline.bias)[:, 0])
