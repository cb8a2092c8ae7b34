"""The kinds of the wide world: something is painted, and what is open or fitted is not."""

from __future__ import annotations

import numpy as np
import pytest

from shapeparse.data.generator import kinds
from shapeparse.data.generator.fields import picture_view
from shapeparse.data.generator.objects import Family, Shape

ALL = (
    kinds.bracket,
    kinds.grating,
    kinds.crate,
    kinds.fence,
    kinds.house,
    kinds.field,
    kinds.sign,
    kinds.cupboard,
)
VIEW = picture_view(96).placed((0.5, 0.5), 0)


def made(kind: Family, seed: int) -> Shape:
    return kind(np.random.default_rng(seed), VIEW, 0.42, 0.42)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("seed", range(6))
def test_neither_openings_nor_fittings_are_painted_and_something_is(kind: Family, seed: int) -> None:
    shape = made(kind, seed)
    paint = shape.paint < 0
    assert 0.05 < paint.mean() < 0.95
    assert not (paint & (shape.openings < -0.002)).any()
    assert not (paint & (shape.fittings < -0.002)).any()
    assert all(np.isfinite(plane).all() for plane in (shape.paint, shape.relief, shape.pane))


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_the_same_seed_gives_the_same_object_and_another_another(kind: Family) -> None:
    first, same, other = (made(kind, seed).paint for seed in (1, 1, 2))
    assert np.array_equal(first, same)
    assert not np.array_equal(first < 0, other < 0)


def test_houses_have_windows_and_signs_have_letters_and_gratings_are_open() -> None:
    assert made(kinds.house, 0).glazed
    assert (made(kinds.sign, 0).fittings < 0).any()
    assert (made(kinds.grating, 0).openings < 0).mean() > 0.1


def test_joined_objects_are_all_painted_and_each_keeps_its_own_relief() -> None:
    left, right = (
        kinds.crate(np.random.default_rng(seed), picture_view(96).placed((x, 0.5), 0), 0.2, 0.4)
        for seed, x in ((1, 0.25), (2, 0.75))
    )
    both = kinds.joined([left, right])
    assert np.array_equal(both.paint < 0, (left.paint < 0) | (right.paint < 0))
    assert np.array_equal(both.relief[left.paint < 0], left.relief[left.paint < 0])
    assert np.array_equal(both.relief[right.paint < 0], right.relief[right.paint < 0])
    assert kinds.joined([left]) is left
