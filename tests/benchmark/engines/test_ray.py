"""Jobs on a Ray cluster: the numbers of the local engine, whatever dies on the way."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from shapeparse.benchmark.engines import ENGINES
from shapeparse.benchmark.engines.local import Event
from shapeparse.benchmark.job import run_job
from shapeparse.benchmark.plan import Job, Plan
from shapeparse.benchmark.record import Record
from shapeparse.data import Loaded
from shapeparse.support.processes import alone

ray = pytest.importorskip("ray")

from ray.cluster_utils import Cluster  # noqa: E402

from shapeparse.benchmark.engines.ray import do_job, mark  # noqa: E402

EPOCHS = 6
QUIET = {"num_cpus": 1, "include_dashboard": False}
TIMES = ("seconds", "nodes_per_second", "parse_ms", "validation_curve")

Start = Callable[..., Record]


@pytest.fixture
def start(photographs: Callable, tmp_path: Path) -> Start:
    """A function that makes the folder of a small benchmark."""

    def make(name: str, epochs: int = EPOCHS) -> Record:
        images, masks = photographs(8)
        loaded = Loaded(images, masks, [f"{index}" for index in range(8)], [])
        record = Record(tmp_path / name)
        record.start(Plan.of("small", loaded, 2, None, epochs, depth=3))
        record.cache(loaded)
        return record

    return make


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A cluster of this machine with a node of one core; tests may add more."""
    made = Cluster(initialize_head=True, head_node_args=QUIET)
    yield made
    ray.shutdown()
    made.shutdown()


class Told(list[Event]):
    """What an engine told."""

    def __call__(self, event: Event) -> None:
        self.append(event)

    def jobs(self, state: str) -> list[str]:
        return sorted({event.job.name for event in self if event.state == state})

    def epochs(self, job: Job) -> list[int]:
        return [event.detail["epoch"] for event in self if event.job == job and "epoch" in event.detail]


def plan_of(record: Record) -> Plan:
    return Plan.from_json(json.loads(record.plan_path.read_text()))


def numbers(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The runs of a job, without what the clock decides."""
    curves = [[accuracy for _, accuracy in run["validation_curve"]] for run in runs]
    timeless = [{name: value for name, value in run.items() if name not in TIMES} for run in runs]
    return [run | {"curve": curve} for run, curve in zip(timeless, curves, strict=True)]


def test_a_node_dies_and_the_numbers_are_those_of_the_same_jobs_here(
    start: Start, cluster: Cluster, tmp_path: Path
) -> None:
    node = cluster.add_node(num_cpus=1)
    record = start("ray")
    plan = plan_of(record)
    jobs = plan.jobs(["bc"])

    class Killing(Told):
        """Kills a node when both jobs are in the middle."""

        def __call__(self, event: Event) -> None:
            super().__call__(event)
            reached = [max(self.epochs(job), default=0) for job in jobs]
            if node in cluster.worker_nodes and (min(reached) >= 1 or max(reached) == EPOCHS - 2):
                assert not self.jobs("done")
                cluster.remove_node(node, allow_graceful=False)

    told = Killing()
    ENGINES["ray"](record, jobs, 2, told, cluster.address)
    assert node not in cluster.worker_nodes
    assert told.jobs("done") == sorted(job.name for job in jobs)
    assert told.jobs("failed") == []
    assert all(told.epochs(job) == sorted(told.epochs(job)) for job in jobs)  # none began again
    for job in jobs:
        found = json.loads((record.job_folder(job) / "result.json").read_text())
        assert numbers(found) == numbers(run_job(plan, job, record.cached(plan), tmp_path / job.name, threads=1))


def test_a_job_that_fails_is_told_in_a_sentence_and_stops_no_other(
    start: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    record = start("ray")
    lines, unknown, absent = Job("lines", 0, "fast"), Job("nonsense", 0, "fast"), Job("bc", 99, "fast")
    told = Told()
    capfd.readouterr()
    ENGINES["ray"](record, [unknown, absent, lines], 3, told, None)
    assert capfd.readouterr() == ("", "")
    assert not ray.is_initialized()  # the cluster of this machine has ended
    reasons = {event.job: event.detail["reason"] for event in told if event.state == "failed"}
    assert reasons[unknown].startswith("There is no method 'nonsense'; choose")
    assert reasons[absent] == "IndexError: tuple index out of range"
    assert "run_job" in (record.job_folder(absent) / "log.txt").read_text()  # a bug keeps its traceback
    assert told.jobs("done") == [lines.name]
    results = record.read()
    record.collect(lines, results)
    assert len(results["runs"]) == 4
    assert not list((record.out / "jobs").glob("*.mark"))


def test_who_interrupts_leaves_the_cluster_without_tasks(start: Start, cluster: Cluster) -> None:
    record = start("ray", epochs=10_000)
    job = Job("bc", 0, "fast")

    def interrupt(event: Event) -> None:
        if "epoch" in event.detail:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ENGINES["ray"](record, [job], 1, interrupt, cluster.address)
    assert cluster.remaining_processes_alive()
    with alone(record.job_folder(job) / "lock"):  # so nobody works on it any more
        assert (record.job_folder(job) / "checkpoint.safetensors").exists()


def test_a_node_that_cannot_reach_the_folder_sends_the_files_back(start: Start, tmp_path: Path) -> None:
    record, job = start("ray"), Job("lines", 0, "fast")
    loaded, plan = record.cached(plan_of(record)), record.plan_path.read_text()
    elsewhere = do_job(loaded.images, loaded.masks, plan, job, tmp_path / "elsewhere" / "a.mark", 1)
    assert "oracle.test_trees.json" in elsewhere.files
    assert "lock" not in elsewhere.files
    assert not record.job_folder(job).exists()
    with mark(record.out / "jobs") as marked:
        here = do_job(loaded.images, loaded.masks, plan, job, marked, 1)
    assert here.files == {}
    for name, content in elsewhere.files.items():
        assert (record.job_folder(job) / name).read_bytes() == content


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:1", "nowhere.invalid:6379"])
def test_no_cluster_at_the_address(start: Start, refused: Callable[..., str], address: str) -> None:
    assert address in refused(ENGINES["ray"], start("ray"), [], 1, Told(), address)


def test_without_ray_the_remedy_is_named(
    start: Start, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "pip install 'shapeparse[ray]'" in refused(ENGINES["ray"], start("ray"), [], 1, Told(), None)
