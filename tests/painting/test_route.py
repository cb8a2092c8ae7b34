"""The order of strokes: every stroke once, never longer than the nearest neighbour's tour, and the same every time."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import ParseTree
from shapeparse.painting import PaintSettings, Stroke, plan_painting, route
from shapeparse.painting.settings import ORDERS

from .conftest import is_tour, known, random_lines, tour_length


def undirected(stroke: Stroke) -> tuple:
    return (*sorted((stroke[:2], stroke[2:4])), stroke.width, stroke.rectangle)


def ways_of(lines: np.ndarray) -> route.Ways:
    """As if travel alone took time: a second a pixel."""
    return route.ways_between(lines, PaintSettings(travel_speed=1, lift_time=0), None)


@given(st.from_type(ParseTree), st.floats(0.7, 6))
def test_every_order_paints_every_stroke_exactly_once(tree: ParseTree, brush: float) -> None:
    plans = [plan_painting(tree, PaintSettings(brush=brush, order=order)) for order in ORDERS]
    wanted = sorted(undirected(stroke) for stroke in plans[0].strokes)
    for plan in plans:
        assert sorted(undirected(stroke) for stroke in plan.strokes) == wanted


@given(st.from_type(ParseTree), st.floats(0.7, 6))
def test_the_route_takes_no_longer_than_other_orders(tree: ParseTree, brush: float) -> None:
    route_plan = plan_painting(tree, PaintSettings(brush=brush))
    ours = known(route_plan.metrics()["seconds"])
    for order in ("nearest", "tree"):
        assert ours <= known(route_plan.reordered(order).metrics()["seconds"]) + 1e-9


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 12, 60])
def test_the_search_gives_a_tour_that_is_no_longer_than_the_nearest_neighbours(count: int) -> None:
    lines, owner = random_lines(count, 1), np.zeros(count, np.int64)
    nearest = route.tour_of(ways_of(lines), owner, "nearest")
    found = route.tour_of(ways_of(lines), owner, "route")
    assert is_tour(found)
    assert is_tour(nearest)
    assert tour_length(lines, found) <= tour_length(lines, nearest)


@pytest.mark.parametrize("seed", range(5))
def test_few_strokes_are_ordered_as_well_as_can_be(seed: int) -> None:
    lines, owner = random_lines(5, seed), np.zeros(5, np.int64)
    every = (
        np.stack([2 * np.array(order) + flips, 2 * np.array(order) + 1 - np.array(flips)], axis=1).reshape(-1)
        for order in permutations(range(5))
        for flips in product((0, 1), repeat=5)
    )
    best = min(tour_length(lines, tour) for tour in every)
    assert tour_length(lines, route.tour_of(ways_of(lines), owner, "route")) == pytest.approx(best)


def test_the_search_is_worth_it_and_the_same_every_time() -> None:
    lines, owner = random_lines(80, 3), np.zeros(80, np.int64)
    nearest, ours = (route.tour_of(ways_of(lines), owner, order) for order in ("nearest", "route"))
    assert tour_length(lines, ours) < 0.95 * tour_length(lines, nearest)
    assert np.array_equal(ours, route.tour_of(ways_of(lines), owner, "route"))


def test_tree_order_paints_rectangle_by_rectangle_to_and_fro(toy: ParseTree) -> None:
    plan = plan_painting(toy, PaintSettings(brush=9, order="tree"))
    owners = [stroke.rectangle for stroke in plan.strokes]
    assert owners == sorted(owners)
    assert [stroke.x1 < stroke.x2 for stroke in plan.strokes] == [True, False] * 4


def test_raster_order_goes_from_top_to_bottom(toy: ParseTree) -> None:
    plan = plan_painting(toy, PaintSettings(brush=9, order="raster"))
    middles = [stroke.y1 + stroke.y2 for stroke in plan.strokes]
    assert middles == sorted(middles)
