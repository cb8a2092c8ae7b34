"""A plan: its numbers, its JSON, the same strokes in another order, and the file it is saved to."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import ParseTree
from shapeparse.painting import PaintPlan, PaintSettings, export_plan, plan_painting

from .conftest import known, written


@given(st.from_type(ParseTree), st.from_type(PaintSettings))
def test_json_holds_the_plan(tree: ParseTree, settings: PaintSettings) -> None:
    plan = plan_painting(tree, settings)
    content = json.loads(written(plan, tree, "json"))
    assert (content["format"], content["version"]) == ("shapeparse-plan", 1)
    assert content["image"] == {"name": tree.name, "width": tree.width, "height": tree.height}
    read = [[stroke[name] for name in ("x1", "y1", "x2", "y2")] for stroke in content["strokes"]]
    assert np.allclose(np.array(read).reshape(-1, 4), plan.lines, atol=1e-5)
    assert [[one[side] for side in "xywh"] for one in content["rectangles"]] == plan.rectangles.tolist()
    assert content["metrics"] == plan.metrics()
    assert content["settings"]["brush"] == settings.brush


def test_lengths_and_times(toy: ParseTree) -> None:
    settings = PaintSettings(
        brush=28, overlap=0, scale=2, order="tree", stroke_speed=10, travel_speed=40, lift_time=3, join=False
    )
    plan = plan_painting(toy, settings)
    assert [stroke[:4] for stroke in plan.strokes] == [(44, 30, 54, 30), (22, 58, 74, 58)]
    metrics = plan.metrics()
    assert metrics["painted_length"] == 2 * (10 + 52)
    assert metrics["travel_length"] == pytest.approx(2 * np.hypot(32, 28))
    assert metrics["seconds"] == pytest.approx(124 / 10 + 2 * np.hypot(32, 28) / 40 + 2 * 3)
    assert (metrics["coverage"], metrics["waste"]) == (None, None)


def test_a_mask_of_another_size_is_refused(refused: Callable[..., str], toy: ParseTree) -> None:
    assert "96 x 72" in refused(plan_painting(toy).metrics, np.zeros((3, 4), bool))


def test_a_joined_stroke_costs_a_turn_and_its_way_in_place_of_a_lift(toy: ParseTree) -> None:
    settings = PaintSettings(brush=9, stroke_speed=10, travel_speed=40, lift_time=3, turn_time=0.5)
    plan = plan_painting(toy, settings)
    metrics = plan.metrics()
    assert known(metrics["lifts"]) + known(metrics["turns"]) == len(plan.strokes)
    assert known(metrics["turns"]) > 4
    expected = known(metrics["painted_length"]) / 10 + known(metrics["travel_length"]) / 40
    expected += 3 * known(metrics["lifts"]) + 0.5 * known(metrics["turns"])
    assert metrics["seconds"] == pytest.approx(expected)
    lifted = plan_painting(toy, replace(settings, join=False)).metrics()
    assert known(metrics["seconds"]) < known(lifted["seconds"])
    assert metrics["painted_area"] == pytest.approx(known(lifted["painted_area"]))


def test_another_order_changes_the_time_and_nothing_that_is_painted(plan: PaintPlan) -> None:
    other = plan.reordered("raster")
    assert other.settings == replace(plan.settings, order="raster")
    assert known(other.lengths()["seconds"]) >= known(plan.lengths()["seconds"])
    for name in ("strokes", "rectangles", "painted_area", "overspill"):
        assert other.metrics()[name] == plan.metrics()[name]


@pytest.mark.parametrize(
    ("path", "name"),
    [("a.json", "json"), ("a.geojson", "geojson"), ("a.svg", "svg"), ("a.gcode", "gcode"), ("a.csv", "csv"),
     ("a.txt", "fields2cover"), ("A.GCODE", "gcode")],
)  # fmt: skip
def test_a_plan_is_saved_in_the_format_its_file_ends_in(
    plan: PaintPlan, toy: ParseTree, tmp_path: Path, path: str, name: str
) -> None:
    plan.save(tmp_path / path)
    assert (tmp_path / path).read_bytes() == export_plan(plan, toy, name)


def test_a_plan_that_cannot_be_saved_says_why(plan: PaintPlan, tmp_path: Path, refused: Callable[..., str]) -> None:
    assert ".gcode" in refused(plan.save, tmp_path / "a.dxf")
    assert list(tmp_path.iterdir()) == []
