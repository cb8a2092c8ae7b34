"""Looks at training images: of the wanted side, image and mask alike, decided by the generator alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from shapeparse.learning.looks import Looks, look_side


@pytest.fixture
def masks() -> np.ndarray:
    return np.random.default_rng(0).random((40, 32, 32)) < 0.5


def looks(masks: np.ndarray, zoom: float = 1.0, flips: bool = False, colour: float = 0.0) -> Looks:
    """At images that show their masks in red."""
    images = np.zeros((*masks.shape, 3), np.uint8)
    images[..., 0] = 255 * masks
    return Looks(images, masks, zoom, flips, colour)


@pytest.mark.parametrize("side", [32, 16])
def test_images_are_shrunk_by_means_and_masks_with_them(masks, side):
    look = looks(masks)
    look.shrink_to(side)
    pixels, seen = look(np.array([3, 39]), np.random.default_rng(0))
    small = F.avg_pool2d(torch.from_numpy(masks[[3, 39]]).float(), 32 // side)
    torch.testing.assert_close(seen, small, rtol=0, atol=2e-3)
    torch.testing.assert_close(pixels[:, 0], seen, rtol=0, atol=0)
    assert pixels[:, 1:].max() == 0


def test_looks_are_zoomed_and_flipped_as_the_generator_says(masks):
    look = looks(masks, zoom=1.5, flips=True, colour=0.2)
    look.shrink_to(16)
    chosen = np.arange(8)
    first, again, other = (look(chosen, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert all(torch.equal(one, two) for one, two in zip(first, again, strict=True))
    assert not torch.equal(first[1], other[1])
    assert not torch.equal(first[0][:, 0], first[1])  # which is under no light


def test_looks_grow_in_three_steps():
    assert [look_side(share, 128, 256) for share in (0.0, 0.3, 0.4, 0.6, 0.7, 1.0)] == [128, 128, 192, 192, 256, 256]
    assert {look_side(share, 0, 256) for share in (0.0, 0.5, 1.0)} == {256}
