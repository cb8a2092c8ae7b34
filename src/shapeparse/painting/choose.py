"""Which plan is the quickest: rectangles, rows or boustrophedon cells, all with the brush down as long as it may be.

Rows and cells are tried along x and along y. Rectangles are those of the tree, if there is one, and the best for the
brush (``brush_tree``) at several weights of missed paint. Of the plans that reach the coverage and stay below the
waste, the quickest is chosen. All of them are told, whichever it is.

Unless a waste is given, a part that can be painted exactly must be: if any plan paints all that is wanted and nothing
else, only such plans meet the limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..grammar import BoolArray, FloatArray, ParseTree
from ..support.errors import UserError
from .brush_tree import tree_for_brush
from .cells import cell_by_cell
from .clearance import extended, kept_out, patched
from .measure import measure
from .plan import Metrics, PaintPlan, ordered, rectangles_of
from .plane import Turn
from .rows import row_by_row, turned
from .settings import PLANS, Kind, PaintSettings
from .strokes import MOST_STROKES, Stroke, cover, footprints

LIFTED = "rows, lifted"
"""What rows are when the brush is lifted after every stroke: what one would do without planning."""
MISSED = (8.0, 16.0, 32.0, 64.0, 128.0)
"""Weights of missed paint: the first with which the rectangles reach the coverage is used."""
WASTED = 1.0
LIFTS = (0.5, 1.0)
"""Shares of the lift time that a rectangle costs in the search; the quicker plan counts."""
MOST_CORNERS = 64
"""A mask with no more corners is one of rectangles, and may be painted exactly."""
ROUNDING = 1e-9

Sketch = tuple[FloatArray, list[Stroke]]
"""Rectangles and the strokes over them, not yet in an order."""


@dataclass(frozen=True, eq=False)
class Part:
    """What is to be painted."""

    wanted: BoolArray
    name: str = ""
    tree: ParseTree | None = None
    """A parse tree of just this, if there is one: its own rectangles are tried, too."""
    kept_out: BoolArray | None = None
    """What the brush must not touch."""
    turn: Turn | None = None
    """How the part's frame is turned against the image; all masks are in the turned frame."""

    def plan(self, settings: PaintSettings, kind: Kind, sketch: Sketch, strokes: Sequence[Stroke]) -> PaintPlan:
        """A plan of it."""
        height, width = self.wanted.shape
        return PaintPlan(self.name, width, height, settings, sketch[0], tuple(strokes), self.tree, kind, self.turn)


@dataclass(frozen=True, eq=False)
class Choice:
    """The plan that was chosen, and the figures of all that were made, by their kind."""

    plan: PaintPlan
    plans: dict[str, PaintPlan]
    ways: dict[str, Metrics]


def choose_plan(part: Part, settings: PaintSettings, compare: bool = False, most: int = MOST_STROKES) -> Choice:
    """The quickest plan of the kinds that the settings allow; UserError if none meets their limits.

    To ``compare``, plans of the other kinds are made as well. No plan has more than ``most`` strokes.
    """
    _check_part(part, settings)
    allowed = PLANS if settings.plan == "auto" else (settings.plan,)
    kinds = PLANS if compare else allowed
    plans: dict[str, PaintPlan] = {
        kind: plan for kind in kinds if (plan := best_of_kind(part, settings, kind, most)) is not None
    }
    ways = {kind: plan.metrics(part.wanted) for kind, plan in plans.items()}
    open_ways: dict[str, Metrics] = {kind: ways[kind] for kind in allowed if kind in ways}
    chosen = quickest(open_ways, settings)
    if chosen is None or not _within(ways[chosen], settings):
        raise UserError(_unreached(settings, open_ways, most))
    lifted = lifted_rows(part, settings, most)
    if lifted is not None:
        ways[LIFTED] = lifted.metrics(part.wanted)
    others = {} if lifted is None else {LIFTED: lifted}
    return Choice(plans[chosen], {**plans, **others}, ways)


def best_of_kind(part: Part, settings: PaintSettings, kind: Kind, most: int = MOST_STROKES) -> PaintPlan | None:
    """The best plan of a kind: the quickest that meets the limits, or if none does, that which covers most.

    None if any would take too many strokes.
    """
    sketches = [sketch for sketch in _SKETCHES[kind](part, settings) if len(sketch[1]) <= most]
    plans = [part.plan(settings, kind, sketch, ordered(sketch[1], settings)) for sketch in sketches]
    best = quickest({place: plan.metrics(part.wanted) for place, plan in enumerate(plans)}, settings)
    return None if best is None else plans[best]


def quickest(ways: dict[Any, Metrics], settings: PaintSettings) -> Any:
    """The key of the quickest plan that meets the limits, or if none does, of that which covers most."""
    good = [key for key, metrics in ways.items() if _within(metrics, settings)]
    if not good:
        return max(ways, key=lambda key: ways[key]["coverage"] or 0.0, default=None)
    exact = [] if settings.waste is not None else [key for key in good if is_exact(ways[key])]
    return min(exact or good, key=lambda key: _seconds(ways[key]))


def least_seconds(part: Part, settings: PaintSettings) -> float:
    """No plan takes less time: the area that must be covered, in strokes as wide as the brush, at their speed."""
    area = settings.coverage * np.count_nonzero(part.wanted)
    return float(max(area / settings.brush - settings.brush, 0.0) / settings.pixels_a_second(True))


