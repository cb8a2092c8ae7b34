"""Small charts of a training: how accuracy grew, at which depth the rest was lost, how sure one may be of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from ..support.errors import UserError
from .figures import FONT, TEXT_SIZE, chart, new_figure, write_text
from .palette import INK, PAINT, QUIET, hexadecimal

_WIDTH, _HEIGHT = 330.0, 230.0
_LEFT, _TOP, _RIGHT, _BOTTOM = 44.0, 16.0, 14.0, 38.0


def learning_curve(
    seconds: Sequence[float], accuracy: Sequence[float], references: Mapping[str, float] | None = None
) -> Figure:
    """Accuracy over the time of training; ``references`` are drawn as level lines with their names."""
    if not seconds or len(seconds) != len(accuracy):
        raise UserError(f"The curve has {len(seconds)} times and {len(accuracy)} accuracies; give one each an epoch.")
    figure, axes = _chart("minutes of training" if seconds[-1] >= 90 else "seconds of training")
    scale = 60 if seconds[-1] >= 90 else 1
    times = [second / scale for second in seconds]
    axes.plot(times, accuracy, color=hexadecimal(PAINT), linewidth=1.6, marker="o", markersize=3, zorder=3)
    axes.set_xlim(0, max(times[-1], 0.01) * 1.03)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    for name, level in (references or {}).items():
        axes.axhline(level, color=hexadecimal(QUIET), linewidth=0.8, linestyle=(0, (4, 3)), zorder=2)
        write_text(axes, times[-1] * 1.02, level, name, QUIET, ha="right", va="bottom", fontsize=TEXT_SIZE - 1)
    _percents(axes, [*accuracy, *(references or {}).values()])
    return figure


def rectangles_curve(rectangles: Sequence[int], accuracy: Sequence[float]) -> Figure:
    """Accuracy of the best trees over how many rectangles they have."""
    if not rectangles or len(rectangles) != len(accuracy):
        raise UserError(f"The curve has {len(rectangles)} counts and {len(accuracy)} accuracies; give as many of both.")
    figure, axes = _chart("rectangles")
    axes.plot(rectangles, accuracy, color=hexadecimal(PAINT), linewidth=1.6, marker="o", markersize=2.5, zorder=3)
    axes.set_xlim(0, max(rectangles) * 1.03)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 5, 10]))
    _percents(axes, list(accuracy))
    return figure


def regret_bars(by_splits: Sequence[float], by_labels: Sequence[float]) -> Figure:
    """Accuracy lost at each depth, by splits and by labels side by side; a gain is drawn downwards."""
    if not by_splits or len(by_splits) != len(by_labels):
        raise UserError(f"There are {len(by_splits)} depths of splits and {len(by_labels)} of labels; give as many.")
    figure, axes = _chart("depth in the tree")
    for shift, values, colour, name in ((-0.2, by_splits, QUIET, "by splits"), (0.2, by_labels, INK, "by labels")):
        places = [depth + shift for depth in range(len(values))]
        axes.bar(places, values, width=0.4, color=hexadecimal(colour), label=name, zorder=3)
    axes.axhline(0, color=hexadecimal(INK), linewidth=0.6, zorder=4)
    axes.set_xticks(range(len(by_splits)))
    legend = axes.legend(loc="upper left", frameon=False, prop={"family": FONT, "size": TEXT_SIZE})
    legend.set_zorder(5)
    _percents(axes, [0.0, *by_splits, *by_labels])
    return figure


def reliability_plot(certainty: Sequence[float], right: Sequence[float], weight: Sequence[float]) -> Figure:
    """How often labels are right, over how certain they are; a dot is larger the more of the images it stands for."""
    if not len(certainty) or not len(certainty) == len(right) == len(weight):
        raise UserError(f"There are {len(certainty)} certainties and {len(right)} truths; give as many, at least one.")
    figure, axes = _chart("how sure the parser is of a label")
    axes.plot([0, 1], [0, 1], color=hexadecimal(QUIET), linewidth=0.8, linestyle=(0, (4, 3)), zorder=2)
    axes.plot(certainty, right, color=hexadecimal(PAINT), linewidth=1.2, zorder=3)
    axes.scatter(certainty, right, [12 + 160 * share for share in weight], color=hexadecimal(PAINT), zorder=4)
    low = min(0.5, *certainty, *right) - 0.03
    axes.set_xlim(low, 1.03)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f} %"))
    _percents(axes, [low, *right, 1.0])
    return figure


def _chart(across: str) -> tuple[Figure, Axes]:
    figure = new_figure(_WIDTH, _HEIGHT)
    axes = chart(figure, _LEFT, _TOP, _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM)
    axes.set_xlabel(across, fontfamily=FONT, fontsize=TEXT_SIZE, color=hexadecimal(INK))
    return figure, axes


def _percents(axes: Axes, values: Sequence[float]) -> None:
    """The upright axis in percent, with room for all values."""
    low, high = min(values), max(values)
    room = max(high - low, 0.01)
    axes.set_ylim(low - (0.08 * room if low else 0), high + 0.12 * room)
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    digits = 0 if room > 0.05 else 1
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.{digits}f} %"))
