"""Hot loops over the order of strokes, as Numba kernels; uncompiled (``.py_func``), each is its own twin.

Stroke k has the ends 2k and 2k + 1. A tour is an array of all ends in the order in which they are met, so the two ends
of a stroke stand side by side, at an even and the following odd place, and the stroke goes from the first to the
second. What counts is the time between strokes: the steps from an odd place to the even one after it (``Ways``).

Turning a piece of the tour around turns its strokes around as well, and costs nothing inside it. A search also keeps
the ``places`` of the ends in the tour, and which are ``stale``: what they are joined to, or whether they are arrived at
or left, has changed since they were looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ..grammar import BoolArray, FloatArray
from ..support.numba import nb

Tour = npt.NDArray[np.int64]
_Function = TypeVar("_Function", bound=Callable)

NEIGHBOURS = 12
"""Ends that are tried as new neighbours of an end: the nearest ones."""
LONGEST = 3
"""Strokes that are moved together at most, unless by a kick."""
KICK = 30
"""Strokes in the two pieces that a kick swaps, at most, unless it reaches over the end of the tour."""
GAIN = 1e-9
"""A change must gain this much to be one: less is rounding, and might go round in circles."""

_compiled: Any = nb.njit(cache=True, nogil=True)
kernel: Callable[[_Function], _Function] = _compiled


class Ways(NamedTuple):
    """How long it takes from any end to any other, in seconds."""

    ends: FloatArray
    """(ends, 2): x and y."""
    near: Tour
    """(ends, most): the ends of other strokes that are reached soonest, the soonest first; -1 for none."""
    seconds: FloatArray
    """(ends, most): how long the way to them takes, with the brush down where that is possible and quicker."""
    lift: float
    """All other ends are reached with the brush up: this long to lift and lower it,"""
    pace: float
    """and this long for a pixel of the way."""


@kernel
def nearest_tour(ways: Ways, start: int) -> Tour:
    """From the end ``start`` along its stroke, and on to the end reached soonest of all that are left, again and again.

    An end that is reached with the brush down comes before all others.
    """
    ends, count = ways.ends, len(ways.ends)
    tour = np.empty(count, np.int64)
    left = np.ones(count, np.bool_)
    here = start
    for place in range(0, count, 2):
        tour[place], tour[place + 1] = here, here ^ 1
        left[here] = left[here ^ 1] = False
        last = here ^ 1
        x, y = ends[last, 0], ends[last, 1]
        best = np.inf
        for choice in range(ways.near.shape[1]):
            end = ways.near[last, choice]
            if end >= 0 and left[end] and best == np.inf:
                away = np.sqrt((ends[end, 0] - x) ** 2 + (ends[end, 1] - y) ** 2)
                if ways.seconds[last, choice] < ways.lift + ways.pace * away - GAIN:
                    best, here = 0.0, end
        if best == 0.0:
            continue
        for end in range(count):
            if left[end]:
                away = (ends[end, 0] - x) ** 2 + (ends[end, 1] - y) ** 2
                if away < best:
                    best, here = away, end
    return tour


@kernel
def nearest_ends(ends: FloatArray, most: int) -> Tour:
    """For each end a row of the ends of other strokes nearest to it, nearest first."""
    count = len(ends)
    most = min(most, count - 2)
    found = np.empty((count, most), np.int64)
    for end in range(count):
        distances = np.full(most, np.inf)
        for other in range(count):
            away = (ends[end, 0] - ends[other, 0]) ** 2 + (ends[end, 1] - ends[other, 1]) ** 2
            if other >> 1 == end >> 1 or away >= distances[most - 1]:
                continue
            place = most - 1
            while place > 0 and distances[place - 1] > away:
                distances[place], found[end, place] = distances[place - 1], found[end, place - 1]
                place -= 1
            distances[place], found[end, place] = away, other
    return found


@kernel
def distance(ways: Ways, first: int, second: int) -> float:
    """Seconds between two ends; -1 stands for what is before the beginning of a tour or behind its end: nothing."""
    if first < 0 or second < 0:
        return 0.0
    for choice in range(ways.near.shape[1]):
        if ways.near[first, choice] == second:
            return float(ways.seconds[first, choice])
        if ways.near[second, choice] == first:
            return float(ways.seconds[second, choice])
    x, y = ways.ends[first, 0] - ways.ends[second, 0], ways.ends[first, 1] - ways.ends[second, 1]
    return float(ways.lift + ways.pace * np.sqrt(x * x + y * y))


@kernel
def travel(ways: Ways, tour: Tour) -> float:
    """Seconds between the strokes of a tour."""
    total = 0.0
    for place in range(1, len(tour) - 1, 2):
        total += distance(ways, tour[place], tour[place + 1])
    return total


@kernel
def search(ways: Ways, tour: Tour, kicks: FloatArray) -> float:
    """Shorten a tour, in place; its length.

    First until no turn and no move of a short piece helps. Then each row of ``kicks``, four numbers from 0 to 1, swaps
    two pieces at random, the tour is improved again around them, and kept if it did not become longer.
    """
    places = np.empty(len(tour), np.int64)
    for place in range(len(tour)):
        places[tour[place]] = place
    stale = np.ones(len(tour), np.bool_)
    improve(ways, tour, places, stale)
    length = travel(ways, tour)
    best, best_places = tour.copy(), places.copy()
    for row in range(len(kicks)):
        kick(tour, places, stale, kicks[row])
        improve(ways, tour, places, stale)
        found = travel(ways, tour)
        if found <= length:
            length = found
            best[:], best_places[:] = tour, places
        else:
            tour[:], places[:] = best, best_places
    return length


@kernel
def kick(tour: Tour, places: Tour, stale: BoolArray, numbers: FloatArray) -> None:
    """Swap two pieces that lie side by side: somewhere in the tour, between three places not far from each other."""
    strokes = len(tour) // 2
    start = int(numbers[0] * strokes)
    cuts = (numbers[1:] * KICK).astype(np.int64) + start
    first, second, third = np.sort(cuts % (strokes + 1)) * 2
    swap(tour, places, first, second, third)
    for place in (first, first + third - second, third):
        for end in (place - 1, place):
            if 0 <= end < len(tour):
                stale[tour[end]] = True


@kernel
def improve(ways: Ways, tour: Tour, places: Tour, stale: BoolArray) -> None:
    """Turn and move pieces of a tour until that no longer makes it shorter around any stale end."""
    busy = True
    while busy:
        busy = False
        for end in range(len(tour)):
            if stale[end]:
                stale[end] = False
                busy = improve_at(ways, tour, places, stale, end) or busy


@kernel
def improve_at(ways: Ways, tour: Tour, places: Tour, stale: BoolArray, end: int) -> bool:
    """Join an end to one that is nearer than that it is joined to, if that makes the tour shorter; whether it did."""
    changed = False
    for nearest in range(ways.near.shape[1]):
        other, joined = ways.near[end, nearest], beside(tour, places[end])
        if other < 0:
            break
        if joined >= 0 and distance(ways, end, other) >= distance(ways, end, joined):
            break  # and so are those further away
        if (places[end] ^ places[other]) & 1 == 0:
            changed = turn_between(ways, tour, places, stale, end, other) or changed
        for strokes in range(1, LONGEST + 1):
            if beside(tour, places[end]) != other:
                changed = move_beside(ways, tour, places, stale, end, other, strokes) or changed
    return changed


@kernel
def beside(tour: Tour, place: int) -> int:
    """The end that the one at a place is joined to by travel; -1 if there is none."""
    other = place + 1 if place & 1 else place - 1
    return int(tour[other]) if 0 <= other < len(tour) else -1


@kernel
def turn_between(ways: Ways, tour: Tour, places: Tour, stale: BoolArray, one: int, other: int) -> bool:
    """Join two ends that are both left, or both arrived at, by turning what is between them (2-opt), if that gains."""
    p, q = places[one], places[other]
    if p > q:
        p, q = q, p
    b, d = beside(tour, p), beside(tour, q)
    gain = distance(ways, tour[p], b) + distance(ways, tour[q], d) - distance(ways, one, other) - distance(ways, b, d)
    if gain <= GAIN:
        return False
    first, last = (p + 1, q) if p & 1 else (p, q - 1)
    turn(tour, places, first, last)
    for place in range(max(first - 1, 0), min(last + 2, len(tour))):
        stale[tour[place]] = True  # all that were turned: ends that were left are arrived at now
    return True


@kernel
def move_beside(ways: Ways, tour: Tour, places: Tour, stale: BoolArray, one: int, other: int, strokes: int) -> bool:
    """Join two ends by moving some strokes, of which ``other`` is the first or last end, to ``one`` (or-opt)."""
    p, q = places[one], places[other]
    first, last = (q - 2 * strokes + 1, q) if q & 1 else (q, q + 2 * strokes - 1)
    if first < 0 or last >= len(tour) or first <= p <= last:
        return False
    far = tour[first] if q & 1 else tour[last]
    before, after, next_to = beside(tour, first), beside(tour, last), beside(tour, p)
    if next_to >= 0 and first <= places[next_to] <= last:
        return False  # it would be put where it is
    gain = distance(ways, before, tour[first]) + distance(ways, tour[last], after) + distance(ways, one, next_to)
    gain -= distance(ways, before, after) + distance(ways, one, other) + distance(ways, far, next_to)
    if gain <= GAIN:
        return False
    gap = p + 1 if p & 1 else p  # the strokes come to stand before this place
    if last < gap:
        swap(tour, places, first, last + 1, gap)
    else:
        swap(tour, places, gap, first, last + 1)
    if beside(tour, places[one]) != other:
        turn(tour, places, min(places[far], places[other]), max(places[far], places[other]))
    for end in (one, before, after, next_to):
        if end >= 0:
            stale[end] = True
    for place in range(min(places[far], places[other]), max(places[far], places[other]) + 1):
        stale[tour[place]] = True
    return True


@kernel
def turn(tour: Tour, places: Tour, first: int, last: int) -> None:
    """Turn the piece from one place to another around."""
    while first < last:
        tour[first], tour[last] = tour[last], tour[first]
        places[tour[first]], places[tour[last]] = first, last
        first, last = first + 1, last - 1


@kernel
def swap(tour: Tour, places: Tour, first: int, second: int, third: int) -> None:
    """Swap the pieces from the first place to the second and from there to the third, which both exclude."""
    turn(tour, places, first, second - 1)
    turn(tour, places, second, third - 1)
    turn(tour, places, first, third - 1)
