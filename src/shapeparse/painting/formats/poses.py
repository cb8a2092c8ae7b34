"""CSV poses: a row for every place that the brush's centre goes to, with how it gets there."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import numpy as np

from ...grammar import FloatArray
from ..frames import Frame, headings, plain
from ..georeference import Affine

if TYPE_CHECKING:
    from ..plan import PaintPlan

COLUMNS = ("x", "y", "heading", "brush", "speed", "seconds", "stroke", "rectangle")


def write(plan: PaintPlan, world: Affine | None) -> str:
    """A row for every move: to the beginning of a stroke with the brush up (``brush`` 0), to its end with the brush
    down (1), and on to the next stroke with the brush down where it is not lifted.

    ``heading`` is the direction of the way in degrees, counter-clockwise from x, and of the coming one if the brush is
    up; ``speed`` is that on the way to the pose, and ``seconds`` when it is reached, lifting included.
    """
    settings, frame = plan.settings, Frame.of(plan, plan.settings.length_unit, world)
    angles = np.degrees(headings_of(plan, frame)).tolist()
    speeds = {slow: f"{settings.pixels_a_second(slow) * frame.pixel:.9g}" for slow in (False, True)}
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for move, (x, y), angle in zip(plan.moves, frame.points(plan.places).tolist(), angles, strict=True):
        owner = plan.strokes[move.stroke].rectangle if move.stroke >= 0 else -1
        heading = plain(round(angle, 3) % 360)
        speed, brush = speeds[move.slow], int(move.down)
        table.writerow(
            [frame.number(x), frame.number(y), heading, brush, speed, plain(move.seconds), move.stroke, owner]
        )
    return text.getvalue()


def headings_of(plan: PaintPlan, frame: Frame) -> FloatArray:
    """The direction at every move, in radians: that of the way with the brush down that leads there or begins there."""
    points = frame.points(plan.places)
    ways = headings(np.concatenate([points[:-1], points[1:]], axis=1))
    angles, down = np.zeros(len(points)), np.array([move.down for move in plan.moves], bool)
    angles[1:][down[1:]] = ways[down[1:]]
    ahead = np.flatnonzero(~down[:-1])  # the brush is up: it looks along the coming way, and travel along its own
    angles[ahead] = ways[ahead]
    return angles
