"""The order of strokes: every stroke once, never longer than the nearest neighbour's tour, and the same every time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import ParseTree
from shapeparse.painting import PaintSettings, Stroke, plan_painting, route, tours
from shapeparse.painting.settings import ORDERS


def random_lines(count: int, seed: int) -> np.ndarray:
    """Strokes along x or y in a square of 100 pixels."""
    rng = np.random.default_rng(seed)
    start, length = rng.uniform(0, 100, (count, 2)), rng.uniform(0, 30, count)
    along_x = rng.random(count) < 0.5
    return np.concatenate([start, start + np.stack([length * along_x, length * ~along_x], axis=1)], axis=1)


def tour_length(lines: np.ndarray, tour: np.ndarray) -> float:
    ends = lines.reshape(-1, 2)[tour]
    return float(np.hypot(*(ends[2::2] - ends[1:-1:2]).T).sum())


def is_tour(tour: np.ndarray) -> bool:
    """Whether it meets both ends of every stroke, one after the other."""
    return sorted(tour.tolist()) == list(range(len(tour))) and bool((tour[0::2] ^ 1 == tour[1::2]).all())


def undirected(stroke: Stroke) -> tuple:
    return (*sorted((stroke[:2], stroke[2:4])), stroke.width, stroke.rectangle)


@given(st.from_type(ParseTree), st.floats(0.7, 6))
def test_every_order_paints_every_stroke_exactly_once(tree: ParseTree, brush: float) -> None:
    plans = [plan_painting(tree, PaintSettings(brush=brush, order=order, time_limit=0)) for order in ORDERS]
    wanted = sorted(undirected(stroke) for stroke in plans[0].strokes)
    for plan in plans:
        assert sorted(undirected(stroke) for stroke in plan.strokes) == wanted


@given(st.from_type(ParseTree), st.floats(0.7, 6))
def test_the_route_is_no_longer_than_any_other_order(tree: ParseTree, brush: float) -> None:
    route_plan = plan_painting(tree, PaintSettings(brush=brush, time_limit=0))
    ours = route_plan.metrics()["travel_length"]
    for order in ("nearest", "tree"):
        assert ours <= route_plan.reordered(order).metrics()["travel_length"] + 1e-9


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 12, 60])
@pytest.mark.parametrize("seconds", [0, 5])
def test_the_search_gives_a_tour_that_is_no_longer_than_the_nearest_neighbours(count: int, seconds: float) -> None:
    lines, owner = random_lines(count, 1), np.zeros(count, np.int64)
    nearest = route.tour_of(lines, owner, "nearest", 0)
    found = route.tour_of(lines, owner, "route", seconds)
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
    assert tour_length(lines, route.tour_of(lines, owner, "route", 5)) == pytest.approx(best)


def test_the_search_is_worth_it_and_the_same_every_time() -> None:
    lines, owner = random_lines(80, 3), np.zeros(80, np.int64)
    nearest, local, full = (
        tour_length(lines, route.tour_of(lines, owner, order, seconds))
        for order, seconds in (("nearest", 0), ("route", 0), ("route", 60))
    )
    assert full <= local < 0.95 * nearest
    again = route.tour_of(lines, owner, "route", 60)
    assert np.array_equal(again, route.tour_of(lines, owner, "route", 60))


def searched(ends: np.ndarray, near: int, kicks: int, search: Callable = tours.search) -> tuple[np.ndarray, float]:
    """What the search makes of the nearest neighbour's tour, and the length it says that has."""
    tour = tours.nearest_tour(ends, 0)
    length = search(ends, tour, tours.nearest_ends(ends, near), np.random.default_rng(0).random((kicks, 4)))
    return tour, length


@given(st.integers(3, 20), st.integers(0, 99))
def test_the_search_gives_a_tour_and_its_length(count: int, seed: int) -> None:
    ends = random_lines(count, seed).reshape(-1, 2)
    before = tours.travel(ends, tours.nearest_tour(ends, 0))
    tour, length = searched(ends, 5, 20)
    assert is_tour(tour)
    assert length == pytest.approx(tour_length(ends.reshape(-1, 4), tour))
    assert length <= before


@pytest.mark.parametrize("count", [3, 8])
def test_the_compiled_kernels_do_what_their_python_does(count: int) -> None:
    ends = random_lines(count, 0).reshape(-1, 2)
    assert np.array_equal(tours.nearest_tour.py_func(ends, 0), tours.nearest_tour(ends, 0))
    assert np.array_equal(tours.nearest_ends.py_func(ends, 5), tours.nearest_ends(ends, 5))
    slow, fast = searched(ends, 5, 3, tours.search.py_func), searched(ends, 5, 3)
    assert np.array_equal(slow[0], fast[0])
    assert slow[1] == pytest.approx(fast[1])


@given(st.integers(3, 12), st.integers(0, 99))
def test_no_piece_can_be_turned_for_a_gain_once_all_neighbours_were_tried(count: int, seed: int) -> None:
    ends = random_lines(count, seed).reshape(-1, 2)
    tour, found = searched(ends, 2 * count, 0)
    for first, last in product(range(0, len(tour), 2), range(1, len(tour), 2)):
        if first < last:
            turned = np.concatenate([tour[:first], tour[first : last + 1][::-1], tour[last + 1 :]])
            assert tours.travel(ends, turned) >= found - 1e-6


def test_tree_order_paints_rectangle_by_rectangle_to_and_fro(toy: ParseTree) -> None:
    plan = plan_painting(toy, PaintSettings(brush=9, order="tree"))
    owners = [stroke.rectangle for stroke in plan.strokes]
    assert owners == sorted(owners)
    assert [stroke.x1 < stroke.x2 for stroke in plan.strokes] == [True, False] * 4


def test_raster_order_goes_from_top_to_bottom(toy: ParseTree) -> None:
    plan = plan_painting(toy, PaintSettings(brush=9, order="raster"))
    middles = [stroke.y1 + stroke.y2 for stroke in plan.strokes]
    assert middles == sorted(middles)
