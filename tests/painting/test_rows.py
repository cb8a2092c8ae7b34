"""Rows over a mask: all that is wanted is painted, along x and along y."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely import box

from shapeparse.painting import PaintSettings
from shapeparse.painting.cells import cell_by_cell
from shapeparse.painting.rows import row_by_row, turned
from shapeparse.painting.strokes import MOST_STROKES

from .conftest import painted


@pytest.mark.parametrize("rows", [row_by_row, cell_by_cell])
@given(seed=st.integers(0, 999), brush=st.floats(0.6, 14), overlap=st.sampled_from([0, 0.3]), upright=st.booleans())
def test_rows_and_cells_paint_all_that_is_wanted(
    rows: type, seed: int, brush: float, overlap: float, upright: bool
) -> None:
    wanted = np.random.default_rng(seed).random((9, 7)) < 0.3
    settings = PaintSettings(brush=brush, overlap=overlap)
    area = painted(turned(rows(wanted.T, settings)) if upright else rows(wanted, settings)).buffer(1e-6)
    for y, x in np.argwhere(wanted).tolist():
        assert area.contains(box(x, y, x + 1, y + 1))


def test_rows_go_to_and_fro_over_the_runs() -> None:
    wanted = np.zeros((4, 20), bool)
    wanted[:, 2:8] = wanted[:, 12:19] = True
    strokes = row_by_row(wanted, PaintSettings(brush=2, overlap=0))
    assert [stroke[:4] for stroke in strokes] == [(3, 1, 7, 1), (13, 1, 18, 1), (18, 3, 13, 3), (7, 3, 3, 3)]


def test_nothing_wanted_takes_no_rows() -> None:
    assert row_by_row(np.zeros((4, 4), bool), PaintSettings()) == []


@pytest.mark.parametrize("rows", [row_by_row, cell_by_cell])
def test_more_rows_than_memory_holds_are_too_many_and_no_more(rows: type) -> None:
    wanted = np.ones((40, 40), bool)
    assert len(rows(wanted, PaintSettings(brush=12, overlap=0.999999999))) == MOST_STROKES + 1
