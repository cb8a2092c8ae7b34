"""Pictures of parse trees: overlays, SVG, the derivation like the paper's Fig. 1, grids like its Fig. 3."""

from .curves import learning_curve, regret_bars, reliability_plot
from .derivation import derivation_figure
from .figures import figure_png, figure_svg
from .grid import Cell, grid
from .overlay import label_overlay, overlay, png_bytes, write_png
from .svg import tree_svg
from .toy import toy_object

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
    "regret_bars",
    "reliability_plot",
    "toy_object",
    "tree_svg",
    "write_png",
]
