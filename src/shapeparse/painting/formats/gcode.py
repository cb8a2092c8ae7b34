"""G-code for a plotter or gantry: absolute millimetres, the origin at the lower left corner of the image, y up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...support.errors import UserError
from ...support.text import one_line
from ..frames import Frame, plain

if TYPE_CHECKING:
    from ..plan import PaintPlan


@dataclass(frozen=True)
class Commands:
    """What lifts and lowers the brush: lines of G-code."""

    up: tuple[str, ...] = ("G0 Z5",)
    down: tuple[str, ...] = ("G1 Z0 F600",)

    def __post_init__(self) -> None:
        for name, lines in (("up", self.up), ("down", self.down)):
            if not lines or not all(line.strip() and line.isascii() and line.isprintable() for line in lines):
                raise UserError(f"Brush {name} must be one or more lines of G-code; give a command such as M5.")


def write(plan: PaintPlan, commands: Commands) -> str:
    """A program that paints the plan; without a scale, a pixel is taken for a millimetre."""
    settings, frame = plan.settings, Frame.of(plan, "mm")
    size = frame.pixel
    feed, rapid = (plain(60 * settings.pixels_a_second(down) * size) for down in (True, False))
    scale = f"a pixel is {plain(size, 6)} mm" if settings.scale is not None else "no scale was given: a pixel is 1 mm"
    name = one_line(plan.name)[:60].encode("ascii", "replace").decode() or "plan"  # some machines know ASCII only
    lines = [
        f"; shapeparse: {name}, {len(plan.strokes)} strokes of a square brush of {plain(settings.brush * size)} mm",
        f"; {frame.origin}; {scale}; {plain(plan.width * size)} x {plain(plan.height * size)} mm",
        "G21",
        "G90",
        *commands.up,
    ]
    for x1, y1, x2, y2 in frame.lines(plan.lines).tolist():
        lines += [
            f"G0 X{frame.number(x1)} Y{frame.number(y1)} F{rapid}",
            *commands.down,
            f"G1 X{frame.number(x2)} Y{frame.number(y2)} F{feed}",
            *commands.up,
        ]
    return "\n".join([*lines, "M2", ""])
