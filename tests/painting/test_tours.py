"""Tours over the ends of strokes: the search only shortens them, and the kernels do what their Python does."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse.painting import tours

from .conftest import is_tour, random_lines, tour_length


def ways_of(ends: np.ndarray, most: int = 5, joined: bool = False) -> tours.Ways:
    """A second a pixel; if some ends are joined, half of that to the two nearest of each."""
    near = tours.nearest_ends(ends, most)
    seconds = np.hypot(*(ends[near] - ends[:, None]).transpose(2, 0, 1))
    seconds[:, :2] *= 0.5 if joined else 1.0
    return tours.Ways(ends, near, seconds, 0.0, 1.0)


def searched(ways: tours.Ways, kicks: int, search: Callable = tours.search) -> tuple[np.ndarray, float]:
    """What the search makes of the nearest neighbour's tour, and the time it says that takes."""
    tour = tours.nearest_tour(ways, 0)
    return tour, search(ways, tour, np.random.default_rng(0).random((kicks, 4)))


@given(st.integers(3, 20), st.integers(0, 99))
def test_the_search_gives_a_tour_and_its_length(count: int, seed: int) -> None:
    ends = random_lines(count, seed).reshape(-1, 2)
    ways = ways_of(ends)
    before = tours.travel(ways, tours.nearest_tour(ways, 0))
    tour, length = searched(ways, 20)
    assert is_tour(tour)
    assert length == pytest.approx(tour_length(ends.reshape(-1, 4), tour))
    assert length <= before


def python_of(kernel: Any) -> Callable:
    """What Numba compiled."""
    return kernel.py_func


@pytest.mark.parametrize("count", [3, 8])
def test_the_compiled_kernels_do_what_their_python_does(count: int) -> None:
    ends = random_lines(count, 0).reshape(-1, 2)
    ways = ways_of(ends, joined=True)
    assert np.array_equal(python_of(tours.nearest_tour)(ways, 0), tours.nearest_tour(ways, 0))
    assert np.array_equal(python_of(tours.nearest_ends)(ends, 5), tours.nearest_ends(ends, 5))
    slow, fast = searched(ways, 3, python_of(tours.search)), searched(ways, 3)
    assert np.array_equal(slow[0], fast[0])
    assert slow[1] == pytest.approx(fast[1])


@given(st.integers(3, 12), st.integers(0, 99))
def test_no_piece_can_be_turned_for_a_gain_once_all_neighbours_were_tried(count: int, seed: int) -> None:
    ends = random_lines(count, seed).reshape(-1, 2)
    ways = ways_of(ends, 2 * count)
    tour, found = searched(ways, 0)
    for first, last in product(range(0, len(tour), 2), range(1, len(tour), 2)):
        if first < last:
            turned = np.concatenate([tour[:first], tour[first : last + 1][::-1], tour[last + 1 :]])
            assert tours.travel(ways, turned) >= found - 1e-6
