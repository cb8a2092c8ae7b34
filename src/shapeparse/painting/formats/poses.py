"""CSV poses: a row for every place that the brush's centre goes to, with how it gets there."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import numpy as np

from ..frames import Frame, headings, plain
from ..georeference import Affine

if TYPE_CHECKING:
    from ..plan import PaintPlan

COLUMNS = ("x", "y", "heading", "brush", "speed", "seconds", "stroke", "rectangle")


def write(plan: PaintPlan, world: Affine | None) -> str:
    """Two rows a stroke: to its beginning with the brush up (``brush`` 0), and to its end with the brush down (1).

    ``heading`` is the direction of the stroke in degrees, counter-clockwise from x; ``speed`` is that on the way to the
    pose, and ``seconds`` when it is reached, from the beginning of the first stroke, lifting included.
    """
    settings, frame = plan.settings, Frame.of(plan, plan.settings.length_unit, world)
    lines = frame.lines(plan.lines)
    angles = np.degrees(headings(lines)).tolist()
    travel = np.concatenate([[0.0], np.hypot(*(plan.travels[:, 2:] - plan.travels[:, :2]).T)])[: len(lines)].tolist()
    up, down = (settings.pixels_a_second(way) for way in (False, True))
    speeds = [f"{way * frame.pixel:.9g}" for way in (up, down)]
    text, seconds = io.StringIO(), 0.0
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for place, stroke in enumerate(plan.strokes):
        x1, y1, x2, y2 = (frame.number(value) for value in lines[place].tolist())
        heading = plain(round(angles[place], 3) % 360)
        seconds += travel[place] / up
        table.writerow([x1, y1, heading, 0, speeds[0], plain(seconds), place, stroke.rectangle])
        seconds += stroke.length / down + settings.lift_time
        table.writerow([x2, y2, heading, 1, speeds[1], plain(seconds), place, stroke.rectangle])
    return text.getvalue()
