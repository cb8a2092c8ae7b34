"""The rounds that find the lines: never worse, exact where all lines fit, whole trees put together rightly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from shapeparse.oracle.optimal import search
from shapeparse.oracle.optimal.best import problem_of
from shapeparse.oracle.optimal.kernels import Costs
from shapeparse.oracle.optimal.twins import Exhaustive


@pytest.fixture(scope="module")
def ring() -> np.ndarray:
    y, x = np.ogrid[:160, :200]
    far = (x - 95) ** 2 + (1.3 * (y - 80)) ** 2
    return (far < 85**2) & (far > 40**2)


def problem(mask, depth=None):
    return search.Problem(*vars(problem_of(mask, depth, 1, 1.0, 1.0)).values())


def priced(task, costs, rows):
    return task.tree_cost(rows) + costs.price * search.leaf_count(rows)


def check_tree(rows, width, height):
    """Children tile their parent, in depth-first order."""
    assert tuple(rows[:6, 0]) == (0, 0, width, height, 0, -1)
    for node in range(1, rows.shape[1]):
        parent = rows[:, rows[5, node]]
        assert rows[4, node] == parent[4] + 1 and rows[5, node] < node
    for split in np.flatnonzero(rows[6] < 2):
        children = np.flatnonzero(rows[5] == split)
        assert len(children) == 2 and children[0] == split + 1
        assert (rows[2] * rows[3])[children].sum() == rows[2, split] * rows[3, split]
        assert rows[2 + rows[6, split], children[0]] == rows[7, split]


@given(arrays(bool, array_shapes(min_dims=2, max_dims=2, max_side=6)), st.sampled_from([0.02, 0.05]))
def test_a_small_mask_is_solved_exactly(mask, price):
    task = problem(mask)
    costs = task.costs(price)
    twin = Exhaustive(mask.astype(np.uint8), Costs(1, 1.0, 1.0, costs.price))
    assert priced(task, costs, search.refine(task, costs, task.box)) == twin.least(twin.root)


@pytest.mark.parametrize("price", [0.005, 0.0005, 0.0001])
def test_refining_and_deepening_never_cost_more(ring, price):
    task = problem(ring)
    costs = task.costs(price)
    first = search.solve_near(task, costs, task.box, None, 1)
    refined = search.refine(task, costs, task.box, first.rows)
    deeper = search.deepen(task, costs, task.box, refined)
    assert priced(task, costs, refined) < priced(task, costs, first.rows)
    assert priced(task, costs, deeper) <= priced(task, costs, refined)
    for rows in (first.rows, refined, deeper):
        check_tree(rows, 200, 160)


def test_large_trees_are_improved_in_parts(ring):
    task = problem(ring)
    costs = task.costs(0.0001)
    coarse = search.solve_near(task, costs, task.box, None, 1).rows
    assert search.leaf_count(coarse) > search.WHOLE
    better = search.refine_parts(task, costs, task.box, coarse)
    assert priced(task, costs, better) < priced(task, costs, coarse)
    check_tree(better, 200, 160)


@pytest.mark.parametrize("depth", [3, 5])
def test_no_part_is_deeper_than_allowed(ring, depth):
    task = problem(ring, depth)
    costs = task.costs(0.0001)
    rows = search.deepen(task, costs, task.box, search.refine(task, costs, task.box))
    assert rows[4].max() == depth


def test_spread_lines_are_closest_where_the_mask_changes():
    mask = np.zeros((40, 100), bool)
    mask[:, 60:] = np.arange(40)[:, None] < np.arange(40)  # a triangle: every column from 60 on differs
    lines = search.spread(problem(mask), problem(mask).box, 0, 20)
    assert (lines > 60).mean() > 0.6
    assert (lines > 0).all() and (lines < 100).all() and len(np.unique(lines)) == len(lines)


def test_all_lines_are_taken_where_they_are_few():
    task = problem(np.eye(5, dtype=bool))
    assert search.spread(task, task.box, 0, 9).tolist() == [1, 2, 3, 4]
    assert len(search.spread(task, task.box, 1, 0)) == 0


def test_splicing_replaces_a_subtree(ring):
    task = problem(ring)
    rows = search.solve_near(task, task.costs(0.001), task.box, None, 1).rows
    ends = search.subtree_ends(rows)
    leaf = np.array([[0], [0], [1], [1], [0], [-1], [3], [0]], np.int32)
    for node in range(1, rows.shape[1], 3):
        part = leaf.copy()
        part[:4, 0] = rows[:4, node]
        check_tree(search.splice(rows, node, int(ends[node]), part), 200, 160)


def test_a_price_is_rounded_to_what_float32_adds_exactly():
    task = problem(np.zeros((256, 256), bool))
    costs = task.costs(0.0003)
    assert costs.price == pytest.approx(0.0003 * 65536, abs=0.01)
    assert np.float32(65536 + costs.price) == 65536 + costs.price
    assert task.costs(1e-12).price > 0
