"""The plain text in which Fields2Cover (version 2) saves and loads a path: a line a state, eight numbers each.

    x y z angle velocity length direction type

A state begins at x, y, z, faces ``angle`` (radians, counter-clockwise from x), and goes ``length`` that way at
``velocity``. ``direction`` is 1, forward; ``type`` is 1 for a swath, a stroke with the brush down, and 2 for a turn,
here the straight way to the next stroke with the brush up. There is no place for comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...grammar import FloatArray
from ..frames import Frame, headings, plain
from ..georeference import Affine

if TYPE_CHECKING:
    from ..plan import PaintPlan

FORWARD = 1
SWATH, TURN = 1, 2


def write(plan: PaintPlan, world: Affine | None) -> str:
    """The path of a plan: in metres with a scale, in pixels without, or in the coordinates of a world file."""
    frame = Frame.of(plan, "m", world)
    swaths = _states(plan, frame, plan.lines, down=True)
    turns = [*_states(plan, frame, plan.travels, down=False), ""]
    moves = [*(plan.travels[:, :2] != plan.travels[:, 2:]).any(axis=1).tolist(), False]
    lines = []
    for swath, turn, moved in zip(swaths, turns, moves, strict=False):
        lines += [swath, turn] if moved else [swath]
    return "".join(f"{line}\n" for line in lines)


def _states(plan: PaintPlan, frame: Frame, pixels: FloatArray, down: bool) -> list[str]:
    lines = frame.lines(pixels)
    lengths = np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1])
    speed = f"{plan.settings.pixels_a_second(down) * frame.pixel:.9g}"
    kind = SWATH if down else TURN
    return [
        f"{frame.number(x)} {frame.number(y)} 0 {plain(angle, 9)} {speed} {frame.number(length)} {FORWARD} {kind}"
        for (x, y), angle, length in zip(lines[:, :2].tolist(), headings(lines).tolist(), lengths.tolist(), strict=True)
    ]
