"""Noise, colours and materials: of the asked colour, varied, and the same at every size."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from shapeparse.data.generator import texture
from shapeparse.data.generator.texture import Material, fractal, hsv, mixed, noise, similar_colour, tinted

GREEN = hsv(0.33, 0.5, 0.6)


def test_hue_saturation_and_value_make_the_colour() -> None:
    assert hsv(0, 1, 1).ravel().tolist() == [1, 0, 0]
    assert hsv(1 / 3, 1, 0.5).ravel() == pytest.approx([0, 0.5, 0])
    assert np.array_equal(hsv(1.25, 0.5, 1), hsv(0.25, 0.5, 1))


def test_a_similar_colour_is_near_and_not_the_same() -> None:
    rng = np.random.default_rng(0)
    others = [similar_colour(rng, GREEN) for _ in range(20)]
    assert all(0 < np.abs(other - GREEN).max() < 0.35 for other in others)
    assert np.array_equal(similar_colour(rng, GREEN, spread=0), GREEN)


@pytest.mark.parametrize("plane", [lambda rng, size: noise(rng, size, 6, 9), lambda rng, size: fractal(rng, size)])
def test_noise_is_the_same_at_every_size(plane) -> None:
    small, large = (plane(np.random.default_rng(3), size) for size in (64, 192))
    assert large.std() > 0.3
    shrunk = np.asarray(Image.fromarray(large).resize((64, 64), Image.Resampling.BOX))
    assert np.abs(shrunk - small).mean() < 0.1 * small.std()


def test_tone_makes_a_colour_lighter_and_opacity_lays_one_over_another() -> None:
    tone = np.array([[0.0, 0.5]], np.float32)
    assert tinted(GREEN, tone)[:, 0] == pytest.approx(np.hstack([GREEN[:, :, 0], 1.5 * GREEN[:, :, 0]]))
    under, over = np.zeros((3, 1, 3), np.float32), hsv(0, 0, 1)
    assert mixed(under, over, np.array([[0, 0.25, 1]], np.float32))[0, 0] == pytest.approx([0, 0.25, 1])
    assert (under == 0).all()


@pytest.mark.parametrize("material", texture.EVERYTHING, ids=lambda material: material.__name__)
def test_materials_are_pictures_of_their_size_that_are_nowhere_flat(material: Material) -> None:
    picture = material(np.random.default_rng(0), 48, GREEN)
    assert picture.shape == (3, 48, 48)
    assert np.isfinite(picture).all()
    assert picture.std(axis=(1, 2)).min() > 0.005
    again = material(np.random.default_rng(0), 48, GREEN)
    assert np.array_equal(picture, again)


def test_even_paint_has_its_own_colour_and_stripped_patches_another() -> None:
    rng = np.random.default_rng(2)
    paint = texture.painted(rng, 64, GREEN)
    assert np.abs(paint - GREEN).max() < 0.15
    stripped = texture.partly_stripped(rng, 64, paint, GREEN)
    changed = np.abs(stripped - paint).max(axis=0) > 0.02
    assert 0.02 < changed.mean() < 0.98
