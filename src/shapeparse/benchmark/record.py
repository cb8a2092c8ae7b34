"""A benchmark's folder: the plan, the cached data, a folder for every job, and ``results.json``, the record.

Only ``results.json``, ``table.md`` and ``report.html`` need to be kept: a job whose runs stand in the record, with the
settings that are asked for now, is done, whether or not its folder is still there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..data import Loaded
from ..learning.settings import TrainSettings
from ..support import files
from ..support.errors import UserError
from ..support.text import one_line
from .checks import RUN, lacking, wrong_in_runs
from .plan import Job, Plan, settings_json
from .rows import PEERS

FORMAT = {"format": "shapeparse-benchmark", "version": 1}
SAME = ("data", "splits", "preset", "seed", "depth", "minutes", "epochs", "plateau")
"""What may not change between two starts with the same folder."""


class Record:
    """The files of one benchmark."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.results_path = out / "results.json"
        self.plan_path = out / "plan.json"
        self.lock_path = out / "benchmark.lock"

    def job_folder(self, job: Job) -> Path:
        """Where a job works."""
        return self.out / "jobs" / job.name

    def so_far(self, plan: Plan) -> dict[str, Any]:
        """The results so far; refuses a folder that holds another benchmark. Writes nothing."""
        results = self.read() if self.results_path.exists() else {**FORMAT, **plan.to_json(), "runs": [], "failed": []}
        ours = json.loads(json.dumps(plan.to_json()))
        changed = [name for name in SAME if results.get(name) != ours[name]]
        if changed:
            raise UserError(
                f"{one_line(self.out)} holds a benchmark with other {', '.join(changed)}; give those, or another --out."
            )
        wrong = wrong_in_runs(results["runs"], [len(split.test) for split in plan.splits])
        if wrong is not None:
            raise UserError(f"{one_line(self.results_path)} is damaged ({wrong}); restore it, or move it away.")
        results["failed"] = []
        return results

    def start(self, plan: Plan) -> dict[str, Any]:
        """The results so far, and the folder theirs from now on."""
        results = self.so_far(plan)
        files.make_folder(self.out / "jobs")
        self.write(results)  # at once, so that another benchmark is refused before the first job is done
        files.write_json(self.plan_path, {**FORMAT, **plan.to_json()})
        return results

    def read(self) -> dict[str, Any]:
        """``results.json``, or what is wrong with it."""
        results = files.read_json(self.results_path, "restore or move it")
        known = isinstance(results, dict) and {name: results.get(name) for name in FORMAT} == FORMAT
        if not known or not isinstance(results.get("runs"), list):
            raise UserError(
                f"{one_line(self.results_path)} is not the results of this version's benchmark; move it away."
            )
        return results

    def write(self, results: dict[str, Any]) -> None:
        """Write ``results.json``; runs in the order of the table."""
        files.write_json(self.results_path, results)

    def is_done(self, job: Job, plan: Plan, results: dict[str, Any]) -> bool:
        """Whether the record has runs of this job, made with the settings it has now."""
        runs = [run for run in results["runs"] if run["job"] == job.name]
        if job.row in PEERS:
            return bool(runs)
        wanted = settings_json(plan.settings(job))
        return bool(runs) and all(_as_now(run["settings"]) == wanted for run in runs)

    def collect(self, job: Job, results: dict[str, Any]) -> None:
        """Take a finished job's runs into the record."""
        path = self.job_folder(job) / "result.json"
        runs = files.read_json(path, "start the benchmark again")
        if not isinstance(runs, list) or any(lacking(run, RUN) for run in runs):
            raise UserError(f"{one_line(path)} is damaged; start the benchmark again.")
        others = [run for run in results["runs"] if run["job"] != job.name]
        results["runs"] = sorted(others + runs, key=lambda run: (run["preset"], run["row"], run["fold"]))
        self.write(results)

    # ---- data for the workers ------------------------------------------------------------------------------------

    def cache(self, loaded: Loaded) -> None:
        """Keep the images as arrays, so that no worker has to read or make them again."""
        for name, array in (("images", loaded.images), ("masks", loaded.masks)):
            files.write_array(self.out / "jobs" / f"{name}.npy", array)

    def cached(self, plan: Plan) -> Loaded:
        """What ``cache`` kept, read only as far as it is looked at."""
        images, masks = (np.load(self.out / "jobs" / f"{name}.npy", mmap_mode="r") for name in ("images", "masks"))
        return Loaded(images, masks, list(plan.names), [])


def _as_now(noted: dict[str, Any]) -> dict[str, Any] | None:
    """Settings as they were noted, with what did not exist then as it is now; None if that cannot be."""
    try:
        return settings_json(TrainSettings.from_json(noted))
    except (UserError, KeyError, TypeError, ValueError):
        return None
