"""Colours: k-means finds what is apart, and a pixel gets the label most of its colours have."""

from __future__ import annotations

import numpy as np
import pytest

from shapeparse import igm
from shapeparse.peers import ColourLabels, fit_colours
from shapeparse.peers.colours import k_means, nearest, to_lab

from ..conftest import many

COLOURS = np.array([[250, 10, 10], [20, 240, 30], [10, 20, 245], [250, 250, 250], [5, 5, 5]], np.uint8)


def patches(count: int = 4, side: int = 24, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Images of noisy patches of a few colours, and which colour each pixel has."""
    rng = np.random.default_rng(seed)
    which = rng.integers(0, len(COLOURS), (count, side // 8, side // 8)).repeat(8, axis=1).repeat(8, axis=2)
    noisy = COLOURS[which].astype(int) + rng.integers(-5, 6, (count, side, side, 3))
    return noisy.clip(0, 255).astype(np.uint8), which


def test_k_means_finds_colours_that_are_apart():
    images, which = patches()
    centres = k_means(to_lab(images.reshape(-1, 3)), len(COLOURS), np.random.default_rng(0))
    found = nearest(to_lab(images.reshape(-1, 3)), centres)
    assert len({(one, other) for one, other in zip(found, which.ravel(), strict=True)}) == len(COLOURS)
    for cluster, centre in enumerate(centres):
        mean = to_lab(images.reshape(-1, 3))[found == cluster].mean(axis=0)
        np.testing.assert_allclose(centre, mean, atol=1e-2)


def test_labels_are_those_of_the_nearest_cluster_by_brute_force(photographs):
    images, masks = photographs(4, 64)
    labels = fit_colours(images, masks, clusters=9, smoothing=1)
    points = to_lab(images.reshape(-1, 3)).astype(np.float64)
    distance = ((points[:, None] - labels.centres[None]) ** 2).sum(axis=2)
    closest, second = np.sort(distance, axis=1)[:, :2].T
    clear = (second - closest > 0.05).reshape(masks.shape)  # rounding decides the others
    assert clear.mean() > 0.99
    cluster = distance.argmin(axis=1).reshape(masks.shape)
    np.testing.assert_array_equal(labels.clusters(images)[clear], cluster[clear])
    paint = np.array([masks[cluster == number].mean() for number in range(9)])
    np.testing.assert_allclose(labels.paint, paint, atol=0.01)
    np.testing.assert_array_equal(labels.masks(images)[clear], (labels.paint > 0.5)[cluster][clear])


def test_what_is_red_in_training_is_found_in_other_images():
    images, which = patches()
    labels = fit_colours(images, which == 0, clusters=8, smoothing=1)
    others, others_which = patches(seed=1)
    np.testing.assert_array_equal(labels.masks(others), others_which == 0)


def test_smoothing_takes_means_over_boxes_cut_off_at_the_border(photographs):
    images, masks = photographs(2, 32)
    plain = fit_colours(images, masks, clusters=6, smoothing=1)
    smooth = fit_colours(images, masks, clusters=6, smoothing=5)
    np.testing.assert_array_equal(plain.centres, smooth.centres)
    shares = plain.shares(images)
    np.testing.assert_array_equal(shares, plain.paint[plain.clusters(images)])
    found = smooth.shares(images)
    for y, x in ((0, 0), (1, 31), (10, 20), (31, 3)):
        box = shares[:, max(y - 2, 0) : y + 3, max(x - 2, 0) : x + 3]
        np.testing.assert_allclose(found[:, y, x], box.mean(axis=(1, 2)), atol=1e-6)
    np.testing.assert_array_equal(smooth.masks(images), found > 0.5)


def test_lab_is_that_of_the_standard():
    """Known values of CIE L*a*b* for D65: black, white, and the three primaries."""
    colours = np.array([[0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 255, 0], [0, 0, 255]], np.uint8)
    expected = [[0, 0, 0], [100, 0, 0], [53.24, 80.09, 67.20], [87.73, -86.18, 83.18], [32.30, 79.19, -107.86]]
    np.testing.assert_allclose(to_lab(colours), expected, atol=0.05)


@pytest.mark.parametrize("paint", [False, True])
def test_masks_of_one_class_give_masks_of_that_class(photographs, paint):
    images, masks = photographs(2, 32)
    found = fit_colours(images, np.full_like(masks, paint)).masks(images)
    assert found.dtype == bool and found.shape == masks.shape
    assert (found == paint).all()
    assert [tree.leaf_count for tree in many(igm(found))] == [1, 1]


def test_fewer_colours_than_clusters_are_enough():
    images = np.zeros((1, 8, 8, 3), np.uint8)
    images[:, 4:] = 200
    masks = np.zeros((1, 8, 8), bool)
    masks[:, 4:] = True
    labels = fit_colours(images, masks, smoothing=1)
    assert len(labels.centres) == 2
    np.testing.assert_array_equal(labels.masks(images), masks)


def test_no_images_have_no_masks():
    images, which = patches()
    labels = fit_colours(images, which == 0, clusters=3)
    assert labels.masks(images[:0]).shape == (0, 24, 24)


def test_the_same_seed_gives_the_same_clusters_and_another_seed_others(photographs):
    images, masks = photographs(4, 64)
    one, same, other = (fit_colours(images, masks, seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.centres, same.centres)
    np.testing.assert_array_equal(one.paint, same.paint)
    assert not np.array_equal(one.centres, other.centres)


def test_large_data_are_learned_from_a_part_of_their_pixels(photographs, monkeypatch):
    images, masks = photographs(4, 64)
    whole = fit_colours(images, masks, clusters=4, smoothing=1)
    monkeypatch.setattr("shapeparse.peers.colours.CLUSTERED", 1000)
    monkeypatch.setattr("shapeparse.peers.colours.COUNTED", 3000)
    part: ColourLabels = fit_colours(images, masks, clusters=4, smoothing=1)
    assert not np.array_equal(whole.centres, part.centres)
    assert (whole.masks(images) == part.masks(images)).mean() > 0.8


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"clusters": 0}, "clusters is 0"),
        ({"clusters": 2.5}, "clusters is 2.5"),
        ({"smoothing": 0}, "smoothing is 0"),
        ({"smoothing": 4}, "smoothing is 4"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(refused, options, complaint):
    images, which = patches()
    assert complaint in refused(fit_colours, images, which == 0, **options)


def test_no_images_to_learn_from_are_refused(refused):
    assert "no images" in refused(fit_colours, np.zeros((0, 8, 8, 3), np.uint8), np.zeros((0, 8, 8), bool))
