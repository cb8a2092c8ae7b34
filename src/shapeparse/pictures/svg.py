"""A decomposition as one self-contained SVG in the image's own pixel coordinates."""

from __future__ import annotations

import base64
import io
from html import escape

import numpy as np
import numpy.typing as npt
from PIL import Image

from ..grammar import ParseTree, Rule
from ..support.text import printable
from .layout import split_lines
from .palette import BLANK, INK, PAINT, PAPER, SKIP, hexadecimal
from .pixels import Pixels, as_rgb, enlargement

_LONGEST_PHOTOGRAPH = 1600
"""Larger photographs are reduced before they are embedded: the file is for looking at."""

# Everything is under .shapeparse, so that the file may be pasted into a page with styles of its own. Lines
# are drawn twice, dark under light, to show on any photograph; non-scaling strokes stay thin at every zoom;
# viewers that do not know them take the widths that the paths carry, right at the nominal size.
_STYLE = f"""
.shapeparse rect {{ shape-rendering: crispEdges }}
.shapeparse .ground {{ fill: {hexadecimal(BLANK)} }}
.shapeparse .paint {{ fill: {hexadecimal(PAINT)}; fill-opacity: .55 }}
.shapeparse .skip {{ fill: {hexadecimal(SKIP)}; fill-opacity: .38 }}
.shapeparse .leaf:hover {{ fill-opacity: .85 }}
.shapeparse .borders {{ fill: none; pointer-events: none; shape-rendering: crispEdges }}
.shapeparse .under {{ stroke: {hexadecimal(INK)}; stroke-opacity: .5 }}
.shapeparse .over {{ stroke: {hexadecimal(PAPER)} }}
@supports (vector-effect: non-scaling-stroke) {{
.shapeparse .borders {{ vector-effect: non-scaling-stroke }}
.shapeparse .under {{ stroke-width: 3px }}
.shapeparse .over {{ stroke-width: 1px }}
}}
"""


def tree_svg(tree: ParseTree, image: npt.NDArray | None = None) -> str:
    """The decomposition as SVG over the photograph: a ``<rect>`` a leaf, its label as class, with a tooltip.

    Leaves carry ``data-node`` and ``data-depth``. Nothing outside the file is referred to; the photograph, if
    given, is embedded as JPEG.
    """
    factor = enlargement(tree.width, tree.height)
    size = f'width="{tree.width * factor}" height="{tree.height * factor}"'
    title = printable(tree.name) or f"{tree.leaf_count} segments of an image"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="shapeparse" role="img" {size} '
        f'viewBox="0 0 {tree.width} {tree.height}">',
        f"<title>{escape(title, quote=False)}</title>",
        f"<style>{_STYLE}</style>",
        _ground(tree, image),
        '<g class="leaves">',
        *(_leaf(tree, int(node)) for node in np.flatnonzero(tree.is_leaf)),
        "</g>",
    ]
    borders = _borders(tree)
    if borders:
        lines += [
            f'<path class="borders {layer}" stroke-width="{width / factor:g}" d="{borders}"/>'
            for layer, width in (("under", 3), ("over", 1))
        ]
    return "\n".join([*lines, "</svg>", ""])


def _ground(tree: ParseTree, image: npt.NDArray | None) -> str:
    if image is None:
        return f'<rect class="ground" width="{tree.width}" height="{tree.height}"/>'
    data = _jpeg_data(as_rgb(image, tree.width, tree.height))
    # A reduced photograph may have lost a pixel of its aspect, hence "none".
    return f'<image width="{tree.width}" height="{tree.height}" preserveAspectRatio="none" href="{data}"/>'


def _jpeg_data(pixels: Pixels) -> str:
    photograph = Image.fromarray(pixels)
    photograph.thumbnail((_LONGEST_PHOTOGRAPH, _LONGEST_PHOTOGRAPH))
    buffer = io.BytesIO()
    photograph.save(buffer, format="JPEG", quality=88)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _leaf(tree: ParseTree, node: int) -> str:
    x, y, w, h, depth = (int(a[node]) for a in (tree.x, tree.y, tree.w, tree.h, tree.depth))
    label = Rule(tree.rule[node]).label
    return (
        f'<rect class="leaf {label}" x="{x}" y="{y}" width="{w}" height="{h}" '
        f'data-node="{node}" data-depth="{depth}">'
        f"<title>{label}, {w}×{h} px at ({x}, {y}), depth {depth}</title></rect>"
    )


def _borders(tree: ParseTree) -> str:
    """All split lines as one path."""
    steps = [f"M{line.x} {line.y}L{line.end_x} {line.end_y}" for line in split_lines(tree)]
    return "".join(steps)
