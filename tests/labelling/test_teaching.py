"""How a parser learns from what was accepted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shapeparse import UserError, load
from shapeparse.data.generator import write_dataset
from shapeparse.labelling.teaching import Teaching, teach


def test_a_folder_becomes_a_parser_and_a_run_that_was_begun_goes_on(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data", count=3, size=64, seed=0)
    told: list[dict[str, Any]] = []
    for _ in range(2):
        teach(Teaching(preset="fast", epochs=1), tmp_path / "data", tmp_path / "run", 1, told.append)
    assert told[-1]["progress"] == 1.0 and sum("epoch" in row for row in told) == 1
    assert load(tmp_path / "run").limits.depth == 7


@pytest.mark.parametrize("wrong", [{"every": 1}, {"every": 2.5}, {"minutes": 0}, {"minutes": float("nan")}])
def test_settings_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"give"):
        Teaching(**wrong)
