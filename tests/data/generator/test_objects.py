"""The three families: all that is painted is solid, and openings and fittings are not painted."""

from __future__ import annotations

import numpy as np
import pytest

from shapeparse.data.generator.fields import picture_view
from shapeparse.data.generator.objects import FAMILIES, Family, Shape, door, plate

VIEW = picture_view(96).placed((0.5, 0.5), 0)


def made(family: Family, seed: int) -> Shape:
    return family(np.random.default_rng(seed), VIEW, 0.42, 0.42)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("seed", range(8))
def test_neither_openings_nor_fittings_are_painted_and_something_is(family: Family, seed: int) -> None:
    shape = made(family, seed)
    paint = shape.paint < 0
    assert 0.05 < paint.mean() < 0.9
    assert not (paint & (shape.openings < -0.002)).any()
    assert not (paint & (shape.fittings < -0.002)).any()


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_the_same_seed_gives_the_same_object_and_another_another(family: Family) -> None:
    first, same, other = (made(family, seed).paint for seed in (1, 1, 2))
    assert np.array_equal(first, same)
    assert not np.array_equal(first < 0, other < 0)


def test_a_car_door_has_glass_and_a_handle_and_a_plate_has_neither() -> None:
    assert made(door, 0).glazed
    assert (made(door, 0).fittings < 0).any()
    assert not made(plate, 0).glazed
    assert not (made(plate, 0).fittings < 0).any()
