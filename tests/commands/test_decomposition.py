"""One mask, decomposed and written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from shapeparse import ParseTree, igm
from shapeparse.commands.decomposition import Settings, decompose, output_files, write
from shapeparse.commands.inputs import Job

from .conftest import house, save


@pytest.fixture
def job(mask_file: Path) -> Job:
    return Job(mask_file, None, "house")


def test_a_mask_is_read_and_decomposed(job: Job) -> None:
    found = decompose(job, Settings(depth=5, price=0.01, search="greedy"))
    assert np.array_equal(found.mask, house())
    expected = igm(house(), 5, price=0.01)
    assert isinstance(expected, ParseTree)
    assert (found.tree.name, found.tree.segments()) == ("house.png", expected.segments())


def test_its_files_are_written_and_its_row_says_what_they_hold(job: Job, tmp_path: Path) -> None:
    settings = Settings(formats=("json", "json", "svg"), figure=True)
    row = write(decompose(job, settings), tmp_path, settings)
    assert row.files == ("house.json", "house.svg", "house-derivation.png", "house-derivation.svg")
    assert all((tmp_path / name).stat().st_size > 0 for name in row.files)
    assert [path.name for path in output_files(job, tmp_path, settings)] == list(row.files)
    tree = ParseTree.load(tmp_path / "house.json")
    assert (row.rectangles, row.accuracy, row.paint) == (tree.leaf_count, 1.0, house().mean())
    assert row.merged_paint <= row.paint_rectangles <= row.rectangles


def test_a_photograph_of_another_size_is_refused(mask_file: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    photo = save(tmp_path / "photo.png", np.zeros((5, 7, 3), np.uint8))
    assert "7 x 5" in refused(decompose, Job(mask_file, photo, "house"), Settings())


@pytest.mark.parametrize("wrong", [{"depth": -1}, {"threshold": 2.0}, {"price": -1.0}, {"lookahead": -1}], ids=str)
def test_settings_are_checked_before_any_mask_is_read(wrong: dict, refused: Callable[..., str]) -> None:
    assert refused(Settings(**wrong).check)
