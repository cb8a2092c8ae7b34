"""Pictures of parse trees: overlays, SVG, the derivation like the paper's Fig. 1, grids like its Fig. 3."""

import importlib
from typing import TYPE_CHECKING, Any

from .overlay import label_overlay, overlay, png_bytes, write_png
from .svg import tree_svg
from .toy import toy_object

if TYPE_CHECKING:
    from .curves import learning_curve, rectangles_curve, regret_bars, reliability_plot
    from .derivation import derivation_figure
    from .figures import figure_png, figure_svg
    from .grids import Cell, grid

_FIGURES = {
    "learning_curve": "curves", "rectangles_curve": "curves", "regret_bars": "curves", "reliability_plot": "curves",
    "grid": "grids", "Cell": "grids", "derivation_figure": "derivation", "figure_png": "figures",
    "figure_svg": "figures",
}  # fmt: skip
"""What is drawn with matplotlib, which is slow to load, and where it is."""

__all__ = [
    "Cell",
    "derivation_figure",
    "figure_png",
    "figure_svg",
    "grid",
    "label_overlay",
    "learning_curve",
    "overlay",
    "png_bytes",
    "rectangles_curve",
    "regret_bars",
    "reliability_plot",
    "toy_object",
    "tree_svg",
    "write_png",
]


def __getattr__(name: str) -> Any:
    if name in _FIGURES:
        return getattr(importlib.import_module(f".{_FIGURES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
