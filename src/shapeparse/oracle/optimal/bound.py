"""A certified bound: an accuracy that no tree of at most so many rectangles exceeds, over all pixel lines.

At any price, the relaxed least cost (``bound_kernels``) minus the price of the rectangles is a bound on the errors. It
starts on few lines; then the strips that the relaxed tree cuts through for free are halved, again and again, since only
they make the bound loose. It holds for every depth and smallest extent, as these only exclude trees.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import bound_kernels
from .search import Lines, Problem, spread

FIRST_GAPS = 16
MOST_GAPS = 64
"""Lines are added until an axis has this many gaps; the time grows with their fifth power."""
FEWEST_TURNS, MOST_TURNS = 6, 12
ROUNDING = 1e-6
"""Added to bounds of masks whose costs float32 does not add exactly."""


def bound_accuracy(problem: Problem, rectangles: int, price: float, most_gaps: int = MOST_GAPS) -> float:
    """No tree of at most so many rectangles has a greater accuracy, true or expected, than this.

    Every price gives a valid bound; ``price`` is only the first. It is raised where the relaxed tree has more
    rectangles, and lowered where it has fewer.
    """
    xs, ys = (_with_borders(problem, axis) for axis in range(2))
    least = 0.0
    for turn in range(MOST_TURNS):
        costs = problem.costs(price)
        table = bound_kernels.relax(problem.sums, costs, xs, ys)
        least = max(least, float(table[0, -1, 0, -1]) - costs.price * rectangles)
        used_x, used_y, leaves = bound_kernels.strips_used(problem.sums, costs, xs, ys, table)
        price *= min(2.0, max(0.5, leaves / rectangles))
        finer_x, finer_y = _halved(xs, used_x), _halved(ys, used_y)
        if max(len(finer_x), len(finer_y)) <= most_gaps + 1:
            xs, ys = finer_x, finer_y
        elif turn >= FEWEST_TURNS:
            break
    exact = problem.size < 2**22
    return min(1.0, problem.ceiling(), 1 - least / problem.size + (0.0 if exact else ROUNDING))


def _with_borders(problem: Problem, axis: int) -> Lines:
    last = problem.box.x1 if axis == 0 else problem.box.y1
    return np.unique(np.concatenate([[0, last], spread(problem, problem.box, axis, FIRST_GAPS - 1)])).astype(np.int64)


def _halved(lines: Lines, used: npt.NDArray[np.bool_]) -> Lines:
    """The lines, and one in the middle of every strip that is used and wider than a pixel."""
    middle = (lines[:-1] + lines[1:]) // 2
    return np.union1d(lines, middle[used[:-1] & (middle > lines[:-1])])
