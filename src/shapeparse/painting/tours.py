"""Hot loops over the order of strokes, as Numba kernels; uncompiled (``.py_func``), each is its own twin.

Stroke k has the ends 2k and 2k + 1. A tour is an array of all ends in the order in which they are met, so the two ends
of a stroke stand side by side, at an even and the following odd place, and the stroke goes from the first to the
second. What counts is the travel: the steps from an odd place to the even one after it.

Turning a piece of the tour around turns its strokes around as well, and costs nothing inside it. A search also keeps
the ``places`` of the ends in the tour, and which are ``stale``: what they are joined to, or whether they are arrived at
or left, has changed since they were looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba as nb
import numpy as np
import numpy.typing as npt

from ..grammar import BoolArray, FloatArray

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


@kernel
def nearest_tour(ends: FloatArray, start: int) -> Tour:
    """From the end ``start`` along its stroke, and on to the nearest end of a stroke that is left, again and again."""
    count = len(ends)
    tour = np.empty(count, np.int64)
    left = np.ones(count, np.bool_)
    here = start
    for place in range(0, count, 2):
        tour[place], tour[place + 1] = here, here ^ 1
        left[here] = left[here ^ 1] = False
        x, y = ends[here ^ 1, 0], ends[here ^ 1, 1]
        best = np.inf
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
def distance(ends: FloatArray, first: int, second: int) -> float:
    """How far two ends are apart; -1 stands for what is before the beginning of a tour or behind its end: nothing."""
    if first < 0 or second < 0:
        return 0.0
    return float(np.sqrt((ends[first, 0] - ends[second, 0]) ** 2 + (ends[first, 1] - ends[second, 1]) ** 2))


@kernel
def travel(ends: FloatArray, tour: Tour) -> float:
    """Length of the way with the brush up."""
    total = 0.0
    for place in range(1, len(tour) - 1, 2):
        total += distance(ends, tour[place], tour[place + 1])
    return total


@kernel
def search(ends: FloatArray, tour: Tour, near: Tour, kicks: FloatArray) -> float:
    """Shorten a tour, in place; its length.

    First until no turn and no move of a short piece helps. Then each row of ``kicks``, four numbers from 0 to 1, swaps
    two pieces at random, the tour is improved again around them, and kept if it did not become longer.
    """
    places = np.empty(len(tour), np.int64)
    for place in range(len(tour)):
        places[tour[place]] = place
    stale = np.ones(len(tour), np.bool_)
    improve(ends, tour, places, stale, near)
    length = travel(ends, tour)
    best, best_places = tour.copy(), places.copy()
    for row in range(len(kicks)):
        kick(tour, places, stale, kicks[row])
        improve(ends, tour, places, stale, near)
        found = travel(ends, tour)
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
def improve(ends: FloatArray, tour: Tour, places: Tour, stale: BoolArray, near: Tour) -> None:
    """Turn and move pieces of a tour until that no longer makes it shorter around any stale end."""
    busy = True
    while busy:
        busy = False
        for end in range(len(tour)):
            if stale[end]:
                stale[end] = False
                busy = improve_at(ends, tour, places, stale, near, end) or busy


@kernel
def improve_at(ends: FloatArray, tour: Tour, places: Tour, stale: BoolArray, near: Tour, end: int) -> bool:
    """Join an end to one that is nearer than that it is joined to, if that makes the tour shorter; whether it did."""
    changed = False
    for nearest in range(near.shape[1]):
        other, joined = near[end, nearest], beside(tour, places[end])
        if joined >= 0 and distance(ends, end, other) >= distance(ends, end, joined):
            break  # and so are those further away
        if (places[end] ^ places[other]) & 1 == 0:
            changed = turn_between(ends, tour, places, stale, end, other) or changed
        for strokes in range(1, LONGEST + 1):
            if beside(tour, places[end]) != other:
                changed = move_beside(ends, tour, places, stale, end, other, strokes) or changed
    return changed


@kernel
def beside(tour: Tour, place: int) -> int:
    """The end that the one at a place is joined to by travel; -1 if there is none."""
    other = place + 1 if place & 1 else place - 1
    return int(tour[other]) if 0 <= other < len(tour) else -1


@kernel
def turn_between(ends: FloatArray, tour: Tour, places: Tour, stale: BoolArray, one: int, other: int) -> bool:
    """Join two ends that are both left, or both arrived at, by turning what is between them (2-opt), if that gains."""
    p, q = places[one], places[other]
    if p > q:
        p, q = q, p
    b, d = beside(tour, p), beside(tour, q)
    gain = distance(ends, tour[p], b) + distance(ends, tour[q], d) - distance(ends, one, other) - distance(ends, b, d)
    if gain <= GAIN:
        return False
    first, last = (p + 1, q) if p & 1 else (p, q - 1)
    turn(tour, places, first, last)
    for place in range(max(first - 1, 0), min(last + 2, len(tour))):
        stale[tour[place]] = True  # all that were turned: ends that were left are arrived at now
    return True


@kernel
def move_beside(
    ends: FloatArray, tour: Tour, places: Tour, stale: BoolArray, one: int, other: int, strokes: int
) -> bool:
    """Join two ends by moving some strokes, of which ``other`` is the first or last end, to ``one`` (or-opt)."""
    p, q = places[one], places[other]
    first, last = (q - 2 * strokes + 1, q) if q & 1 else (q, q + 2 * strokes - 1)
    if first < 0 or last >= len(tour) or first <= p <= last:
        return False
    far = tour[first] if q & 1 else tour[last]
    before, after, next_to = beside(tour, first), beside(tour, last), beside(tour, p)
    if next_to >= 0 and first <= places[next_to] <= last:
        return False  # it would be put where it is
    gain = distance(ends, before, tour[first]) + distance(ends, tour[last], after) + distance(ends, one, next_to)
    gain -= distance(ends, before, after) + distance(ends, one, other) + distance(ends, far, next_to)
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
