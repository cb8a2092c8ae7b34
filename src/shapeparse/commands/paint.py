"""``shapeparse paint``: trees or photographs to strokes of a brush, in files that machines read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import numpy as np
from tyro.conf import Positional, arg

from ..data.dataset import Skipped
from ..oracle.ready import explained_compiling
from ..painting import PaintSettings, Part, choose_plan
from ..painting.choose import LIFTED, is_exact
from ..painting.formats.gcode import Commands
from ..painting.formats.ros import RosSettings, ToolAxis
from ..painting.plan import Metrics
from ..painting.settings import PLANS, Order, Unit
from ..painting.view import Front, told
from ..parsing.shipped import run_or_pretrained
from ..support import files, progress
from ..support.errors import UserError
from ..support.text import one_line
from .inputs import PLANNED, refuse_overwriting
from .options import Device
from .paint_settings import beside_of, settings_of
from .painting import CHOSEN, Format, Item, Row, Settings, items_of, output_files, plan_item, write
from .strangers import warn_of_strangers
from .summary import MOST_ROWS, as_csv, problems_json
from .viewing import scale_of_markers, view_of

WAYS = (*PLANS, LIFTED, CHOSEN)

if TYPE_CHECKING:  # PyTorch loads slowly, and trees need none
    from ..parsing.parser import Parser

EXAMPLES = """
  shapeparse paint mask.png --brush 12px --out plans
  shapeparse paint trees --brush 60mm --scale 5 --mask-dir masks --out plans
  shapeparse paint photos --model run --brush 12 --formats svg --out plans
  shapeparse paint a.jpg --corners 9,8 99,9 98,70 8,69 --size 60x40mm --out p
