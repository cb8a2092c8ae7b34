"""G-code for a plotter or gantry: absolute millimetres, the origin at the lower left corner of the image, y up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...support.errors import UserError
from ...support.text import one_line
from ..frames import Frame, plain

if TYPE_CHECKING:
    from ..plan import PaintPlan


WORK_OFFSETS = ("G54", "G55", "G56", "G57", "G58", "G59")


@dataclass(frozen=True)
class Commands:
    """What a machine is told besides the ways: lines of G-code."""

    up: tuple[str, ...] = ("G0 Z5",)
    """Lift the brush."""
    down: tuple[str, ...] = ("G1 Z0 F600",)
    """Lower it."""
    header: tuple[str, ...] = ()
    """Behind units and mode, before the first move."""
    footer: tuple[str, ...] = ()
    """Behind the last move, before the end of the program."""
    work_offset: str | None = None
    """The workpiece's coordinate system, G54 to G59."""
    dwell: float = 0.0
    """Seconds to wait after the brush was lowered, as G4 P."""
    offset: tuple[float, float] = (0.0, 0.0)
    """Millimetres added to x and y: where the lower left corner of the image lies in the machine's coordinates."""

    def __post_init__(self) -> None:
        for name, lines in (("up", self.up), ("down", self.down)):
            if not lines or not are_lines(lines):
                raise UserError(f"Brush {name} must be one or more lines of G-code; give a command such as M5.")
        for name, lines in (("header", self.header), ("footer", self.footer)):
            if not are_lines(lines):
                raise UserError(f"The {name} must be lines of G-code; give commands such as M8.")
        if self.work_offset is not None and self.work_offset not in WORK_OFFSETS:
            raise UserError(
                f"The work offset is {ascii(self.work_offset)[:40]}; give one of {', '.join(WORK_OFFSETS)}."
            )
        if not 0 <= self.dwell <= 3600:
            raise UserError(f"dwell is {self.dwell}; give seconds from 0 to 3600.")
        if len(self.offset) != 2 or not all(abs(value) <= 1e6 for value in self.offset):
            raise UserError(f"The offset is {self.offset}; give two lengths, x and y.")


def are_lines(lines: tuple[str, ...]) -> bool:
    """Whether each is one line that every machine can read."""
    return all(line.strip() and line.isascii() and line.isprintable() for line in lines)


def write(plan: PaintPlan, commands: Commands) -> str:
    """A program that paints the plan; without a scale, a pixel is taken for a millimetre."""
    settings, frame = plan.settings, Frame.of(plan, "mm").moved(*commands.offset)
    size = frame.pixel
    feed, rapid = (plain(60 * settings.pixels_a_second(down) * size) for down in (True, False))
    scale = f"a pixel is {plain(size, 6)} mm" if settings.scale is not None else "no scale was given: a pixel is 1 mm"
    name = one_line(plan.name)[:60].encode("ascii", "replace").decode() or "plan"  # some machines know ASCII only
    lines = [
        f"; shapeparse: {name}, {len(plan.strokes)} strokes of a square brush of {plain(settings.brush * size)} mm",
        f"; {frame.origin}; {scale}; {plain(plan.width * size)} x {plain(plan.height * size)} mm",
        "G21",
        "G90",
        *([commands.work_offset] if commands.work_offset else []),
        *commands.header,
        *commands.up,
    ]
    lowered = False
    for move, (x, y) in zip(plan.moves, frame.points(plan.places).tolist(), strict=True):
        if move.down != lowered:
            lines += (commands.down + _dwelling(commands)) if move.down else commands.up
        word, speed = ("G1", feed) if move.down or move.slow else ("G0", rapid)
        lines.append(f"{word} X{frame.number(x)} Y{frame.number(y)} F{speed}")
        lowered = move.down
    lines += commands.up if lowered else ()
    return "\n".join([*lines, *commands.footer, "M2", ""])


def _dwelling(commands: Commands) -> tuple[str, ...]:
    return (f"G4 P{plain(commands.dwell)}",) if commands.dwell else ()
