"""The teacher's look-ups: which line is where, which lie inside a node, and how a node is best finished on them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse.oracle.kernels import LEAF
from shapeparse.oracle.optimal import teacher_kernels
from shapeparse.oracle.optimal.best import problem_of
from shapeparse.oracle.optimal.kernels import Costs, fill_levels
from shapeparse.oracle.optimal.twins import Exhaustive

LINES = np.array([0, 2, 5, 9])
lines = st.sets(st.integers(0, 20), min_size=1).map(lambda found: np.array(sorted(found)))


@given(lines, st.integers(0, 20))
def test_the_place_of_a_line_is_where_it_stands(found: np.ndarray, position: int) -> None:
    listed = found.tolist()
    expected = listed.index(position) if position in listed else -1
    assert teacher_kernels.place_of(found, position) == expected


@given(lines, st.integers(0, 20), st.integers(1, 9))
def test_the_lines_inside_are_those_between_two_edges_and_the_edges(found: np.ndarray, first: int, size: int) -> None:
    last = first + size
    between = [line for line in found.tolist() if first < line < last]
    assert teacher_kernels.lines_inside(found, first, last).tolist() == [first, *between, last]


def test_a_tree_cannot_use_more_levels_than_there_are_lines_to_cut_on() -> None:
    assert teacher_kernels.levels_on(LINES, LINES, 9) == 4
    assert teacher_kernels.levels_on(LINES, LINES, 3) == 3


@pytest.mark.parametrize("levels", [0, 1, 2, 3])
def test_a_box_is_finished_as_cheaply_as_any_tree_of_so_many_levels(levels: int) -> None:
    mask = np.random.default_rng(0).random((5, 5)) < 0.5
    sums, costs = problem_of(mask, None, 1, 1.0, 1.0).sums, Costs(1, 1.0, 1.0, 0.3)
    every = np.arange(6)
    tables = np.empty((9, 15, 15), np.float32)
    fill_levels(sums, costs, every, every, 1, False, tables)
    least, axis, _ = teacher_kernels.finish(sums, costs, every, every, 1, tables, 0, 5, 0, 5, levels)
    twin = Exhaustive(mask.astype(np.uint8), costs)
    assert least == pytest.approx(twin.least(twin.root, levels))
    assert (axis == LEAF) == (levels == 0 or least == pytest.approx(twin.least(twin.root, 0)))
