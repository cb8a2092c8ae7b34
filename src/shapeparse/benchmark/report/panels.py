"""Small charts, one a row, that stand beside each other: a curve before those of all others, and regret by depth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

from ...pictures.figures import FONT, TEXT_SIZE, chart, new_figure, write_text
from ...pictures.palette import BLANK, INK, PAINT, QUIET, SKIP, Colour, hexadecimal, mix
from ..statistics import Curve
from ..words import amount, percent

_WIDTH, _HEIGHT = 168.0, 126.0
"""In points: two fill a phone's screen, four a page."""
_LEFT, _TOP, _RIGHT, _BOTTOM = 33.0, 8.0, 8.0, 29.0
_SMALL = TEXT_SIZE - 1.5


def curve_panel(
    own: Curve,
    colour: Colour,
    others: Sequence[Curve],
    across: str,
    level: tuple[str, float] | None = None,
    by_ratio: bool = False,
) -> Figure:
    """A row's curve, with the range of its folds, before the pale curves of the ``others``.

    All of them decide the scales, so panels of the same curves can be compared; ``level`` is a dashed line. With
    ``by_ratio`` the horizontal axis is logarithmic.
    """
    figure, axes = _panel(across)
    every = [own, *others]
    for curve in others:
        axes.plot(curve.x, curve.mean, color=hexadecimal(mix(BLANK, QUIET, 0.25)), linewidth=0.7, zorder=2)
    axes.fill_between(own.x, own.low, own.high, color=hexadecimal(colour), alpha=0.22, linewidth=0, zorder=3)
    marker = "o" if len(own.x) == 1 else None
    axes.plot(own.x, own.mean, color=hexadecimal(colour), linewidth=1.7, marker=marker, markersize=4, zorder=4)
    low = min(float(curve.low.min()) for curve in every)
    high = max(float(curve.high.max()) for curve in every)
    right = max(float(curve.x[-1]) for curve in every) or 1.0
    if level is not None:
        low, high = min(low, level[1]), max(high, level[1])
        axes.axhline(level[1], color=hexadecimal(QUIET), linewidth=0.7, linestyle=(0, (4, 3)), zorder=2)
        write_text(axes, right, level[1], level[0], QUIET, ha="right", va="bottom", fontsize=_SMALL - 0.5, zorder=5)
    room = max(high - low, 0.01)
    axes.set_ylim(low - 0.06 * room, high + 0.08 * room)
    if by_ratio:
        axes.set_xscale("log")
        axes.set_xlim(min(float(curve.x[0]) for curve in every), right)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: amount(value)))
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_xlim(0, right)
        axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10], integer=right >= 4))
    _percents(axes)
    return figure


def regret_panel(labels: Sequence[float], splits: Sequence[float]) -> Figure:
    """Accuracy lost at each depth, by splits and by labels on top of each other; a gain hangs below zero."""
    figure, axes = _panel("depth in the tree")
    depths = np.arange(max(len(labels), len(splits)))
    losses, gains = np.zeros(len(depths)), np.zeros(len(depths))
    for values, colour in ((splits, SKIP), (labels, PAINT)):
        bars = np.zeros(len(depths))
        bars[: len(values)] = values
        below = np.where(bars > 0, losses, gains)
        axes.bar(depths, bars, width=0.72, bottom=below, color=hexadecimal(colour), linewidth=0, zorder=3)
        losses, gains = losses + np.maximum(bars, 0), gains + np.minimum(bars, 0)
    axes.axhline(0, color=hexadecimal(INK), linewidth=0.6, zorder=4)
    room = max(float(losses.max() - gains.min()), 0.002)
    low = float(gains.min())
    axes.set_ylim(low - (0.08 * room if low < 0 else 0), float(losses.max()) + 0.08 * room)
    axes.set_xticks(depths)
    _percents(axes)
    return figure


def _panel(across: str) -> tuple[Figure, Axes]:
    figure = new_figure(_WIDTH, _HEIGHT)
    axes = chart(figure, _LEFT, _TOP, _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM)
    axes.tick_params(labelsize=_SMALL, pad=2)
    axes.set_xlabel(across, fontfamily=FONT, fontsize=_SMALL, color=hexadecimal(INK), labelpad=2)
    return figure, axes


def _percents(axes: Axes) -> None:
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    low, high = axes.get_ylim()
    digits = 0 if high - low > 0.04 else 1
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: percent(value, digits)))