"""


@dataclass(frozen=True)
class Args:
    """Plan the strokes of a brush that paint all that is labelled paint.

    Takes masks, parse trees, as `shapeparse decompose` and `parse` write them, or photographs with a trained parser.
    The quickest of three plans is written: rectangles, rows, and boustrophedon cells. The table shows all of them, and
    rows with a lift after every stroke. A number without a unit is in pixels of the image. A file that cannot be used
    is named at the end and does not stop the others; the exit code is then 2.
    """

    inputs: Positional[Annotated[tuple[Path, ...], arg(metavar="MASK|IMAGE|TREE [...]", help_behavior_hint="")]]
    """Masks, photographs or trees (JSON), or folders of them."""
    out: Annotated[Path, arg(metavar="DIR")]
    """Folder for the results; it is made if need be."""
    brush: Annotated[str, arg(metavar="WIDTH")] = "12px"
    """Side of the square brush, as 12px; or as 60mm or 0.06m, if there is a scale."""
    coverage: Annotated[float, arg(metavar="SHARE")] = 0.99
    """Share of what is wanted that must be painted."""
    waste: Annotated[
        float | None, arg(metavar="SHARE", help_behavior_hint="(default: none if a plan can do without, else any)")
    ] = None
    """Share of what is painted that may be unwanted."""
    plan: Literal["auto", "rectangles", "rows", "cells"] = "auto"
    """Auto takes the quickest that meets the limits, and says which."""
    overlap: Annotated[float, arg(metavar="SHARE")] = 0.1
    """Share of the brush by which neighbouring strokes overlap at least."""
    margin: Annotated[str, arg(metavar="DISTANCE")] = "0px"
    """Edge offset: distance to keep from what is not to be painted."""
    keep_out: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """What the brush must not touch: a mask, or polygons in GeoJSON or SVG."""
    region: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """What may be painted at all, in the same kinds of files."""
    smallest_island: Annotated[str, arg(metavar="SIDE")] = "0px"
    """Islands smaller than a square of this side are not painted."""
    smallest_segment: Annotated[str, arg(metavar="LENGTH")] = "0px"
    """Strokes that paint less than this length are left out."""
    overrun: Annotated[str, arg(metavar="LENGTH")] = "0px"
    """How far strokes go on, painting, beyond both ends."""
    lead_in: Annotated[str, arg(metavar="LENGTH")] = "0px"
    """How far before a stroke the brush moves along its line, not yet painting."""
    lead_out: Annotated[str, arg(metavar="LENGTH")] = "0px"
    """The same behind a stroke."""
    start: Annotated[str | None, arg(metavar="X,Y", help_behavior_hint="(default: at the first stroke)")] = None
    """Where the brush comes from, from the lower left corner of the image, y up, as 0,0mm."""
    home: Annotated[str | None, arg(metavar="X,Y", help_behavior_hint="(default: at the last stroke)")] = None
    """Where it goes to in the end."""
    scale: Annotated[float | None, arg(metavar="MM_PER_PX", help_behavior_hint="(default: pixels)")] = None
    """Millimetres per pixel; with corners or markers, of the rectified photograph."""
    corners: Annotated[tuple[str, ...], arg(metavar="X,Y X,Y X,Y X,Y", help_behavior_hint="")] = ()
    """Upper left, upper right, lower right and lower left corner of a rectangle on the object, in pixels of a
    photograph taken at an angle."""
    size: Annotated[str | None, arg(metavar="WxHmm", help_behavior_hint="")] = None
    """How large that rectangle is, as 1200x800mm; the plan is in millimetres on its plane."""
    markers: Annotated[str | None, arg(metavar="FAMILY", help_behavior_hint="")] = None
    """Find the rectangle by the markers 0, 1, 2 and 3 of a family at its corners; --size is from centre to centre:
    aruco-4x4, -5x5, -6x6, apriltag-16h5, -25h9 or -36h11. Needs OpenCV (the extra markers)."""
    lens: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """OpenCV's calibration of the camera (YAML, XML or JSON), to undo the distortion of its lens."""
    angle: Annotated[str, arg(metavar="DEGREES|auto")] = "0"
    """Turns rectangles and strokes, counter-clockwise; auto finds the angle of the part."""
    unit: Annotated[Unit | None, arg(metavar="UNIT", help_behavior_hint="(default: mm with a scale, else px)")] = None
    """Of lengths and coordinates: px, mm or m."""
    order: Order = "route"
    """Route searches for the least time between strokes."""
    join: bool = True
    """Keep the brush down between strokes where the way is paint and that is quicker."""
    stroke_speed: Annotated[float, arg(metavar="SPEED")] = 100.0
    """With the brush down, in mm a second; pixels a second without a scale."""
    travel_speed: Annotated[float, arg(metavar="SPEED")] = 200.0
    """With the brush up."""
    lift_time: Annotated[float, arg(metavar="SECONDS")] = 0.5
    """To lower the brush and lift it again."""
    turn_time: Annotated[float, arg(metavar="SECONDS")] = 0.1
    """To turn from a stroke into the next with the brush down."""
    mask: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """The true mask of a single input, to measure coverage and waste."""
    mask_dir: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """Folder with a mask of the same name for every input."""
    threshold: Annotated[float, arg(metavar="SHARE")] = 0.5
    """Pixels of a mask at least this bright, as a share of white, are paint."""
    image_dir: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """Folder with a photograph of the same name for every tree, to draw on."""
    model: Annotated[Path | None, arg(metavar="RUN", help_behavior_hint="(default: the pretrained parser)")] = None
    """The run folder of the parser for photographs, made by `shapeparse train`."""
    device: Device = "auto"
    """Where to parse photographs: auto takes a GPU if there is one."""
    depth: Annotated[int | None, arg(metavar="DEPTH", help_behavior_hint="(default: as trained)")] = None
    """Of the trees of photographs."""
    rectangles: Annotated[int | None, arg(metavar="COUNT", help_behavior_hint="")] = None
    """Paint the best tree of at most so many rectangles, of photographs and masks."""
    price: Annotated[float | None, arg(metavar="SHARE", help_behavior_hint="")] = None
    """Paint the best tree at this price per rectangle, a share of the image."""
    input_kind: Annotated[Literal["auto", "mask", "photo"], arg(name="input")] = "auto"
    """What image files are; auto takes those in black and white for masks."""
    world: Annotated[Path | None, arg(metavar="PATH", help_behavior_hint="(default: beside the input)")] = None
    """World file that georeferences the input, or a folder of such files."""
    crs: Annotated[str | None, arg(metavar="EPSG:CODE", help_behavior_hint="(default: unknown)")] = None
    """Coordinate reference system of the world files."""
    brush_up: Annotated[tuple[str, ...], arg(metavar="LINE [LINE ...]")] = Commands().up
    """G-code that lifts the brush."""
    brush_down: Annotated[tuple[str, ...], arg(metavar="LINE [LINE ...]")] = Commands().down
    """G-code that lowers it."""
    gcode_header: Annotated[tuple[str, ...], arg(metavar="LINE [LINE ...]", help_behavior_hint="")] = ()
    """G-code before the first move."""
    gcode_footer: Annotated[tuple[str, ...], arg(metavar="LINE [LINE ...]", help_behavior_hint="")] = ()
    """G-code behind the last move."""
    work_offset: Annotated[str | None, arg(metavar="G54..G59", help_behavior_hint="")] = None
    """The workpiece's coordinate system, in G-code."""
    workpiece: Annotated[str, arg(metavar="X,Ymm")] = "0,0mm"
    """Where the lower left corner of the image lies in the machine's coordinates."""
    dwell: Annotated[float, arg(metavar="SECONDS")] = 0.0
    """To wait after the brush was lowered, in G-code."""
    ros_frame: Annotated[str, arg(metavar="NAME")] = RosSettings().frame
    """The frame_id of ROS 2 messages."""
    surface_z: Annotated[str, arg(metavar="HEIGHT")] = "0mm"
    """Height of the surface in that frame."""
    approach: Annotated[str, arg(metavar="HEIGHT")] = "50mm"
    """Height above it with the brush up."""
    tool_z: ToolAxis = "into"
    """Whether the tool's z axis points into the surface or away from it."""
    tcp: Annotated[str, arg(metavar="X,Y,Z")] = "0,0,0mm"
    """Where the brush is in the frame of the poses, such as a flange's."""
    formats: Annotated[tuple[Format, ...], arg(metavar="FORMAT [FORMAT ...]")] = get_args(Format)
    """What to write of every input."""


