"""``shapeparse data make``: photographs with masks, and nobody's folder is spoiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .conftest import Result, dataset

Cli = Callable[..., Result]


def test_make_writes_what_check_finds_sound(cli: Cli, tmp_path: Path) -> None:
    made = cli("data", "make", "--out", tmp_path / "d", "--count", 3, "--size", 64, "--seed", 5)
    assert (made.code, made.err) == (0, "")
    assert len(list((tmp_path / "d" / "images").iterdir())) == 3
    checked = cli("data", "check", tmp_path / "d")
    assert (checked.code, checked.sentences) == (0, [])
    assert "3 photographs with masks, no problems" in checked.out
    assert "64x64 (3)" in checked.out


def test_make_refuses_a_folder_of_other_pictures(cli: Cli, tmp_path: Path) -> None:
    result = cli("data", "make", "--out", dataset(tmp_path / "mine"), "--count", 1)
    assert (result.code, len(result.sentences)) == (2, 1)
    assert len(list((tmp_path / "mine" / "images").iterdir())) == 3


def test_make_refuses_senseless_numbers(cli: Cli, tmp_path: Path) -> None:
    for option in ("--count=0", "--seed=-1", "--size=1"):
        result = cli("data", "make", "--out", tmp_path / "d", option)
        assert (result.code, len(result.sentences)) == (2, 1)
    assert not (tmp_path / "d").exists()
