"""The oracle node by node: its decisions, and the exact cost-to-go of any action."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from shapeparse import Actions, Limits, Nodes, Oracle, Rule, UserError, igm
from shapeparse.grammar import expand
from shapeparse.oracle import twins

masks = arrays(bool, array_shapes(min_dims=2, max_dims=2, max_side=9))
several_masks = st.lists(masks, min_size=1, max_size=3)
seeds = st.integers(0, 999)


def nodes_like(*values: int) -> Nodes:
    return Nodes(*(np.array([value], np.int32) for value in values))


@given(several_masks, st.from_type(Limits), st.sampled_from([0, 1, 4]))
def test_the_cost_to_go_of_the_oracles_action_is_the_return_of_its_tree(several, limits, lookahead):
    oracle = Oracle(several, limits, lookahead)
    forest = expand(oracle.sizes, oracle, limits)
    own = Actions(forest.rule, forest.cut)
    assert np.array_equal(oracle.cost_to_go(forest.nodes, own), forest.returns(several))


@given(several_masks, st.from_type(Limits), seeds)
def test_the_cost_to_go_of_any_action_is_what_the_twin_finishes_with(random_actor, several, limits, seed):
    oracle, actor = Oracle(several, limits), random_actor(seed, limits)
    forest = expand(oracle.sizes, actor, limits)
    expected = [
        cost_to_go(several[node[0]], node[1:5], limits.depth - node[5], rule, cut, limits.min_extent)
        for node, rule, cut in zip(rows_of(forest.nodes), forest.rule.tolist(), forest.cut.tolist(), strict=True)
    ]
    assert oracle.cost_to_go(forest.nodes, Actions(forest.rule, forest.cut)).tolist() == expected


@given(several_masks, st.from_type(Limits), st.integers(0, 9), seeds)
def test_a_cut_snaps_to_where_the_twin_does(random_actor, several, limits, reach, seed):
    oracle, actor = Oracle(several, limits), random_actor(seed, limits)
    forest = expand(oracle.sizes, actor, limits)
    taken = Actions(forest.rule, forest.cut)
    snapped = oracle.snap(forest.nodes, taken, np.full(len(forest.rule), reach))
    assert np.array_equal(snapped.rule, taken.rule)
    for node, rule, cut, found in zip(rows_of(forest.nodes), taken.rule, taken.cut, snapped.cut, strict=True):
        if rule >= Rule.PAINT:
            assert found == cut
            continue
        mask, box = several[node[0]].astype(int), node[1:5]
        expected = twins.snap(mask, box, rule, cut, reach)
        assert abs(found - cut) == abs(expected - cut)
        assert twins.gain(mask, box, rule, found) == pytest.approx(twins.gain(mask, box, rule, expected), abs=1e-5)


def rows_of(nodes: Nodes) -> list[tuple[int, ...]]:
    columns = (nodes.image, nodes.x, nodes.y, nodes.w, nodes.h, nodes.depth)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def cost_to_go(mask, box, levels: int, rule: int, cut: int, min_extent: int) -> int:
    """Eq. 1 when an action is taken and greedy IGM finishes."""
    size, positive = box[2] * box[3], twins.positives(mask, box)
    if rule == Rule.PAINT:
        return positive - (size - positive)
    if rule == Rule.SKIP:
        return (size - positive) - positive
    halves = twins.halves(box, rule, cut)
    return size - 2 * sum(twins.finish(mask, half, levels - 1, min_extent) for half in halves)


@given(several_masks, st.from_type(Limits), st.sampled_from([1, 3]), seeds)
def test_with_lookahead_the_oracles_own_action_is_at_least_as_good_as_a_label(
    random_actor, several, limits, lookahead, seed
):
    oracle = Oracle(several, limits, lookahead)
    nodes = expand(oracle.sizes, random_actor(seed, limits), limits).nodes
    own = oracle.cost_to_go(nodes, oracle(nodes))
    for label in (Rule.PAINT, Rule.SKIP):
        labels = Actions(np.full(len(nodes), label, np.int8), np.zeros(len(nodes), np.int32))
        assert (own >= oracle.cost_to_go(nodes, labels)).all()


def test_on_a_soft_mask_the_cost_to_go_is_the_expected_return():
    oracle = Oracle([np.array([[1.0, 0.6], [0.2, 0.0]])], Limits(1))
    root = nodes_like(0, 0, 0, 2, 2, 0)
    paint = Actions(np.array([Rule.PAINT], np.int8), np.array([0], np.int32))
    top = Actions(np.array([Rule.SPLIT_Y], np.int8), np.array([1], np.int32))
    assert oracle.cost_to_go(root, paint) == pytest.approx(2 * 1.8 - 4)
    assert oracle.cost_to_go(root, top) == pytest.approx((2 * 1.6 - 2) + (2 - 2 * 0.2))


@pytest.mark.parametrize("lookahead", [0, 2])
def test_many_nodes_at_once_are_answered_as_one_by_one(random_actor, lookahead):
    rng, limits = np.random.default_rng(3), Limits(6)
    several = [np.kron(rng.random((5, 6)) < 0.5, np.ones((4, 4), bool)) for _ in range(12)]
    nodes = expand([(24, 20)] * 12, random_actor(1, limits), limits).nodes
    assert len(nodes) > 256
    actions = random_actor(2, limits)(nodes)
    answers = [Oracle(several, limits, lookahead, threads) for threads in (None, 1, 3)]
    chosen = [oracle(nodes) for oracle in answers]
    costs = [oracle.cost_to_go(nodes, actions) for oracle in answers]
    for i in range(0, len(nodes), 7):
        node, action = nodes.take(np.array([i])), Actions(actions.rule[i : i + 1], actions.cut[i : i + 1])
        alone = answers[0](node)
        for choice, cost in zip(chosen, costs, strict=True):
            assert (choice.rule[i], choice.cut[i]) == (alone.rule[0], alone.cut[0])
            assert cost[i] == answers[0].cost_to_go(node, action)[0]


@pytest.mark.parametrize(
    ("node", "complaint"),
    [
        ((0, 0, 0, 5, 3, 0), "outside its image"),
        ((0, 0, 0, 4, 4, 0), "outside its image"),
        ((0, 3, 0, 2, 1, 0), "outside its image"),
        ((0, -1, 0, 2, 2, 0), "outside its image"),
        ((0, 0, 0, 0, 3, 0), "outside its image"),
        ((0, 0, 0, 4, -3, 0), "outside its image"),
        ((1, 0, 0, 1, 1, 0), "not among the oracle's 1"),
        ((-1, 0, 0, 1, 1, 0), "not among the oracle's 1"),
        ((0, 0, 0, 4, 3, -1), "depth below 0"),
    ],
)
def test_nodes_outside_the_oracles_images_are_refused(node, complaint):
    oracle = Oracle([np.ones((3, 4), bool)])
    paint = Actions(np.array([Rule.PAINT], np.int8), np.array([0], np.int32))
    with pytest.raises(ValueError, match=complaint):
        oracle(nodes_like(*node))
    with pytest.raises(ValueError, match=complaint):
        oracle.cost_to_go(nodes_like(*node), paint)


def test_actions_that_are_not_valid_have_no_cost():
    oracle = Oracle([np.ones((3, 4), bool)], Limits(2))
    split = Actions(np.array([Rule.SPLIT_X], np.int8), np.array([2], np.int32))
    with pytest.raises(ValueError, match="split-x is not valid"):
        oracle.cost_to_go(nodes_like(0, 0, 0, 4, 3, 2), split)
    with pytest.raises(ValueError, match="cut 2 is outside"):
        oracle.cost_to_go(nodes_like(0, 0, 0, 2, 3, 1), split)


def test_no_nodes_have_no_actions_and_no_masks_no_trees():
    oracle = Oracle([])
    none = Nodes.roots([])
    assert len(oracle(none).rule) == 0
    assert len(oracle.cost_to_go(none, oracle(none))) == 0
    assert expand(oracle.sizes, oracle).trees() == igm([])


def test_hard_and_soft_masks_do_not_mix_in_one_oracle(refused):
    hard, soft = np.eye(3, dtype=bool), np.full((3, 3), 0.5)
    assert "hard and soft" in refused(Oracle, [hard, soft])
    assert "threads is 0" in refused(Oracle, [hard], threads=0)
    assert issubclass(UserError, ValueError)


def test_a_cut_snaps_to_the_greatest_gain_within_reach():
    mask = np.zeros((8, 16))
    mask[:, 5:] = 0.9
    oracle = Oracle([mask], Limits(3))
    root = Nodes.roots(oracle.sizes)
    for cut, reach, expected in ((7, 2, 5), (7, 1, 6), (5, 3, 5), (2, 2, 4), (15, 20, 5), (1, 0, 1)):
        snapped = oracle.snap(root, Actions(np.array([0]), np.array([cut])), np.array([reach]))
        assert (snapped.rule[0], snapped.cut[0]) == (Rule.SPLIT_X, expected)
    label = oracle.snap(root, Actions(np.array([Rule.PAINT]), np.array([0])), np.array([3]))
    assert (label.rule[0], label.cut[0]) == (Rule.PAINT, 0)


def test_the_share_of_paint_is_that_of_the_pixels():
    mask = np.random.default_rng(0).random((9, 13))
    oracle = Oracle([np.zeros_like(mask), mask], Limits(3))
    nodes = Nodes(*(np.array([value], np.int32) for value in (1, 2, 3, 7, 5, 0)))
    assert oracle.paint_share(nodes)[0] == pytest.approx(mask[3:8, 2:9].mean(), abs=0.003)
