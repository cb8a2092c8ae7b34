"""A worker: it notes how far it is, stops when it is orphaned, and never works beside another on the same job."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from shapeparse.benchmark import worker
from shapeparse.benchmark.plan import Job
from shapeparse.support.processes import alone


def test_a_worker_writes_its_result_and_how_far_it_is(started, tiny_presets):
    record, _ = started
    assert worker.main(str(record.out), "bc", "0", "1") == 0
    folder = record.job_folder(Job("bc", 0, "fast"))
    (run,) = json.loads((folder / "result.json").read_text())
    status = json.loads((folder / "status.json").read_text())
    assert (run["row"], run["epochs"], status["epoch"]) == ("bc", 2, 2)
    assert status["best"] == max(accuracy for _, accuracy in run["validation_curve"])


def test_two_workers_never_work_on_the_same_job(started, tiny_presets, monkeypatch, capsys):
    pytest.importorskip("fcntl")
    monkeypatch.setattr(worker, "PATIENCE", 0.2)
    record, _ = started
    folder = record.job_folder(Job("bc", 0, "fast"))
    folder.mkdir()
    with alone(folder / "lock"):
        assert worker.main(str(record.out), "bc", "0", "1") == 2
        assert {path.name for path in folder.iterdir()} == {"lock"}
    assert f"fast-bc-0 is being worked in by another process ({os.getpid()}" in capsys.readouterr().err


def test_what_a_worker_notes_is_the_best_so_far(tmp_path: Path) -> None:
    report = worker.watched(tmp_path)
    report({"within": 0.5})
    assert not (tmp_path / "status.json").exists()
    for epoch, accuracy in ((1, 0.7), (2, 0.9), (3, 0.8)):
        report({"epoch": epoch, "seconds": 10.0 * epoch, "validation_accuracy": accuracy})
    assert json.loads((tmp_path / "status.json").read_text()) == {"epoch": 3, "seconds": 30.0, "best": 0.9}


def test_a_plugin_that_cannot_be_imported_is_one_sentence(started, capsys) -> None:
    record, _ = started
    assert worker.main(str(record.out), "bc", "0", "1", "no_such_module") == 2
    error = capsys.readouterr().err
    assert "no_such_module" in error
    assert len(error.splitlines()) == 1
