"""The choice of a plan: the quickest that covers enough, never worse than its alternatives; limits nobody can meet."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shapeparse import UserError, decompose
from shapeparse.data.generator import generate
from shapeparse.painting import PaintSettings, Part, choose_plan
from shapeparse.painting.choose import LIFTED, best_of_kind, corners_of, is_exact, least_seconds
from shapeparse.painting.settings import PLANS

from .conftest import known


def plate() -> np.ndarray:
    """A plate with one rectangular window."""
    mask = np.zeros((100, 150), bool)
    mask[10:90, 15:135] = True
    mask[35:60, 50:90] = False
    return mask


@pytest.mark.parametrize("with_tree", [False, True])
@pytest.mark.parametrize("brush", [6, 10, 12])
def test_a_plate_with_a_window_is_painted_wholly_and_nothing_else(brush: float, with_tree: bool) -> None:
    tree = decompose(plate()) if with_tree else None
    metrics = choose_plan(Part(plate(), tree=tree), PaintSettings(brush=brush)).plan.metrics(plate())
    assert metrics["coverage"] == pytest.approx(1)
    assert metrics["waste"] == pytest.approx(0, abs=1e-9)


@settings(max_examples=25)
@given(
    st.integers(0, 99), st.sampled_from([3.0, 5.5, 9.0]), st.sampled_from([0.9, 0.99, 1.0]),
    st.sampled_from([None, 0.3, 1.0]),
)  # fmt: skip
def test_the_choice_is_the_quickest_of_all_plans_that_meet_the_limits(
    seed: int, brush: float, coverage: float, waste: float | None
) -> None:
    mask = generate(0, seed, 64)[1]
    wish = PaintSettings(brush=brush, coverage=coverage, waste=waste)
    try:
        chosen = choose_plan(Part(mask), wish)
    except UserError:
        assume(False)
    ours = chosen.plan.metrics(mask)
    assert set(chosen.ways) == {*PLANS, LIFTED}
    exact = waste is None and any(is_exact(chosen.ways[kind]) for kind in PLANS)
    least, most = (1.0, 0.0) if exact else (coverage, 1.0 if waste is None else waste)
    assert known(ours["coverage"]) >= least - 1e-9
    assert known(ours["waste"]) <= most + 1e-9
    for kind, found in chosen.ways.items():
        if known(found["coverage"]) >= least - 1e-9 and known(found["waste"]) <= most + 1e-9:
            assert known(ours["seconds"]) <= known(found["seconds"]) + 1e-9, kind
    assert known(chosen.ways["rows"]["seconds"]) <= known(chosen.ways[LIFTED]["seconds"]) + 1e-9
    assert known(ours["seconds"]) >= least_seconds(Part(mask), wish)


def test_any_waste_is_allowed_where_it_is_asked_for_and_then_the_quickest_plan_may_spill() -> None:
    """The window is no multiple of the brush, so rows over it are quicker than the exact plan, and spill."""
    exact = choose_plan(Part(plate()), PaintSettings(brush=12)).plan.metrics(plate())
    quick = choose_plan(Part(plate()), PaintSettings(brush=12, waste=1.0)).plan.metrics(plate())
    assert known(quick["seconds"]) < known(exact["seconds"])
    assert known(quick["waste"]) > 0


def test_rows_are_the_quicker_of_both_directions() -> None:
    tall = plate().T
    along_x, along_y = (best_of_kind(Part(mask), PaintSettings(brush=12), "rows") for mask in (plate(), tall))
    assert along_x is not None
    assert along_y is not None
    assert along_x.metrics()["seconds"] == pytest.approx(known(along_y.metrics()["seconds"]), rel=0.02)


def test_a_kind_that_is_asked_for_is_made() -> None:
    for kind in PLANS:
        chosen = choose_plan(Part(plate()), PaintSettings(brush=10, plan=kind))
        assert chosen.plan.kind == kind
        assert set(chosen.ways) == {kind, LIFTED}


def test_what_cannot_be_reached_is_one_sentence(refused: Callable[..., str]) -> None:
    zone = np.zeros((100, 150), bool)
    zone[:, ::20] = True
    part = Part(plate() & ~zone, kept_out=zone)
    assert "cannot be reached" in refused(choose_plan, part, PaintSettings(brush=25, coverage=0.99))
    disc = np.hypot(*np.mgrid[-40:40, -40:40]) < 38
    assert "waste" in refused(choose_plan, Part(disc), PaintSettings(brush=20, waste=0.001))
    assert "larger than the part" in refused(choose_plan, Part(plate()), PaintSettings(brush=121))
    assert "wider brush" in refused(choose_plan, Part(plate()), PaintSettings(brush=0.001))


def test_nothing_to_paint_is_an_empty_plan() -> None:
    assert choose_plan(Part(np.zeros((5, 6), bool)), PaintSettings()).plan.strokes == ()


def test_corners_are_counted() -> None:
    assert corners_of(plate()) == 8
    assert corners_of(np.eye(3, dtype=bool)) == 12


def test_other_kinds_are_made_to_compare_but_not_chosen() -> None:
    asked = PaintSettings(brush=12, plan="cells")
    alone, beside = choose_plan(Part(plate()), asked), choose_plan(Part(plate()), asked, compare=True)
    assert set(alone.ways) == {"cells", LIFTED}
    assert set(beside.ways) == {*PLANS, LIFTED}
    assert alone.plan.kind == beside.plan.kind == "cells"
    assert alone.plan.strokes == beside.plan.strokes


def test_no_plan_has_more_strokes_than_are_allowed() -> None:
    fewest = min(len(plan.strokes) for plan in choose_plan(Part(plate()), PaintSettings(brush=6)).plans.values())
    with pytest.raises(UserError, match=f"more than the {fewest - 1} strokes"):
        choose_plan(Part(plate()), PaintSettings(brush=6), most=fewest - 1)
