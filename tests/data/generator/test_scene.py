"""Scenes: the same at every size, of varied objects that few rectangles describe and no colour gives away."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from sklearn.tree import DecisionTreeClassifier

from shapeparse.data.generator import generate

Pair = tuple[NDArray[np.uint8], NDArray[np.bool_]]


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    """Sixty pictures, small enough to be quick."""
    return [generate(0, index, 128) for index in range(60)]


def oracle_accuracy(mask: NDArray[np.bool_]) -> float:
    rows, columns = np.indices(mask.shape)
    coordinates = np.stack([columns.ravel(), rows.ravel()], axis=1)
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=7, random_state=0)
    return float(tree.fit(coordinates, mask.ravel()).score(coordinates, mask.ravel()))


def best_threshold_accuracy(image: NDArray[np.uint8], mask: NDArray[np.bool_]) -> float:
    """The best a single threshold on one channel could do if it were chosen with the mask in hand."""
    photograph = Image.fromarray(image)
    hue_and_saturation = np.asarray(photograph.convert("HSV"))[..., :2]
    channels = np.dstack([image, np.asarray(photograph.convert("L")), hue_and_saturation])
    best = 0.0
    for channel in np.moveaxis(channels, -1, 0):
        paint = np.bincount(channel[mask], minlength=256).cumsum()
        rest = np.bincount(channel[~mask], minlength=256).cumsum()
        accuracies = (paint + rest[-1] - rest) / mask.size
        best = max(best, float(accuracies.max()), float(1 - accuracies.min()))
    return best


@pytest.mark.parametrize("index", range(6))
def test_every_size_shows_the_same_scene(index: int) -> None:
    small_image, small_mask = generate(0, index, 64)
    image, mask = generate(0, index, 192)
    assert np.mean(mask[1::3, 1::3] == small_mask) > 0.999  # the centres of the small picture's pixels
    shrunk = np.asarray(Image.fromarray(image).resize((64, 64), Image.Resampling.BOX), dtype=float)
    assert np.mean(np.abs(shrunk - small_image)) < 8


def test_paint_fractions_are_varied_and_never_extreme(pairs: list[Pair]) -> None:
    fractions = np.array([mask.mean() for _, mask in pairs])
    assert fractions.min() > 0.08
    assert fractions.max() < 0.85
    assert 0.35 < fractions.mean() < 0.55
    assert fractions.std() > 0.08


def test_few_rectangles_describe_the_objects_well_but_not_perfectly(pairs: list[Pair]) -> None:
    accuracies = np.array([oracle_accuracy(mask) for _, mask in pairs])
    assert 0.97 < accuracies.mean() < 0.99
    assert accuracies.min() > 0.92


def test_no_colour_threshold_finds_the_objects(pairs: list[Pair]) -> None:
    assert np.mean([best_threshold_accuracy(image, mask) for image, mask in pairs]) < 0.87
