"""A worker: it notes how far it is, stops when it is orphaned, and never works beside another on the same job."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shapeparse.benchmark import worker
from shapeparse.benchmark.plan import Job


def test_a_worker_writes_its_result_and_how_far_it_is(started, tiny_presets):
    record, _ = started
    assert worker.main(str(record.out), "bc", "0", "1", str(os.getppid())) == 0
    folder = record.job_folder(Job("bc", 0, "fast"))
    (run,) = json.loads((folder / "result.json").read_text())
    status = json.loads((folder / "status.json").read_text())
    assert (run["row"], run["epochs"], status["epoch"]) == ("bc", 2, 2)
    assert status["best"] == max(accuracy for _, accuracy in run["validation_curve"])


@pytest.mark.skipif(os.name != "posix", reason="orphans are known by their new parent")
def test_a_worker_that_is_orphaned_before_it_begins_does_nothing(started, tiny_presets):
    record, _ = started
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert worker.main(str(record.out), "bc", "0", "1", str(gone.pid)) == 130
    assert {path.name for path in record.job_folder(Job("bc", 0, "fast")).iterdir()} == {"lock"}


def test_two_workers_never_work_on_the_same_job(started, tiny_presets, monkeypatch, capsys):
    pytest.importorskip("fcntl")
    monkeypatch.setattr(worker, "PATIENCE", 0.2)
    record, _ = started
    folder = record.job_folder(Job("bc", 0, "fast"))
    folder.mkdir()
    with worker.alone(folder / "lock"):
        assert worker.main(str(record.out), "bc", "0", "1", str(os.getppid())) == 2
    assert capsys.readouterr().err == ("shapeparse: fast-bc-0 is being worked on by another process; wait for it.\n")
    assert {path.name for path in folder.iterdir()} == {"lock"}


def test_what_a_worker_notes_is_the_best_so_far(tmp_path: Path) -> None:
    report = worker.watched(tmp_path, os.getppid())
    report({"within": 0.5})
    assert not (tmp_path / "status.json").exists()
    for epoch, accuracy in ((1, 0.7), (2, 0.9), (3, 0.8)):
        report({"epoch": epoch, "seconds": 10.0 * epoch, "validation_accuracy": accuracy})
    assert json.loads((tmp_path / "status.json").read_text()) == {"epoch": 3, "seconds": 30.0, "best": 0.9}


def test_a_plugin_that_cannot_be_imported_is_one_sentence(started, capsys) -> None:
    record, _ = started
    assert worker.main(str(record.out), "bc", "0", "1", str(os.getppid()), "no_such_module") == 2
    error = capsys.readouterr().err
    assert "no_such_module" in error
    assert len(error.splitlines()) == 1