def run(args: Args) -> int:
    """Plan the inputs, write the files, print the comparison, and name what could not be used."""
    if not args.inputs:
        raise UserError("Nothing was given; name masks, photographs, or trees that `decompose` or `parse` wrote.")
    items, problems = items_of(args.inputs, beside_of(args))
    settings = settings_of(with_scale(args, items))
    if args.mask is not None and len(items) + len(problems) > 1:
        raise UserError("The option --mask goes with a single input; give --mask-dir for several.")
    parser = parser_for(items, args.model, settings, args.device)
    jobs = [item.job for item in items]
    refuse_overwriting([path for job in jobs for path in output_files(job, args.out, settings)], jobs)
    files.refuse_other_kind(args.out / "plans.json", PLANNED)
    files.make_folder(args.out)
    with explained_compiling("Compiling the planner's kernels (only this once) …"):
        choose_plan(Part(np.ones((4, 8), bool)), PaintSettings(brush=2))
    rows, ways, fronts, broken = plan_all(items, parser, args.out, settings)
    problems += broken
    total = {name: totals([found[name] for found in ways]) for name in WAYS if all(name in found for found in ways)}
    write_summary(args.out, settings, rows, fronts, total if rows else {}, problems)
    if rows:
        print(f"{said_of(settings.paint)} {told(fronts)}".strip())
        print_results(rows, total, settings.paint)
        print(f"\n{len(rows)} of {len(rows) + len(problems)} planned; the results are in {one_line(args.out)}.")
    for problem in problems:
        progress.complain(problem.reason)
    return 2 if problems else 0


def with_scale(args: Args, items: Sequence[Item]) -> Args:
    """The arguments with the scale of the first photograph that shows all markers: it is that of all of them."""
    if args.markers is None or args.scale is not None:
        return args
    scale = scale_of_markers([item.job.path for item in items if not item.is_tree], view_of(args))
    return replace(args, scale=scale)


def parser_for(items: Sequence[Item], model: Path | None, settings: Settings, device: str) -> Parser | None:
    """The parser, if there are photographs to parse."""
    if not any(item.is_photo(settings) for item in items):
        return None
    from ..parsing.load import load

    return load(run_or_pretrained(model), device)


