"""Markers: found at an angle, their centres are the corners, and their shape says how good the fit is."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest

from shapeparse.painting.lens import Lens
from shapeparse.painting.markers import DICTIONARIES, Family, Marked, crossing, find_plane
from shapeparse.painting.plane import Plane

CENTRES = ((50, 50), (1250, 50), (1250, 850), (50, 850))
CAMERA = Plane(((90, 60), (700, 110), (660, 520), (120, 560)), 1300, 900, 1.0)
LENS = Lens(700, 700, 399.5, 299.5, -0.15, 0.02)


Sheet = Callable[..., np.ndarray]


@pytest.mark.parametrize(("family", "lens"), [("aruco-4x4", None), ("aruco-4x4", LENS), ("apriltag-36h11", None)])
def test_markers_at_an_angle_show_the_plane(
    family: Family, lens: Lens | None, marker_sheet: Sheet, at_an_angle: Sheet
) -> None:
    corners = np.array(CAMERA.corners) if lens is None else lens.distorted(np.array(CAMERA.corners))
    photo = at_an_angle(marker_sheet(family), tuple(map(tuple, corners.tolist())), (600, 800), lens)
    marked = find_plane(photo, family, 1200, 800, lens=lens)
    truth = CAMERA.in_photo(np.array(CENTRES, np.float64))
    ideal = np.array(marked.plane.corners) if lens is None else lens.undistorted(np.array(marked.plane.corners))
    assert np.abs(ideal - truth).max() < 0.3  # pixels
    assert 0 < marked.error < 2  # millimetres
    inside = np.array([[350.0, 250], [650, 450], [900, 700]])
    seen = CAMERA.in_photo(inside)
    there = marked.plane.on_plane(seen if lens is None else lens.distorted(seen)) * marked.plane.scale
    assert np.abs(there - (inside - 50)).max() < 0.005 * 1200
    assert marked.covered().mean() == pytest.approx(4 * 40**2 / (1200 * 800), rel=0.1)


@pytest.mark.parametrize("family", DICTIONARIES)
def test_every_family_is_found(family: Family, marker_sheet: Sheet) -> None:
    assert np.allclose(find_plane(marker_sheet(family), family, 1200, 800).plane.corners, CENTRES, atol=0.1)


def test_a_marker_that_is_missing_or_there_twice_is_named(refused: Callable[..., str], marker_sheet: Sheet) -> None:
    sheet = marker_sheet
    assert "marker 2 (lower right) is not" in refused(find_plane, sheet("aruco-4x4", (0, 1, 7, 3)), "aruco-4x4", 9, 9)
    assert "marker 0 (upper left) is more" in refused(find_plane, sheet("aruco-4x4", (0, 0, 2, 3)), "aruco-4x4", 9, 9)
    assert "is not" in refused(find_plane, sheet("aruco-4x4"), "apriltag-36h11", 9, 9)
    assert "wrong way" in refused(find_plane, sheet("aruco-4x4", (1, 0, 3, 2)), "aruco-4x4", 9, 9)


def test_markers_that_are_no_squares_are_an_error_of_the_fit() -> None:
    square = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]]) * 40
    turned = square @ np.array([[0.8, 0.6], [-0.6, 0.8]])
    plane = Plane(((0, 0), (100, 0), (100, 100), (0, 100)), 200, 200)
    assert Marked(plane, np.array([square, turned, square, square])).error == pytest.approx(0, abs=1e-9)
    wrong = np.array([square, square, square, square * [1.1, 1]])
    assert Marked(plane, wrong).error == pytest.approx(2 * 2.83 / 2, rel=0.01)  # 2.83 of 56.6 pixels, of one in four


def test_diagonals_cross_where_the_centre_is_from_every_angle() -> None:
    assert crossing(np.array([[0.0, 0], [4, 0], [4, 2], [0, 2]])) == pytest.approx([2, 1])
    assert crossing(np.array([[0.0, 0], [6, 0], [4, 2], [2, 2]])) == pytest.approx([3, 1.5])


def test_without_opencv_it_says_what_to_install(refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    assert "shapeparse[markers]" in refused(find_plane, np.zeros((9, 9, 3), np.uint8), "aruco-4x4", 9, 9)
