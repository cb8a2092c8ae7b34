"""Rules, limits, which rule is valid where, and the one place where a location becomes a pixel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import Actions, Limits, Nodes, Rule, cut_from_location, location_from_cut, valid_rules
from shapeparse.grammar import MAX_DEPTH, RULE_BY_LABEL, split_children

extents = st.integers(2, 5000)


def node(x: int, y: int, w: int, h: int, depth: int = 0) -> Nodes:
    return Nodes(*(np.array([value], np.int32) for value in (0, x, y, w, h, depth)))


def test_the_two_splits_come_first_and_their_number_is_the_axis():
    assert [rule.label for rule in Rule] == ["split-x", "split-y", "paint", "skip"]
    assert all(RULE_BY_LABEL[rule.label] is rule for rule in Rule)
    assert Actions(np.array([0, 1, 2, 3], np.int8), np.zeros(4, np.int32)).splits.tolist() == [True, True, False, False]


@pytest.mark.parametrize("depth", [-1, MAX_DEPTH + 1, 2.5, float("nan"), True, None, "7"])
def test_a_depth_that_is_no_whole_number_in_range_is_refused(refused, depth):
    assert f"depth is {depth}" in refused(Limits, depth=depth)


@pytest.mark.parametrize("min_extent", [0, -3, 1.5, float("nan"), float("inf"), False, None])
def test_a_smallest_extent_that_is_no_whole_number_in_range_is_refused(refused, min_extent):
    assert f"min_extent is {min_extent}" in refused(Limits, min_extent=min_extent)


def test_limits_take_numpy_numbers():
    assert Limits(np.int64(3), np.int32(2)) == Limits(3, 2)


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 4), st.from_type(Limits))
def test_an_axis_may_be_split_above_the_depth_limit_and_beyond_the_smallest_extent(w, h, depth, limits):
    valid = valid_rules(node(0, 0, w, h, depth), limits)[0]
    assert valid[Rule.SPLIT_X] == (depth < limits.depth and w > limits.min_extent)
    assert valid[Rule.SPLIT_Y] == (depth < limits.depth and h > limits.min_extent)
    assert valid[Rule.PAINT]
    assert valid[Rule.SKIP]


@given(st.floats(0, 1), extents)
def test_every_location_becomes_a_cut_that_leaves_both_children_a_pixel(location, extent):
    cut = int(cut_from_location(location, extent))
    assert 1 <= cut <= extent - 1
    assert abs(cut - location * extent) <= 1  # at the border; half a pixel elsewhere


@given(extents, st.data())
def test_a_cut_survives_the_way_to_its_location_and_back(extent, data):
    cut = data.draw(st.integers(1, extent - 1))
    location = location_from_cut(cut, extent)
    assert 0 < location < 1
    assert cut_from_location(location, extent) == cut


@given(extents, st.floats(0, 1), st.floats(0, 1))
def test_a_greater_location_never_becomes_a_smaller_cut(extent, one, other):
    low, high = cut_from_location(sorted([one, other]), extent)
    assert low <= high


def test_a_policys_locations_become_cuts_of_the_side_that_its_rule_splits():
    nodes = Nodes.concatenate([node(0, 0, 10, 40)] * 4)
    actions = Actions.at_locations(nodes, list(Rule), [0.3, 0.3, 0.3, 0.3])
    assert actions.cut.tolist() == [3, 12, 0, 0]


def test_split_x_makes_left_and_right_and_split_y_top_and_bottom():
    nodes = Nodes.concatenate([node(5, 6, 10, 20, 2)] * 2)
    children = split_children(nodes, Actions(np.array([0, 1], np.int8), np.array([3, 4], np.int32)))
    rows = np.stack([children.x, children.y, children.w, children.h, children.depth], axis=1)
    assert rows.tolist() == [[5, 6, 3, 20, 3], [8, 6, 7, 20, 3], [5, 6, 10, 4, 3], [5, 10, 10, 16, 3]]
    assert children.area.sum() == nodes.area.sum()


def test_roots_are_the_whole_images():
    roots = Nodes.roots([(4, 3), (1, 1)])
    assert roots.image.tolist() == [0, 1]
    assert roots.area.tolist() == [12, 1]
    assert len(Nodes.roots([])) == 0


def test_areas_of_large_nodes_do_not_overflow():
    assert node(0, 0, 1 << 20, 1 << 20).area.tolist() == [1 << 40]
