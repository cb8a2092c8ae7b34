"""The process that learns and proposes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from shapeparse import ParseTree, UserError
from shapeparse.data.generator import write_dataset
from shapeparse.labelling import worker
from shapeparse.labelling.edits import Labels
from shapeparse.support.files import write_json

from .conftest import house


@pytest.fixture
def job(tmp_path: Path) -> Path:
    folder = tmp_path / "1"
    write_dataset(folder / "data", count=3, size=64, seed=0)
    (tmp_path / "gone.jpg").write_bytes(b"no image")
    photographs = {"new": str(folder / "data" / "images" / "0000.jpg"), "gone": str(tmp_path / "gone.jpg")}
    teaching = {"every": 4, "preset": "fast", "minutes": 1.0, "epochs": 1}
    write_json(
        folder / "job.json",
        {"model": None, "teaching": teaching, "threads": 1, "photographs": photographs, "learned": 3},
    )
    return folder


def test_a_worker_learns_and_proposes(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "nice", lambda by: 0)
    assert worker.main(str(job)) == 0
    assert json.loads((job / "status.json").read_text()) == {"phase": "done", "progress": 1.0}
    doubts = json.loads((job / "result.json").read_text())["doubts"]
    assert list(doubts) == ["new"] and 0 <= doubts["new"] <= 1
    assert ParseTree.load(job / "proposals" / "new.json").width == 64
    assert not any((job / "maps").iterdir())  # the preset fast has no map


def test_a_broken_job_is_one_sentence(job: Path, capsys: pytest.CaptureFixture) -> None:
    (job / "job.json").write_text("{")
    assert worker.main(str(job)) == 2
    assert "remove the folder" in capsys.readouterr().err


def test_a_parser_with_a_map_shows_it() -> None:
    import shapeparse

    parser = shapeparse.load()
    photo, _ = shapeparse.data.generator.generate(seed=1, index=0, size=80)
    seen = worker.map_of(parser, photo)
    assert seen is not None and seen.shape == (80, 80) and seen.dtype == np.uint8
    assert 0 < worker.doubt(parser.parse(photo)) < 0.5


def test_an_oracle_has_no_doubts() -> None:
    assert worker.doubt(Labels.of(house()).tree) == 0.0


def test_what_registers_networks_is_imported_first(job: Path) -> None:
    with pytest.raises(UserError):
        worker.import_plugin("no_such_module")
    assert worker.main(str(job), "no_such_module") == 2
