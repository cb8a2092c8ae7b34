"""Pictures seen at places between pixels."""

from __future__ import annotations

import numpy as np

from shapeparse.painting.sampling import BAND, resampled, sampled


def test_samples_lie_between_the_pixels_and_stay_at_the_edge_beyond_it() -> None:
    picture = np.array([[[0], [100]], [[50], [150]]], np.uint8)
    points = np.array([[0.5, 0.5], [1.0, 0.5], [1.0, 1.0], [-9.0, 0.5], [9.0, 9.0]])
    assert sampled(picture, points)[:, 0].tolist() == [0, 50, 75, 0, 150]


def test_a_picture_at_its_own_places_is_itself_over_all_bands() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (BAND + 7, 5, 3)).astype(np.uint8)
    assert np.array_equal(resampled(picture, (BAND + 7, 5), lambda points: points), picture)
    assert np.array_equal(resampled(picture[..., 0], (BAND + 7, 5), lambda points: points), picture[..., 0])


def test_coarse_pixels_are_means_of_what_they_cover() -> None:
    stripes = np.zeros((8, 8), np.uint8)
    stripes[:, ::2] = 200
    coarse = resampled(stripes, (2, 2), lambda points: points * 4, fine=4)
    assert coarse.tolist() == [[100, 100], [100, 100]]
