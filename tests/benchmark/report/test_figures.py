"""Charts with a line a row: what is drawn is what was measured."""

from __future__ import annotations

from typing import cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from shapeparse.benchmark.report.figures import (
    Mark,
    accuracy_dots,
    depth_shade,
    forest,
    regret_rows,
    value_rows,
)
from shapeparse.benchmark.statistics import Interval
from shapeparse.pictures import figure_png
from shapeparse.pictures.palette import INK, PAINT, PAPER, SKIP, hexadecimal

MARKS = [Mark("DRAG", PAINT), Mark("DAgger", SKIP)]


def words(figure) -> list[str]:
    return [text.get_text().replace("\u00a0", " ") for text in figure.axes[0].texts]


def bars(axes: Axes) -> list[Rectangle]:
    return cast("list[Rectangle]", list(axes.patches))


def test_every_fold_is_a_dot_and_the_mean_a_bar() -> None:
    figure = accuracy_dots(MARKS, [[0.9, 0.8], [0.7]], [0.86, None])
    axes = figure.axes[0]
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert [sorted(np.asarray(dot.get_xdata())) for dot in dots] == [[0.8, 0.9], [0.7]]
    [diamond] = [line for line in axes.lines if line.get_marker() == "D"]
    assert list(diamond.get_xdata()) == [0.86]
    assert words(figure) == ["DRAG", "DAgger", "85.0 %", "70.0 %"]
    low, high = axes.get_xlim()
    assert low < 0.7
    assert high > 0.9


def test_an_interval_that_includes_zero_is_hollow_and_one_far_off_is_an_arrow() -> None:
    sure, unsure, far = Interval(0.02, 0.01, 0.03), Interval(0.01, -0.01, 0.02), Interval(-0.9, -0.95, -0.85)
    figure = forest([*MARKS, Mark("MCPG", INK)], [sure, unsure, far])
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert [to_hex(dot.get_markerfacecolor()) for dot in dots] == [hexadecimal(PAINT), hexadecimal(PAPER)]
    assert [line.get_marker() for line in figure.axes[0].lines].count("<") == 1


def test_values_that_are_worlds_apart_are_shown_on_a_logarithmic_axis() -> None:
    near, wide = value_rows(MARKS, [3, 5], "ms"), value_rows(MARKS, [0.06, 500], "ms")
    assert [axes.get_xscale() for figure in (near, wide) for axes in figure.axes[:1]] == ["linear", "log"]
    assert [bar.get_width() for bar in bars(near.axes[0])] == [3, 5]
    assert words(wide)[2:] == ["0.06", "500"]


def test_losses_go_to_the_right_and_gains_to_the_left() -> None:
    figure = regret_rows(MARKS[:1], [[0.01, 0.02]], [[0.03, -0.005]])
    ends = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars(figure.axes[0])]
    assert np.allclose(ends, [(0, 0.01), (0.01, 0.03), (0.03, 0.06), (0, -0.005)])
    assert "5.5 %" in words(figure)
    assert figure_png(figure)


def test_the_deeper_a_decision_the_darker_its_shade() -> None:
    shades = [np.mean(depth_shade(SKIP, depth, 8)) for depth in range(8)]
    assert shades == sorted(shades, reverse=True)
    assert depth_shade(SKIP, 0, 1) == depth_shade(SKIP, 0, 8)
