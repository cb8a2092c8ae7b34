"""Planes: known homographies are found again, photographs made upright, and frames turned."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse.painting import PaintSettings, Part, choose_plan
from shapeparse.painting.plane import Plane, Turn, best_angle, homography, projected

from .conftest import known

SEEN = ((60.0, 40.0), (420.0, 80.0), (390.0, 330.0), (30.0, 280.0))


@given(st.lists(st.floats(-0.2, 0.2), min_size=8, max_size=8))
def test_a_known_homography_is_found_from_four_points(numbers: list[float]) -> None:
    matrix = np.eye(3) + np.append(np.array(numbers) * [1, 1, 50, 1, 1, 50, 0.01, 0.01], 0).reshape(3, 3)
    corners = np.array([[0.0, 0], [30, 0], [30, 20], [0, 20]])
    found = homography(corners, projected(matrix, corners))
    inside = np.random.default_rng(0).random((20, 2)) * [30, 20]
    assert np.allclose(projected(found, inside), projected(matrix, inside), atol=1e-6)


def seen_at_an_angle(mask: np.ndarray, plane: Plane, shape: tuple[int, int]) -> np.ndarray:
    """What a camera sees of a mask on a plane, four by four samples per pixel."""
    back = np.linalg.inv(plane.matrix)
    y, x = (np.mgrid[0 : 4 * shape[0], 0 : 4 * shape[1]] + 0.5) / 4
    places = projected(back, np.stack([x, y], axis=-1)) * plane.scale  # millimetres
    u, v = np.floor(places * mask.shape[1] / plane.width).astype(int).transpose(2, 0, 1)
    inside = (u >= 0) & (v >= 0) & (u < mask.shape[1]) & (v < mask.shape[0])
    fine = inside & mask[np.clip(v, 0, mask.shape[0] - 1), np.clip(u, 0, mask.shape[1] - 1)]
    return (255 * fine.reshape(shape[0], 4, shape[1], 4).mean(axis=(1, 3))).astype(np.uint8)


def test_the_plan_is_at_most_half_a_percent_of_the_object_off() -> None:
    mask = np.zeros((200, 300), bool)
    mask[40:160, 60:240] = True
    plane = Plane(SEEN, 1200, 800)
    flat = plane.rectified(seen_at_an_angle(mask, plane, (360, 480))) >= 128
    plan = choose_plan(Part(flat), PaintSettings(brush=60 / plane.scale, scale=plane.scale)).plan
    left, top = (plan.lines.reshape(-1, 2).min(axis=0) * plane.scale - 30).tolist()
    right, bottom = (plan.lines.reshape(-1, 2).max(axis=0) * plane.scale + 30).tolist()
    assert np.allclose([left, top, right, bottom], [240, 160, 960, 640], atol=0.005 * 1200)


def test_an_error_in_a_corner_moves_the_plan_by_no_more_than_is_said() -> None:
    plane = Plane(SEEN, 1200, 800)
    wrong = Plane(((61.0, 40.0), *SEEN[1:]), 1200, 800)
    inside = np.random.default_rng(0).random((50, 2)) * [1200 / plane.scale, 800 / plane.scale]
    moved = projected(np.linalg.inv(wrong.matrix), projected(plane.matrix, inside))
    apart = np.hypot(*(moved * wrong.scale - inside * plane.scale).T).max()
    assert 0 < apart <= 1.05 * plane.sensitivity() < 20


@pytest.mark.parametrize(
    ("corners", "said"),
    [
        (((0, 0), (10, 10), (10, 0), (0, 10)), "cross"), (((0, 0), (0, 10), (10, 10), (10, 0)), "wrong way"),
        (((0, 0), (5, 0), (10, 0), (0, 10)), "line"), (((0, 0), (5, 0), (10, 5)), "give four"),
    ],
)  # fmt: skip
def test_corners_that_make_no_rectangle_are_refused(refused: Callable[..., str], corners: tuple, said: str) -> None:
    assert said in refused(Plane, corners, 10.0, 10.0)
    assert "size" in refused(Plane, SEEN, 0.0, 10.0)


def test_a_photograph_keeps_its_colours_and_its_pixels() -> None:
    image = np.random.default_rng(0).integers(0, 256, (20, 30, 3)).astype(np.uint8)
    whole = Plane(((0, 0), (30, 0), (30, 20), (0, 20)), 30, 20)
    assert np.array_equal(whole.rectified(image), image)


@given(st.floats(-60, 60), st.integers(5, 40), st.integers(5, 40))
def test_a_turned_frame_holds_the_image_and_leads_back_to_it(degrees: float, width: int, height: int) -> None:
    turn = Turn(degrees, width, height)
    there = turn.to_image
    rows, columns = turn.shape
    for x, y in ((0, 0), (width, 0), (width, height), (0, height)):
        u, v = there.inverse.at(x, y)
        assert -1e-6 <= u <= columns + 1e-6
        assert -1e-6 <= v <= rows + 1e-6
        assert there.at(u, v) == pytest.approx((x, y), abs=1e-6)
    assert turn.turned(np.ones((height, width), bool)).sum() == pytest.approx(width * height, rel=0.25)


def turned_bar(degrees: float) -> np.ndarray:
    """A bar of 140 x 60 pixels, turned counter-clockwise."""
    y, x = np.mgrid[0:200, 0:200] + 0.5 - 100
    angle = -np.radians(degrees)
    along, across = x * np.cos(angle) + y * np.sin(angle), -x * np.sin(angle) + y * np.cos(angle)
    return (np.abs(along) < 70) & (np.abs(across) < 30)


@pytest.mark.parametrize("degrees", [0.0, 15.0, -30.0])
def test_the_angle_of_a_part_is_found_and_turning_costs_next_to_nothing(degrees: float) -> None:
    mask = turned_bar(degrees)
    found = best_angle(mask)
    assert found == pytest.approx(degrees, abs=0.6)
    upright = choose_plan(Part(turned_bar(0)), PaintSettings(brush=12)).plan.metrics(turned_bar(0))
    turn = Turn(found, 200, 200)
    wanted = turn.turned(mask) if found else mask
    metrics = choose_plan(Part(wanted, turn=turn if found else None), PaintSettings(brush=12)).plan.metrics(wanted)
    assert known(metrics["seconds"]) < 1.05 * known(upright["seconds"])
    assert known(metrics["waste"]) < 0.03
