"""The relaxed programme behind the bound: what its slow twin gives, and below every tree there is."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from shapeparse.oracle.optimal import bound_kernels
from shapeparse.oracle.optimal.best import problem_of
from shapeparse.oracle.optimal.kernels import Costs
from shapeparse.oracle.optimal.twins import Exhaustive, relaxed

masks = arrays(bool, array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6))


def some_lines(side: int, chosen: set[int]) -> np.ndarray:
    return np.array([0, *sorted(line for line in chosen if line < side), side])


@given(masks, st.sets(st.integers(1, 5)), st.sets(st.integers(1, 5)), st.sampled_from([0.25, 1.0]))
def test_the_relaxed_cost_is_that_of_the_twin_and_below_every_tree(mask, x_lines, y_lines, price):
    xs, ys = some_lines(mask.shape[1], x_lines), some_lines(mask.shape[0], y_lines)
    costs, units = Costs(1, 1.0, 1.0, price), mask.astype(np.uint8)
    table = bound_kernels.relax(problem_of(mask, None, 1, 1.0, 1.0).sums, costs, xs, ys)
    assert table[0, -1, 0, -1] == relaxed(units, costs, xs.tolist(), ys.tolist())
    twin = Exhaustive(units, costs)
    assert table[0, -1, 0, -1] <= twin.least(twin.root)
