"""Surroundings of the wide world: pictures of their size, varied, and the same at every size."""

from __future__ import annotations

import numpy as np
import pytest

from shapeparse.data.generator.background import Backdrop
from shapeparse.data.generator.fields import picture_view
from shapeparse.data.generator.surroundings import WIDE_BACKDROPS, from_above, wide_backdrop
from shapeparse.data.generator.texture import hsv

GREEN = hsv(0.33, 0.5, 0.6)


@pytest.mark.parametrize(
    "backdrop", [*dict.fromkeys(WIDE_BACKDROPS), from_above, wide_backdrop], ids=lambda backdrop: backdrop.__name__
)
def test_a_surrounding_is_a_picture_that_is_not_flat_and_the_same_again(backdrop: Backdrop) -> None:
    first, same, other = (backdrop(np.random.default_rng(seed), picture_view(48), GREEN) for seed in (0, 0, 1))
    assert first.shape == (3, 48, 48)
    assert np.isfinite(first).all()
    assert first.std(axis=(1, 2)).min() > 0.001
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("seed", range(4))
def test_a_larger_picture_shows_the_same_surrounding(seed: int) -> None:
    small, large = (wide_backdrop(np.random.default_rng(seed), picture_view(size), GREEN) for size in (64, 192))
    assert np.abs(large.mean(axis=(1, 2)) - small.mean(axis=(1, 2))).max() < 0.03
