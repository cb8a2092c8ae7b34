"""Many pictures side by side, after the paper's Fig. 3: a row an object, a column a source of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from ..grammar import ParseTree
from ..support.errors import UserError
from ..support.text import percent, printable
from .figures import TITLE_SIZE, fit, new_figure, panel, picture, write_text
from .overlay import label_overlay, overlay
from .pixels import Pixels, as_rgb

_CELL = 118.0
_GAP, _MARGIN, _HEADING, _NAME, _SCORE = 8.0, 12.0, 20.0, 16.0, 13.0


@dataclass(frozen=True)
class Cell:
    """One picture of the grid."""

    content: npt.NDArray | ParseTree | None
    """A photograph (shown as it is), a boolean array (shown as labels), a tree (as segments), or None."""
    image: npt.NDArray | None = None
    """The photograph under labels or segments."""
    accuracy: float | None = None
    """A share between 0 and 1, written under the picture."""

    def pixels(self) -> Pixels | None:
        """What the cell shows."""
        if self.content is None:
            return None
        if isinstance(self.content, ParseTree):
            return overlay(self.content, self.image)
        array = np.asarray(self.content)
        if array.ndim not in (2, 3) or 0 in array.shape:
            raise UserError(
                f"A picture of the grid has shape {array.shape}; give (height, width) or (height, width, 3)."
            )
        if array.dtype == np.bool_:
            return label_overlay(array, self.image)
        return as_rgb(array, array.shape[1], array.shape[0])


def grid(
    rows: Sequence[Sequence[Cell]],
    columns: Sequence[str] = (),
    names: Sequence[str] = (),
    cell: float = _CELL,
) -> Figure:
    """A figure with ``rows`` of cells, headings over the ``columns`` and ``names`` at the left of the rows.

    Pictures keep their shape in cells that are ``cell`` points wide; a row is as high as its highest picture.
    Rows may be shorter than the longest one.
    """
    across = max([len(columns), *(len(row) for row in rows)], default=0)
    if not rows or not across:
        raise UserError("The grid has no pictures; give at least one row with one cell.")
    if names and len(names) != len(rows):
        raise UserError(f"The grid has {len(rows)} rows but {len(names)} row names; give one name a row, or none.")
    pictures = [[(content, content.pixels()) for content in row] for row in rows]
    heights = [_row_height([pixels for _, pixels in row], cell) for row in pictures]
    scored = [_SCORE if any(content.accuracy is not None for content in row) else 0.0 for row in rows]
    left = _MARGIN + (_NAME if names else 0.0)
    top = _MARGIN + (_HEADING if columns else 0.0)
    width = left + across * (cell + _GAP) - _GAP + _MARGIN
    figure = new_figure(width, top + sum(heights) + sum(scored) + _GAP * (len(rows) - 1) + _MARGIN)
    if columns:
        _write_headings(figure, columns, left, cell)
    for index, row in enumerate(pictures):
        if names:
            axes = panel(figure, _MARGIN, top, _NAME, heights[index])
            name = printable(names[index], max(8, int(heights[index] / 5)))
            write_text(axes, _NAME / 2 - 3, heights[index] / 2, name, rotation=90)
        for column, (content, pixels) in enumerate(row):
            _draw_cell(figure, (left + column * (cell + _GAP), top, cell, heights[index]), content, pixels)
        top += heights[index] + scored[index] + _GAP
    return figure


def _write_headings(figure: Figure, columns: Sequence[str], left: float, cell: float) -> None:
    for column, heading in enumerate(columns):
        axes = panel(figure, left + column * (cell + _GAP), _MARGIN, cell, _HEADING)
        write_text(axes, cell / 2, _HEADING / 2 - 2, printable(heading, int(cell / 6)), fontsize=TITLE_SIZE)


def _draw_cell(figure: Figure, place: tuple[float, float, float, float], content: Cell, pixels: Pixels | None) -> None:
    left, top, width, height = place
    if pixels is not None:
        w, h = fit(pixels.shape[1], pixels.shape[0], width, height)
        picture(figure, left + (width - w) / 2, top + (height - h) / 2, w, h, pixels)
    if content.accuracy is not None:
        axes = panel(figure, left, top + height, width, _SCORE)
        write_text(axes, width / 2, _SCORE / 2 + 1, percent(content.accuracy))


def _row_height(pictures: Sequence[Pixels | None], cell: float) -> float:
    """The height of the row's highest picture, at most one and a half times its width."""
    heights = [cell * pixels.shape[0] / pixels.shape[1] for pixels in pictures if pixels is not None]
    return float(np.clip(max(heights, default=cell / 4), cell / 10, cell * 1.5))
