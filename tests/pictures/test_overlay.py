"""Overlays: size, tints, borders, and the kinds of image they accept."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from shapeparse.pictures import label_overlay, overlay, png_bytes, toy_object, write_png
from shapeparse.pictures.pixels import LARGE_ENOUGH, as_rgb, enlargement, luminance, tinted
from shapeparse.support.errors import UserError


def warmth(pixels):
    """Red minus blue, on average."""
    pixels = np.asarray(pixels, float).reshape(-1, 3)
    return (pixels[:, 0] - pixels[:, 2]).mean()


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 2), (400, 100), (20, 300), (511, 5), (512, 3), (700, 2)])
def test_the_size_is_a_whole_multiple_and_only_small_images_grow(random_tree, width, height):
    picture = overlay(random_tree(width, height, depth=3))
    factor = picture.shape[1] // width
    assert picture.shape == (height * factor, width * factor, 3)
    assert picture.dtype == np.uint8
    assert (factor == 1) == (max(width, height) >= LARGE_ENOUGH)
    assert max(picture.shape) >= LARGE_ENOUGH


@pytest.mark.parametrize("ground", [0, 40, 128, 215, 255])
def test_painted_leaves_are_warmer_than_skipped_ones_on_any_brightness(ground):
    _, mask, tree = toy_object()
    picture = overlay(tree, np.full((*mask.shape, 3), ground, np.uint8))
    large = np.kron(mask, np.ones((enlargement(96, 72),) * 2, bool))
    assert warmth(picture[large]) > 40
    assert warmth(picture[~large]) < -10


def test_skip_is_paler_than_paint():
    ground = np.full((1, 2, 3), 128, np.uint8)
    painted, skipped = luminance(tinted(ground, np.array([[True, False]])))[0]
    assert skipped > painted


@pytest.mark.parametrize("ground", [0, 128, 255])
def test_borders_stand_out_from_the_segments_on_bright_and_dark_images(ground):
    _, mask, tree = toy_object()
    grey = luminance(overlay(tree, np.full(mask.shape, ground, np.uint8)))
    factor = enlargement(96, 72)
    row = 8 * factor  # crosses the borders of segments 1, 2 and 4 at x = 30 and x = 68, all skip
    for cut in (30, 68):
        near = grey[row, cut * factor - 3 : cut * factor + 4]
        assert near.max() - near.min() > 25
    far = grey[row, 40 * factor : 60 * factor]
    assert far.max() - far.min() < 2


def test_a_single_leaf_has_no_borders(random_tree):
    picture = overlay(random_tree(9, 7, depth=0))
    assert (picture == picture[0, 0]).all()


def test_the_photograph_shows_through():
    image, _, tree = toy_object()
    bright = overlay(tree, image)
    dark = overlay(tree, image // 4)
    assert luminance(bright).mean() > luminance(dark).mean() + 20


@pytest.mark.parametrize("shape", [(72, 96), (72, 96, 1), (72, 96, 3), (72, 96, 4)])
@pytest.mark.parametrize("kind", [np.uint8, np.float32, np.bool_])
def test_grey_rgb_rgba_floats_and_masks_are_accepted(shape, kind):
    pixels = as_rgb(np.ones(shape, kind), 96, 72)
    assert pixels.shape == (72, 96, 3)
    assert pixels.dtype == np.uint8


def test_floats_and_bytes_of_one_photograph_look_alike():
    image, _, _ = toy_object()
    assert np.array_equal(as_rgb(image / 255, 96, 72), image)


def test_transparent_pixels_lie_on_paper():
    image = np.zeros((1, 2, 4), np.uint8)
    image[0, 1, 3] = 255
    assert as_rgb(image, 2, 1).tolist() == [[[255] * 3, [0] * 3]]


@pytest.mark.parametrize("image", [np.zeros((96, 72, 3)), np.zeros(5), np.zeros((72, 96, 5)), np.zeros((2, 72, 96, 3))])
def test_an_image_of_another_size_is_refused_in_words(image):
    _, _, tree = toy_object()
    with pytest.raises(UserError, match=r"give "):
        overlay(tree, image)


def test_the_given_image_is_not_changed():
    image, _, tree = toy_object()
    before = image.copy()
    overlay(tree, image)
    assert np.array_equal(image, before)


def test_label_overlay_of_the_exact_tree_has_the_same_tints():
    image, mask, tree = toy_object()
    truth, parsed = label_overlay(mask, image), overlay(tree, image)
    assert (truth == parsed).all(axis=2).mean() > 0.95


def test_a_speckled_mask_is_not_covered_by_its_contour():
    mask = np.random.default_rng(0).random((200, 200)) < 0.5
    assert label_overlay(mask).min(axis=2).max() < 240  # nothing is as light as a border


def test_png_bytes_decode_to_the_same_pixels(tmp_path):
    image, _, tree = toy_object()
    picture = overlay(tree, image)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(png_bytes(picture)))), picture)
    write_png(tmp_path / "toy.png", picture)
    assert (tmp_path / "toy.png").read_bytes() == png_bytes(picture)
    assert [path.name for path in tmp_path.iterdir()] == ["toy.png"]
