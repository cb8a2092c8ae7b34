"""Boustrophedon cells: every wanted pixel is in one of them, and they end where the sweep splits or merges."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shapeparse.painting import PaintSettings
from shapeparse.painting.cells import Run, cell_by_cell, cells_of


def drawn(runs: list[Run], shape: tuple[int, int]) -> np.ndarray:
    found = np.zeros(shape, int)
    for row, start, end in runs:
        found[row, start:end] += 1
    return found


@given(st.integers(0, 999), st.sampled_from([0.0, 2.0, 5.0]))
def test_every_wanted_pixel_is_in_one_cell(seed: int, lowest: float) -> None:
    wanted = np.random.default_rng(seed).random((12, 9)) < 0.6
    cells = cells_of(wanted, lowest)
    assert np.array_equal(sum((drawn(cell, wanted.shape) for cell in cells), np.zeros(wanted.shape, int)), wanted)


def test_a_plate_with_a_window_has_four_cells() -> None:
    plate = np.ones((30, 40), bool)
    plate[10:20, 12:25] = False
    cells = cells_of(plate, 4)
    sizes = sorted(int(drawn(cell, plate.shape).sum()) for cell in cells)
    assert sizes == [120, 150, 400, 400]


def test_low_cells_join_the_neighbour_they_touch_most() -> None:
    stairs = np.zeros((12, 30), bool)
    stairs[0:2, 5:9] = stairs[0:2, 15:20] = True  # two bumps on a block
    stairs[2:] = True
    assert len(cells_of(stairs, 0)) == 3
    assert len(cells_of(stairs, 4)) == 1


def test_cells_are_painted_one_by_one_with_rows_of_their_own() -> None:
    plate = np.ones((30, 40), bool)
    plate[10:20, 12:25] = False
    strokes = cell_by_cell(plate, PaintSettings(brush=10, overlap=0))
    assert sorted({stroke.rectangle for stroke in strokes}) == [0, 1, 2, 3]
    assert len(strokes) == 4
