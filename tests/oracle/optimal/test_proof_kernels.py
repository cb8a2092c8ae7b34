"""Trees of at most four levels over all pixel lines: branch and bound against twins that try all trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from shapeparse.oracle.kernels import LEAF, UNLIMITED
from shapeparse.oracle.optimal import proof_kernels, twins
from shapeparse.oracle.optimal.kernels import Costs

masks = arrays(np.uint8, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.integers(0, 1))


def integrals(mask, costs):
    rows = np.zeros((2, mask.shape[0] + 1, mask.shape[1] + 1), np.int32)
    for place, pixels in enumerate((mask * costs.missed, (1 - mask) * costs.wasted)):
        rows[place, 1:, 1:] = np.cumsum(np.cumsum(pixels, axis=0), axis=1)
    return rows, np.ascontiguousarray(rows.transpose(0, 2, 1))


@pytest.mark.parametrize("levels", [0, 1, 2, 3, 4])
@given(mask=masks, price=st.integers(0, 3), missed=st.sampled_from([1.0, 3.0]))
def test_the_search_finds_the_least_cost_of_all_trees(levels, mask, price, missed):
    costs = Costs(1, missed, 1.0, price)
    twin = twins.Exhaustive(mask, costs)
    height, width = mask.shape
    least, axis, cut = proof_kernels.search(*integrals(mask, costs), price, levels, 0, width, 0, height, UNLIMITED)
    assert least == twin.least(twin.root, levels)
    if axis != LEAF:
        one, other = twins.halves(twin.root, axis, cut)
        assert twin.least(one, levels - 1) + twin.least(other, levels - 1) == least


@pytest.mark.parametrize("levels", [2, 3, 4])
@given(mask=masks, price=st.integers(0, 2), below=st.integers(-2, 2))
def test_a_limit_is_answered_where_no_tree_is_below_it(levels, mask, price, below):
    costs = Costs(1, 1.0, 1.0, price)
    twin = twins.Exhaustive(mask, costs)
    least = int(twin.least(twin.root, levels))
    height, width = mask.shape
    found = proof_kernels.search(*integrals(mask, costs), price, levels, 0, width, 0, height, least + below)
    assert found[0] == min(least, least + below)
    assert below > 0 or found[1] == LEAF


@pytest.mark.parametrize("levels", [0, 1, 2, 3, 4])
@given(mask=masks, price=st.integers(0, 2))
def test_the_tree_built_has_the_least_cost(levels, mask, price):
    costs = Costs(1, 1.0, 1.0, price)
    twin = twins.Exhaustive(mask, costs)
    height, width = mask.shape
    rows = proof_kernels.build(*integrals(mask, costs), price, levels, width, height, UNLIMITED)
    assert twins.tree_cost(mask, costs, rows) == twin.least(twin.root, levels)
    assert rows[4].max() <= levels
    assert (rows[2] * rows[3])[rows[6] >= 2].sum() == mask.size


@given(masks)
def test_the_least_single_cut_of_a_box(mask):
    costs = Costs(1, 1.0, 1.0, 0)
    twin, (rows, columns) = twins.Exhaustive(mask, costs), integrals(mask, costs)
    height, width = mask.shape
    for axis, lines, far, last in ((0, rows, height, width), (1, columns, width, height)):
        cuts = [twins.halves(twin.root, a, line) for a, line in twin.cuts(twin.root) if a == axis]
        best = min([twin.least(one, 0) + twin.least(other, 0) for one, other in cuts] + [twin.least(twin.root, 0)])
        assert proof_kernels.least_cut(lines, 0, far, 0, last) == best
