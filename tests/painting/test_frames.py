"""From pixels to the coordinates of a file: where it begins, which way y goes, and how many decimals it has."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse.painting import PaintPlan
from shapeparse.painting.frames import Frame, headings, plain
from shapeparse.painting.georeference import Affine

from .conftest import NORTH_UP, TURNED

CORNERS = np.array([[0.0, 0.0], [96.0, 72.0]])  # the upper left and the lower right one of the toy


@pytest.mark.parametrize(("unit", "size"), [("px", 1), ("mm", 0.5), ("m", 0.0005)])
def test_without_a_world_file_a_frame_begins_at_the_lower_left_with_y_up(
    plan: PaintPlan, unit: str, size: float
) -> None:
    frame = Frame.of(plan, unit)
    assert frame.points(CORNERS) == pytest.approx(np.array([[0, 72 * size], [96 * size, 0]]))
    assert (frame.unit, frame.pixel) == (unit, pytest.approx(size))


def test_a_world_file_decides_whatever_the_unit(plan: PaintPlan) -> None:
    frame = Frame.of(plan, "mm", NORTH_UP)
    assert frame.points(CORNERS).tolist() == [[500_000, 5_600_000], [500_024, 5_599_982]]
    assert frame.unit == "world"


def test_lines_are_points_in_pairs(plan: PaintPlan) -> None:
    frame = Frame.of(plan, "mm", TURNED)
    assert np.array_equal(frame.lines(plan.lines)[:, :2], frame.points(plan.lines[:, :2]))
    assert np.array_equal(frame.lines(plan.lines)[:, 2:], frame.points(plan.lines[:, 2:]))


def test_a_turned_pixel_is_as_long_as_its_side() -> None:
    assert Frame(TURNED, "world", "").pixel == pytest.approx(0.5)


@pytest.mark.parametrize(("pixel", "decimals"), [(20, 3), (1, 3), (0.5, 4), (1e-3, 6), (2e-6, 9)])
def test_decimals_show_a_thousandth_of_a_pixel(pixel: float, decimals: int) -> None:
    frame = Frame(Affine(pixel, 0, 0, 0, -pixel, 0), "m", "")
    assert frame.decimals == decimals
    assert 10.0**-decimals <= pixel / 1000 * (1 + 1e-9)


@pytest.mark.parametrize(
    ("value", "text"), [(1.5, "1.5"), (2.0, "2"), (100.0, "100"), (-0.0001, "0"), (1e-9, "0"), (1e22, "1" + "0" * 22)]
)
def test_numbers_are_written_without_needless_zeros_and_without_exponents(value: float, text: str) -> None:
    assert plain(value) == text


@given(st.floats(-1e6, 1e6), st.integers(0, 9))
def test_a_number_as_text_is_the_rounded_number(value: float, decimals: int) -> None:
    assert abs(float(plain(value, decimals)) - value) <= 0.5 * 10.0**-decimals * (1 + 1e-6)


def test_headings_turn_counter_clockwise_from_x() -> None:
    lines = np.array(
        [[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, -1, 0], [0, 0, 0, -1], [3, 3, 3, 3], [0, 0, 1, -1e-300]], float
    )
    assert headings(lines) == pytest.approx([0, math.pi / 2, math.pi, 3 * math.pi / 2, 0, 0])
    assert (headings(lines) < 2 * math.pi).all()
