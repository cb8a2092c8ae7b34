"""Lenses: calibrations as OpenCV writes them, and distortion that is undone; hostile files are one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse.painting.lens import Lens, read_lens

LENS = Lens(500.0, 510.0, 319.5, 239.5, -0.21, 0.05, 0.001, -0.002, 0.003)
YAML = """%YAML:1.0
---
image_width: 640
camera_matrix: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 500., 0., 3.1950000000000000e+02, 0., 510., 239.5,
       0., 0., 1. ]
distortion_coefficients: !!opencv-matrix
   rows: 1
   cols: 5
   dt: d
   data: [ -0.21, 0.05, 1.0e-03, -2.0e-03, 0.003 ]
"""
XML = """<?xml version="1.0"?>
<opencv_storage>
<camera_matrix type_id="opencv-matrix"><rows>3</rows><cols>3</cols><dt>d</dt>
  <data>500. 0. 319.5 0. 510. 239.5 0. 0. 1.</data></camera_matrix>
<distortion_coefficients type_id="opencv-matrix"><rows>1</rows><cols>5</cols><dt>d</dt>
  <data>-0.21 0.05 0.001 -0.002 0.003</data></distortion_coefficients>
</opencv_storage>
"""
JSON = """{"camera_matrix": {"type_id": "opencv-matrix", "rows": 3, "cols": 3, "dt": "d",
  "data": [500.0, 0.0, 319.5, 0.0, 510.0, 239.5, 0.0, 0.0, 1.0]},
 "distortion_coefficients": {"type_id": "opencv-matrix", "rows": 1, "cols": 5, "dt": "d",
  "data": [-0.21, 0.05, 0.001, -0.002, 0.003]}}"""


@pytest.mark.parametrize(("name", "text"), [("a.yml", YAML), ("a.xml", XML), ("a.json", JSON)])
def test_a_calibration_is_read_in_every_format_of_opencv(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert read_lens(tmp_path / name) == LENS


@given(st.floats(0, 640), st.floats(0, 480))
def test_distortion_is_undone(x: float, y: float) -> None:
    seen = LENS.distorted(np.array([x, y]))
    assert np.allclose(LENS.undistorted(seen), [x, y], atol=1e-3)


def test_the_principal_point_stays_and_points_beside_it_move_as_the_formula_says() -> None:
    assert np.allclose(LENS.distorted(np.array([320.0, 240.0])), [320, 240])
    x, y = 0.3, -0.2
    r2 = x * x + y * y
    radial = 1 - 0.21 * r2 + 0.05 * r2**2 + 0.003 * r2**3
    u = x * radial + 2 * 0.001 * x * y - 0.002 * (r2 + 2 * x * x)
    v = y * radial + 0.001 * (r2 + 2 * y * y) - 2 * 0.002 * x * y
    assert np.allclose(LENS.distorted(np.array([320 + 500 * x, 240 + 510 * y])), [320 + 500 * u, 240 + 510 * v])


def test_a_bent_line_is_straight_in_the_corrected_photograph() -> None:
    y, x = np.mgrid[0:480, 0:640] + 0.5
    straight = LENS.undistorted(np.stack([x, y], axis=-1))[..., 1] < 60  # what is above a line, as the camera sees it
    edge = (LENS.corrected(np.where(straight, 255, 0).astype(np.uint8)) >= 128).sum(axis=0)
    assert np.ptp(straight.sum(axis=0)) > 8
    assert np.abs(edge[40:600] - 60).max() <= 1


@pytest.mark.parametrize(
    "text",
    [
        "", "hello", "{", "[1]", YAML.replace("500.,", ""), YAML.replace("500.", ".nan"), YAML.replace("camera_m", "m"),
        "<a/>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", '{"camera_matrix": {"data": 3}}', '{"a":' * 2000,
        XML.replace("500.", "-500."), "\x00\x01", JSON.replace("500.0", "9" * 400), JSON.replace("500.0", '"500"'),
        YAML.replace("500., 0.", "500., 7."), YAML.replace("0.003 ]", "0.003, 0., 0., 0., 0.1, 0., 0., 0. ]"),
        YAML + "distortion_model: equidistant\n", "<a>" * 100_000, XML.replace("500.", "1e999"),
    ],
)  # fmt: skip
def test_what_is_no_calibration_is_one_sentence(refused: Callable[..., str], tmp_path: Path, text: str) -> None:
    (tmp_path / "lens.yml").write_text(text)
    assert "lens.yml" in refused(read_lens, tmp_path / "lens.yml")


def test_a_bracket_that_is_never_closed_costs_no_time(refused: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "lens.yml").write_text("a:\n data: [\n" * 80_000)
    start = process_time()
    assert "no camera_matrix" in refused(read_lens, tmp_path / "lens.yml")
    assert process_time() - start < 2


def test_what_the_calibration_says_of_itself_is_known(refused: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "lens.yml").write_text(YAML + "image_height: 480\navg_reprojection_error: 3.1e-01\n")
    lens = read_lens(tmp_path / "lens.yml")
    assert (lens.size, lens.error) == ((640, 480), 0.31)
    assert "640 x 480" in refused(lens.corrected, np.zeros((640, 480, 3), np.uint8))


def test_the_rational_model_and_coefficients_of_zero_are_read(tmp_path: Path) -> None:
    more = "0.003, 0.2, 0., 0., 0., 0., 0., 0. ]"
    (tmp_path / "lens.yml").write_text(YAML.replace("0.003 ]", more))
    lens = read_lens(tmp_path / "lens.yml")
    assert (lens.k3, lens.k4, lens.k5) == (0.003, 0.2, 0.0)
    x = 0.4
    radial = (1 - 0.21 * x**2 + 0.05 * x**4 + 0.003 * x**6) / (1 + 0.2 * x**2)
    assert lens.distorted(np.array([520.0, 240.0]))[0] == pytest.approx(320 + 500 * (x * radial - 0.006 * x**2))


def test_opencv_agrees() -> None:
    cv2 = pytest.importorskip("cv2")
    camera = np.array([[500.0, 0, 319.5], [0, 510, 239.5], [0, 0, 1]])
    distortion = np.array([-0.21, 0.05, 0.001, -0.002, 0.003])
    points = np.random.default_rng(0).uniform(0, 480, (20, 2))
    ideal = np.c_[(points - 0.5 - [319.5, 239.5]) / [500, 510], np.ones(20)]
    theirs = cv2.projectPoints(ideal, np.zeros(3), np.zeros(3), camera, distortion)[0][:, 0] + 0.5
    assert np.allclose(LENS.distorted(points), theirs)


def test_a_place_that_no_ideal_point_is_seen_at_is_refused(refused: Callable[..., str]) -> None:
    assert "cannot be undone" in refused(Lens(100, 100, 0, 0, -1.0).undistorted, np.array([[5000.0, 5000.0]]))
