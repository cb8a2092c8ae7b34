"""How a parser learns from what was accepted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from shapeparse import UserError, load
from shapeparse.data.generator import write_dataset
from shapeparse.labelling.teaching import Teaching, teach
from shapeparse.learning.settings import RECIPES


def test_a_folder_becomes_a_parser_and_a_run_that_was_begun_goes_on(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data", count=3, size=64, seed=0)
    told: list[dict[str, Any]] = []
    for _ in range(2):
        teach(Teaching(preset="fast", epochs=1), tmp_path / "data", tmp_path / "run", 1, told.append)
    assert told[-1]["progress"] == 1.0 and sum("epoch" in row for row in told) == 1
    assert load(tmp_path / "run").limits.depth == 7


def weights(run: Path) -> dict[str, np.ndarray]:
    return load_file(run / "model.safetensors")


def test_a_parser_learns_on_from_the_last_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a learning rate of 0, its weights are those that it began with."""
    write_dataset(tmp_path / "data", count=3, size=64, seed=0)
    still = {**RECIPES["scratch"], "learning": replace(RECIPES["scratch"]["learning"], rate=0.0), "map_updates": 1}
    once, other = Teaching(preset="scratch", epochs=1), tmp_path / "other"
    quick = {**RECIPES["scratch"], "map_updates": 1, "updates": 1, "rollout_images": 2}
    monkeypatch.setitem(RECIPES, "scratch", quick)
    teach(once, tmp_path / "data", tmp_path / "first", 1, lambda row: None)
    monkeypatch.setitem(RECIPES, "scratch", {**quick, **still, "updates": 1, "rollout_images": 2})
    teach(once, tmp_path / "data", tmp_path / "on", 1, lambda row: None, str(tmp_path / "first"))
    first, on = weights(tmp_path / "first"), weights(tmp_path / "on")
    name = next(name for name in first if name.endswith("weight"))
    np.testing.assert_allclose(on[name], first[name], atol=1e-6)
    (other / "config.json").parent.mkdir()
    teach(once, tmp_path / "data", tmp_path / "anew", 1, lambda row: None, str(other))  # no run: begin with nothing
    assert not np.allclose(weights(tmp_path / "anew")[name], first[name], atol=1e-6)


@pytest.mark.parametrize("wrong", [{"every": 1}, {"every": 2.5}, {"minutes": 0}, {"minutes": float("nan")}])
def test_settings_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"give"):
        Teaching(**wrong)
