"""Matplotlib figures laid out in points, without pyplot, and their files, which are the same every time."""

from __future__ import annotations

import io
import threading
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.text import Text

from .palette import BLANK, INK, PAPER, QUIET, Colour, hexadecimal

FONT = "DejaVu Sans"
"""Comes with matplotlib, so figures look alike on every machine."""
TITLE_SIZE, TEXT_SIZE = 10.5, 8.5
_POINTS_AN_INCH = 72
_DPI = 216
_MOST_PIXELS = 60_000
"""Matplotlib's Agg refuses 2**16 pixels a side."""

# What a file depends on besides the figure. Ids in the SVG are hashes with this salt instead of random ones.
_REPEATABLE: dict[Any, Any] = {
    "svg.hashsalt": "shapeparse",
    "svg.fonttype": "path",
    "svg.image_inline": True,
    "image.composite_image": False,
    "path.simplify": False,
    "savefig.bbox": None,
    "savefig.facecolor": "auto",
    "savefig.transparent": False,
}
# rc_context changes settings of the whole process and puts them back: one at a time.
_settings = threading.Lock()


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of the given size in points."""
    inches = (width / _POINTS_AN_INCH, height / _POINTS_AN_INCH)
    dpi = min(_DPI, _MOST_PIXELS / max(inches))
    return Figure(figsize=inches, dpi=dpi, facecolor=hexadecimal(PAPER))


def panel(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes without decoration whose data coordinates are points from their upper left corner."""
    axes = _axes(figure, left, top, width, height)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.set_axis_off()
    return axes


def picture(figure: Figure, left: float, top: float, width: float, height: float, pixels: npt.NDArray) -> Axes:
    """Axes that show ``pixels`` in a thin frame; a picture of any resolution fills the given size."""
    axes = _axes(figure, left, top, width, height)
    show_pixels(axes, pixels, (0, 1, 1, 0))
    axes.set_xlim(0, 1)
    axes.set_ylim(1, 0)
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_linewidth(0.6)
        side.set_edgecolor(hexadecimal(INK))
    return axes


def chart(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes for a chart: two thin spines, pale lines across, small figures."""
    axes = _axes(figure, left, top, width, height)
    for name, side in axes.spines.items():
        side.set_visible(name in ("left", "bottom"))
        side.set_linewidth(0.6)
        side.set_edgecolor(hexadecimal(QUIET))
    axes.grid(axis="y", color=hexadecimal(BLANK), linewidth=0.6, linestyle="-")
    axes.set_axisbelow(True)
    axes.tick_params(
        labelsize=TEXT_SIZE - 0.5, labelfontfamily=FONT, labelcolor=hexadecimal(INK), color=hexadecimal(QUIET),
        width=0.6, length=3, direction="out",
    )  # fmt: skip
    return axes


def show_pixels(axes: Axes, pixels: npt.NDArray, extent: tuple[float, float, float, float], zorder: float = 0) -> None:
    """Show ``pixels`` in a part of the axes (left, right, bottom, top); nothing is left to the user's settings."""
    axes.imshow(
        pixels, aspect="auto", extent=extent, origin="upper", interpolation="auto", resample=True, zorder=zorder
    )


def write_text(axes: Axes, x: float, y: float, text: str, colour: Colour = INK, **style: Any) -> Text:
    """Put plain text at a place of the axes; a dollar sign in a file name is no formula."""
    full: dict[str, Any] = {"fontsize": TEXT_SIZE, "ha": "center", "va": "center"} | style
    return axes.text(
        x,
        y,
        _with_known_glyphs(text),
        color=hexadecimal(colour),
        fontfamily=FONT,
        parse_math=False,
        usetex=False,
        **full,
    )


def text_width(text: str, size: float = TEXT_SIZE) -> float:
    """About how many points wide ``text`` is; DejaVu Sans is wide, and a little too much does no harm."""
    return 0.58 * size * max(map(len, text.split("\n")))


def fit(width: float, height: float, most_width: float, most_height: float) -> tuple[float, float]:
    """The largest size of the same shape that fits; no side becomes less than a tenth of the limit."""
    scale = min(most_width / width, most_height / height)
    return max(width * scale, most_width / 10), max(height * scale, most_height / 10)


def figure_png(figure: Figure) -> bytes:
    """The figure as a PNG file's content; the same figure gives the same bytes."""
    return _rendered(figure, "png", {"Software": "shapeparse"})


def figure_svg(figure: Figure) -> bytes:
    """The figure as an SVG file's content; the same figure gives the same bytes."""
    return _rendered(figure, "svg", {"Date": None, "Creator": "shapeparse"})


def _rendered(figure: Figure, file_format: str, metadata: dict[str, str | None]) -> bytes:
    buffer = io.BytesIO()
    with _settings, mpl.rc_context(_REPEATABLE):
        figure.savefig(buffer, format=file_format, dpi=figure.dpi, metadata=metadata)
    return buffer.getvalue()


def _with_known_glyphs(text: str) -> str:
    """``text`` with a box for every character the font lacks, of which matplotlib would warn at each rendering."""
    return "".join(letter if letter == "\n" or ord(letter) in _known_glyphs() else "□" for letter in text)


@cache
def _known_glyphs() -> frozenset[int]:
    return frozenset(get_font(findfont(FONT)).get_charmap())


def _axes(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    whole_width, whole_height = figure.get_size_inches() * _POINTS_AN_INCH
    return figure.add_axes(
        (left / whole_width, 1 - (top + height) / whole_height, width / whole_width, height / whole_height)
    )
