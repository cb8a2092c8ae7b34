"""Charts with a line a row: accuracies, differences with their intervals, regret, sizes and times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from ...pictures.figures import FONT, TEXT_SIZE, chart, new_figure, write_text
from ...pictures.palette import BLANK, INK, PAINT, PAPER, QUIET, SKIP, Colour, hexadecimal, mix
from ..statistics import Interval
from ..words import amount, percent, signed, signed_interval

WIDTH = 330.0
"""Of every chart, in points: a phone shows it as wide as its screen, a page two side by side."""
_TOP, _BOTTOM, _LINE = 8.0, 34.0, 15.5
_NAMES, _RIGHT = 100.0, 62.0
_SMALL = TEXT_SIZE - 1
_WIDE_SPAN = 30
"""Values that differ by more than this factor are shown on a logarithmic axis."""
_FAR = 3
"""A difference this many times the usual one is cut off, and an arrow says so."""


@dataclass(frozen=True)
class Mark:
    """How a row is shown: its name and its colour."""

    name: str
    colour: Colour


def accuracy_dots(marks: Sequence[Mark], folds: Sequence[Sequence[float]], paper: Sequence[float | None]) -> Figure:
    """A dot a fold, a bar at their mean with its value, and a hollow diamond for the paper's number."""
    figure, axes = _row_chart(marks, "test accuracy; ◇ in the paper, on its own images")
    for place, (mark, values, other) in enumerate(zip(marks, folds, paper, strict=True)):
        colour, mean = hexadecimal(mark.colour), float(np.mean(values))
        axes.plot(
            values, [place] * len(values), "o", color=colour, markersize=3, alpha=0.55, markeredgewidth=0, zorder=3
        )
        axes.plot([mean, mean], [place - 0.3, place + 0.3], color=colour, linewidth=1.8, zorder=4)
        if other is not None:
            edge = hexadecimal(QUIET)
            axes.plot([other], [place], "D", color=edge, markerfacecolor=hexadecimal(PAPER), markersize=4.2, zorder=2)
        _write_value(axes, place, percent(mean), mark.colour)
    known = [value for values in folds for value in values] + [value for value in paper if value is not None]
    room = max(0.01, 0.05 * (max(known) - min(known)))
    axes.set_xlim(min(known) - room, min(1.0, max(known) + room) + 0.004)
    _percent_axis(axes)
    return figure


def forest(marks: Sequence[Mark], intervals: Sequence[Interval], name: str = "DRAG") -> Figure:
    """Differences with their intervals around zero; those that include zero are hollow, those far off are arrows."""
    figure, axes = _row_chart(marks, f"points of test accuracy; right of 0: {name} is better", right=102.0)
    ends = [
        (one.mean, one.mean) if np.isnan(one.low) else (one.low, one.high) for one in intervals
    ]  # one fold has none
    reach = [max(abs(start), abs(end)) for start, end in ends]
    most = min(max(reach), _FAR * float(np.median(reach))) or 0.01
    low = max(-most, min(0.0, *(start for start, _ in ends)))
    high = min(most, max(0.0, *(end for _, end in ends)))
    axes.set_xlim(low - 0.08 * most, high + 0.08 * most)
    axes.axvline(0, color=hexadecimal(INK), linewidth=0.8, zorder=2)
    for place, (mark, interval) in enumerate(zip(marks, intervals, strict=True)):
        colour = hexadecimal(mark.colour)
        if abs(interval.mean) > most:
            end = low - 0.06 * most if interval.mean < 0 else high + 0.06 * most
            axes.plot([end], [place], "<" if interval.mean < 0 else ">", color=colour, markersize=5, zorder=3)
        else:
            axes.plot(ends[place], [place, place], color=colour, linewidth=1.4, zorder=3)
            sure = interval.is_positive or interval.is_negative
            fill = colour if sure else hexadecimal(PAPER)
            axes.plot([interval.mean], [place], "o", color=colour, markerfacecolor=fill, markersize=4.6, zorder=4)
        _write_value(axes, place, signed_interval(interval, 1), INK)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(value, 0 if most > 0.03 else 1)))
    return figure


def value_rows(marks: Sequence[Mark], values: Sequence[float], across: str) -> Figure:
    """A bar a row from zero, with its value; dots on a logarithmic axis if the values are worlds apart."""
    figure, axes = _row_chart(marks, across)
    positive = [value for value in values if value > 0]
    logarithmic = len(positive) == len(values) and max(values) > _WIDE_SPAN * min(values)
    for place, (mark, value) in enumerate(zip(marks, values, strict=True)):
        colour = hexadecimal(mark.colour)
        if logarithmic:
            axes.plot([value], [place], "o", color=colour, markersize=5, zorder=3)
        else:
            axes.barh([place], [value], height=0.58, color=colour, zorder=3)
        _write_value(axes, place, amount(value), mark.colour)
    if logarithmic:
        axes.set_xscale("log")
        axes.set_xlim(min(values) / 1.5, max(values) * 1.5)
        axes.xaxis.set_major_locator(LogLocator(10, numticks=6))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        axes.set_xlim(0, max([*values, 0.01]) * 1.04)
        axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    return figure


