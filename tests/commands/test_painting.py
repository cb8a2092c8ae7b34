"""One tree or photograph, planned and written, with what belongs to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shapeparse import PaintSettings, decompose, paint
from shapeparse.commands.painting import Beside, Settings, items_of, output_files, plan_item, write
from shapeparse.painting import ExportSettings

from .conftest import house, save

SETTINGS = Settings(PaintSettings(brush=5), ExportSettings(), ("json", "csv"))
TREE = replace(decompose(house()), name="house.png")


def row_names(ways: dict) -> list[str]:
    return list(ways)


def known(number: float | None) -> float:
    assert number is not None
    return number


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    """Three trees and a summary, as ``decompose`` leaves them."""
    folder = tmp_path / "trees"
    folder.mkdir()
    for name in ("house", "door10", "door9"):
        TREE.save(folder / f"{name}.json")
    (folder / "summary.json").write_text('{"format": "shapeparse-decompose"}')
    save(folder / "house.png", house())
    return folder


def test_of_a_folder_with_trees_the_trees_are_meant(trees: Path) -> None:
    items, problems = items_of([trees], Beside())
    assert [item.job.name for item in items] == ["door9", "door10", "house"]
    assert all(item.is_tree for item in items)
    assert problems == []


def test_a_mask_and_a_photograph_are_found_by_name_or_their_lack_is_named(trees: Path, tmp_path: Path) -> None:
    save(tmp_path / "masks" / "house.png", house())
    items, problems = items_of([trees], Beside(masks=tmp_path / "masks"))
    assert [(item.job.name, item.mask) for item in items] == [("house", tmp_path / "masks" / "house.png")]
    assert ["no mask of the same name" in problem.reason for problem in problems] == [True, True]


def test_a_tree_is_planned_and_compared_with_its_mask(trees: Path, tmp_path: Path) -> None:
    mask = save(tmp_path / "mask.png", house())
    [item], _ = items_of([trees / "house.json"], Beside(masks=mask))
    done = plan_item(item, None, SETTINGS)
    assert done.plan.strokes == paint(TREE, brush=5).strokes
    assert row_names(done.ways) == ["rectangles", "rows", "cells", "rows, lifted", "chosen"]
    (tmp_path / "out").mkdir()
    row = write(done, tmp_path / "out", SETTINGS)
    assert row.files == ("house.plan.json", "house.plan.csv")
    assert json.loads((tmp_path / "out" / "house.plan.json").read_text())["strokes"]
    metrics = done.plan.metrics(house())
    assert (row.strokes, row.coverage, row.travel_length) == (
        metrics["strokes"], metrics["coverage"], metrics["travel_length"],
    )  # fmt: skip
    assert row.seconds_least < row.seconds < known(row.seconds_rows)


def test_a_format_asked_for_twice_is_written_once(trees: Path) -> None:
    [item], _ = items_of([trees / "house.json"], Beside())
    found = output_files(item.job, Path("out"), replace(SETTINGS, formats=("svg", "json", "svg")))
    assert found == [Path("out/house.plan.svg"), Path("out/house.plan.json")]


def test_a_mask_of_another_size_is_refused(trees: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    mask = save(tmp_path / "mask.png", np.zeros((3, 4), bool))
    [item], _ = items_of([trees / "house.json"], Beside(masks=mask))
    assert "48 x 32" in refused(plan_item, item, None, SETTINGS)


def test_the_world_file_of_the_photograph_beside_the_tree_is_used(trees: Path) -> None:
    (trees / "house.pgw").write_text("0.5\n0\n0\n-0.5\n100\n200\n")
    [item], _ = items_of([trees / "house.json"], Beside())
    world = plan_item(item, None, SETTINGS).world
    assert world is not None
    assert (world.a, world.e) == (0.5, -0.5)
