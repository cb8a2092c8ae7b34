"""``shapeparse paint``: trees or photographs to strokes of a brush, in files that machines read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any, get_args

import numpy as np
from tyro.conf import Positional, arg

from ..data.dataset import Skipped
from ..oracle.ready import explained_compiling
from ..painting import ExportSettings, PaintSettings
from ..painting.alternatives import NEAREST, PLAN, ROWS
from ..painting.formats.gcode import Commands
from ..painting.plan import Metrics
from ..painting.route import tour_of
from ..painting.settings import Order, Unit
from ..parsing.shipped import run_or_pretrained
from ..support import files, progress
from ..support.errors import UserError
from ..support.text import one_line
from .inputs import refuse_overwriting
from .painting import Beside, Format, Item, Row, Settings, items_of, output_files, plan_item, write
from .summary import MOST_ROWS, as_csv, problems_json

if TYPE_CHECKING:  # PyTorch loads slowly, and trees need none
    from ..parsing.parser import Parser

EXAMPLES = """
  shapeparse paint door.json --brush 12 --out plans
  shapeparse paint trees --brush 60mm --scale 5 --mask-dir masks --out plans
  shapeparse paint photos --model run --brush 12 --out plans --formats gcode svg
"""

WAYS = {PLAN: "this plan", NEAREST: "nearest first", ROWS: "row by row"}


@dataclass(frozen=True)
class Args:
    """Plan the strokes of a brush that paint all that is labelled paint.

    Takes parse trees, as `shapeparse decompose` and `parse` write them, or photographs with a trained parser, and
    writes the strokes as JSON, GeoJSON, SVG, G-code, CSV and for Fields2Cover. The table compares the plan with always
    going to the nearest stroke, and with painting row by row. A file that cannot be used is named at the end and does
    not stop the others; the exit code is then 2.
    """

    inputs: Positional[Annotated[tuple[Path, ...], arg(metavar="TREE|IMAGE [...]", help_behavior_hint="")]]
    """Trees (JSON) or photographs, or folders of them."""
    out: Annotated[Path, arg(metavar="DIR")]
    """Folder for the results; it is made if need be."""
    brush: Annotated[str, arg(metavar="WIDTH")] = "12"
    """Side of the square brush, in pixels; or with a unit, as 60mm or 0.06m, if there is a scale."""
    overlap: Annotated[float, arg(metavar="SHARE")] = 0.1
    """Share of the brush by which neighbouring strokes overlap at least."""
    margin: Annotated[str, arg(metavar="DISTANCE")] = "0"
    """Distance to keep from what is not to be painted, in pixels or with a unit."""
    scale: Annotated[float | None, arg(metavar="MM_PER_PX", help_behavior_hint="(default: pixels)")] = None
    """Millimetres a pixel."""
    unit: Annotated[Unit | None, arg(metavar="UNIT", help_behavior_hint="(default: mm with a scale, else px)")] = None
    """Of lengths and coordinates: px, mm or m."""
    order: Order = "route"
    """Route searches for the least travel with the brush up."""
    stroke_speed: Annotated[float, arg(metavar="SPEED")] = 100.0
    """With the brush down, in mm a second; pixels a second without a scale."""
    travel_speed: Annotated[float, arg(metavar="SPEED")] = 200.0
    """With the brush up."""
    lift_time: Annotated[float, arg(metavar="SECONDS")] = 0.5
    """To lower the brush for a stroke and lift it again."""
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
    depth: Annotated[int | None, arg(metavar="DEPTH", help_behavior_hint="(default: as trained)")] = None
    """Of the trees of photographs."""
    world: Annotated[Path | None, arg(metavar="PATH", help_behavior_hint="(default: beside the input)")] = None
    """World file that georeferences the input, or a folder of such files."""
    crs: Annotated[str | None, arg(metavar="EPSG:CODE", help_behavior_hint="(default: unknown)")] = None
    """Coordinate reference system of the world files."""
    brush_up: Annotated[tuple[str, ...], arg(metavar="LINE [LINE ...]")] = Commands().up
    """G-code that lifts the brush."""
    brush_down: Annotated[tuple[str, ...], arg(metavar="LINE [LINE ...]")] = Commands().down
    """G-code that lowers it."""
    formats: Annotated[tuple[Format, ...], arg(metavar="FORMAT [FORMAT ...]")] = get_args(Format)
    """What to write of every input."""


def run(args: Args) -> int:
    """Plan the inputs, write the files, print the comparison, and name what could not be used."""
    if not args.inputs:
        raise UserError("No trees were given; name files that `shapeparse decompose` or `parse` wrote, or photographs.")
    settings, beside = settings_of(args), beside_of(args)
    items, problems = items_of(args.inputs, beside)
    if args.mask is not None and len(items) + len(problems) > 1:
        raise UserError("The option --mask goes with a single input; give --mask-dir for several.")
    parser = parser_for(items, args.model)
    jobs = [item.job for item in items]
    refuse_overwriting([path for job in jobs for path in output_files(job, args.out, settings)], jobs)
    files.make_folder(args.out)
    with explained_compiling("Compiling the planner's kernels (only this once) …"):
        tour_of(np.arange(16.0).reshape(4, 4), np.zeros(4, np.int64), "route")
    rows, ways, broken = plan_all(items, parser, args.out, settings)
    problems += broken
    total = {name: totals([found[name] for found in ways]) for name in WAYS if all(name in found for found in ways)}
    write_summary(args.out, settings, rows, total if rows else {}, problems)
    if rows:
        print_results(rows, total, settings.paint.length_unit)
        print(f"\n{len(rows)} of {len(rows) + len(problems)} planned; the results are in {one_line(args.out)}.")
    for problem in problems:
        progress.complain(problem.reason)
    return 2 if problems else 0


def settings_of(args: Args) -> Settings:
    """The settings that the arguments ask for; UserError says what is wrong with them."""
    if not args.formats:
        raise UserError("No formats were given; name at least one, such as --formats gcode.")
    paint = PaintSettings(
        pixels("--brush", args.brush, args.scale), args.overlap, pixels("--margin", args.margin, args.scale),
        args.scale, args.unit, args.order, args.stroke_speed, args.travel_speed, args.lift_time,
    )  # fmt: skip
    export = ExportSettings(crs=args.crs, commands=Commands(args.brush_up, args.brush_down))
    return Settings(paint, export, args.formats, args.depth, args.threshold)


def beside_of(args: Args) -> Beside:
    """The files that belong to the inputs."""
    if args.mask is not None and args.mask_dir is not None:
        raise UserError("Both --mask and --mask-dir were given; give one of them.")
    for name, folder in (("--mask-dir", args.mask_dir), ("--image-dir", args.image_dir)):
        if folder is not None and not folder.is_dir():
            raise UserError(f"{one_line(folder)} is not a folder; give {name} the folder of the files.")
    if args.world is not None and not args.world.exists():
        raise UserError(f"There is no {one_line(args.world)}; give --world a world file, or a folder of them.")
    return Beside(args.mask or args.mask_dir, args.image_dir, args.world)


def pixels(option: str, text: str, scale: float | None) -> float:
    """A length that was typed, such as 12, 12px, 60mm or 0.06m, in pixels."""
    found = re.fullmatch(r"\s*(\S+?)\s*(px|mm|m|)\s*", text)
    try:
        number = float(found[1] if found else text)
    except ValueError as error:
        raise UserError(f"{option} is {text!a}; give a length such as 12 (pixels), or 60mm with a --scale.") from error
    unit = found[2] if found else ""
    if unit in ("", "px"):
        return number
    if scale is None or not scale > 0:
        raise UserError(f"{option} is {text!a}, but a pixel has no size; give --scale in millimetres a pixel.")
    return number * (1000 if unit == "m" else 1) / scale


def parser_for(items: Sequence[Item], model: Path | None) -> Parser | None:
    """The parser, if there are photographs to parse."""
    if all(item.is_tree for item in items):
        return None
    from ..parsing.load import load

    return load(run_or_pretrained(model))


def plan_all(
    items: Sequence[Item], parser: Parser | None, out: Path, settings: Settings
) -> tuple[list[Row], list[dict[str, Metrics]], list[Skipped]]:
    """Work through the inputs; what is wrong with one does not concern the others."""
    rows, ways, problems = [], [], []
    for item in progress.bar("Planning")(items):
        try:
            done = plan_item(item, parser, settings)
        except UserError as error:
            problems.append(Skipped(item.job.path, str(error)))
        else:  # an error in writing ends the run: the next file could not be written either
            rows.append(write(done, out, settings))
            ways.append(done.ways)
    return rows, ways, problems


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
    out: Path, settings: Settings, rows: Sequence[Row], total: dict[str, Metrics], problems: Sequence[Skipped]
) -> None:
    """Write summary.json and summary.csv."""
    content: dict[str, Any] = {
        "settings": asdict(settings.paint) | {"unit": settings.paint.length_unit, "formats": settings.formats},
        "ways": total,
        "plans": [asdict(row) for row in rows],
        "problems": problems_json(problems),
    }
    files.write_json(out / "summary.json", content)
    files.write_text(out / "summary.csv", as_csv(rows, Row))


def print_results(rows: Sequence[Row], total: dict[str, Metrics], unit: str) -> None:
    """Print a row an input, if there are several, and the comparison with the plain alternatives."""
    if len(rows) > 1:
        cells = [
            [one_line(row.name), f"{row.width}x{row.height}", f"{row.rectangles}", f"{row.strokes}",
             length(row.painted_length), length(row.travel_length), duration(row.seconds)]
            for row in rows[:MOST_ROWS]
        ]  # fmt: skip
        columns = ("input", "size", "rectangles", "strokes", f"painted {unit}", f"travel {unit}", "time")
        progress.print_table(columns, cells)
        if len(rows) > MOST_ROWS:
            print(f"\n{len(rows) - MOST_ROWS} more are in summary.csv and summary.json.")
        print(f"\nAll {len(rows)} together (lengths and times are sums, shares are means):")
    shares = ("coverage", "waste") if total[PLAN]["coverage"] is not None else ("overlap", "overspill")
    table = [
        [WAYS[name], f"{found['strokes']}", length(found["painted_length"]), length(found["travel_length"]),
         *(progress.percent(found[share] or 0) for share in shares), duration(found["seconds"])]
        for name, found in total.items()
    ]  # fmt: skip
    progress.print_table(("way", "strokes", f"painted {unit}", f"travel {unit}", *shares, "time"), table)


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
