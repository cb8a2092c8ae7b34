"""The best rectangles for a brush: the exact tree search with the time of painting as the cost.

A leaf that is painted costs the seconds of its strokes in the better direction, with turns and one way there, and
``wasted`` seconds for every pixel that is painted and not wanted. Those beyond a narrow leaf count half: the other half
is taken to fall on its neighbours. A leaf that is skipped costs ``missed`` seconds for every wanted pixel.
"""

from __future__ import annotations

from ..grammar import BoolArray, ParseTree
from ..oracle.optimal.best import problem_of, tree_of
from ..oracle.optimal.kernels import Costs
from ..oracle.optimal.search import refine
from .settings import PaintSettings

GAPS = 20
"""Gaps between the lines of an axis: the plan's cost is flatter than the pixels', so fewer lines will do."""
BEYOND = 0.5
"""The share of what is painted beyond a narrow leaf that counts as wasted."""
TINY = 1e-4
"""Seconds that every leaf costs besides, so that no leaf is cut in vain."""


def tree_for_brush(wanted: BoolArray, settings: PaintSettings, missed: float, wasted: float, lift: float) -> ParseTree:
    """The best tree for a brush.

    ``missed`` and ``wasted`` are in units of the time that it takes to paint a pixel, ``lift`` is the part of the
    lift time that every painted leaf costs: leaves that touch can be joined, so it may be less than 1.
    """
    problem = problem_of(wanted, None, 1, 1.0, 1.0)
    pace = 1 / settings.pixels_a_second(True)
    pixel = pace / settings.pitch
    missed, wasted = missed * pixel / problem.unit, wasted * pixel / problem.unit
    costs = Costs(
        problem.unit, missed, wasted, TINY * settings.lift_time, settings.brush, settings.pitch, pace,
        settings.turn_time, lift * settings.lift_time, BEYOND * wasted,
    )  # fmt: skip
    rows = refine(problem, costs, problem.box, gaps=GAPS)
    return tree_of(rows, problem.box.x1, problem.box.y1)
