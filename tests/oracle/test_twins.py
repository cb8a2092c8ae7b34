"""The twins of the kernels on cases worked out by hand: what the kernels are compared with must be right."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shapeparse.oracle import twins
from shapeparse.oracle.kernels import LEAF

STAIR = np.array([[1, 1, 1, 0], [1, 0, 0, 0]])
WHOLE = (0, 0, 4, 2)


def test_positives_and_errors_are_counted():
    assert twins.positives(STAIR, WHOLE) == 4
    assert twins.positives(STAIR, (1, 0, 2, 2)) == 2
    assert twins.label_errors(STAIR, (0, 0, 3, 1)) == 0
    assert twins.label_errors(STAIR, WHOLE) == 4
    assert twins.label_errors(np.array([[200, 10]]), (0, 0, 2, 1), unit=255) == 210


def test_entropy_is_greatest_at_even_odds_and_none_where_all_is_one():
    assert twins.entropy(3, 6) == pytest.approx(math.log(2))
    assert twins.entropy(0, 6) == twins.entropy(6, 6) == 0
    assert twins.entropy(1, 4) == pytest.approx(0.25 * math.log(4) + 0.75 * math.log(4 / 3))


def test_cuts_leave_both_halves_something_and_narrow_boxes_whole():
    assert list(twins.cuts((0, 0, 3, 2), 1)) == [(0, 1), (0, 2), (1, 1)]
    assert list(twins.cuts((0, 0, 3, 2), 2)) == [(0, 1), (0, 2)]
    assert list(twins.cuts((0, 0, 1, 1), 1)) == []


def test_halves_lie_beside_each_other():
    assert twins.halves((2, 3, 5, 7), 0, 2) == ((2, 3, 2, 7), (4, 3, 3, 7))
    assert twins.halves((2, 3, 5, 7), 1, 4) == ((2, 3, 5, 4), (2, 7, 5, 3))


def test_gain_is_entropy_lost_times_size():
    even = 8 * math.log(2)
    assert twins.gain(STAIR, WHOLE, 0, 1) == pytest.approx(even - 6 * twins.entropy(2, 6))
    assert twins.gain(np.array([[1, 1, 0, 0]]), (0, 0, 4, 1), 0, 2) == pytest.approx(4 * math.log(2))


def test_the_best_cut_gains_most_and_a_pure_box_has_none():
    assert twins.best_cut(STAIR, WHOLE) == (0, 1)
    assert twins.best_cut(np.ones((3, 3), int), (0, 0, 3, 3)) == (LEAF, 0)
    assert twins.best_cut(np.array([[1, 0], [0, 1]]), (0, 0, 2, 2)) == (LEAF, 0)  # nothing gains


def test_a_cut_snaps_no_farther_than_its_reach():
    row = np.array([[0, 0, 0, 0, 1, 1, 1, 1]])
    assert [twins.snap(row, (0, 0, 8, 1), 0, 7, reach) for reach in (0, 1, 2, 3, 9)] == [7, 6, 5, 4, 4]


def test_fewest_errors_fall_with_every_level_until_none_are_left():
    assert [twins.optimal_errors(STAIR, WHOLE, levels) for levels in range(3)] == [4, 2, 0]
    assert twins.optimal_errors(np.array([[1, 0], [0, 1]]), (0, 0, 2, 2), 2) == 0


def test_greed_finishes_a_box_with_at_least_the_fewest_errors():
    checkerboard = np.array([[1, 0], [0, 1]])
    assert twins.finish(checkerboard, (0, 0, 2, 2), 5) == 2  # no single cut gains, so greed stops
    assert [twins.finish(STAIR, WHOLE, levels) for levels in range(4)] == [4, 2, 1, 0]
    assert twins.optimal_errors(STAIR, WHOLE, 2) == 0  # where greed has made one
