"""Figures laid out in points, and files that are the same every time."""

from __future__ import annotations

import io
import warnings

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from shapeparse.pictures import figure_png, figure_svg
from shapeparse.pictures.figures import chart, fit, new_figure, panel, picture, text_width, write_text


def drawn(text: str = "a"):
    figure = new_figure(120, 60)
    write_text(panel(figure, 0, 0, 120, 60), 60, 30, text)
    return figure


def test_sizes_are_in_points() -> None:
    assert Image.open(io.BytesIO(figure_png(new_figure(120, 60)))).size == (360, 180)  # 216 dots an inch
    assert b'width="120pt"' in figure_svg(new_figure(120, 60))


def test_a_figure_that_would_be_too_large_has_fewer_dots() -> None:
    figure = new_figure(72 * 1000, 72)
    assert 1000 * figure.dpi < 2**16


def test_a_panel_counts_points_from_its_upper_left_corner() -> None:
    axes = panel(new_figure(200, 100), 50, 20, 100, 60)
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, 100), (60, 0))
    left, bottom, width, height = axes.get_position().bounds
    assert (left, 1 - bottom - height, width, height) == pytest.approx((0.25, 0.2, 0.5, 0.6))


def test_a_picture_fills_its_place() -> None:
    figure = new_figure(20, 20)
    picture(figure, 0, 0, 20, 20, np.full((4, 4, 3), (255, 0, 0), np.uint8))
    pixels = np.asarray(Image.open(io.BytesIO(figure_png(figure))).convert("RGB"))
    assert pixels[30, 30].tolist() == [255, 0, 0]


def test_a_chart_has_two_spines() -> None:
    spines = chart(new_figure(100, 100), 20, 10, 70, 70).spines
    assert [name for name in spines if spines[name].get_visible()] == ["left", "bottom"]


@pytest.mark.parametrize("write", [figure_png, figure_svg])
def test_the_same_figure_gives_the_same_bytes_whatever_the_users_settings(write) -> None:
    first = write(drawn())
    with mpl.rc_context({"savefig.transparent": True, "svg.hashsalt": "other", "svg.fonttype": "none"}):
        assert write(drawn()) == first
    assert write(drawn("b")) != first


def test_a_dollar_sign_is_no_formula_and_a_letter_nobody_knows_is_a_box() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure_png(drawn("$\\frac{1}$ 日"))
    assert drawn("日").axes[0].texts[0].get_text() == "□"


def test_the_largest_size_of_the_same_shape_is_found() -> None:
    assert fit(200, 100, 50, 50) == (50, 25)
    assert fit(10, 40, 100, 100) == (25, 100)
    assert fit(1000, 1, 50, 50) == (50, 5)  # never a mere line


def test_the_widest_line_decides_how_wide_a_text_is() -> None:
    assert text_width("abc\nabcdef") == text_width("abcdef") > text_width("abc")
    assert text_width("abc", 20) == 2 * text_width("abc", 10)
