"""Bounds on the accuracy of any tree: never below the best there is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from shapeparse.oracle.optimal import bound as optimal_bound
from shapeparse.oracle.optimal.best import best_tree, problem_of
from shapeparse.oracle.optimal.kernels import Costs
from shapeparse.oracle.optimal.twins import Exhaustive

masks = arrays(bool, array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6))


@given(masks, st.integers(1, 4), st.sampled_from([0.01, 0.05, 0.1]))
def test_no_tree_is_more_accurate_than_the_bound(mask, rectangles, price):
    problem = problem_of(mask, None, 1, 1.0, 1.0)
    best = 1 - Exhaustive(mask.astype(np.uint8), Costs(1, 1.0, 1.0, 0.0)).best_of_at_most(rectangles) / mask.size
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimal_bound, "FIRST_GAPS", 2)  # so that strips are halved
        assert optimal_bound.bound_accuracy(problem, rectangles, price) >= best - 1e-9


def test_more_lines_make_the_bound_tighter_down_to_a_useful_one():
    y, x = np.ogrid[:64, :64]
    mask = (x - 30) ** 2 + (y - 33) ** 2 < 22**2
    problem = problem_of(mask, None, 1, 1.0, 1.0)
    bounds = [optimal_bound.bound_accuracy(problem, 9, 0.004, most) for most in (16, 24, 40)]
    assert bounds[0] > bounds[1] > bounds[2]
    found = best_tree(mask, rectangles=9, bound=True)
    assert found.bound is not None and found.accuracy <= found.bound < found.accuracy + 0.03


def test_there_is_no_bound_unless_asked_for_or_known():
    mask = np.eye(9, dtype=bool)
    assert best_tree(mask, rectangles=3).bound is None
    assert best_tree(mask, rectangles=3, missed=2.0, bound=True).bound is None
    assert best_tree(mask, depth=2).bound == best_tree(mask, depth=2).accuracy
