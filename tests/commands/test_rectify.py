"""``shapeparse rectify``: photographs from the front, as files that other commands take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from shapeparse.data.images import read_image

from .conftest import Result, save

Cli = Callable[..., Result]
WORDS = ("--corners", "10,5", "50,5", "50,25", "10,25", "--size", "400x200mm")


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    return save(tmp_path / "a.png", np.random.default_rng(0).integers(0, 256, (30, 60, 3)).astype(np.uint8))


def test_the_rectangle_is_cut_out_and_the_second_run_replaces_it(cli: Cli, photo: Path, tmp_path: Path) -> None:
    for _ in range(2):
        result = cli("rectify", photo, *WORDS, "--out", tmp_path / "flat")
        assert (result.code, result.sentences) == (0, [])
    assert "10 mm per pixel" in result.out
    assert np.array_equal(read_image(tmp_path / "flat" / "a.png"), read_image(photo)[5:25, 10:50])


def test_a_scale_is_the_size_of_a_pixel(cli: Cli, photo: Path, tmp_path: Path) -> None:
    assert cli("rectify", photo, *WORDS, "--scale", 20, "--out", tmp_path / "flat").code == 0
    found, wanted = read_image(tmp_path / "flat" / "a.png"), read_image(photo)[5:25, 10:50]
    assert np.abs(found - wanted.reshape(10, 2, 20, 2, 3).mean(axis=(1, 3))).max() < 40


def test_a_file_that_cannot_be_used_stops_nobody(cli: Cli, photo: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.png").write_bytes(b"no picture")
    result = cli("rectify", tmp_path / "broken.png", photo, *WORDS, "--out", tmp_path / "flat")
    assert result.code == 2
    assert "broken.png" in result.sentences[0]
    assert "1 of 2 written" in result.out


def test_a_photograph_of_somebody_is_never_replaced(cli: Cli, photo: Path, tmp_path: Path) -> None:
    before = photo.read_bytes()
    assert "overwritten" in cli("rectify", photo, *WORDS, "--out", tmp_path).sentences[0]
    assert photo.read_bytes() == before
    assert "Nothing says" in cli("rectify", photo, "--out", tmp_path / "flat").sentences[0]


def test_markers_are_found_in_each_photograph(
    cli: Cli, tmp_path: Path, marker_sheet: Callable[..., np.ndarray], at_an_angle: Callable[..., np.ndarray]
) -> None:
    corners = ((90, 60), (700, 110), (660, 520), (120, 560))
    save(tmp_path / "in" / "front.png", marker_sheet("aruco-4x4"))
    save(tmp_path / "in" / "angle.png", at_an_angle(marker_sheet("aruco-4x4"), corners, (600, 800)))
    words = ("--markers", "aruco-4x4", "--size", "1200x800mm", "--out", tmp_path / "flat")
    result = cli("rectify", tmp_path / "in", *words)
    assert (result.code, result.sentences) == (0, [])
    assert "squares to within" in result.out
    one, other = (read_image(tmp_path / "flat" / f"{name}.png") for name in ("angle", "front"))
    assert one.shape == other.shape
