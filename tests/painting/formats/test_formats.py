"""What all formats have in common."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from shapeparse import ParseTree, Rule
from shapeparse.painting import FORMATS, PaintPlan, PaintSettings, export_plan, plan_painting
from shapeparse.painting.formats import format_of

from ..conftest import lone_leaf


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_written_of_a_plan_without_strokes(toy: ParseTree, name: str) -> None:
    plan = plan_painting(toy, PaintSettings(margin=500))
    content = export_plan(plan, toy, name)
    assert content.decode().strip() or name == "fields2cover"


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_written_of_dabs(name: str) -> None:
    tree = lone_leaf(1, 1, Rule.PAINT)
    plan = plan_painting(tree, PaintSettings(brush=40))
    assert len(plan.strokes) == 1
    assert export_plan(plan, tree, name)


def test_an_unknown_format_and_another_tree_are_refused(
    refused: Callable[..., str], plan: PaintPlan, toy: ParseTree
) -> None:
    assert "json, geojson, svg, gcode, csv, fields2cover" in refused(export_plan, plan, toy, "dxf")
    assert "96 x 72" in refused(export_plan, plan, lone_leaf(1, 1, Rule.PAINT), "json")


@pytest.mark.parametrize("name", FORMATS)
def test_the_ending_of_a_file_names_its_format_in_small_or_capital_letters(name: str) -> None:
    assert format_of(f"door{FORMATS[name].suffix}") == name
    assert format_of(Path("some.folder") / f"door{FORMATS[name].suffix.upper()}") == name


@pytest.mark.parametrize("path", ["door.dxf", "door", "door.svg.bak"])
def test_an_unknown_ending_is_answered_with_those_that_are_known(refused: Callable[..., str], path: str) -> None:
    assert ".json, .geojson, .svg, .gcode, .csv, .txt" in refused(format_of, path)


def test_a_misspelt_format_is_answered_with_the_one_that_was_meant(
    refused: Callable[..., str], plan: PaintPlan, toy: ParseTree
) -> None:
    assert "did you mean geojson" in refused(export_plan, plan, toy, "geo-json")