def regret_rows(marks: Sequence[Mark], labels: Sequence[Sequence[float]], splits: Sequence[Sequence[float]]) -> Figure:
    """Accuracy lost by labels and by splits, one bar a row; the deeper the decision, the darker its piece."""
    figure, axes = _row_chart(marks, "accuracy lost against the oracle", top=24.0)
    edges = [0.0]
    for place, (by_labels, by_splits) in enumerate(zip(labels, splits, strict=True)):
        ends = {True: 0.0, False: 0.0}  # of the losses, to the right, and of the gains, to the left
        for values, colour in ((by_labels, PAINT), (by_splits, SKIP)):
            for depth, value in enumerate(values):
                shade = hexadecimal(depth_shade(colour, depth, len(values)))
                axes.barh([place], [value], height=0.62, left=ends[value > 0], color=shade, linewidth=0, zorder=3)
                ends[value > 0] += value
        edges += ends.values()
        _write_value(axes, place, percent(sum(by_labels) + sum(by_splits)), INK)
    axes.axvline(0, color=hexadecimal(INK), linewidth=0.6, zorder=4)
    room = max(max(edges) - min(edges), 0.01)
    axes.set_xlim(min(edges) - (0.02 * room if min(edges) < 0 else 0), max(edges) + 0.02 * room)
    _percent_axis(axes)
    _regret_legend(axes, max(map(len, [*labels, *splits])))
    return figure


def depth_shade(colour: Colour, depth: int, depths: int) -> Colour:
    """Pale for decisions near the root, dark for the deepest."""
    share = depth / max(1, depths - 1)
    return mix(mix(colour, PAPER, 0.62), mix(colour, INK, 0.38), share)


def _regret_legend(axes: Axes, depths: int) -> None:
    """Above the bars: the two kinds of decision, each from the root to the deepest leaf."""
    style = {"transform": axes.transAxes, "va": "bottom", "fontsize": _SMALL}
    width, height = (size * 72 / axes.figure.dpi for size in axes.get_window_extent().size)
    for left, name, colour in ((0.0, "labels", PAINT), (0.53, "splits", SKIP)):
        for depth in range(depths):
            box = axes.inset_axes((left + 6 * depth / width, 1 + 5 / height, 6 / width, 8 / height))
            box.set_facecolor(hexadecimal(depth_shade(colour, depth, depths)))
            box.set(xticks=[], yticks=[])
            for side in box.spines.values():
                side.set_visible(False)
        write_text(axes, left + 6 * depths / width + 0.02, 1 + 4.5 / height, name, INK, ha="left", **style)


def _row_chart(marks: Sequence[Mark], across: str, right: float = _RIGHT, top: float = _TOP) -> tuple[Figure, Axes]:
    """Axes with a line a row, the first on top, the names at its left and room for values at its right."""
    height = _LINE * len(marks)
    figure = new_figure(WIDTH, top + height + _BOTTOM)
    axes = chart(figure, _NAMES, top, WIDTH - _NAMES - right, height)
    axes.set_ylim(len(marks) - 0.5, -0.5)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.grid(visible=False)
    axes.grid(axis="x", color=hexadecimal(BLANK), linewidth=0.6, linestyle="-")
    axes.set_xlabel(across, fontfamily=FONT, fontsize=_SMALL, color=hexadecimal(INK))
    across_page = axes.get_yaxis_transform()
    axes.xaxis.set_label_coords(
        0.5 * WIDTH / (WIDTH - _NAMES - right) - _NAMES / (WIDTH - _NAMES - right), -18 / height
    )
    for place, mark in enumerate(marks):
        bold = "bold" if mark.colour == PAINT else "normal"
        write_text(axes, -0.03, place, mark.name, mark.colour, ha="right", fontweight=bold, transform=across_page)
    return figure, axes


def _write_value(axes: Axes, place: int, text: str, colour: Colour) -> None:
    transform = axes.get_yaxis_transform()
    write_text(axes, 1.03, place, text, colour, ha="left", fontsize=_SMALL, transform=transform)


def _percent_axis(axes: Axes) -> None:
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    low, high = axes.get_xlim()
    digits = 0 if high - low > 0.03 else 1
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: percent(value, digits)))
