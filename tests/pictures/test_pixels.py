"""Photographs for pictures: any kind of array becomes RGB, small ones become larger, and labels tint them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from shapeparse.pictures.palette import BLANK, MASK_GREYS
from shapeparse.pictures.pixels import LARGE_ENOUGH, as_rgb, enlarge, enlargement, luminance, tinted, washed

GREY = np.arange(6, dtype=np.uint8).reshape(2, 3) * 50


def test_grey_floats_and_masks_become_rgb() -> None:
    grey = as_rgb(GREY, 3, 2)
    assert grey.shape == (2, 3, 3)
    assert (grey == GREY[..., None]).all()
    assert np.array_equal(as_rgb(GREY / 255, 3, 2), grey)
    assert as_rgb(np.array([[False, True]]), 2, 1)[0, :, 0].tolist() == list(MASK_GREYS)
    assert (as_rgb(None, 3, 2) == BLANK).all()


def test_numbers_that_are_no_brightness_are_clipped() -> None:
    assert as_rgb(np.array([[-1.0, 2.0, np.nan]]), 3, 1)[0, :, 0].tolist() == [0, 255, 0]
    assert as_rgb(np.array([[-5, 300, 7]]), 3, 1)[0, :, 0].tolist() == [0, 255, 7]


def test_what_is_transparent_lies_on_paper() -> None:
    pixels = np.array([[[10, 20, 30, 255], [10, 20, 30, 0]]], np.uint8)
    assert as_rgb(pixels, 2, 1).tolist() == [[[10, 20, 30], [255, 255, 255]]]


@pytest.mark.parametrize("shape", [(3, 2, 3), (2, 3, 5), (2, 3, 3, 1), (6,)])
def test_another_shape_is_refused(shape: tuple[int, ...], refused: Callable[..., str]) -> None:
    refused(as_rgb, np.zeros(shape, np.uint8), 3, 2)


@pytest.mark.parametrize("longer", [1, 7, 100, LARGE_ENOUGH - 1])
def test_small_pictures_are_enlarged_by_a_whole_number(longer: int) -> None:
    factor = enlargement(longer, 1)
    assert factor > 1
    assert factor * longer >= LARGE_ENOUGH
    assert enlargement(LARGE_ENOUGH, 1) == 1


def test_a_few_fat_pixels_stay_what_they_are() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (2, 3, 3), np.uint8)
    assert np.array_equal(enlarge(pixels, 9), pixels.repeat(9, axis=0).repeat(9, axis=1))
    assert enlarge(pixels, 2).shape == (4, 6, 3)


@pytest.mark.parametrize("draw", [tinted, washed])
def test_paint_is_warm_and_skip_is_cool(draw) -> None:
    pixels = np.full((1, 2, 3), 128, np.uint8)
    (red, _, blue), (skip_red, _, skip_blue) = draw(pixels, np.array([[True, False]]))[0].astype(int)
    assert red > blue + 50
    assert skip_blue > skip_red + 20


def test_brightness_is_that_of_pillow() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (5, 6, 3), np.uint8)
    assert np.abs(luminance(pixels) - np.asarray(Image.fromarray(pixels).convert("L"), float)).max() <= 1
