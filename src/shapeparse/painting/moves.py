"""A plan as the machine runs it, one move after another. All formats are written of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from .strokes import Stroke

if TYPE_CHECKING:
    from .plan import PaintPlan

Point = tuple[float, float]
Way = Literal["travel", "lead", "step", "stroke"]
"""With the brush up: ``travel``, or ``lead`` along the line of a stroke at its speed. With the brush down: a
``stroke``, or a ``step`` from one to the next."""


class Move(NamedTuple):
    """Where the brush's centre goes to, in pixels of the image, y down, and how."""

    x: float
    y: float
    way: Way
    stroke: int
    """The stroke that it is, leads to or comes from; -1 for the ways from the start and home."""
    seconds: float
    """When it is done; lowering the brush for a stroke, lifting it again, and turning into it count for the stroke."""

    @property
    def down(self) -> bool:
        """Whether the brush is down on the way."""
        return self.way in ("step", "stroke")

    @property
    def slow(self) -> bool:
        """Whether it goes at the speed of strokes."""
        return self.way != "travel"


def moves_of(plan: PaintPlan) -> list[Move]:
    """The moves of a plan. The first one goes nowhere: it says where the brush is, at the start if there is one, else
    where the first stroke begins."""
    settings = plan.settings
    up, down = settings.pixels_a_second(False), settings.pixels_a_second(True)
    found: list[Move] = []
    seconds, here = 0.0, None
    for (x, y), way, place in _ways(plan):
        seconds += math.dist(here or (x, y), (x, y)) / (up if way == "travel" else down)
        if way == "stroke":
            seconds += settings.lift_time if plan.strokes[place].via is None else settings.turn_time
        found.append(Move(x, y, way, place, seconds))
        here = (x, y)
    return found


def _ways(plan: PaintPlan) -> Iterator[tuple[Point, Way, int]]:
    settings, strokes, here = plan.settings, plan.strokes, None
    if settings.start is not None and strokes:
        here = plan.at(settings.start)
        yield here, "travel", -1
    for place, stroke in enumerate(strokes):
        begin, end = stroke[:2], stroke[2:4]
        if stroke.via is None:
            before = _beyond(stroke, begin, -settings.lead_in)
            if before != here:
                yield before, "travel", place
            if before != begin:
                yield begin, "lead", place
        else:
            for corner in dict.fromkeys((stroke.via, begin)):
                if corner != here:
                    yield corner, "step", place
        yield end, "stroke", place
        here = end
        if place + 1 == len(strokes) or strokes[place + 1].via is None:
            here = _beyond(stroke, end, settings.lead_out)
            if here != end:
                yield here, "lead", place
    if settings.home is not None and strokes:
        yield plan.at(settings.home), "travel", -1


def _beyond(stroke: Stroke, end: Point, distance: float) -> Point:
    """The place so far from an end of a stroke, along its direction; a dab has none."""
    if not distance or not stroke.length:
        return end
    share = distance / stroke.length
    return end[0] + share * (stroke.x2 - stroke.x1), end[1] + share * (stroke.y2 - stroke.y1)
