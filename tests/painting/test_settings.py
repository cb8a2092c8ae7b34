"""Settings: what can be planned with, and one sentence for what cannot."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from shapeparse.painting import PaintSettings

Refused = Callable[..., str]
NO_NUMBERS = [float("nan"), float("inf"), -float("inf"), "12", None, True, [12], 1e300]


@pytest.mark.parametrize("name", ["brush", "overlap", "margin", "stroke_speed", "travel_speed", "lift_time"])
@pytest.mark.parametrize("value", [-1, -0.001, *NO_NUMBERS])
def test_what_is_no_sensible_number_is_refused(refused: Refused, name: str, value: object) -> None:
    assert refused(PaintSettings, **{name: value}).startswith(f"{name} is ")


@pytest.mark.parametrize("name", ["brush", "stroke_speed", "travel_speed", "scale"])
def test_what_must_be_above_zero_may_not_be_zero(refused: Refused, name: str) -> None:
    refused(PaintSettings, **{name: 0})


def test_strokes_that_overlap_wholly_would_never_end(refused: Refused) -> None:
    assert "below 1" in refused(PaintSettings, overlap=1.0)


def test_orders_and_units_are_named(refused: Refused) -> None:
    assert "route, nearest, raster, tree" in refused(PaintSettings, order="best")
    assert "px, mm, m" in refused(PaintSettings, unit="inch", scale=1)
    assert "give a scale" in refused(PaintSettings, unit="mm")


def test_numbers_of_numpy_are_numbers() -> None:
    assert PaintSettings(brush=np.float32(3), margin=np.int64(2)).pitch == pytest.approx(2.7)


@pytest.mark.parametrize(
    ("scale", "unit", "expected", "named"),
    [(None, None, 10, "px"), (2.0, None, 20, "mm"), (2.0, "m", 0.02, "m"), (2.0, "px", 10, "px")],
)
def test_lengths_are_in_the_unit(scale: float | None, unit: str | None, expected: float, named: str) -> None:
    settings = PaintSettings(scale=scale, unit=unit)
    assert (settings.length(10), settings.length_unit) == (pytest.approx(expected), named)


def test_speeds_are_in_millimetres_once_there_is_a_scale() -> None:
    assert PaintSettings(stroke_speed=30).pixels_a_second(down=True) == 30
    assert PaintSettings(stroke_speed=30, scale=0.5, unit="m").pixels_a_second(down=True) == 60
    assert PaintSettings(travel_speed=80, scale=2).pixels_a_second(down=False) == 40
