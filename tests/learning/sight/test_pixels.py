"""Scenes as pixels: the same as often as one looks, until frame or light are drawn anew."""

from __future__ import annotations

import numpy as np
import torch

from shapeparse.learning.augmentation import relit
from shapeparse.learning.scenes import Scenes
from shapeparse.learning.sight.pixels import Pixels
from shapeparse.networks.devices import CPU


def test_a_scene_looks_the_same_until_it_is_drawn_anew(photographs):
    images, masks = photographs(2)
    scenes = Scenes(images, masks, flips=True)
    sight, chosen = Pixels(scenes), np.array([3, 0])
    torch.testing.assert_close(sight(chosen, CPU), scenes.pixels(chosen), rtol=0, atol=0)
    scenes.reframe(np.array([0]), 0.3, np.random.default_rng(0), colour=0.4)
    first, again = sight(chosen, CPU), sight(chosen[::-1].copy(), CPU).flip(0)
    torch.testing.assert_close(first, again)
    torch.testing.assert_close(first, relit(scenes.pixels(chosen), scenes.lights[chosen]))
    torch.testing.assert_close(first[0], scenes.pixels(chosen)[0])  # which was not drawn anew
    assert (first[1] - scenes.pixels(chosen)[1]).abs().max() > 0.02


def test_pixels_come_at_the_size_at_which_a_network_looks(photographs):
    images, masks = photographs(1)
    scenes = Scenes(images, masks, flips=False)
    assert Pixels(scenes, lambda pixels: pixels[..., ::2, ::2])(np.array([0]), CPU).shape == (1, 3, 16, 16)
