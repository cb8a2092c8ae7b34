"""The least cost of boxes on lines: kernels against twins that try all trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from shapeparse.oracle.kernels import PAINT, SKIP, integrate
from shapeparse.oracle.optimal import kernels, twins


@st.composite
def cases(draw: st.DrawFn, longest: int = 6):
    """A mask in units, the costs of leaves, some lines with the borders, and a smallest extent."""
    unit = draw(st.sampled_from([1, 255]))
    mask = draw(arrays(np.uint8, array_shapes(min_dims=2, max_dims=2, max_side=longest), elements=st.integers(0, unit)))
    weights = st.sampled_from([1.0, 2.0, 0.5])
    costs = kernels.Costs(unit, draw(weights), draw(weights), draw(st.sampled_from([0.0, 0.25, 1.0, 3.0])) * unit)
    xs, ys = (draw(lines(side)) for side in (mask.shape[1], mask.shape[0]))
    return mask, costs, xs, ys, draw(st.sampled_from([1, 1, 2, 3]))


def lines(side: int):
    inner = st.sets(st.integers(1, side - 1)) if side > 1 else st.just(set())
    return inner.map(lambda chosen: np.array([0, *sorted(chosen), side]))


def sums_of(mask):
    sums = np.zeros((mask.shape[0] + 1) * (mask.shape[1] + 1), np.int64)
    integrate(mask, sums, 0)
    return sums.reshape(mask.shape[0] + 1, -1)


def filled(case, levels=None):
    mask, costs, xs, ys, min_extent = case
    pairs = [len(some) * (len(some) - 1) // 2 for some in (xs, ys)]
    tables = np.full((1 if levels is None else levels + 1, *pairs), np.nan, np.float32)
    kernels.fill_levels(sums_of(mask), costs, xs, ys, min_extent, levels is None, tables)
    return tables


@pytest.mark.parametrize("gaps", [1, 2, 5, 9])
def test_pairs_of_lines_are_numbered_by_distance(gaps):
    pairs = twins.line_pairs(gaps)
    assert [kernels.pair(i, j, gaps) for i, j in pairs] == list(range(len(pairs)))


@given(arrays(np.float32, (3, 7), elements=st.integers(0, 9)))
def test_lower_takes_the_lesser(rows):
    expected = twins.lower(*rows)
    kernels.lower(rows[0], rows[1], rows[2])
    np.testing.assert_array_equal(rows[0], expected)


@given(cases())
def test_a_leaf_costs_what_its_pixels_cost(case):
    mask, costs, *_ = case
    height, width = mask.shape
    for x0, x1 in ((0, width), (width - 1, width)):
        painted, skipped = twins.leaf_costs(mask, costs, (x0, x1, 0, height))
        assert kernels.box_cost(sums_of(mask), costs, x0, x1, 0, height) == min(painted, skipped)
        rule = kernels.better_label(sums_of(mask), costs, x0, x1, 0, height)
        assert rule == (PAINT if painted <= skipped else SKIP)


@pytest.mark.parametrize("levels", [None, 0, 1, 2, 3])
@given(case=cases())
def test_every_box_has_the_least_cost_of_all_its_trees(levels, case):
    mask, costs, xs, ys, min_extent = case
    tables, twin = filled(case, levels), twins.Exhaustive(mask, costs, xs, ys, min_extent)
    for row, (i, j) in enumerate(twins.line_pairs(len(xs) - 1)):
        for column, (k, m) in enumerate(twins.line_pairs(len(ys) - 1)):
            box = (int(xs[i]), int(xs[j]), int(ys[k]), int(ys[m]))
            for level in range(len(tables)):
                least = twin.least(box) if levels is None else twin.least(box, level)
                assert tables[level, row, column] == least


@pytest.mark.parametrize("levels", [None, 1, 3])
@given(case=cases())
def test_the_tree_read_takes_the_first_best_cut_everywhere(levels, case):
    mask, costs, xs, ys, min_extent = case
    tables, twin = filled(case, levels), twins.Exhaustive(mask, costs, xs, ys, min_extent)
    rows = kernels.read_tree(sums_of(mask), costs, xs, ys, min_extent, levels is None, tables)
    assert twins.tree_cost(mask, costs, rows) == tables[-1, -1, -1]
    assert kernels.errors_of(sums_of(mask), costs, rows) == tables[-1, -1, -1]
    for x, y, w, h, depth, _, rule, cut in rows.T.tolist():
        left = twins.UNLIMITED if levels is None else levels - depth
        axis, line = twin.first_cut((x, x + w, y, y + h), left)
        assert (rule, cut) == (axis, line - (x if axis == 0 else y)) if rule < 2 else axis == -1


def test_many_lines_on_both_axes_agree_with_the_twin():
    mask = (np.random.default_rng(3).random((5, 17)) < 0.4).astype(np.uint8)  # more lines than vector lanes
    case = mask, kernels.Costs(1, 1.0, 1.0, 1.5), np.arange(18), np.arange(6), 1
    assert filled(case)[0, -1, -1] == twins.Exhaustive(mask, case[1]).least((0, 17, 0, 5))
