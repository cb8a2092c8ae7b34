"""Steps between strokes: they paint nothing that the strokes do not, against shapely."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely import box

from shapeparse import ParseTree
from shapeparse.painting import PaintSettings, joins, plan_painting
from shapeparse.painting.joins import Steps

from .conftest import painted


@given(st.from_type(ParseTree), st.from_type(PaintSettings))
def test_no_step_paints_what_the_strokes_do_not(tree: ParseTree, settings: PaintSettings) -> None:
    plan = plan_painting(tree, settings)
    area, half = painted(plan.strokes).buffer(1e-6), settings.brush / 2
    for x1, y1, x2, y2 in plan.steps.tolist():
        assert x1 == x2 or y1 == y2
        swept = box(min(x1, x2) - half, min(y1, y2) - half, max(x1, x2) + half, max(y1, y2) + half)
        assert swept.difference(area).area < 1e-6
    if not settings.join:
        assert len(plan.steps) == 0


def test_strokes_side_by_side_are_joined_and_strokes_apart_are_not() -> None:
    lines = np.array([[5.0, 5, 45, 5], [5, 14, 45, 14], [5, 34, 45, 34]])
    steps = Steps(lines, 10)
    found = steps.between(np.array([1, 3]), np.array([3, 5]))
    assert found[0].tolist() == [45, 14]
    assert np.isnan(found[1]).all()


def test_a_step_goes_round_the_corner_that_is_paint() -> None:
    lines = np.array([[5.0, 5, 45, 5], [35, 14, 60, 14]])  # the second begins below the first, and reaches further
    corner = Steps(lines, 10).between(np.array([1]), np.array([2]))
    assert corner[0].tolist() in ([35, 5], [45, 14])
    assert np.isnan(Steps(lines, 10).between(np.array([0]), np.array([3]))).all()


def test_with_too_many_edges_only_safe_steps_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = np.array([[5.0, 5 + 9 * row, 45, 5 + 9 * row] for row in range(6)])
    first, second = np.array([1, 5, 1]), np.array([3, 7, 9])
    exact = np.isnan(Steps(lines, 10).between(first, second)[:, 0])
    assert exact.tolist() == [False, False, False]
    monkeypatch.setattr(joins, "MOST_EDGES", 5)
    coarse = np.isnan(Steps(lines, 10).between(first, second)[:, 0])
    assert (coarse | ~exact).all()
