"""The wide world: its own pictures, the same at every size, of varied things with exact masks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from shapeparse.data.generator import generate
from shapeparse.data.generator.fields import picture_view
from shapeparse.data.generator.wide import KINDS, _occluded, _placed
from shapeparse.oracle import igm

Pair = tuple[NDArray[np.uint8], NDArray[np.bool_]]


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    """Forty pictures, small enough to be quick."""
    return [generate(0, index, 96, "wide") for index in range(40)]


@pytest.mark.parametrize("index", range(8))
def test_every_size_shows_the_same_scene(index: int) -> None:
    small_image, small_mask = generate(0, index, 64, "wide")
    image, mask = generate(0, index, 192, "wide")
    assert np.mean(mask[1::3, 1::3] == small_mask) > 0.998  # the centres of the small picture's pixels
    shrunk = np.asarray(Image.fromarray(image).resize((64, 64), Image.Resampling.BOX), dtype=float)
    assert np.mean(np.abs(shrunk - small_image)) < 14


def test_the_same_seed_and_index_give_the_same_bytes_and_others_do_not() -> None:
    first, same, other = (generate(4, index, 48, "wide") for index in (1, 1, 2))
    assert np.array_equal(first[0], same[0])
    assert np.array_equal(first[1], same[1])
    assert not np.array_equal(first[0], other[0])


def test_paint_fractions_are_varied_and_never_extreme(pairs: list[Pair]) -> None:
    fractions = np.array([mask.mean() for _, mask in pairs])
    assert fractions.min() > 0.05
    assert fractions.max() < 0.9
    assert 0.3 < fractions.mean() < 0.6
    assert fractions.std() > 0.08


def test_rectangles_describe_the_things_rather_well(pairs: list[Pair]) -> None:
    trees = igm([mask for _, mask in pairs], 7)
    assert isinstance(trees, list)
    assert np.mean([tree.accuracy(mask) for tree, (_, mask) in zip(trees, pairs, strict=True)]) > 0.9


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.make.__name__)
def test_every_kind_can_be_placed_turned_tilted_and_in_rows(kind) -> None:
    shapes = [_placed(np.random.default_rng(seed), kind, picture_view(48)) for seed in range(6)]
    assert all(np.isfinite(shape.paint).all() for shape in shapes)
    assert np.mean([(shape.paint < 0).mean() for shape in shapes]) > 0.1


def test_what_stands_before_the_object_is_not_painted() -> None:
    view, rng = picture_view(64), np.random.default_rng(0)
    shape = KINDS[0].make(rng, view.placed((0.5, 0.5), 0), 0.45, 0.45)
    canvas = np.zeros((3, 64, 64), np.float32)
    for _ in range(4):
        covered, hidden = _occluded(rng, view, canvas, shape, (1.0, 0.0))
        changed = (covered > 0).any(axis=0)
        assert not ((hidden.paint < 0) & (shape.paint >= 0)).any()
        assert not ((hidden.paint < -view.pixel) & changed).any()
