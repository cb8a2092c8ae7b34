"""The plan as a drawing to scale: what the brush paints, which way the strokes go, and the travel between them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt

from ...grammar import ParseTree
from ...pictures.page import photo_uri
from ...pictures.palette import BLANK, INK, PAINT, PAPER, SKIP, hexadecimal, mix
from ...pictures.pixels import as_rgb, enlargement
from ...support.text import printable
from ..frames import plain
from ..strokes import Stroke, footprints

if TYPE_CHECKING:
    from ..plan import PaintPlan

_LONGEST_PHOTOGRAPH = 1600

# Everything is under .shapeparse-plan, so that the file may be pasted into a page with styles of its own. A square cap
# is half a brush long: what is drawn of a stroke is exactly what the square brush paints.
_STYLE = f"""
.shapeparse-plan rect {{ shape-rendering: crispEdges }}
.shapeparse-plan .ground {{ fill: {hexadecimal(mix(BLANK, PAPER, 0.5))} }}
.shapeparse-plan .skip {{ fill: {hexadecimal(mix(SKIP, PAPER, 0.72))} }}
.shapeparse-plan .paint {{ fill: {hexadecimal(mix(PAINT, PAPER, 0.78))} }}
.shapeparse-plan .rectangle {{ fill: none; stroke: {hexadecimal(PAPER)}; stroke-opacity: .9 }}
.shapeparse-plan .brush {{ stroke: {hexadecimal(PAINT)}; stroke-linecap: square; stroke-opacity: .42 }}
.shapeparse-plan .step {{ stroke: {hexadecimal(PAINT)}; stroke-linecap: square; stroke-opacity: .12 }}
.shapeparse-plan .brush:hover {{ stroke-opacity: .75 }}
.shapeparse-plan .way, .shapeparse-plan .travel {{ fill: none; stroke: {hexadecimal(INK)}; pointer-events: none }}
.shapeparse-plan .travel {{ stroke-opacity: .75 }}
.shapeparse-plan .mark {{ fill: {hexadecimal(INK)}; stroke: {hexadecimal(PAPER)} }}
"""


def write(plan: PaintPlan, tree: ParseTree | None, image: npt.NDArray[np.uint8] | None) -> str:
    """The drawing in pixels of the image, y down, as large as the object with a scale; the photograph is embedded."""
    left, top, right, bottom = _frame(plan)
    width, height, scale = right - left, bottom - top, plan.settings.scale
    factor, unit = (enlargement(*plan.image_size), "") if scale is None else (scale, "mm")
    thin = min(plan.settings.brush / 12, max(plan.image_size) / 280)
    box = " ".join(plain(value) for value in (left, top, width, height))
    size = f'width="{plain(width * factor)}{unit}" height="{plain(height * factor)}{unit}"'
    said = "one unit is a pixel of the image, y down"
    said += "" if scale is None else f", {plain(scale, 6)} mm; the drawing is as large as the object"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="shapeparse-plan" role="img" {size} viewBox="{box}">',
        f"<title>{escape(printable(plan.name) or 'Plan')}: {len(plan.strokes)} strokes</title>",
        f"<desc>{escape(said)}</desc>",
        f"<style>{_STYLE}</style>",
        f'<defs><marker id="shapeparse-arrow" viewBox="0 0 6 6" refX="4" refY="3" markerWidth="6" markerHeight="6" '
        f'orient="auto"><path d="M0 0L6 3L0 6z" fill="{hexadecimal(INK)}"/></marker></defs>',
        *_ground(plan, tree, image),
        *_turned(plan),
        f'<g class="strokes" stroke-width="{plain(plan.settings.brush, 6)}">',
        *(_stroke(plan, place, stroke) for place, stroke in enumerate(plan.strokes)),
        *(_step(line) for line in plan.steps.tolist()),
        "</g>",
        *(_rectangle(box, thin) for box in plan.rectangles.tolist()),
        f'<path class="travel" stroke-width="{plain(thin / 2, 6)}" stroke-dasharray="{plain(2 * thin, 6)}" '
        f'd="{_path(plan.travels.tolist())}"/>',
        f'<g class="ways" stroke-width="{plain(thin, 6)}">',
        *(
            f'<path class="way" marker-end="url(#shapeparse-arrow)" d="{_path([line])}"/>'
            for line in plan.lines.tolist()
        ),
        f'<path class="way" d="{_path(plan.steps.tolist())}"/>',
        "</g>",
        *_marks(plan, 2.5 * thin),
        *(["</g>"] if plan.turn is not None else []),
    ]
    return "\n".join([*lines, "</svg>", ""])


def _frame(plan: PaintPlan) -> tuple[float, float, float, float]:
    """The image, and what is painted beyond its edges."""
    prints = footprints(plan.strokes)
    corners = prints[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 2)
    if plan.turn is not None:
        corners = np.stack(plan.turn.to_image.at(corners[:, 0], corners[:, 1]), axis=1)
    every = np.concatenate([corners, [[0, 0], plan.image_size]])
    (left, top), (right, bottom) = every.min(axis=0).tolist(), every.max(axis=0).tolist()
    return left, top, right, bottom


def _ground(plan: PaintPlan, tree: ParseTree | None, image: npt.NDArray[np.uint8] | None) -> list[str]:
    wide, high = plan.image_size
    size = f'width="{wide}" height="{high}"'
    if image is not None:
        data = photo_uri(as_rgb(image, wide, high), _LONGEST_PHOTOGRAPH)
        return [f'<image {size} preserveAspectRatio="none" href="{data}"/>']
    labelled = [
        f'<rect class="{"paint" if paint else "skip"}" x="{x}" y="{y}" width="{w}" height="{h}"/>'
        for x, y, w, h, paint in (tree.segments(merge=True) if tree is not None else ())
    ]
    return [f'<rect class="ground" {size}/>', *labelled]


def _turned(plan: PaintPlan) -> list[str]:
    if plan.turn is None:
        return []
    a, b, c, d, e, f = plan.turn.to_image
    return [f'<g transform="matrix({" ".join(plain(value, 9) for value in (a, d, b, e, c, f))})">']


def _stroke(plan: PaintPlan, place: int, stroke: Stroke) -> str:
    x1, y1, x2, y2 = (plain(value, 6) for value in stroke[:4])
    length = f"{plain(plan.settings.length(stroke.length), 1)} {plan.settings.length_unit}"
    return (
        f'<line class="brush" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" data-stroke="{place}" '
        f'data-rectangle="{stroke.rectangle}"><title>stroke {place + 1}, {length}</title></line>'
    )


def _step(line: list[float]) -> str:
    x1, y1, x2, y2 = (plain(value, 6) for value in line)
    return f'<line class="step" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def _rectangle(box: list[float], thin: float) -> str:
    x, y, w, h = (plain(value, 6) for value in box)
    return f'<rect class="rectangle" x="{x}" y="{y}" width="{w}" height="{h}" stroke-width="{plain(thin / 2, 6)}"/>'


def _path(lines: list[list[float]]) -> str:
    """Lines as SVG's path data: in "M1 2 3 4", the second point is a line to."""
    return "".join(f"M{' '.join(plain(value) for value in line)}" for line in lines)


def _marks(plan: PaintPlan, radius: float) -> list[str]:
    """Where the first move begins (a disc) and where the last one ends (a square)."""
    if not plan.strokes:
        return []
    (x1, y1), (x2, y2), wide = plan.moves[0][:2], plan.moves[-1][:2], plain(radius / 4, 6)
    side = plain(1.8 * radius, 6)
    return [
        f'<circle class="mark" cx="{plain(x1)}" cy="{plain(y1)}" r="{plain(radius, 6)}" stroke-width="{wide}">'
        "<title>begin</title></circle>",
        f'<rect class="mark" x="{plain(x2 - 0.9 * radius)}" y="{plain(y2 - 0.9 * radius)}" width="{side}" '
        f'height="{side}" stroke-width="{wide}"><title>end</title></rect>',
    ]
