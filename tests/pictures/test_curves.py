"""The charts of a training."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shapeparse.pictures import figure_png, learning_curve, regret_bars, reliability_plot


def test_charts_are_pictures_that_come_out_the_same_every_time() -> None:
    for make in (
        lambda: learning_curve([10.0, 20.0], [0.5, 0.75], {"oracle": 0.96}),
        lambda: learning_curve([1.5], [0.5]),
        lambda: learning_curve([0.0], [1.0]),
        lambda: regret_bars([0.01, -0.002, 0.0], [0.0, 0.0, 0.03]),
        lambda: regret_bars([0.0], [0.0]),
        lambda: reliability_plot([0.55, 0.95], [0.6, 0.9], [0.1, 0.9]),
        lambda: reliability_plot([0.2], [0.1], [1.0]),
    ):
        content = figure_png(make())
        assert content.startswith(b"\x89PNG")
        assert content == figure_png(make())


def test_every_value_and_reference_is_within_the_chart() -> None:
    (axes,) = learning_curve([60.0, 120.0, 180.0], [0.5, 0.7, 0.65], {"oracle": 0.96, "majority": 0.4}).axes
    low, high = axes.get_ylim()
    assert low < 0.4
    assert high > 0.96
    assert axes.get_xlabel() == "minutes of training"
    (bars,) = regret_bars([0.01, -0.05], [0.0, 0.2]).axes
    assert bars.get_ylim()[0] < -0.05
    assert bars.get_ylim()[1] > 0.2


def test_charts_without_values_are_refused(refused: Callable[..., str]) -> None:
    refused(learning_curve, [], [])
    refused(learning_curve, [1.0], [0.1, 0.2])
    refused(regret_bars, [], [])
    refused(regret_bars, [0.1], [])
    refused(reliability_plot, [], [], [])


@pytest.mark.parametrize("seconds", [5.0, 89.0, 91.0])
def test_time_is_in_minutes_once_there_are_some(seconds: float) -> None:
    (axes,) = learning_curve([seconds], [0.5]).axes
    assert axes.get_xlabel().startswith("minutes" if seconds > 90 else "seconds")
