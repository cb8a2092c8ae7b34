"""Strokes: what they paint, against shapely, for any tree and any brush."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely import LineString, Point, union_all

from shapeparse import ParseTree, Rule
from shapeparse.painting import PaintPlan, PaintSettings, Stroke, plan_painting
from shapeparse.painting.strokes import cover

from .conftest import boxes, footprint, known, lone_leaf, painted, skipped

TINY = 1e-5
any_tree, any_settings = st.from_type(ParseTree), st.from_type(PaintSettings)


def of_one(width: float, height: float, brush: float, overlap: float = 0.0) -> list[Stroke]:
    """The strokes of a single rectangle at (10, 20)."""
    return cover(np.array([[10, 20, width, height]], float), PaintSettings(brush=brush, overlap=overlap))


def shortfall(plan: PaintPlan, stroke: Stroke) -> tuple[float, float]:
    """By how much the brush is wider than the stroke's rectangle, along x and along y."""
    w, h = plan.rectangles[stroke.rectangle, 2:]
    return max(0.0, stroke.width - w), max(0.0, stroke.width - h)


@given(any_tree, any_settings)
def test_every_paint_rectangle_is_painted_whole(tree: ParseTree, settings: PaintSettings) -> None:
    plan = plan_painting(tree, settings)
    area = painted(plan.strokes)
    for rectangle in boxes(plan):
        assert rectangle.difference(area.buffer(TINY)).area == 0


@given(any_tree, any_settings)
def test_rectangles_as_wide_as_the_brush_are_painted_by_their_own_strokes_and_nothing_else_is(
    tree: ParseTree, settings: PaintSettings
) -> None:
    plan = plan_painting(tree, settings)
    for place, rectangle in enumerate(boxes(plan)):
        if plan.rectangles[place, 2:].min() >= settings.brush:
            own = painted(stroke for stroke in plan.strokes if stroke.rectangle == place)
            assert own.symmetric_difference(rectangle).area < TINY


@given(any_tree, any_settings)
def test_what_is_painted_beyond_is_the_stated_overspill(tree: ParseTree, settings: PaintSettings) -> None:
    plan = plan_painting(tree, settings)
    beyond = painted(plan.strokes).difference(union_all(boxes(plan))).area
    metrics = plan.metrics()
    assert known(metrics["overspill"]) * known(metrics["painted_area"]) == pytest.approx(beyond, abs=TINY)
    if not metrics["narrow"]:
        assert metrics["overspill"] == 0


@given(any_tree, any_settings)
def test_a_stroke_is_beyond_its_rectangle_by_half_the_missing_width_at_most(
    tree: ParseTree, settings: PaintSettings
) -> None:
    plan = plan_painting(tree, settings)
    for stroke in plan.strokes:
        x, y, w, h = plan.rectangles[stroke.rectangle]
        left, top, right, bottom = footprint(stroke).bounds
        aside, above = shortfall(plan, stroke)
        assert min(left - (x - aside / 2), top - (y - above / 2)) > -TINY
        assert max(right - (x + w + aside / 2), bottom - (y + h + above / 2)) < TINY


@given(any_tree, any_settings)
def test_with_the_brush_down_its_centre_never_enters_what_is_skipped(tree: ParseTree, settings: PaintSettings) -> None:
    plan, skip = plan_painting(tree, settings), skipped(tree)
    for stroke in plan.strokes:
        way = LineString([stroke[:2], stroke[2:4]]) if stroke.length else Point(stroke[:2])
        assert not way.intersects(skip.buffer(-TINY, cap_style="square"))
        if not any(shortfall(plan, stroke)):
            assert footprint(stroke).intersection(skip).area < TINY


@given(st.floats(1, 60), st.floats(1, 60), st.floats(1, 20), st.sampled_from([0, 0.1, 0.5]))
def test_strips_are_evenly_spread_at_the_pitch_or_nearer_and_reach_both_edges_exactly(
    width: float, height: float, brush: float, overlap: float
) -> None:
    strokes = of_one(width, height, brush, overlap)
    if min(width, height) < brush:
        (stroke,) = strokes
        assert stroke[:2] == pytest.approx((10 + width - (stroke.x2 - 10), 20 + height - (stroke.y2 - 20)))  # centred
        return
    across = [stroke.x1 if stroke.x1 == stroke.x2 and len(strokes) > 1 else stroke.y1 for stroke in strokes]
    if len(strokes) > 1:
        steps = [after - before for before, after in pairwise(across)]
        assert max(steps) - min(steps) < TINY
        assert max(steps) <= brush * (1 - overlap) + TINY
        start, extent = (10, width) if strokes[0].x1 == strokes[0].x2 else (20, height)
        assert across[0] - brush / 2 == pytest.approx(start)
        assert across[-1] + brush / 2 == pytest.approx(start + extent)


def test_the_last_strip_lies_inside_the_edge_and_not_half_beyond_it() -> None:
    assert [stroke.y1 for stroke in of_one(100, 25, 10)] == [25, 32.5, 40]
    assert [(stroke.x1, stroke.x2) for stroke in of_one(100, 25, 10)] == [(15, 105)] * 3


def test_rounding_asks_for_no_stroke_more() -> None:
    assert len(of_one(200, 3 * 0.1 * 7, 0.7)) == 3
    assert len(of_one(200, 12 + 5 * 10.8, 12, 0.1)) == 6


def test_strokes_run_along_the_side_that_takes_fewer() -> None:
    assert all(stroke.y1 == stroke.y2 for stroke in of_one(100, 40, 10))
    assert all(stroke.x1 == stroke.x2 for stroke in of_one(40, 100, 10))


def test_a_rectangle_narrower_than_the_brush_takes_one_stroke_in_its_middle() -> None:
    assert of_one(100, 4, 10) == [Stroke(15, 22, 105, 22, 10, 0)]
    assert of_one(4, 100, 10) == [Stroke(12, 25, 12, 115, 10, 0)]


def test_a_rectangle_smaller_than_the_brush_takes_a_dab() -> None:
    (dab,) = of_one(1, 1, 500)
    assert (dab[:4], dab.length) == ((10.5, 20.5, 10.5, 20.5), 0)


def test_narrow_rectangles_that_others_paint_as_well_take_no_stroke_of_their_own() -> None:
    columns = np.array([[0, 0, 2, 30], [2, 0, 2, 28], [4, 0, 2, 26]], float)
    strokes = cover(columns, PaintSettings(brush=6))
    assert {stroke.rectangle for stroke in strokes} < {0, 1, 2}
    assert union_all([footprint(stroke) for stroke in strokes]).contains(LineString([(1, 1), (5, 25)]))


def test_too_many_strokes_are_refused(refused: Callable[..., str], toy: ParseTree) -> None:
    assert "wider brush" in refused(plan_painting, toy, PaintSettings(brush=0.001))
    assert "wider brush" in refused(plan_painting, toy, PaintSettings(brush=1, overlap=0.99999))


def test_nothing_to_paint_is_a_plan_without_strokes() -> None:
    plan = plan_painting(lone_leaf(5, 4, Rule.SKIP))
    assert (plan.strokes, len(plan.rectangles)) == ((), 0)
    metrics = plan.metrics(np.ones((4, 5), bool))
    assert (metrics["coverage"], metrics["waste"], metrics["seconds"]) == (0, 0, 0)
    assert plan.metrics(np.zeros((4, 5), bool))["coverage"] == 1
