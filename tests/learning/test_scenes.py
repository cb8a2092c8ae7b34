"""Scenes: flipped pictures with flipped masks, rewards by Eq. 1, and light that varies within bounds."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from shapeparse import Limits
from shapeparse.grammar import expand
from shapeparse.learning.augmentation import colour_jitter
from shapeparse.learning.methods import METHODS
from shapeparse.learning.rollout import Rollout
from shapeparse.learning.scenes import Scenes
from shapeparse.networks.views import to_pixels


@pytest.fixture
def scenes(photographs) -> Scenes:
    images, masks = photographs(3)
    return Scenes(images[:, :24], masks[:, :24], flips=True)  # not square, so that no axis passes for the other


def test_a_flipped_scene_shows_picture_and_mask_flipped_alike(scenes):
    plain, flipped = scenes.pixels(np.array([0, 2, 4])), scenes.pixels(np.array([1, 3, 5]))
    torch.testing.assert_close(flipped, plain.flip(3), rtol=0, atol=0)
    masks = scenes.all_masks()
    assert len(masks) == len(scenes) == 6
    for scene in range(0, 6, 2):
        np.testing.assert_array_equal(masks[scene + 1], masks[scene][:, ::-1])
        np.testing.assert_array_equal(masks[scene], scenes.masks[scene // 2])


def test_pixels_are_the_images_bytes_from_0_to_1(scenes):
    pixels = scenes.pixels(np.array([4]))
    assert pixels.shape == (1, 3, 24, 32)
    np.testing.assert_allclose(pixels[0].permute(1, 2, 0).numpy() * 255, scenes.images[2], atol=1e-4)


def test_looking_at_scenes_leaves_the_images_as_they_were(scenes):
    before = scenes.images.copy()
    pixels = scenes.pixels(np.array([1, 1, 0, 5]))
    pixels.mul_(0)
    np.testing.assert_array_equal(scenes.images, before)


def test_an_epoch_shows_every_image_once_flipped_or_not(scenes):
    rng = np.random.default_rng(0)
    drawn = np.stack([scenes.draw(rng) for _ in range(200)])
    assert (np.sort(drawn // 2, axis=1) == [0, 1, 2]).all()
    assert 0.4 < (drawn % 2).mean() < 0.6
    assert len({tuple(row // 2) for row in drawn}) == 6  # in every order


def test_without_flips_scenes_are_images(photographs):
    images, masks = photographs(3)
    plain = Scenes(images, masks, flips=False)
    assert len(plain) == 3
    np.testing.assert_array_equal(plain.pixels(np.array([2])), to_pixels(images[2:]))
    assert sorted(plain.draw(np.random.default_rng(0))) == [0, 1, 2]


def test_rewards_are_the_returns_of_eq_1(scenes, random_actor):
    limits = Limits(4)
    forest = expand(scenes.sizes, random_actor(3, limits), limits)
    np.testing.assert_array_equal(scenes.rewards().returns(forest), forest.returns(scenes.all_masks()))
    roots = [tree.returns(mask)[0] for tree, mask in zip(forest.trees(), scenes.all_masks(), strict=True)]
    np.testing.assert_array_equal(scenes.rewards().returns(forest)[: len(scenes)], roots)


def test_light_varies_within_bounds_and_each_image_for_itself():
    pixels = torch.rand(4, 3, 6, 6, generator=torch.Generator().manual_seed(0))
    before = pixels.clone()
    jittered = colour_jitter(pixels, 0.8, np.random.default_rng(0))
    torch.testing.assert_close(pixels, before, rtol=0, atol=0)
    assert jittered.min() >= 0
    assert jittered.max() <= 1
    change = (jittered - pixels).mean(dim=(1, 2, 3))
    assert len(set(change.tolist())) == 4
    again = colour_jitter(pixels, 0.8, np.random.default_rng(0))
    torch.testing.assert_close(jittered, again, rtol=0, atol=0)


def test_no_strength_leaves_the_light_as_it_is():
    pixels = torch.rand(2, 3, 4, 4, generator=torch.Generator().manual_seed(0))
    assert colour_jitter(pixels, 0.0, np.random.default_rng(0)) is pixels
    slight = colour_jitter(pixels, 1e-6, np.random.default_rng(0))
    torch.testing.assert_close(slight, pixels, rtol=0, atol=1e-5)


# ---- frames --------------------------------------------------------------------------------------------------------


def test_frames_lie_inside_the_image_and_are_no_smaller_than_said(scenes):
    scenes.reframe(np.arange(len(scenes)), 0.4, np.random.default_rng(0))
    height, width = scenes.masks.shape[1:]
    x, y, w, h = scenes.frames.T
    assert (x >= 0).all()
    assert (y >= 0).all()
    assert (x + w <= width).all()
    assert (y + h <= height).all()
    assert (w >= np.floor(0.6 * width)).all()
    assert (h >= np.floor(0.6 * height)).all()
    assert len(np.unique(scenes.frames, axis=0)) > 1


def test_image_and_mask_show_the_same_frame(photographs):
    """Where an image is white exactly where its mask is paint, it stays so, but for the border it is blurred along."""
    _, masks = photographs(4, 64)
    images = np.repeat(np.where(masks, 255, 0).astype(np.uint8)[..., None], 3, axis=3)
    zoomed = Scenes(images, masks, flips=True)
    zoomed.reframe(np.arange(8), 0.5, np.random.default_rng(1))
    pixels = zoomed.pixels(np.arange(8)).numpy()[:, 0]
    for scene in range(8):
        differs = (pixels[scene] > 0.5) != zoomed.mask(scene)
        assert differs.mean() < 0.03
        assert zoomed.mask(scene).shape == masks[0].shape


def test_a_frame_by_hand():
    mask = np.array([[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], bool)
    zoomed = Scenes(np.zeros((1, 4, 4, 3), np.uint8), mask[None], flips=True)
    zoomed.frames[:] = [1, 1, 2, 2]
    expected = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], bool)
    np.testing.assert_array_equal(zoomed.mask(0), expected)
    np.testing.assert_array_equal(zoomed.mask(1), expected[:, ::-1])


def test_oracle_and_rewards_follow_the_frames(photographs):
    images, masks = photographs(3, 32)
    zoomed = Scenes(images, masks, flips=True)
    limits = Limits(3)
    rollout = Rollout.of(METHODS["drag"], zoomed, limits)
    rollout.reframe(np.array([1, 4]), 0.5, np.random.default_rng(0))
    fresh = zoomed.teacher(limits)
    forest = expand(fresh.sizes, fresh, limits)
    assert rollout.oracle is not None
    found = rollout.oracle(forest.nodes)
    np.testing.assert_array_equal(found.rule, forest.rule)
    np.testing.assert_array_equal(found.cut, forest.cut)
    assert rollout.rewards is not None
    np.testing.assert_array_equal(rollout.rewards.returns(forest), forest.returns(zoomed.all_masks()))
