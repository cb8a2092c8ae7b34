"""The least cost for every number of leaves: kernels against twins that try all trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from shapeparse.oracle.kernels import integrate
from shapeparse.oracle.optimal import budget_kernels, twins
from shapeparse.oracle.optimal import kernels as optimal_kernels

MOST = 6
masks = arrays(np.uint8, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=st.integers(0, 1))


def filled(mask, price, levels, min_extent=1):
    height, width = mask.shape
    sums = np.zeros((height + 1) * (width + 1), np.int64)
    integrate(mask, sums, 0)
    sums, costs = sums.reshape(height + 1, -1), optimal_kernels.Costs(1, 1.0, 1.0, price)
    xs, ys = np.arange(width + 1), np.arange(height + 1)
    shape = (1 if levels is None else levels + 1, width * (width + 1) // 2, height * (height + 1) // 2)
    tables = np.empty(shape, np.float32)
    optimal_kernels.fill_levels(sums, costs, xs, ys, min_extent, levels is None, tables)
    return sums, costs, tables, xs, ys


def frontier(mask, price, levels, slack, min_extent=1):
    sums, costs, tables, xs, ys = filled(mask, price, levels, min_extent)
    settings = (xs, ys, min_extent)
    table, where = budget_kernels.frontiers(sums, costs, tables, levels is None, *settings, slack, MOST)
    return sums, costs, tables, settings, table, where


@pytest.mark.parametrize("gaps", [1, 4])
def test_line_pairs_are_those_of_the_twin(gaps):
    assert [tuple(pair) for pair in budget_kernels.line_pairs(gaps).tolist()] == twins.line_pairs(gaps)


@given(
    st.lists(st.sampled_from([1.0, 3.0, 5.0, np.inf]), min_size=4, max_size=4), st.permutations([2.0, 4.0, 9.0, np.inf])
)
def test_join_tries_all_shares_of_the_leaves(one, other):
    target = np.full(4, np.inf, np.float32)
    budget_kernels.join(target, np.array(one, np.float32), np.array(other, np.float32))
    for leaves in range(1, 5):  # index 0 is one leaf, which is no split
        best = min((one[a - 1] + other[leaves - a - 1] for a in range(1, leaves)), default=np.inf)
        assert target[leaves - 1] == best


@pytest.mark.parametrize("levels", [None, 2, 3])
@given(mask=masks, price=st.sampled_from([0.5, 1.0, 2.0]), min_extent=st.sampled_from([1, 2]))
def test_with_all_the_slack_every_number_of_leaves_has_its_least_cost(levels, mask, price, min_extent):
    _, costs, _, _, table, where = frontier(mask, price, levels, 1000.0, min_extent)
    twin = twins.Exhaustive(mask, costs, min_extent=min_extent)
    depth = twins.UNLIMITED if levels is None else levels
    root = table[where[-1, -1, -1]]
    assert root.tolist() == [twin.by_leaves(twin.root, leaves, depth) for leaves in range(1, MOST + 1)]


@pytest.mark.parametrize("levels", [None, 3])
@given(mask=masks, price=st.sampled_from([0.5, 1.0]), slack=st.sampled_from([0.0, 0.5, 1.0, 2.0]))
def test_costs_within_the_slack_are_the_least_and_belong_to_trees(levels, mask, price, slack):
    sums, costs, tables, settings, table, where = frontier(mask, price, levels, slack)
    twin, root = twins.Exhaustive(mask, costs), table[where[-1, -1, -1]]
    depth = twins.UNLIMITED if levels is None else levels
    for leaves in range(1, MOST + 1):
        least, found = twin.by_leaves(twin.root, leaves, depth), root[leaves - 1]
        assert found >= least
        if least <= tables[-1, -1, -1] + slack:
            assert found == least
        if np.isfinite(found):
            rows = budget_kernels.read_budget_tree(sums, costs, table, where, *settings, leaves)
            assert (rows[6] >= 2).sum() == leaves
            assert twins.tree_cost(mask, costs, rows) == found
            assert rows[4].max() <= depth


@given(mask=masks, slack=st.sampled_from([0.0, 1.0, 2.0]))
def test_only_boxes_of_trees_within_the_slack_are_reached(mask, slack):
    _, costs, tables, xs, ys = filled(mask, 1.0, None)
    room, boxes = budget_kernels.reach(tables, True, xs, ys, 1, slack)
    assert len(boxes) == (room >= 0).sum()
    twin = twins.Exhaustive(mask, costs)
    for axis, line in twin.cuts(twin.root):
        one, other = twins.halves(twin.root, axis, line)
        regret = twin.least(one) + twin.least(other) - twin.least(twin.root)
        pairs_x, pairs_y = twins.line_pairs(len(xs) - 1), twins.line_pairs(len(ys) - 1)
        if regret <= slack:
            place = pairs_x.index(one[:2]), pairs_y.index(one[2:])
            assert room[0, place[0], place[1]] >= slack - regret