def lifted_rows(part: Part, settings: PaintSettings, most: int = MOST_STROKES) -> PaintPlan | None:
    """Rows along x from top to bottom, with a lift after every stroke; None if they are too many."""
    sketch = _finished(row_by_row(part.wanted, settings), part, settings, patch=False)
    if len(sketch[1]) > most:
        return None
    return part.plan(replace(settings, join=False), "rows", sketch, sketch[1])


def _row_sketches(part: Part, settings: PaintSettings) -> Iterator[Sketch]:
    yield _finished(row_by_row(part.wanted, settings), part, settings)
    yield _finished(turned(row_by_row(part.wanted.T, settings)), part, settings)


def _cell_sketches(part: Part, settings: PaintSettings) -> Iterator[Sketch]:
    yield _finished(cell_by_cell(part.wanted, settings), part, settings)
    yield _finished(turned(cell_by_cell(part.wanted.T, settings)), part, settings)


def _rectangle_sketches(part: Part, settings: PaintSettings) -> Iterator[Sketch]:
    if part.tree is not None:
        yield _covered(part.tree, part, settings)
    plain = replace(settings, margin=0.0)  # what is wanted is at that distance already
    if corners_of(part.wanted) <= MOST_CORNERS:
        yield _covered(tree_for_brush(part.wanted, plain, MISSED[-1], MISSED[-1], 1.0), part, plain)
    for lift in LIFTS:
        for missed in MISSED:
            sketch = _covered(tree_for_brush(part.wanted, plain, missed, WASTED, lift), part, plain)
            if _coverage(sketch[1], part.wanted) >= settings.coverage - ROUNDING:
                yield sketch
                break
        else:
            yield sketch


def _covered(tree: ParseTree, part: Part, settings: PaintSettings) -> Sketch:
    rectangles = rectangles_of(tree, settings)
    try:
        strokes = cover(rectangles, settings)
    except UserError:  # too many
        return rectangles, [Stroke(0, 0, 0, 0, settings.brush, -1)] * (MOST_STROKES + 1)
    return _finished(strokes, part, settings, rectangles)


def _finished(
    strokes: list[Stroke], part: Part, settings: PaintSettings, rectangles: FloatArray | None = None, patch: bool = True
) -> Sketch:
    """Strokes with their overrun, out of the zone, and without those that are too short."""
    strokes = extended(strokes, settings.overrun) if settings.overrun else strokes
    if part.kept_out is not None and len(strokes) <= MOST_STROKES:
        strokes = kept_out(strokes, part.kept_out)
        strokes = patched(strokes, part.wanted, part.kept_out, settings) if patch else strokes
    if settings.smallest:
        strokes = [stroke for stroke in strokes if stroke.length + stroke.width >= settings.smallest]
    return (np.empty((0, 4)) if rectangles is None else rectangles), strokes


_SKETCHES: dict[Kind, Callable[[Part, PaintSettings], Iterator[Sketch]]] = {
    "rectangles": _rectangle_sketches,
    "rows": _row_sketches,
    "cells": _cell_sketches,
}


def _coverage(strokes: Sequence[Stroke], wanted: BoolArray) -> float:
    return measure(footprints(strokes), np.empty((0, 4)), wanted).wanted / max(int(np.count_nonzero(wanted)), 1)


def corners_of(wanted: BoolArray) -> int:
    """How many corners the outlines of a mask have."""
    padded = np.pad(wanted, 1).astype(np.int8)
    square = padded[1:, 1:] + padded[1:, :-1] + padded[:-1, 1:] + padded[:-1, :-1]
    across = (square == 2) & (padded[1:, 1:] == padded[:-1, :-1])
    return int(((square == 1) | (square == 3)).sum() + 2 * across.sum())


def _seconds(metrics: Metrics) -> float:
    return metrics["seconds"] or 0.0


def is_exact(metrics: Metrics) -> bool:
    """Whether a plan paints all that is wanted and nothing else."""
    return (metrics["coverage"] or 0.0) >= 1 - ROUNDING and (metrics["waste"] or 0.0) <= ROUNDING


def _within(metrics: Metrics, settings: PaintSettings) -> bool:
    covered, wasted = metrics["coverage"], metrics["waste"]
    assert covered is not None
    assert wasted is not None
    allowed = 1.0 if settings.waste is None else settings.waste
    return covered >= settings.coverage - ROUNDING and wasted <= allowed + ROUNDING


def _check_part(part: Part, settings: PaintSettings) -> None:
    if not part.wanted.any():
        return
    h, w = (int(np.ptp(np.flatnonzero(part.wanted.any(axis=axis)))) + 1 for axis in (1, 0))
    if settings.brush > max(w, h):
        raise UserError(
            f"The brush of {settings.told(settings.brush)} is larger than the part, {settings.told(w)} x "
            f"{settings.told(h)}; give a narrower brush."
        )


def _unreached(settings: PaintSettings, ways: dict[str, Metrics], most: int) -> str:
    if not ways:
        return (
            f"Painting this takes more than the {most:,} strokes that are planned, with a brush of "
            f"{settings.told(settings.brush)}; give a wider brush."
        )
    kind = max(ways, key=lambda name: ways[name]["coverage"] or 0.0)
    covered, wasted = ways[kind]["coverage"] or 0.0, ways[kind]["waste"] or 0.0
    if covered < settings.coverage - ROUNDING:
        return (
            f"A coverage of {settings.coverage:.4g} cannot be reached: the best plan ({kind}) covers {covered:.4f}; "
            "give a lower coverage or a narrower brush."
        )
    return (
        f"No plan that covers {settings.coverage:.4g} wastes at most {settings.waste or 0.0:.4g} of the paint: {kind} "
        f"waste {wasted:.4f}; give a higher waste, a lower coverage or a narrower brush."
    )
