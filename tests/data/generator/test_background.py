"""Surroundings and clutter: pictures of any size, and things that lie in front of them."""

from __future__ import annotations

import numpy as np
import pytest

from shapeparse.data.generator import background
from shapeparse.data.generator.background import BACKDROPS, THINGS, Backdrop
from shapeparse.data.generator.fields import disc, picture_view
from shapeparse.data.generator.texture import hsv

VIEW = picture_view(64)
GREY = hsv(0.6, 0.1, 0.5)
FROM_THE_LEFT = (-1.0, 0.0)


@pytest.mark.parametrize("make", dict.fromkeys(BACKDROPS), ids=lambda make: make.__name__)
def test_every_surrounding_fills_the_picture_and_is_not_flat(make: Backdrop) -> None:
    picture = make(np.random.default_rng(0), VIEW, GREY)
    assert picture.shape == (3, 64, 64)
    assert np.isfinite(picture).all()
    assert picture.std(axis=(1, 2)).min() > 0.01


@pytest.mark.parametrize("make", dict.fromkeys(THINGS), ids=lambda make: make.__name__)
def test_every_thing_of_the_clutter_is_there_and_not_everywhere(make) -> None:
    inside = make(np.random.default_rng(1), VIEW.placed((0.5, 0.5), 0)) < 0
    assert 0.001 < inside.mean() < 0.5


def test_a_thing_hides_what_is_behind_it_and_darkens_what_is_around_it() -> None:
    canvas, white = np.full((3, 64, 64), 0.5, np.float32), np.ones((3, 64, 64), np.float32)
    laid = background.lay(canvas, disc(VIEW, 0.5, 0.5, 0.2), white, VIEW.pixel, FROM_THE_LEFT)
    assert laid[:, 32, 32] == pytest.approx(1)
    assert laid[0, 0, 0] == pytest.approx(0.5)  # far away
    assert laid[0, 32, 45] < 0.45  # just beside it
    assert laid[0, 32, 20] > 1.05  # its edge that faces the light
    assert laid[0, 32, 43] < 0.95


def test_edges_towards_the_light_are_bright_and_those_away_from_it_dark() -> None:
    edges = background.bevel(disc(VIEW, 0.5, 0.5, 0.25), VIEW.pixel, FROM_THE_LEFT, 0.02)
    assert edges[32, 16] > 0.3
    assert edges[32, 47] < -0.3
    assert abs(edges[32, 32]) < 0.01


def test_clutter_changes_the_picture_around_its_middle_only_in_part() -> None:
    canvas, own = np.full((3, 64, 64), 0.5, np.float32), np.ones((3, 64, 64), np.float32)
    cluttered = background.add_clutter(np.random.default_rng(0), VIEW, canvas, own, FROM_THE_LEFT)
    changed = np.abs(cluttered - canvas).max(axis=0) > 0.05
    assert 0.05 < changed.mean() < 0.9
    assert (canvas == 0.5).all()


def test_the_same_seed_gives_the_same_surrounding() -> None:
    first, same, other = (background.backdrop(np.random.default_rng(seed), VIEW, GREY) for seed in (4, 4, 5))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)
