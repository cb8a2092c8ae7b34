"""Who decides at nodes: the policy's most likely action, and that of its map."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from shapeparse import Limits, Nodes, Rule
from shapeparse.grammar import Forest
from shapeparse.networks.policy import Policy, PolicyOutput
from shapeparse.networks.views import to_pixels
from shapeparse.parsing.actors import MapActor, PolicyActor, along_split_axis, most_likely
from shapeparse.parsing.trees import Seen

LIMITS = Limits(depth=4)


@pytest.fixture
def policy(tiny_presets) -> Policy:
    torch.manual_seed(3)
    policy: Any = Policy(tiny_presets["scratch"]).eval()
    torch.nn.init.normal_(policy.trunk.encoder.evidence.weight, std=3.0)  # a map with something to see in it
    return policy


@pytest.fixture
def images(photographs) -> np.ndarray:
    return photographs(3, 32)[0]


OUTPUT = PolicyOutput(
    torch.log_softmax(torch.tensor([[3.0, 0, 0, 0], [0, 3.0, 0, 0], [0, 0, 3.0, 0], [0, 0, 0, 3.0]]), dim=1),
    torch.logit(torch.tensor([[0.25, 0.75]] * 4)),
    torch.zeros(4, 2),
)
NODES = Nodes.roots([(20, 40)] * 4)


def test_the_most_likely_rule_is_taken_and_cut_at_mu_of_its_axis():
    actions = most_likely(NODES, OUTPUT)
    assert actions.rule.tolist() == [0, 1, 2, 3]
    assert actions.cut.tolist() == [5, 30, 0, 0]


def test_each_rule_reads_the_entry_of_its_own_axis():
    pair = torch.tensor([[1.0, 2.0]] * 4)
    assert along_split_axis(pair, np.array([0, 1, 2, 3])).tolist() == [1.0, 2.0, 1.0, 1.0]


def test_a_policy_parses_by_most_likely_actions_and_notes_how_likely_paint_is(table_policy):
    limits = Limits(2)
    policy = table_policy(limits, seed=4)
    forest = PolicyActor(policy, None, np.array([[16, 16], [9, 30]]), limits).parse()
    table = torch.softmax(policy.rule, dim=1).detach().numpy()
    row = 2 * forest.nodes.depth + (forest.nodes.x + forest.nodes.y > 0)
    paint, skip = table[row, Rule.PAINT], table[row, Rule.SKIP]
    assert forest.likely is not None
    np.testing.assert_allclose(forest.likely, paint / (paint + skip), rtol=1e-5)
    above = forest.nodes.depth < limits.depth
    np.testing.assert_array_equal(forest.rule[above], table[row].argmax(axis=1)[above])
    leaves = forest.rule >= Rule.PAINT
    np.testing.assert_array_equal((forest.rule == Rule.PAINT)[leaves], (forest.likely > 0.5)[leaves])


def test_a_policy_that_answers_no_numbers_is_refused_in_a_sentence(policy, images, refused):
    pixels = to_pixels(images)
    encoded = policy.encode(pixels)
    with torch.no_grad():
        for weights in policy.parameters():
            weights.fill_(float("nan"))
    assert "(NaN)" in refused(PolicyActor(policy, encoded, np.array([[32, 32]] * 3), LIMITS).parse)
    assert "(NaN)" in refused(Seen.by, policy, pixels, False)


def test_a_policy_that_decides_what_cannot_be_is_refused_in_a_sentence(policy, images, refused, monkeypatch):
    actor = PolicyActor(policy, policy.encode(to_pixels(images)), np.array([[1, 1]] * 3), LIMITS)
    output = PolicyOutput(torch.tensor([[0.0, -9, -9, -9]] * 3), torch.zeros(3, 2), torch.zeros(3, 2))
    monkeypatch.setattr(actor, "output", lambda nodes: output)  # to split a single pixel
    assert "decides what cannot be" in refused(actor.parse)


def test_asking_a_policy_keeps_no_gradient(table_policy):
    actor = PolicyActor(table_policy(LIMITS), None, np.array([[8, 8]]), LIMITS)
    assert not actor.output(Nodes.roots([(8, 8)])).log_rule.requires_grad


def acted(policy: Policy, images: np.ndarray, limits: Limits, lookahead: int) -> tuple[MapActor, Forest]:
    """Who acted, and the trees before their cuts settle."""
    seen = Seen.by(policy, to_pixels(images), flips=True)
    maps = list(seen.likely.numpy())
    actor = MapActor(policy, seen.encoded, np.full((len(images), 2), 32), limits, maps, lookahead)
    return actor, actor.parse()


@pytest.mark.parametrize("lookahead", [0, 8])
def test_nodes_that_show_one_label_are_never_split(policy, images, lookahead):
    actor, forest = acted(policy, images, LIMITS, lookahead)
    share = actor.labels.paint_share(forest.nodes)
    splits = forest.rule < Rule.PAINT
    assert splits.any()
    assert ((share[splits] > 0) & (share[splits] < 1)).all()
    assert forest.likely is not None
    assert ((forest.likely >= 0.5) == (forest.rule == Rule.PAINT))[~splits].all()


def test_the_policy_is_not_asked_where_the_search_is_exact(policy, images, monkeypatch):
    asked: list[Nodes] = []

    def output(self: MapActor, nodes: Nodes) -> PolicyOutput:
        asked.append(nodes)
        return super(MapActor, self).output(nodes)

    monkeypatch.setattr(MapActor, "output", output)
    limits = Limits(depth=5)
    actor, forest = acted(policy, images, limits, 8)
    assert {int(depth) for nodes in asked for depth in nodes.depth} <= {0, 1}
    below = forest.nodes.take(np.flatnonzero(forest.nodes.depth == 2))
    assert actor.searching is not None
    exact = actor.searching(below)
    assert (exact.rule == forest.rule[forest.nodes.depth == 2])[exact.splits].all()


def test_cuts_snap_to_the_evidence_within_a_stretch_of_the_policys_own(policy, images):
    actor, forest = acted(policy, images, LIMITS, 0)
    split = np.flatnonzero(forest.rule < Rule.PAINT)
    nodes = forest.nodes.take(split)
    own = most_likely(nodes, actor.output(nodes))
    extent = nodes.extent(own.rule)
    assert (own.rule == forest.rule[split]).all()
    moved = np.abs(own.cut - forest.cut[split])
    assert (moved <= np.maximum(extent // policy.trunk.preset.positions, 1)).all()
    assert moved.any()
