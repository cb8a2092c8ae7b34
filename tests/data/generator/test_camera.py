"""Light and cameras: never darkness, bytes of the canvas's size, and real JPEG."""

from __future__ import annotations

import numpy as np
import pytest

from shapeparse.data.generator.camera import compressed, daylight, shot
from shapeparse.data.generator.fields import picture_view


@pytest.mark.parametrize("seed", range(12))
def test_light_is_uneven_but_never_gone(seed: int) -> None:
    light = daylight(np.random.default_rng(seed), picture_view(32))
    assert light.min() > 0.1
    assert light.max() < 2.5
    assert light.std() > 0.001


@pytest.mark.parametrize("seed", range(6))
def test_a_brighter_canvas_makes_a_brighter_photograph(seed: int) -> None:
    dim, lit = (
        shot(np.random.default_rng(seed), np.random.default_rng(0), np.full((3, 32, 32), value, np.float32))
        for value in (0.2, 0.8)
    )
    assert dim.shape == (32, 32, 3)
    assert dim.dtype == np.uint8
    assert lit.mean() > dim.mean() + 20


def test_strong_compression_changes_more_than_weak_and_neither_changes_the_picture_much() -> None:
    image = np.random.default_rng(0).integers(90, 160, (48, 48, 3)).astype(np.uint8)
    weak, strong = (np.abs(compressed(image, quality).astype(int) - image).mean() for quality in (95, 30))
    assert 0 < weak < strong < 40
