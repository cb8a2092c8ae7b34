"""A benchmark's folder: what it remembers, and when it refuses to go on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shapeparse.benchmark.plan import Job, Plan, settings_json
from shapeparse.benchmark.record import FORMAT, Record

from .conftest import make_run

BC = Job("bc", 0, "fast")
LINES = Job("lines", 0, "fast")


@pytest.fixture
def plan(dozen) -> Plan:
    return Plan.of("dozen", dozen, 2, None, 2)


@pytest.fixture
def record(tmp_path) -> Record:
    return Record(tmp_path / "out")


@pytest.fixture
def finish(record, plan) -> Callable[..., list[dict]]:
    """Pretend that a worker has done a job: a run for each of its rows."""

    def write(job: Job, *rows: str, **facts: object) -> list[dict]:
        each = [0.5] * len(plan.splits[job.fold].test)
        known = {"job": job.name, "preset": job.preset, **facts}
        runs = [make_run(row, job.fold, each, np.random.default_rng(0)) | known for row in rows]
        folder = record.job_folder(job)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "result.json").write_text(json.dumps(runs))
        return runs

    return write


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# ---- starting ------------------------------------------------------------------------------------------------------


def test_a_new_folder_holds_the_plan_and_results_without_runs(record, plan):
    results = record.start(plan)
    assert results == {**FORMAT, **plan.to_json(), "runs": [], "failed": []}
    assert record.read() == json.loads(json.dumps(results))
    assert Plan.from_json(json.loads(record.plan_path.read_text())) == plan


def test_looking_at_what_is_done_so_far_writes_nothing(record, plan):
    assert record.so_far(plan)["runs"] == []
    assert not record.out.exists()


def test_the_same_plan_goes_on_with_its_runs_and_forgets_failures(record, plan, finish):
    results = record.start(plan)
    runs = finish(BC, "bc")
    record.collect(BC, results)
    results["failed"] = [{"job": "fast-drag-0", "reason": "something"}]
    record.write(results)
    again = record.start(plan)
    assert (again["runs"], again["failed"]) == (runs, [])


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"depth": 6}, "depth"),
        ({"epochs": 3}, "epochs"),
        ({"epochs": None, "minutes": 1.0}, "minutes, epochs"),
        ({"preset": "crop"}, "preset"),
        ({"seed": 1}, "seed"),
        ({"fingerprint": 7}, "data"),
        ({"names": ("a",)}, "data"),
    ],
)
def test_another_plan_in_the_same_folder_is_refused_and_changes_nothing(record, plan, refused, changes, named):
    """Even before the first job is done."""
    record.start(plan)
    before = contents(record.out)
    for look in (record.start, record.so_far):
        message = refused(look, replace(plan, **changes))
        assert message == f"{record.out} holds a benchmark with other {named}; give those, or another --out."
    assert contents(record.out) == before


def test_other_folds_or_another_seed_are_other_splits(record, dozen, plan, refused):
    record.start(plan)
    assert "with other splits;" in refused(record.start, Plan.of("dozen", dozen, 3, None, 2))
    assert "with other splits, seed;" in refused(record.start, Plan.of("dozen", dozen, 2, None, 2, seed=1))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"),
        (b"{", "cannot be read"),
        (b"\xff\xfe\x00", "cannot be read"),
        (b"[" * 100_000, "cannot be read"),
        (b"[]", "is not the results"),
        (b"null", "is not the results"),
        (b'{"format": "shapeparse-run", "version": 1, "runs": []}', "is not the results"),
        (b'{"format": "shapeparse-benchmark", "version": 2, "runs": []}', "is not the results"),
        (b'{"format": "shapeparse-benchmark", "version": 1}', "is not the results"),
    ],
)
def test_damaged_results_are_refused_and_left_as_they_are(record, plan, refused, content, complaint):
    record.out.mkdir()
    record.results_path.write_bytes(content)
    message = refused(record.start, plan)
    assert message.startswith(f"{record.results_path} {complaint}")
    assert contents(record.out) == {str(record.results_path): content}


def test_results_that_are_a_pipe_are_refused_at_once(record, plan, refused):
    record.out.mkdir()
    os.mkfifo(record.results_path)
    assert "is not a regular file" in refused(record.so_far, plan)


@pytest.mark.parametrize("runs", [[3], [{}], [{"job": "bc"}], [{"job": 1, "row": []}]])
def test_runs_that_are_none_are_refused_in_one_sentence(record, plan, refused, runs):
    record.start(plan)
    results = json.loads(record.results_path.read_text()) | {"runs": runs}
    record.results_path.write_text(json.dumps(results))
    before = contents(record.out)
    for look in (record.start, record.so_far):
        assert "results.json is damaged (run 1 has no valid" in refused(look, plan)
    assert contents(record.out) == before


def test_a_folder_that_is_a_file_is_refused(record, plan, refused):
    record.out.write_text("mine")
    assert "is a file" in refused(record.start, plan)
    assert record.out.read_text() == "mine"


# ---- jobs ----------------------------------------------------------------------------------------------------------


def test_a_method_is_done_if_its_runs_have_the_settings_of_now(record, plan, finish):
    results = record.start(plan)
    assert not record.is_done(BC, plan, results)
    finish(BC, "bc", settings=settings_json(plan.settings(BC, threads=2)))
    record.collect(BC, results)
    assert record.is_done(BC, plan, results)
    assert not record.is_done(Job("bc", 1, "fast"), plan, results)
    assert not record.is_done(Job("drag", 0, "fast"), plan, results)
    results["runs"][0]["settings"]["teacher_price"] = 0.7  # of a teacher who is not asked
    assert record.is_done(BC, plan, results)
    results["runs"][0]["settings"]["teacher"] = "optimal"
    assert not record.is_done(BC, plan, results)
    results["runs"][0]["settings"]["teacher"] = "igm"
    results["runs"][0]["settings"]["learning"]["rate"] /= 2
    assert not record.is_done(BC, plan, results)


def test_a_peer_is_done_if_it_has_runs(record, plan, finish):
    results = record.start(plan)
    assert not record.is_done(LINES, plan, results)
    finish(LINES, "majority-set", "oracle")
    record.collect(LINES, results)
    assert record.is_done(LINES, plan, results)


def test_a_jobs_runs_replace_those_it_had_and_leave_the_others(record, plan, finish):
    results = record.start(plan)
    for job, rows in ((LINES, ("oracle", "majority-set")), (BC, ("bc",)), (Job("bc", 1, "fast"), ("bc",))):
        finish(job, *rows, epochs=1)
        record.collect(job, results)
    finish(LINES, "oracle", epochs=2)
    record.collect(LINES, results)
    found = [(run["job"], run["row"], run["epochs"]) for run in results["runs"]]
    assert found == [("fast-bc-0", "bc", 1), ("fast-bc-1", "bc", 1), ("fast-lines-0", "oracle", 2)]
    assert record.read()["runs"] == results["runs"]


def test_runs_stand_in_the_same_order_whichever_job_ends_first(record, plan, finish):
    jobs = [(LINES, ("oracle", "majority-set")), (BC, ("bc",)), (Job("bc", 1, "fast"), ("bc",))]
    found = []
    for order in (jobs, jobs[::-1]):
        results = record.so_far(plan)
        for job, rows in order:
            finish(job, *rows)
            record.collect(job, results)
        found.append(results["runs"])
        record.results_path.unlink()
    assert found[0] == found[1]


# ---- data for the workers ------------------------------------------------------------------------------------------


def test_workers_read_the_images_that_were_kept(record, plan, dozen):
    record.start(plan)
    record.cache(dozen)
    again = record.cached(plan)
    np.testing.assert_array_equal(again.images, dozen.images)
    np.testing.assert_array_equal(again.masks, dozen.masks)
    assert (again.images.dtype, again.masks.dtype) == (np.uint8, np.bool_)
    assert (again.names, again.skipped) == (dozen.names, [])
    assert not again.images.flags.writeable
