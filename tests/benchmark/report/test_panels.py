"""Small charts: a curve before all others on one scale, and regret by depth."""

from __future__ import annotations

from typing import cast

import numpy as np
from matplotlib.patches import Rectangle

from shapeparse.benchmark.report.panels import curve_panel, regret_panel
from shapeparse.benchmark.statistics import Curve
from shapeparse.pictures.palette import PAINT


def curve(*values: float, spread: float = 0.01) -> Curve:
    mean = np.array(values)
    return Curve(np.arange(len(values), dtype=float), mean, mean - spread, mean + spread)


def test_all_curves_decide_the_scales_so_that_panels_can_be_compared() -> None:
    curves = [curve(0.6, 0.8), curve(0.5, 0.9, 0.95)]
    panels = [curve_panel(own, PAINT, [other], "minutes") for own, other in (curves, curves[::-1])]
    limits = [(axes.get_xlim(), axes.get_ylim()) for panel in panels for axes in panel.axes]
    assert limits[0] == limits[1]
    assert limits[0][0] == (0, 2)


def test_a_level_is_a_dashed_line_within_the_panel() -> None:
    axes = curve_panel(curve(0.8, 0.9), PAINT, [], "minutes", ("majority label", 0.4)).axes[0]
    assert axes.get_ylim()[0] < 0.4
    assert [text.get_text() for text in axes.texts] == ["majority label"]


def test_a_single_point_can_be_seen() -> None:
    assert curve_panel(curve(0.7), PAINT, [], "minutes").axes[0].lines[-1].get_marker() == "o"


def test_a_logarithmic_axis_begins_where_the_first_curve_does() -> None:
    own, other = (curve(0.5, 0.7, 0.9)._replace(x=np.array(x)) for x in ((10.0, 100.0, 1000.0), (20.0, 200.0, 4000.0)))
    axes = curve_panel(own, PAINT, [other], "updates", by_ratio=True).axes[0]
    assert axes.get_xscale() == "log" and axes.get_xlim() == (10, 4000)
    assert axes.xaxis.get_major_formatter()(1000) == "1,000"


def test_labels_lie_on_splits_and_gains_hang_below_zero() -> None:
    axes = regret_panel([0.01, -0.002], [0.03, 0.0, 0.04]).axes[0]
    bars = [(bar.get_y(), bar.get_height()) for bar in cast("list[Rectangle]", list(axes.patches))]
    assert np.allclose(bars[:3], [(0, 0.03), (0, 0), (0, 0.04)])
    assert np.allclose(bars[3:5], [(0.03, 0.01), (0, -0.002)])
    low, high = axes.get_ylim()
    assert low < -0.002
    assert high > 0.04
