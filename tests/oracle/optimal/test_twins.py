"""The twins themselves, on cases that can be checked by hand."""

from __future__ import annotations

import math

import numpy as np

from shapeparse.oracle.kernels import LEAF
from shapeparse.oracle.optimal.kernels import Costs
from shapeparse.oracle.optimal.twins import Exhaustive, halves, leaf_costs, line_pairs, tree_cost

CORNER = np.array([[1, 0], [0, 0]], np.uint8)


def test_line_pairs_in_order():
    assert line_pairs(3) == [(0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (0, 3)]


def test_costs_of_both_labels():
    assert leaf_costs(CORNER, Costs(1, 5.0, 2.0, 1.0), (0, 2, 0, 2)) == (1 + 3 * 2, 1 + 5)


def test_halves_of_both_axes():
    assert halves((0, 4, 0, 6), 0, 1) == ((0, 1, 0, 6), (1, 4, 0, 6))
    assert halves((0, 4, 0, 6), 1, 2) == ((0, 4, 0, 2), (0, 4, 2, 6))


def test_a_corner_takes_three_leaves():
    twin = Exhaustive(CORNER, Costs(1, 1.0, 1.0, 0.25))
    assert [twin.by_leaves(twin.root, leaves) for leaves in (1, 2, 3)] == [1.25, 1.5, 0.75]
    assert twin.least(twin.root) == 0.75
    assert twin.least(twin.root, 1) == 1.25
    assert twin.first_cut(twin.root) == (0, 1)
    assert twin.first_cut(twin.root, 1) == (LEAF, 0)
    assert twin.best_of_at_most(2) == 1.0 and twin.best_of_at_most(3) == 0.0


def test_a_smallest_extent_forbids_cuts():
    twin = Exhaustive(CORNER, Costs(1, 1.0, 1.0, 0.0), min_extent=2)
    assert list(twin.cuts(twin.root)) == []
    assert twin.by_leaves(twin.root, 2) == math.inf


def test_only_given_lines_are_cut_along():
    twin = Exhaustive(np.eye(3, dtype=np.uint8), Costs(1, 1.0, 1.0, 0.0), xs=[0, 2, 3])
    assert list(twin.cuts(twin.root)) == [(0, 2), (1, 1), (1, 2)]


def test_a_tree_costs_the_sum_of_its_leaves():
    rows = np.array([[0, 0, 1], [0, 0, 0], [2, 1, 1], [2, 2, 2], [0, 1, 1], [-1, 0, 0], [0, 2, 3], [1, 0, 0]])
    assert tree_cost(CORNER, Costs(1, 1.0, 1.0, 0.5), rows) == 2 * 0.5 + 1
