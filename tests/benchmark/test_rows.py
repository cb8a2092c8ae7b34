"""The rows of a comparison by name: one by one, in groups, and in the order of the table."""

from __future__ import annotations

import subprocess
import sys

import pytest

from shapeparse.benchmark.engines import ENGINES
from shapeparse.benchmark.rows import ENGINE_NAMES, PEERS, rows_named
from shapeparse.learning.methods import METHODS


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        (["all"], [*METHODS, *PEERS]),
        (["methods"], list(METHODS)),
        (["peers"], ["lines", "colours", "unet", "unet-lite"]),
        (["unet", "drag", "bc"], ["bc", "drag", "unet"]),
        (["drag", "peers", "drag", "lines"], ["drag", "lines", "colours", "unet", "unet-lite"]),
        (["all", "drag"], [*METHODS, *PEERS]),
    ],
)
def test_rows_are_named_one_by_one_or_in_groups_and_come_in_the_order_of_the_table(names, rows):
    assert rows_named(names) == rows


def test_an_unknown_row_is_answered_with_the_known_ones(refused):
    message = refused(rows_named, ["drag", "dragon"])
    assert message.startswith("There is no row 'dragon'; did you mean drag")
    assert message.endswith("in all.")  # too many to be listed


def test_the_names_of_engines_are_those_that_there_are() -> None:
    assert tuple(ENGINES) == ENGINE_NAMES


def test_rows_are_known_without_loading_pytorch() -> None:
    code = "import sys, shapeparse.benchmark.rows; assert not {'torch', 'numba'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
