"""Crops: whatever happens to an image happens to its mask."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from shapeparse.learning.augmentation import random_crops, random_windows


def spots(seed: int, count: int = 3, height: int = 20, width: int = 28) -> torch.Tensor:
    """Masks of coarse spots, not square, so that no axis passes for the other."""
    coarse = np.random.default_rng(seed).random((count, height // 4, width // 4)) < 0.4
    return torch.from_numpy(coarse.repeat(4, axis=1).repeat(4, axis=2)).float()


@given(seed=st.integers(0, 999), zoom=st.floats(1, 3), flips=st.booleans())
def test_an_image_that_shows_its_mask_still_does(seed, zoom, flips):
    masks = spots(seed)
    noise = torch.rand(masks.shape, generator=torch.Generator().manual_seed(seed))
    pixels = torch.stack([masks, 1 - masks, noise], dim=1)
    cropped, cropped_masks = random_crops(pixels, masks, zoom, flips, np.random.default_rng(seed))
    assert cropped.shape == pixels.shape
    torch.testing.assert_close(cropped[:, 0], cropped_masks, rtol=0, atol=0)
    torch.testing.assert_close(cropped[:, 1], 1 - cropped_masks, rtol=0, atol=1e-4)
    assert cropped_masks.min() >= 0
    assert cropped_masks.max() <= 1.0001


def test_without_zoom_images_are_left_alone_or_flipped():
    masks = spots(0, count=40)
    pixels = torch.rand(40, 3, *masks.shape[1:], generator=torch.Generator().manual_seed(0))
    _, same = random_crops(pixels, masks, 1.0, False, np.random.default_rng(0))
    torch.testing.assert_close(same, masks, rtol=0, atol=1e-4)
    cropped, turned = random_crops(pixels, masks, 1.0, True, np.random.default_rng(0))
    flipped = torch.tensor(
        [not torch.allclose(one, other, atol=1e-3) for one, other in zip(turned, masks, strict=True)]
    )
    assert 10 < flipped.sum() < 30
    torch.testing.assert_close(turned[flipped], masks[flipped].flip(2), rtol=0, atol=1e-4)
    torch.testing.assert_close(cropped[flipped], pixels[flipped].flip(3), rtol=0, atol=1e-3)


@given(seed=st.integers(0, 999), zoom=st.floats(1, 3))
def test_a_window_lies_in_the_image_or_the_image_in_it(seed, zoom):
    windows = random_windows(20, zoom, True, np.random.default_rng(seed)).numpy()
    assert (windows[:, 0, 1] == 0).all() and (windows[:, 1, 0] == 0).all()  # nothing is turned or slanted
    size = np.abs(windows[:, [0, 1], [0, 1]])
    low, high = windows[:, :, 2] - size, windows[:, :, 2] + size
    inside, around = (low >= -1 - 1e-5) & (high <= 1 + 1e-5), (low <= -1 + 1e-5) & (high >= 1 - 1e-5)
    assert (inside | around).all()
    assert (windows[:, 1, 1] > 0).all()  # never upside down


def test_things_become_larger_and_smaller_within_the_zoom():
    size = np.abs(random_windows(2000, 2.0, True, np.random.default_rng(0)).numpy()[:, 1, 1])
    assert 0.4 < size.min() < 0.6 and 1.7 < size.max() < 2.5
    assert 0.45 < (size < 1).mean() < 0.55
