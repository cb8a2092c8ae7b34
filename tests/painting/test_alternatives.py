"""What a plan is compared with: rows that paint all that is wanted, and the nearest stroke first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely import box

from shapeparse import ParseTree
from shapeparse.painting import PaintSettings, alternatives, compare, plan_painting
from shapeparse.painting.alternatives import NEAREST, PLAN, ROWS, row_by_row

from .conftest import known, painted


@given(st.integers(0, 999), st.floats(0.6, 14), st.sampled_from([0, 0.3]))
def test_rows_paint_all_that_is_wanted(seed: int, brush: float, overlap: float) -> None:
    wanted = np.random.default_rng(seed).random((9, 7)) < 0.3
    strokes = row_by_row(wanted, PaintSettings(brush=brush, overlap=overlap))
    area = painted(strokes).buffer(1e-6)
    for y, x in np.argwhere(wanted).tolist():
        assert area.contains(box(x, y, x + 1, y + 1))


def test_rows_go_to_and_fro_and_lift_the_brush_between_runs() -> None:
    wanted = np.zeros((4, 20), bool)
    wanted[:, 2:8] = wanted[:, 12:19] = True
    strokes = row_by_row(wanted, PaintSettings(brush=2, overlap=0))
    assert [stroke[:4] for stroke in strokes] == [(3, 1, 7, 1), (13, 1, 18, 1), (18, 3, 13, 3), (7, 3, 3, 3)]


def test_nothing_wanted_takes_no_rows() -> None:
    assert row_by_row(np.zeros((4, 4), bool), PaintSettings()) == ()


def test_a_plan_is_compared_with_the_plain_alternatives(toy: ParseTree) -> None:
    mask = toy.labels()
    plan = plan_painting(toy, PaintSettings(brush=9))
    ways = compare(plan, mask, mask)
    assert list(ways) == [PLAN, NEAREST, ROWS]
    assert all(found["coverage"] == pytest.approx(1) for found in ways.values())
    assert known(ways[PLAN]["travel_length"]) <= known(ways[NEAREST]["travel_length"])
    assert ways[PLAN]["painted_length"] == ways[NEAREST]["painted_length"]
    assert ways[PLAN]["waste"] == 0


def test_rows_that_never_end_are_left_out(toy: ParseTree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alternatives, "MOST_STROKES", 2)
    assert list(compare(plan_painting(toy), toy.labels())) == [PLAN, NEAREST]
