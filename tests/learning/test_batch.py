"""What losses are given: nodes named by their place, actions as tensors, and nothing that a setting forbids."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from shapeparse import Actions, Limits, Nodes, Oracle
from shapeparse.learning.batch import Minibatch, cut_tensors, in_batch, locations
from shapeparse.learning.memory import Transitions
from shapeparse.learning.scenes import Scenes
from shapeparse.networks.policy import PolicyOutput

NODES = Nodes.roots([(10, 4)] * 3)
ACTIONS = Actions(np.array([0, 1, 2], np.int8), np.array([3, 3, 0], np.int32))
OUTPUT = PolicyOutput(torch.zeros(3, 4), torch.zeros(3, 2), torch.zeros(3, 2))


def test_nodes_are_named_by_their_place_among_the_batchs_scenes():
    nodes = Nodes.roots([(1, 1)] * 9).take(np.array([8, 2, 8, 5]))
    assert in_batch(nodes, np.array([5, 8, 2])).image.tolist() == [1, 2, 1, 0]


def test_the_location_of_a_cut_is_its_share_of_the_extent_and_of_a_label_the_middle():
    assert locations(NODES, ACTIONS).tolist() == pytest.approx([0.3, 0.75, 0.5])


def test_likelihoods_get_the_cut_and_the_extent_along_its_axis():
    rule, cut, extent = cut_tensors(NODES, ACTIONS, torch.device("cpu"))
    assert (rule.tolist(), cut.tolist()) == ([0, 1, 2], [3, 3, 0])
    assert extent.tolist()[:2] == [10, 4]
    assert rule.dtype == torch.int64


def test_a_minibatch_sees_its_nodes_where_they_lie_in_their_own_scene(photographs):
    images, masks = photographs(3)
    scenes = Scenes(images, masks, flips=True)
    node = Nodes(*(np.array([value], np.int32) for value in (4, 8, 16, 8, 4, 1)))
    kept = Transitions(node, np.array([0], np.int8), np.array([3], np.int32))
    chosen = np.array([1, 4])
    minibatch = Minibatch.of(chosen, scenes.pixels(chosen), kept, scenes, Limits(2))
    view = minibatch.view
    assert (view.image.tolist(), view.x.tolist(), view.h.tolist()) == ([1], [0.25], [0.125])
    assert minibatch.sizes.tolist() == [[32, 32], [32, 32]]
    below = minibatch.children_view(Nodes(*(np.array([value], np.int32) for value in (1, 0, 0, 16, 32, 2))), Limits(2))
    assert (below.image.tolist(), below.w.tolist(), below.depth.tolist()) == ([0], [0.5], [1.0])
    assert below.valid.tolist() == [[False, False, True, True]]  # as deep as may be


def test_what_was_done_and_what_is_advised_are_rules_and_locations(hand_made):
    batch = hand_made(
        NODES, OUTPUT, rule=ACTIONS.rule, cut=ACTIONS.cut,
        oracle_rule=np.array([3, 0, 1], np.int8), oracle_cut=np.array([0, 5, 1], np.int32),
    )  # fmt: skip
    (rule, location), (advised, where) = batch.taken, batch.advice
    assert (rule.tolist(), location.tolist()) == ([0, 1, 2], pytest.approx([0.3, 0.75, 0.5]))
    assert (advised.tolist(), where.tolist()) == ([3, 0, 1], pytest.approx([0.5, 0.5, 0.25]))
    assert [part.tolist() for part in batch.cuts_of(ACTIONS)][:2] == [[0, 1, 2], [3, 3, 0]]


def test_the_cost_to_go_is_a_share_of_the_nodes_area(hand_made):
    mask = np.zeros((4, 10), bool)
    mask[:, :3] = True
    batch = hand_made(NODES, OUTPUT, oracle=Oracle([mask] * 3, Limits(1)), limits=Limits(1))
    split = Actions(np.array([0, 2, 3], np.int8), np.array([3, 0, 0], np.int32))
    assert batch.cost_to_go(split).tolist() == pytest.approx([1.0, -0.4, 0.4])
    one = NODES.take(np.array([1]))
    assert batch.cost_to_go(Actions(split.rule[:1], split.cut[:1]), one).tolist() == [1.0]


def test_what_a_setting_forbids_is_not_there(hand_made):
    batch = hand_made(NODES, OUTPUT)
    for name in ("returns", "behaviour", "advice", "q", "baseline"):
        with pytest.raises(AssertionError):
            getattr(batch, name)
    with pytest.raises(AssertionError):
        batch.cost_to_go(ACTIONS)


def test_a_critic_of_actions_is_no_baseline_and_the_other_way_round(hand_made, known_critic):
    critic, value = known_critic(3), torch.zeros(3)
    assert hand_made(NODES, OUTPUT, critic).q is critic
    assert hand_made(NODES, OUTPUT, value).baseline is value
    with pytest.raises(AssertionError):
        _ = hand_made(NODES, OUTPUT, critic).baseline
    with pytest.raises(AssertionError):
        _ = hand_made(NODES, OUTPUT, value).q


def test_returns_and_behaviour_come_as_they_were_kept(hand_made):
    returns, behaviour = np.array([0.5, -1, 0], np.float32), np.array([0.1, 1, 0.2], np.float32)
    batch = hand_made(NODES, OUTPUT, returns=returns, behaviour=behaviour)
    assert torch.equal(batch.returns, torch.from_numpy(returns))
    assert torch.equal(batch.behaviour, torch.from_numpy(behaviour))
    assert batch.device == torch.device("cpu")
