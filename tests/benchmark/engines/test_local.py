"""Jobs in processes: what they tell, what becomes of those that fail, and a benchmark that is killed goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from PIL import Image

import shapeparse
from shapeparse.benchmark.engines import local
from shapeparse.benchmark.engines.local import Event, read_status, run_jobs
from shapeparse.benchmark.job import run_job
from shapeparse.benchmark.plan import Job, Plan
from shapeparse.benchmark.record import Record
from shapeparse.data import Loaded

from ..conftest import start

TIMES = ("seconds", "parse_ms", "nodes_per_second", "date")
on_linux = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs Linux")

COMMAND = """
import sys
from dataclasses import replace

from shapeparse.commands.cli import main
from shapeparse.networks.presets import PRESETS

PRESETS["fast"] = replace(PRESETS["fast"], side=32)
sys.exit(main(sys.argv[1:]))
"""
"""The command line, but for small images: workers are given them as they were read here."""


def without_times(content: Any) -> Any:
    """Results as they would be if computers were endlessly fast."""
    if isinstance(content, list):
        return [without_times(item) for item in content]
    if not isinstance(content, dict):
        return content
    kept = {name: without_times(value) for name, value in content.items() if name not in TIMES}
    if "validation_curve" in kept:
        kept["validation_curve"] = [accuracy for _, accuracy in kept["validation_curve"]]
    return kept


def workers(out: Path) -> list[int]:
    """Processes that work on jobs of a benchmark."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:  # it has just ended
            continue
        if b"shapeparse.benchmark.worker" in words and str(out).encode() in words:
            found.append(int(path.parent.name))
    return found


