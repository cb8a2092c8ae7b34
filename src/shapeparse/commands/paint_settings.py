"""What is typed after ``shapeparse paint``, checked and brought to pixels: lengths with units, places, corners."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..painting import ExportSettings, PaintSettings
from ..painting.formats.gcode import Commands
from ..painting.formats.ros import RosSettings
from ..support.errors import UserError
from ..support.text import one_line
from .painting import Beside, Settings
from .viewing import view_of

if TYPE_CHECKING:
    from .paint import Args


def settings_of(args: Args) -> Settings:
    """The settings that the arguments ask for; UserError says what is wrong with them."""
    if not args.formats:
        raise UserError("No formats were given; name at least one, such as --formats gcode.")
    view = view_of(args)
    scale = args.scale if view.plane is None else view.plane.scale

    def length(option: str, text: str) -> float:
        return pixels(option, text, scale)

    paint = PaintSettings(
        length("--brush", args.brush), args.overlap, length("--margin", args.margin), scale, args.unit, args.order,
        args.stroke_speed, args.travel_speed, args.lift_time, args.turn_time, args.join, args.plan, args.coverage,
        args.waste, length("--overrun", args.overrun), length("--lead-in", args.lead_in),
        length("--lead-out", args.lead_out), length("--smallest-segment", args.smallest_segment),
        place("--start", args.start, scale), place("--home", args.home, scale),
    )  # fmt: skip
    island = length("--smallest-island", args.smallest_island)
    if not 0 <= island < 1e9:
        raise UserError(f"--smallest-island is {args.smallest_island!a}; give the side of a square, such as 20px.")
    return Settings(
        paint, export_of(args), args.formats, args.depth, args.threshold, args.rectangles, args.price, args.input_kind,
        view, angle_of(args.angle), island,
    )  # fmt: skip


def export_of(args: Args) -> ExportSettings:
    """What only some formats need to know."""
    corner = place("--workpiece", args.workpiece, 1.0) or (0.0, 0.0)
    commands = Commands(
        args.brush_up, args.brush_down, args.gcode_header, args.gcode_footer, args.work_offset, args.dwell, corner
    )
    x, y, z = (metres("--tcp", word) for word in words("--tcp", args.tcp, 3))
    ros = RosSettings(
        args.ros_frame, metres("--surface-z", args.surface_z), metres("--approach", args.approach), args.tool_z,
        (x, y, z),
    )  # fmt: skip
    return ExportSettings(crs=args.crs, commands=commands, ros=ros)


def beside_of(args: Args) -> Beside:
    """The files that belong to the inputs."""
    if args.mask is not None and args.mask_dir is not None:
        raise UserError("Both --mask and --mask-dir were given; give one of them.")
    for name, folder in (("--mask-dir", args.mask_dir), ("--image-dir", args.image_dir)):
        if folder is not None and not folder.is_dir():
            raise UserError(f"{one_line(folder)} is not a folder; give {name} the folder of the files.")
    for name, file in (("--world", args.world), ("--keep-out", args.keep_out), ("--region", args.region)):
        if file is not None and not file.exists():
            kind = "a world file, or a folder of them" if name == "--world" else "a mask, a GeoJSON or an SVG file"
            raise UserError(f"There is no {one_line(file)}; give {name} {kind}.")
    return Beside(args.mask or args.mask_dir, args.image_dir, args.world, args.keep_out, args.region)


def pixels(option: str, text: str, scale: float | None) -> float:
    """A length that was typed, such as 12, 12px, 60mm or 0.06m, in pixels."""
    number, unit = _length(option, text, "12px, or 60mm with a --scale")
    if unit in ("", "px"):
        return number
    if scale is None or not scale > 0:
        raise UserError(f"{option} is {text!a}, but a pixel has no size; give --scale in millimetres per pixel.")
    return number * (1000 if unit == "m" else 1) / scale


def metres(option: str, text: str) -> float:
    """A length of the robot's, such as 50mm or 0.05m, in metres."""
    number, unit = _length(option, text, "50mm or 0.05m")
    if unit == "px":
        raise UserError(f"{option} is {text!a}; give a length of the robot's, such as 50mm or 0.05m.")
    return number * (0.001 if unit in ("", "mm") else 1)


def _length(option: str, text: str, example: str) -> tuple[float, str]:
    found = re.fullmatch(r"\s*(\S+?)\s*(px|mm|m|)\s*", text)
    try:
        return float(found[1] if found else text), found[2] if found else ""
    except ValueError as error:
        raise UserError(f"{option} is {text!a}; give a length such as {example}.") from error


def words(option: str, text: str, count: int) -> list[str]:
    """So many words with commas between them; a unit behind the last one counts for those without one."""
    found = [word.strip() for word in text.split(",")]
    if len(found) != count:
        example = ",".join(["10", "20", "30"][:count])
        raise UserError(f"{option} is {text!a}; give {count} lengths with commas between them, such as {example}mm.")
    unit = re.search(r"(px|mm|m)$", found[-1])
    return [word if re.search(r"[a-z]$", word) or unit is None else word + unit[1] for word in found]


def place(option: str, text: str | None, scale: float | None) -> tuple[float, float] | None:
    """A place that was typed, such as 0,0 or 100,50mm, in pixels."""
    if text is None:
        return None
    x, y = (pixels(option, word, scale) for word in words(option, text, 2))
    return x, y


def angle_of(text: str) -> float | None:
    """Degrees; None for auto."""
    if text == "auto":
        return None
    try:
        degrees = float(text)
    except ValueError as error:
        raise UserError(f"--angle is {text!a}; give degrees, or auto.") from error
    if not -90 <= degrees <= 90:
        raise UserError(f"--angle is {text}; give degrees from -90 to 90, or auto.")
    return degrees
