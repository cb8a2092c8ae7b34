"""What all formats have in common."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from shapeparse import ParseTree
from shapeparse.painting import FORMATS, PaintPlan, PaintSettings, export_plan, plan_painting
from shapeparse.painting.formats import format_of


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_written_of_a_plan_without_strokes(toy: ParseTree, name: str) -> None:
    plan = plan_painting(toy, PaintSettings(margin=500))
    content = export_plan(plan, toy, name)
    assert content.decode().strip() or name == "fields2cover"


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_written_of_dabs(name: str) -> None:
    (one,) = (np.array([[1]], np.int32) for _ in "x")
    tree = ParseTree(1, 1, *(one[0] * n for n in (0, 0, 1, 1, 0, -1)), np.array([2], np.int8), np.zeros(1, np.int32))
    plan = plan_painting(tree, PaintSettings(brush=40))
    assert len(plan.strokes) == 1
    assert export_plan(plan, tree, name)


def test_an_unknown_format_and_another_tree_are_refused(
    refused: Callable[..., str], plan: PaintPlan, toy: ParseTree
) -> None:
    assert "json, geojson, svg, gcode, csv, fields2cover" in refused(export_plan, plan, toy, "dxf")
    other = ParseTree(
        1, 1, *(np.array([n], np.int32) for n in (0, 0, 1, 1, 0, -1)), np.array([2], np.int8), np.zeros(1, np.int32)
    )
    assert "96 x 72" in refused(export_plan, plan, other, "json")


@pytest.mark.parametrize("name", FORMATS)
def test_the_ending_of_a_file_names_its_format_in_small_or_capital_letters(name: str) -> None:
    assert format_of(f"door{FORMATS[name].suffix}") == name
    assert format_of(Path("some.folder") / f"door{FORMATS[name].suffix.upper()}") == name


@pytest.mark.parametrize("path", ["door.dxf", "door", ".svg"])
def test_an_unknown_ending_is_answered_with_those_that_are_known(refused: Callable[..., str], path: str) -> None:
    assert ".json, .geojson, .svg, .gcode, .csv, .txt" in refused(format_of, path)


def test_a_misspelt_format_is_answered_with_the_one_that_was_meant(
    refused: Callable[..., str], plan: PaintPlan, toy: ParseTree
) -> None:
    assert "did you mean geojson" in refused(export_plan, plan, toy, "geo-json")
