"""The paper's Table 1, as far as its own text lets it be checked."""

from __future__ import annotations

from shapeparse.benchmark.paper import PAPER_ORACLE, PAPER_TABLE
from shapeparse.learning.methods import METHODS


def test_every_row_is_a_method_of_ours_and_drag_is_the_best_of_nine() -> None:
    assert len(PAPER_TABLE) == 9
    assert set(PAPER_TABLE) <= set(METHODS)
    assert max(PAPER_TABLE, key=lambda row: PAPER_TABLE[row][1]) == "drag"


def test_nobody_is_above_the_oracle() -> None:
    assert all(0 < number < PAPER_ORACLE for numbers in PAPER_TABLE.values() for number in numbers)
