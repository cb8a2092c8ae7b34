"""Moves: one after another, with the brush up or down, and when each is done."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import ParseTree
from shapeparse.painting import PaintSettings, plan_painting


@given(st.from_type(ParseTree), st.from_type(PaintSettings))
def test_moves_pass_along_every_stroke_once(tree: ParseTree, settings: PaintSettings) -> None:
    plan = plan_painting(tree, settings)
    strokes = [(*here[:2], *there[:2]) for here, there in pairwise(plan.moves) if there.way == "stroke"]
    assert np.allclose(np.array(strokes).reshape(-1, 4), plan.lines)
    assert all(here.seconds <= there.seconds for here, there in pairwise(plan.moves))


def test_from_the_start_over_leads_and_home(toy: ParseTree) -> None:
    asked = PaintSettings(
        brush=28, overlap=0, lead_in=3, lead_out=2, start=(0, 0), home=(96, 72), join=False, order="tree",
        stroke_speed=10, travel_speed=20, lift_time=1,
    )  # fmt: skip
    plan = plan_painting(toy, asked)
    assert [(move[:2], move.way) for move in plan.moves[:5]] == [
        ((0, 72), "travel"), ((41, 30), "travel"), ((44, 30), "lead"), ((54, 30), "stroke"), ((56, 30), "lead"),
    ]  # fmt: skip
    assert plan.moves[-1][:3] == (96, 0, "travel")
    painted = (10 + 52 + 2 * (3 + 2)) / 10
    travel = (np.hypot(41, 42) + np.hypot(56 - 19, 28) + np.hypot(96 - 76, 58)) / 20
    assert plan.metrics()["seconds"] == pytest.approx(painted + travel + 2)


def test_a_plan_without_strokes_has_no_moves(toy: ParseTree) -> None:
    assert plan_painting(toy, PaintSettings(margin=500, start=(0, 0), home=(1, 1))).moves == []
