"""The best rectangles for a brush: their cost against a slow twin, and what weights do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import Rule
from shapeparse.data.generator import generate
from shapeparse.oracle.optimal.kernels import Costs, stroke_cost
from shapeparse.painting import PaintSettings, plan_painting
from shapeparse.painting.brush_tree import tree_for_brush

from .conftest import known, lone_leaf


@given(st.integers(1, 90), st.integers(1, 90), st.floats(1.0, 30.0), st.sampled_from([0.0, 0.1, 0.5]))
def test_the_cost_of_a_leaf_is_the_time_of_its_plan(w: int, h: int, brush: float, overlap: float) -> None:
    asked = PaintSettings(brush=brush, overlap=overlap, lift_time=0.7, turn_time=0.2)
    found = stroke_cost(Costs(1, 1.0, 1.0, 0.0, brush, asked.pitch, 0.01, 0.2, 0.7, 0.0), np.float32(w), np.float32(h))

    def along(length: float, across: float) -> float:
        strokes = 1 + max(0, math.ceil((across - brush) / asked.pitch - 1e-4))
        way = strokes * max(length - brush, 0) + max(across - brush, 0)
        return 0.7 + 0.01 * way + 0.2 * (strokes - 1)

    assert found == pytest.approx(min(along(w, h), along(h, w)), rel=1e-3)
    plan = plan_painting(lone_leaf(w, h, Rule.PAINT), asked)
    assert found <= known(plan.metrics()["seconds"]) + 1e-3


def test_what_is_painted_beyond_a_narrow_leaf_costs() -> None:
    costs = Costs(1, 1.0, 1.0, 0.0, 10.0, 9.0, 0.0, 0.0, 0.0, 2.0)
    assert stroke_cost(costs, np.float32(4), np.float32(30)) == pytest.approx(2 * 6 * 30)


def test_the_dearer_missed_paint_is_the_more_is_covered() -> None:
    mask = generate(0, 3, 96)[1]
    asked = PaintSettings(brush=6)
    covered = [
        known(plan_painting(tree_for_brush(mask, asked, missed, 1.0, 0.5), asked).metrics(mask)["coverage"])
        for missed in (1.5, 8.0, 64.0)
    ]
    assert covered == sorted(covered)
    assert covered[-1] > 0.98
