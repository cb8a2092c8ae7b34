"""World files: six numbers, of the centre of the upper left pixel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from shapeparse.painting.georeference import read_world_file, world_file_beside

Refused = Callable[..., str]


def world(folder: Path, text: str, name: str = "field.jgw") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_the_given_point_is_the_centre_of_the_upper_left_pixel(tmp_path: Path) -> None:
    a, b, c, d, e, f = read_world_file(world(tmp_path, "0.5\n0\n0\n-0.5\n1000.25\n1999.75\n"))
    assert (a, b, c) == (0.5, 0, 1000)  # so the corner of the image is at 1000, 2000
    assert (d, e, f) == (0, -0.5, 2000)


def test_rotated_pixels(tmp_path: Path) -> None:
    a, b, c, d, e, f = read_world_file(world(tmp_path, "3 4\n4 -3\n10 20"))
    column, row = 7, 2  # of a pixel whose centre is half a pixel further
    x, y = a * (column + 0.5) + b * (row + 0.5) + c, d * (column + 0.5) + e * (row + 0.5) + f
    assert (x, y) == (3 * 7 + 4 * 2 + 10, 4 * 7 + -3 * 2 + 20)


NO_WORLD_FILES = {
    "empty": "",
    "five": "1\n0\n0\n-1\n5\n",
    "seven": "1\n0\n0\n-1\n5\n5\n5\n",
    "word": "one\n0\n0\n-1\n5\n5\n",
    "comma": "1,5\n0\n0\n-1\n5\n5",
    "not a number": "nan\n0\n0\n-1\n0\n0",
    "endless": "1e300\n0\n0\n-1\n0\n0",
    "no size": "0\n0\n0\n0\n5\n5",
    "a line": "1\n1\n1\n1\n5\n5",
    "binary": "\x00\x01",
}


@pytest.mark.parametrize("text", NO_WORLD_FILES.values(), ids=NO_WORLD_FILES)
def test_what_is_no_world_file_is_refused_in_one_sentence(refused: Refused, tmp_path: Path, text: str) -> None:
    assert "field.jgw" in refused(read_world_file, world(tmp_path, text))


def test_a_huge_or_missing_file_is_refused(refused: Refused, tmp_path: Path) -> None:
    refused(read_world_file, tmp_path / "none.jgw")
    refused(read_world_file, world(tmp_path, "1\n" * 10_000))
    (tmp_path / "binary.jgw").write_bytes(b"\xff\xfe\x00")
    refused(read_world_file, tmp_path / "binary.jgw")


@pytest.mark.parametrize(
    ("image", "beside"),
    [("a.jpg", "a.jgw"), ("a.png", "a.pgw"), ("a.tif", "a.tfw"), ("a.tiff", "a.tfw"), ("a.jpg", "a.jpgw"),
     ("a.jpg", "a.wld"), ("a.JPG", "a.JGW"), ("a.jpg", "a.JGW")],
)  # fmt: skip
def test_the_world_file_of_an_image_has_its_name_and_a_suffix_of_its_own(
    tmp_path: Path, image: str, beside: str
) -> None:
    assert world_file_beside(tmp_path / image) is None
    (tmp_path / beside).write_text("")
    found = world_file_beside(tmp_path / image)
    assert found is not None
    assert found.name == beside


def test_the_world_file_of_a_tree_is_that_of_its_image(tmp_path: Path) -> None:
    (tmp_path / "a.jgw").write_text("")
    assert world_file_beside(tmp_path / "a.json", "a.jpg") == tmp_path / "a.jgw"
    assert world_file_beside(tmp_path / "a.json", "a.png") is None
    assert world_file_beside(tmp_path / "b.json", "a.jpg") is None
