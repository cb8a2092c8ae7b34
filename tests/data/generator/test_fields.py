"""Signed distances: negative inside, in the units of the picture's side, against distances measured by brute force."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.ndimage import distance_transform_edt

from shapeparse.data.generator import fields
from shapeparse.data.generator.fields import View, picture_view

SIZE = 200
VIEW = picture_view(SIZE)

SHAPES: dict[str, Callable[[View], np.ndarray]] = {
    "box": lambda view: fields.box(view, 0.5, 0.4, 0.3, 0.2),
    "rounded box": lambda view: fields.box(view, 0.5, 0.5, 0.3, 0.2, 0.1),
    "disc": lambda view: fields.disc(view, 0.4, 0.6, 0.25),
    "bar": lambda view: fields.bar(view, (0.3, 0.3), (0.7, 0.6), 0.1),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_is_the_signed_distance_from_its_edge(name: str) -> None:
    shape = SHAPES[name](VIEW)
    inside = shape < 0
    measured = (distance_transform_edt(~inside) - distance_transform_edt(inside)) / SIZE
    assert np.abs(shape - measured).max() < 1.5 / SIZE


def test_a_box_covers_its_area() -> None:
    assert np.mean(fields.box(VIEW, 0.5, 0.5, 0.25, 0.1) < 0) == pytest.approx(0.5 * 0.2, abs=0.001)


def test_shapes_combine_as_sets_do() -> None:
    box, disc = SHAPES["box"](VIEW), SHAPES["disc"](VIEW)
    a, b = box < 0, disc < 0
    assert np.array_equal(fields.union(box, disc) < 0, a | b)
    assert np.array_equal(fields.intersection(box, disc) < 0, a & b)
    assert np.array_equal(fields.without(box, disc) <= 0, a & ~b)
    assert not (fields.nothing(VIEW) < 0).any()


def test_rounding_an_intersection_only_takes_away_and_only_at_its_corners() -> None:
    left, top = fields.half_plane(VIEW, (0.5, 0.5), (1, 0)), fields.half_plane(VIEW, (0.5, 0.5), (0, 1))
    sharp, rounded = fields.intersection(left, top), fields.rounded_intersection(0.1, left, top)
    assert (rounded >= sharp).all()
    assert rounded[99, 99] > sharp[99, 99]  # beside the corner
    assert np.array_equal((rounded < 0)[:50], (sharp < 0)[:50])  # far from it


@pytest.mark.parametrize(("right", "below"), [(False, False), (False, True), (True, False), (True, True)])
def test_a_corner_is_cut_off_where_it_is_said_to_be(right: bool, below: bool) -> None:
    centred = VIEW.placed((0.5, 0.5), 0)
    cut = fields.corner_cut(centred, 0.5, 0.5, 0.2, right, below) >= 0
    assert cut.mean() == pytest.approx(0.2**2 / 2, abs=0.005)
    assert cut[-1 if below else 0, -1 if right else 0]


def test_a_thing_may_be_placed_and_turned() -> None:
    turned = fields.box(VIEW.placed((0.6, 0.5), math.pi / 2), 0, 0, 0.3, 0.1)
    assert np.array_equal(turned < -1e-6, fields.box(VIEW, 0.6, 0.5, 0.1, 0.3) < -1e-6)
    mirrored = fields.disc(VIEW.placed((0.5, 0.5), 0).mirrored(), 0.2, 0, 0.1)
    assert np.array_equal((mirrored < 0)[:, ::-1], fields.disc(VIEW.placed((0.5, 0.5), 0), 0.2, 0, 0.1) < 0)


def test_coverage_is_soft_only_within_the_edge() -> None:
    distance = np.array([-1, -0.05, 0, 0.05, 1], np.float32)
    assert fields.coverage(distance, 0.2) == pytest.approx([1, 0.75, 0.5, 0.25, 0])


def test_blurring_moves_and_keeps_the_sum() -> None:
    dot = np.zeros((SIZE, SIZE), np.float32)
    dot[90:110, 90:110] = 1
    moved = fields.blurred(dot, 0.01, (0.1, -0.2))
    rows, columns = np.indices(moved.shape)
    centre = ((rows * moved).sum() / moved.sum(), (columns * moved).sum() / moved.sum())
    assert centre == pytest.approx((99.5 - 40, 99.5 + 20), abs=1)
    assert moved.sum() == pytest.approx(dot.sum(), rel=0.02)
