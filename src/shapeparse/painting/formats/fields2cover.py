"""The plain text in which Fields2Cover (version 2) saves and loads a path: a line a state, eight numbers each.

    x y z angle velocity length direction type

A state begins at x, y, z, faces ``angle`` (radians, counter-clockwise from x), and goes ``length`` that way at
``velocity``. ``direction`` is 1, forward; ``type`` is 1 for a swath, a way with the brush down, and 2 for a turn, here
a straight way with the brush up. There is no place for comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..frames import Frame, headings, plain
from ..georeference import Affine

if TYPE_CHECKING:
    from ..plan import PaintPlan

FORWARD = 1
SWATH, TURN = 1, 2


def write(plan: PaintPlan, world: Affine | None) -> str:
    """The path of a plan: in metres with a scale, in pixels without, or in the coordinates of a world file."""
    frame = Frame.of(plan, "m", world)
    points = frame.points(plan.places)
    lines = np.concatenate([points[:-1], points[1:]], axis=1)
    lengths = np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]).tolist()
    speeds = {slow: f"{plan.settings.pixels_a_second(slow) * frame.pixel:.9g}" for slow in (False, True)}
    states = [
        f"{frame.number(x)} {frame.number(y)} 0 {plain(angle, 9)} {speeds[move.slow]} {frame.number(length)} "
        f"{FORWARD} {SWATH if move.down else TURN}\n"
        for (x, y), angle, length, move in zip(
            lines[:, :2].tolist(), headings(lines).tolist(), lengths, plan.moves[1:], strict=True
        )
    ]
    return "".join(states)