def plan_all(
    items: Sequence[Item], parser: Parser | None, out: Path, settings: Settings
) -> tuple[list[Row], list[dict[str, Metrics]], list[Front], list[Skipped]]:
    """Work through the inputs; what is wrong with one does not concern the others."""
    rows, ways, fronts, strange, problems = [], [], [], [], []
    for item in progress.bar("Planning")(items):
        try:
            done = plan_item(item, parser, settings)
        except UserError as error:
            problems.append(Skipped(item.job.path, str(error)))
        else:  # an error in writing ends the run: the next file could not be written either
            rows.append(write(done, out, settings))
            ways.append(done.ways)
            fronts.append(done.front)
            if not item.is_tree:
                strange.append(done.strangeness)
    warn_of_strangers(strange)
    return rows, ways, fronts, problems


def totals(found: Sequence[Metrics]) -> Metrics:
    """Sums over the inputs; the means of what is a share."""
    result: Metrics = {}
    for name in found[0] if found else ():
        values = [one[name] for one in found]
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            result[name] = None
        else:
            result[name] = fmean(known) if name in ("overlap", "overspill", "coverage", "waste") else sum(known)
    return result


def write_summary(
    out: Path,
    settings: Settings,
    rows: Sequence[Row],
    fronts: Sequence[Front],
    total: dict[str, Metrics],
    problems: Sequence[Skipped],
) -> None:
    """Write plans.json and plans.csv."""
    content: dict[str, Any] = {
        "format": PLANNED,
        "settings": asdict(settings.paint) | {"unit": settings.paint.length_unit, "formats": settings.formats},
        "angle": settings.angle,
        "planes": {row.name: front.facts() for row, front in zip(rows, fronts, strict=True) if front.is_known},
        "ways": total,
        "plans": [asdict(row) for row in rows],
        "problems": problems_json(problems),
    }
    files.write_json(out / "plans.json", content)
    files.write_text(out / "plans.csv", as_csv(rows, Row))


def print_results(rows: Sequence[Row], total: dict[str, Metrics], paint: PaintSettings) -> None:
    """Print a row per input, if there are several, and the plans beside each other."""
    unit = paint.length_unit
    if len(rows) > 1:
        cells = [
            [one_line(row.name), row.plan, f"{row.strokes}", f"{row.lifts}", length(row.painted_length),
             length(row.travel_length), duration(row.seconds)]
            for row in rows[:MOST_ROWS]
        ]  # fmt: skip
        columns = ("input", "plan", "strokes", "lifts", f"painted {unit}", f"travel {unit}", "time")
        progress.print_table(columns, cells)
        if len(rows) > MOST_ROWS:
            print(f"\n{len(rows) - MOST_ROWS} more are in plans.csv and plans.json.")
        print(f"\nAll {len(rows)} together (lengths and times are sums, shares are means):")
    table = [
        [name, f"{found['strokes']}", f"{found['lifts']}", length(found["painted_length"]),
         length(found["travel_length"]), progress.percent(found["coverage"] or 0),
         progress.percent(found["waste"] or 0), duration(found["seconds"])]
        for name, found in total.items()
    ]  # fmt: skip
    progress.print_table(
        ("plan", "strokes", "lifts", f"painted {unit}", f"travel {unit}", "coverage", "waste", "time"), table
    )
    if len(rows) == 1:
        print(f"\nWritten: {rows[0].plan}, {reason(rows[0].plan, total, paint)}.")


def reason(chosen: str, total: dict[str, Metrics], paint: PaintSettings) -> str:
    """Why a plan was chosen."""
    if paint.plan != "auto":
        return "as asked for"
    others = [found["seconds"] or 0.0 for name, found in total.items() if name in PLANS and name != chosen]
    if any(seconds < (total[chosen]["seconds"] or 0.0) - 1e-9 for seconds in others):
        if paint.waste is None and is_exact(total[chosen]):
            return "the quickest that paints all that is wanted and nothing else (--waste 1 for any)"
        return "the quickest that stays within the limits"
    return f"the quickest that covers {paint.coverage:.4g}"


def said_of(paint: PaintSettings) -> str:
    """The brush, with its units."""
    return f"Brush {paint.brush:.6g} px" + ("." if paint.scale is None else f" ({paint.brush * paint.scale:.6g} mm).")


def length(value: float | None) -> str:
    """A length as tables show it."""
    number = value or 0.0
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def duration(seconds: float | None) -> str:
    """Seconds as people read them."""
    whole = round(seconds or 0.0)
    if whole < 120:
        return f"{seconds or 0.0:.1f} s" if whole < 10 else f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 7200 else f"{whole / 3600:.1f} h"