def wait_until(true: Callable[[], object], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


class Ran(NamedTuple):
    record: Record
    plan: Plan
    loaded: Loaded
    events: list[Event]


@pytest.fixture(scope="module")
def ran(photographs, tmp_path_factory) -> Ran:
    """Three jobs were run, two at a time; the checkpoint of the first was damaged."""
    images, masks = photographs(12)
    loaded = Loaded(images, masks, [f"{index:04d}" for index in range(12)], [])
    record, plan = start(tmp_path_factory.mktemp("ran") / "out", loaded)
    jobs, events = plan.jobs(["bc", "drag", "lines"]), list[Event]()
    folder = record.job_folder(jobs[0])
    folder.mkdir()
    (folder / "checkpoint.safetensors").write_bytes(b"\xff" * 1000)
    run_jobs(record, jobs, 2, events.append)
    return Ran(record, plan, loaded, events)


def test_a_job_that_fails_gives_its_reason_and_stops_no_other(ran):
    ends = {event.job.row: event for event in ran.events if event.state != "running"}
    assert {row: event.state for row, event in ends.items()} == {"bc": "failed", "drag": "done", "lines": "done"}
    reason = ends["bc"].detail["reason"]
    assert reason.startswith(f"{ran.record.job_folder(ends['bc'].job) / 'checkpoint.safetensors'} is damaged")
    assert reason.endswith(".")
    assert not (ran.record.job_folder(ends["bc"].job) / "result.json").exists()


def test_a_job_tells_that_it_runs_before_it_tells_how_it_ended(ran):
    for row in ("bc", "drag", "lines"):
        told = [event for event in ran.events if event.job.row == row]
        assert [event.state for event in told] == ["running"] * (len(told) - 1) + [told[-1].state]
        assert told[0].detail == {}
    progress = [event.detail for event in ran.events if event.job.row == "drag" and "epoch" in event.detail]
    assert all(1 <= detail["epoch"] <= 2 and 0 < detail["best"] <= 1 for detail in progress)


@pytest.mark.parametrize("row", ["drag", "lines"])
def test_a_process_has_the_results_that_the_same_job_has_here(ran, tmp_path, row):
    job = Job(row, 0, "fast")
    found = json.loads((ran.record.job_folder(job) / "result.json").read_text())
    threads = max(1, (os.cpu_count() or 1) // 2)
    assert without_times(found) == without_times(run_job(ran.plan, job, ran.loaded, tmp_path, threads))


@on_linux
def test_workers_end_when_the_benchmark_is_interrupted(started):
    record, plan = started

    def interrupt(event: Event) -> None:
        wait_until(lambda: workers(record.out), 10)  # a process that was only just started has no name yet
        assert len(workers(record.out)) == 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_jobs(record, plan.jobs(["bc", "drag"]), 2, interrupt)
    assert workers(record.out) == []


def test_no_more_jobs_run_at_a_time_than_wanted_and_a_killed_one_is_told_of(started, monkeypatch):
    record, plan = started
    processes: list[subprocess.Popen[bytes]] = []
    beside: list[int] = []

    def pretend(record: Record, job: Job, threads: int) -> subprocess.Popen[bytes]:
        beside.append(sum(process.poll() is None for process in processes))
        end = "import os; os.kill(os.getpid(), 9)" if job.row == "drag" else "import time; time.sleep(0.3)"
        processes.append(subprocess.Popen([sys.executable, "-c", end]))
        return processes[-1]

    monkeypatch.setattr(local, "_start", pretend)
    events: list[Event] = []
    run_jobs(record, plan.jobs(["bc", "dagger", "drag", "lines"]), 2, events.append)
    assert len(beside) == 4
    assert max(beside) == 1
    ends = {event.job.row: event for event in events if event.state != "running"}
    assert {row: event.state for row, event in ends.items()} == {
        "bc": "done", "dagger": "done", "drag": "failed", "lines": "done",
    }  # fmt: skip
    assert "signal 9" in ends["drag"].detail["reason"]


def test_an_address_is_for_a_cluster(started, refused):
    assert "--engine ray" in refused(run_jobs, started[0], [], 1, print, "10.0.0.1:6379")


@on_linux
def test_a_benchmark_that_is_killed_twice_ends_as_one_that_was_not(dozen, tmp_path):
    for name, image, mask in zip(dozen.names, dozen.images, dozen.masks, strict=True):
        for part, pixels in (("images", image), ("masks", mask.astype(np.uint8) * 255)):
            (tmp_path / "photos" / part).mkdir(parents=True, exist_ok=True)
            Image.fromarray(pixels).save(tmp_path / "photos" / part / f"{name}.png")
    environment = {**os.environ, "PYTHONPATH": str(Path(shapeparse.__file__).parents[1])}
    words = "benchmark --data photos --methods bc drag --folds 1 --epochs 4 --depth 4 --jobs 2"

    def begin(out: Path) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", COMMAND, *words.split(), "--out", str(out)]
        return subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE)

    def kill_when(out: Path, row: str, epoch: int) -> None:
        """Begin, and kill as soon as a row has come so far; its worker is not told."""
        process, status = begin(out), out / "jobs" / f"fast-{row}-0" / "status.json"
        began = time.time()
        try:
            wait_until(
                lambda: (
                    status.exists()
                    and status.stat().st_mtime > began
                    and json.loads(status.read_text())["epoch"] >= epoch
                )
            )
        finally:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert row not in {run["row"] for run in json.loads((out / "results.json").read_text())["runs"]}

    out = tmp_path / "killed"
    kill_when(out, "bc", 1)
    kill_when(out, "drag", 2)  # at once, while there may be orphans of the first
    wait_until(lambda: not workers(out), 30)
    process = begin(out)
    said = process.communicate(timeout=240)[0].decode()
    assert (process.returncode, said.split(" in ")[0]) == (0, "2 runs")
    assert workers(out) == []
    record, threads = Record(out), max(1, (os.cpu_count() or 1) // 2)
    plan, found = Plan.from_json(json.loads(record.plan_path.read_text())), record.read()["runs"]
    assert [run["epochs"] for run in found] == [4, 4]
    whole = [run_job(plan, job, record.cached(plan), tmp_path / job.row, threads) for job in plan.jobs(["bc", "drag"])]
    assert without_times(found) == without_times([run for runs in whole for run in runs])


def test_how_far_a_job_is_can_be_read_or_is_not_known_yet(tmp_path: Path) -> None:
    assert read_status(tmp_path) is None
    (tmp_path / "status.json").write_text('{"epoch"')
    assert read_status(tmp_path) is None
    (tmp_path / "status.json").write_text('{"epoch": 3}')
    assert read_status(tmp_path) == {"epoch": 3}
