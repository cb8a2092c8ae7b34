"""Who acts, which nodes are kept, and what return they get."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from shapeparse import Actions, Limits, Nodes, Oracle, Rule
from shapeparse.grammar import expand
from shapeparse.learning import roll_in
from shapeparse.learning.roll_in import Parsed, Seat, at_switch, every_node
from shapeparse.learning.settings import ExplorationSettings
from shapeparse.networks.policy import PolicyOutput
from shapeparse.oracle.rewards import Rewards

MANY = 6000
NODES = Nodes.roots([(16, 16)]).take(np.zeros(MANY, int))
ADVICE = Actions(np.full(MANY, Rule.SPLIT_Y, np.int8), np.full(MANY, 12, np.int32))
LIKELY = [0.6, 0.1, 0.3, 0.0]
"""Of the learner's rules."""


def says(nodes: Nodes) -> PolicyOutput:
    log_rule = torch.tensor([LIKELY]).log().expand(len(nodes), 4)
    return PolicyOutput(log_rule, torch.zeros(len(nodes), 2), torch.full((len(nodes), 2), -1.0))


def seat(**changes: Any) -> Seat:
    usual = {
        "nodes": NODES, "advice": ADVICE, "ask": says, "beta": 0.5, "stochastic": False, "location_noise": False,
        "on_policy": False, "exploration": ExplorationSettings(0.0, 0.3), "rng": np.random.default_rng(0),
    }  # fmt: skip
    return Seat(**{**usual, **changes})


def shares(actions: Actions) -> list[float]:
    return (np.bincount(actions.rule, minlength=4) / len(actions.rule)).tolist()


# ---- who acts ------------------------------------------------------------------------------------------------------


def test_the_oracle_does_what_it_advises():
    actions, behaviour = roll_in.oracle(seat())
    assert actions is ADVICE
    assert (behaviour == 1).all()


def test_the_learner_alone_acts_by_its_own_rules_whatever_beta_says():
    actions, _ = roll_in.learner(seat(beta=1.0))
    assert shares(actions) == pytest.approx(LIKELY, abs=0.02)


@pytest.mark.parametrize("beta", [0.0, 0.3, 1.0])
def test_a_mixture_follows_the_oracle_as_often_as_beta_says(beta):
    actions, behaviour = roll_in.mixture(seat(beta=beta))
    expected = (1 - beta) * np.array(LIKELY) + beta * np.eye(4)[Rule.SPLIT_Y]
    assert shares(actions) == pytest.approx(expected.tolist(), abs=0.02)
    assert (behaviour == 1).all()  # without a density nobody asks


def test_random_rules_are_for_methods_that_need_not_be_on_policy():
    random = ExplorationSettings(random_rule=0.6)
    actions, _ = roll_in.learner(seat(exploration=random))
    expected = np.array(LIKELY) + 0.6 * (np.array([1, 1, 1, 0]) / 3 - np.array(LIKELY))  # the last is not valid
    assert shares(actions) == pytest.approx(expected.tolist(), abs=0.02)
    actions, _ = roll_in.learner(seat(exploration=random, on_policy=True))
    assert shares(actions) == pytest.approx(LIKELY, abs=0.02)


@pytest.mark.parametrize(
    ("changes", "wide"),
    [
        ({}, False),
        ({"location_noise": True}, True),
        ({"location_noise": True, "exploration": ExplorationSettings(0.0, 0.0)}, False),
        ({"stochastic": True}, True),
    ],
)
def test_deterministic_cuts_stray_only_where_a_critic_needs_it(changes, wide):
    actions, _ = roll_in.mixture(seat(beta=0.0, **changes))
    cuts = actions.cut[actions.rule == Rule.SPLIT_X]
    assert (cuts.std() > 0.5) == wide
    assert np.median(cuts) == 8


def test_behaviour_is_the_chance_of_what_was_done_by_either():
    actions, behaviour = roll_in.mixture(seat(stochastic=True, beta=0.4))
    done, index, count = np.unique(np.stack([actions.rule, actions.cut]), axis=1, return_index=True, return_counts=True)
    assert done.shape[1] > 10
    np.testing.assert_allclose(behaviour[index], count / MANY, atol=0.02)


# ---- which nodes are kept ------------------------------------------------------------------------------------------

LIMITS = Limits(3)
SIZES = [(8, 8), (5, 9)]


@pytest.fixture
def forest(random_actor):
    return expand(SIZES, random_actor(3, LIMITS), LIMITS)


def test_every_node_is_every_node(forest):
    assert every_node.choose(forest, None, False, np.random.default_rng(0)).tolist() == list(range(len(forest)))
    assert not every_node.switches
    assert at_switch.switches


@pytest.mark.parametrize("below", [False, True])
def test_at_the_switch_nodes_of_its_depth_are_kept_and_on_request_those_below(forest, below):
    kept = at_switch.choose(forest, np.array([1, 2]), below, np.random.default_rng(0))
    for image, depth in ((0, 1), (1, 2)):
        mine = forest.nodes.image == image
        expected = mine & (forest.nodes.depth >= depth if below else forest.nodes.depth == depth)
        assert set(kept[mine[kept]].tolist()) == set(np.flatnonzero(expected).tolist())
    assert (forest.nodes.depth[kept] > 2).any() == below


def test_without_depths_one_node_of_each_tree_is_kept(forest):
    for seed in range(20):
        kept = at_switch.choose(forest, None, False, np.random.default_rng(seed))
        assert forest.nodes.image[kept].tolist() == [0, 1]


# ---- what return they get ------------------------------------------------------------------------------------------


@pytest.fixture
def parsed(forest) -> Parsed:
    rng = np.random.default_rng(1)
    masks = [rng.random((height, width)) < 0.5 for width, height in SIZES]
    kept = np.arange(len(forest))[::-2]
    return Parsed(forest, kept, Oracle(masks, LIMITS), Rewards(masks))


def test_a_trees_own_return_is_that_of_its_pixels(parsed):
    expected = parsed.rewards.returns(parsed.forest) / parsed.forest.nodes.area
    np.testing.assert_allclose(roll_in.of_tree(parsed), expected[parsed.kept])


def test_the_roots_return_is_credited_to_all_nodes_of_its_image(parsed):
    own = parsed.rewards.returns(parsed.forest) / parsed.forest.nodes.area
    roots = own[parsed.forest.parent < 0]
    np.testing.assert_allclose(roll_in.of_root(parsed), roots[parsed.forest.nodes.image[parsed.kept]])


def test_the_oracles_return_is_its_cost_to_go_of_what_was_done(parsed):
    found = roll_in.of_oracle(parsed)
    np.testing.assert_allclose(found, parsed.oracle.cost_to_go(parsed.nodes, parsed.actions) / parsed.nodes.area)
    leaves = parsed.actions.rule >= Rule.PAINT
    np.testing.assert_allclose(found[leaves], roll_in.of_tree(parsed)[leaves])  # nobody is left to finish
    assert not np.allclose(found, roll_in.of_tree(parsed))
