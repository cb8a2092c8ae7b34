"""The demo's learning: its own former run is replaced, anybody else's is kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from shapeparse.commands.demo_learning import MADE_BY, _former_parses, check_run, clear_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run folder as the demo leaves it, with a file of somebody else in it."""
    for name in ("model.safetensors", "metrics.csv", "checkpoint.safetensors", "notes.txt"):
        (tmp_path / name).write_text(name)
    (tmp_path / "config.json").write_text(json.dumps({"made_by": MADE_BY}))
    return tmp_path


def test_a_former_run_of_the_demo_is_removed_and_nothing_else(run: Path) -> None:
    clear_run(run)
    assert [path.name for path in run.iterdir()] == ["notes.txt"]
    check_run(run)
    check_run(run / "nowhere")


@pytest.mark.parametrize("config", [None, "[]", "{}", "no json", '{"made_by": "me"}'])
def test_a_run_of_somebody_else_is_refused_and_kept(run: Path, config: str | None, refused: Callable[..., str]) -> None:
    (run / "config.json").unlink() if config is None else (run / "config.json").write_text(config)
    assert "did not make" in refused(clear_run, run)
    assert (run / "model.safetensors").exists()


def test_of_former_parses_only_those_in_the_folder_are_meant(tmp_path: Path) -> None:
    assert _former_parses(tmp_path) == []
    rows = [{"files": ["a.json", "../b.json", "/etc/c.json"]}]
    (tmp_path / "summary.json").write_text(json.dumps({"photographs": rows}))
    assert _former_parses(tmp_path) == [tmp_path / "a.json"]
    (tmp_path / "summary.json").write_text("[3]")
    assert _former_parses(tmp_path) == []
