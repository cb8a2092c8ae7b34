"""In which order, and in which direction each, the strokes are painted: as little travel as possible with the brush up.

A tour begins and ends wherever it likes. The search begins with the nearest neighbour's tour, or that of the tree if
it is shorter, improves it by turning and moving pieces of it, kicks it out of local optima, and hands it to OR-tools'
guided local search. No step makes the tour longer, and all are deterministic unless the time limit is reached.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..grammar import FloatArray
from . import tours
from .settings import Order
from .tours import Tour

KICKS, LEAST_KICKS, MOST_KICKS = 10, 300, 20_000
"""Attempts to leave a local optimum: so many for each stroke, but at least and at most so many."""
MOST_SOLVED = 60
"""Strokes up to which OR-tools searches on: its work grows with their square."""
SOLUTIONS = 20
"""Tours that OR-tools goes through."""
RESOLUTION = 64
"""OR-tools counts in whole numbers: in this part of a pixel."""


def tour_of(lines: FloatArray, owner: npt.NDArray[np.int64], order: Order, seconds: float) -> Tour:
    """The tour over strokes (x1, y1, x2, y2) of the rectangles ``owner``; see ``tours`` for what a tour is.

    The strokes of a rectangle must stand together, in the order in which they lie side by side.
    """
    if order == "tree":
        return _to_and_fro(owner)
    if order == "raster":
        middle = (lines[:, :2] + lines[:, 2:]) / 2
        rows = np.lexsort((middle[:, 0], middle[:, 1]))
        return _directed(rows, np.arange(len(rows)) % 2)
    ends = lines.reshape(-1, 2)
    if not len(ends):
        return np.empty(0, np.int64)
    nearest = tours.nearest_tour(ends, int(np.argmin(ends.sum(axis=1))))
    return nearest if order == "nearest" else _shortest(ends, [nearest, _to_and_fro(owner)], seconds)


def _to_and_fro(owner: npt.NDArray[np.int64]) -> Tour:
    """The strokes as they are given, every other one of a rectangle backwards."""
    begins = np.concatenate([[True], owner[1:] != owner[:-1]]) if len(owner) else np.empty(0, bool)
    places = np.arange(len(owner))
    back = (places - np.maximum.accumulate(np.where(begins, places, 0))) % 2
    return _directed(places, back)


def _directed(strokes: npt.NDArray[np.int64], back: npt.NDArray[np.int64]) -> Tour:
    """The tour along strokes, those with 1 in ``back`` backwards."""
    return np.stack([2 * strokes + back, 2 * strokes + 1 - back], axis=1).reshape(-1)


def _shortest(ends: FloatArray, begin_with: list[Tour], seconds: float) -> Tour:
    """The best tour that is found from several ones to begin with."""
    best = _best(ends, begin_with)
    if len(ends) > 4:
        count = min(max(KICKS * len(ends) // 2, LEAST_KICKS), MOST_KICKS)
        kicks, found = np.random.default_rng(0).random((count, 4)), best.copy()
        tours.search(ends, found, tours.nearest_ends(ends, tours.NEIGHBOURS), kicks)
        best = _best(ends, [best, found])
    if 4 < len(ends) <= 2 * MOST_SOLVED and seconds > 0:
        best = _best(ends, [best, solve(ends, best, seconds)])
    return best


def _best(ends: FloatArray, found: list[Tour]) -> Tour:
    return min(found, key=lambda tour: tours.travel(ends, tour))  # the first of equals


def solve(ends: FloatArray, tour: Tour, seconds: float) -> Tour:
    """OR-tools' guided local search from a tour on; that tour itself if nothing better is found.

    The ends are the places to visit, and a depot that is near to all of them stands for the free beginning and end.
    The two ends of a stroke are 0 apart, all others by a distance more than they are, which no tour that parts a
    stroke can make up for.
    """
    # Imported here, since it loads slowly.
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2  # type: ignore[import-untyped]

    count = len(ends)
    manager = pywrapcp.RoutingIndexManager(count + 1, 1, count)
    routing = pywrapcp.RoutingModel(manager)
    routing.SetArcCostEvaluatorOfAllVehicles(routing.RegisterTransitMatrix(_costs(ends)))
    search = pywrapcp.DefaultRoutingSearchParameters()
    search.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    search.solution_limit = SOLUTIONS
    search.time_limit.FromMilliseconds(max(1, round(1000 * seconds)))
    routing.CloseModelWithParameters(search)
    start = routing.ReadAssignmentFromRoutes([tour.tolist()], True)
    solution = routing.SolveFromAssignmentWithParameters(start, search)
    if solution is None:
        return tour
    found, index = [], solution.Value(routing.NextVar(routing.Start(0)))
    while not routing.IsEnd(index):
        found.append(manager.IndexToNode(index))
        index = solution.Value(routing.NextVar(index))
    visited = np.array(found, np.int64)
    whole = len(visited) == count and bool((visited[0::2] ^ 1 == visited[1::2]).all())
    return visited if whole else tour


def _costs(ends: FloatArray) -> list[list[int]]:
    """Distances between ends, and last those to the depot, as OR-tools takes them."""
    away = np.hypot(*(ends[:, None] - ends[None]).transpose(2, 0, 1)) * RESOLUTION
    away += away.max()
    first = np.arange(0, len(ends), 2)
    away[first, first + 1] = away[first + 1, first] = 0
    table: list[list[int]] = np.pad(np.rint(away).astype(np.int64), ((0, 1), (0, 1))).tolist()
    return table
