"""Keep-outs: no stroke and no step enters one, whatever the mask, the brush and the kind of plan."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import box, union_all

from shapeparse import UserError
from shapeparse.painting import PaintSettings, Part, Stroke, choose_plan
from shapeparse.painting.choose import Choice
from shapeparse.painting.clearance import extended, kept_out, painted_pixels, patched
from shapeparse.painting.rows import row_by_row
from shapeparse.painting.strokes import around

from .conftest import brush_down


def pixels_of(zone: np.ndarray) -> object:
    return union_all([box(x, y, x + 1, y + 1) for y, x in np.argwhere(zone).tolist()])


def planned(part: Part, asked: PaintSettings) -> Choice | None:
    try:
        return choose_plan(part, asked)
    except UserError:
        return None


@settings(max_examples=40)
@given(
    st.integers(0, 9999), st.floats(1.0, 7.0), st.sampled_from(["auto", "rows", "cells", "rectangles"]),
    st.sampled_from([0.0, 3.0]),
)  # fmt: skip
def test_no_stroke_enters_a_keep_out(seed: int, brush: float, kind: str, overrun: float) -> None:
    rng = np.random.default_rng(seed)
    zone = np.zeros((24, 30), bool)
    for _ in range(3):
        x, y, w, h = rng.integers(0, (26, 20, 8, 8))
        zone[y : y + h + 1, x : x + w + 1] = True
    wanted = (rng.random((6, 6)) < 0.7).repeat(4, axis=0).repeat(5, axis=1) & ~zone
    chosen = planned(
        Part(wanted, kept_out=zone),
        PaintSettings(brush=brush, plan=kind, overrun=overrun, coverage=0.3),  # type: ignore[arg-type]
    )
    if chosen is not None and zone.any():
        forbidden = pixels_of(zone)
        for left, top, right, bottom in around(brush_down(chosen.plan), brush).tolist():
            assert box(left, top, right, bottom).intersection(forbidden).area < 1e-6


def test_a_stroke_is_cut_where_the_brush_would_touch_the_zone() -> None:
    zone = np.zeros((20, 60), bool)
    zone[12, 30] = True
    found = kept_out([Stroke(5, 10, 55, 10, 6, 0), Stroke(5, 5, 55, 5, 6, 1)], zone)
    assert [stroke[:4] for stroke in found] == [(5, 10, 27, 10), (34, 10, 55, 10), (5, 5, 55, 5)]
    upright = kept_out([Stroke(30, 3, 30, 17, 6, 0)], zone)
    assert [stroke[:4] for stroke in upright] == [(30, 3, 30, 9), (30, 16, 30, 17)]


def test_pieces_shorter_than_the_brush_are_left_out() -> None:
    zone = np.zeros((10, 20), bool)
    zone[5, 4] = zone[5, 9] = True
    assert [stroke[:4] for stroke in kept_out([Stroke(3, 5, 17, 5, 6, 0)], zone)] == [(13, 5, 17, 5)]


def test_what_rows_leave_beside_a_keep_out_is_painted_by_others() -> None:
    wanted, zone = np.ones((40, 60), bool), np.zeros((40, 60), bool)
    zone[13:29, 20:37] = True
    wanted &= ~zone
    asked = PaintSettings(brush=6, coverage=0.999)
    rows = kept_out(row_by_row(wanted, asked), zone)
    before = (painted_pixels(rows, wanted.shape) & wanted).sum() / wanted.sum()
    after = (painted_pixels(patched(rows, wanted, zone, asked), wanted.shape) & wanted).sum() / wanted.sum()
    assert before < 0.97
    assert after > 0.995


def test_strokes_run_over_by_what_was_asked_and_dabs_stay() -> None:
    found = extended([Stroke(5, 5, 15, 5, 2, 0), Stroke(3, 9, 3, 4, 2, 0), Stroke(1, 1, 1, 1, 2, 0)], 2)
    assert [stroke[:4] for stroke in found] == [(3, 5, 17, 5), (3, 11, 3, 2), (1, 1, 1, 1)]
    assert found[0].length == pytest.approx(14)
