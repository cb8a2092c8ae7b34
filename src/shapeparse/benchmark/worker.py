"""A job in a process of its own: ``python -m shapeparse.benchmark.worker OUT ROW FOLD THREADS [IMPORT ...]``.

It reads the plan and the cached data of ``OUT``, notes its progress in the job's ``status.json``, and ends with
``result.json``. It ends when the process that started it is gone, and never works beside another on the same job.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..support import files
from ..support.errors import UserError
from ..support.plugins import import_plugin
from ..support.processes import alone, end_with_parent
from .plan import Job, Plan
from .record import Record

LOCK = "lock"
"""The file in a job's folder that says who works there."""
PATIENCE = 60.0
"""Seconds to wait for another worker on the same job, which is about to end."""


def main(out: str, row: str, fold: str, threads: str, *plugins: str) -> int:
    """Do the job, after importing what registers methods and networks; the exit code."""
    record = Record(Path(out))
    plan = Plan.from_json(json.loads(record.plan_path.read_text(encoding="utf-8")))
    job = Job(row, int(fold), plan.preset)
    folder = files.make_folder(record.job_folder(job))
    try:
        for plugin in plugins:
            import_plugin(plugin)
        with alone(folder / LOCK, PATIENCE):
            work(record, plan, job, folder, int(threads))
    except UserError as error:
        print(f"shapeparse: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def work(record: Record, plan: Plan, job: Job, folder: Path, threads: int) -> None:
    """Do the job and write its result."""
    from .job import run_job  # after the lock, so that a worker that waits costs nothing

    runs = run_job(plan, job, record.cached(plan), folder, threads, watched(folder))
    files.write_json(folder / "result.json", runs)


def watched(folder: Path) -> Callable[[dict[str, Any]], None]:
    """Notes how far a training is."""
    best = 0.0

    def report(row: dict[str, Any]) -> None:
        nonlocal best
        if "epoch" in row:
            best = max(best, row["validation_accuracy"])
            seconds = row["seconds"]
            files.write_json(folder / "status.json", {"epoch": row["epoch"], "seconds": seconds, "best": best})

    return report


if __name__ == "__main__":
    end_with_parent()
    sys.exit(main(*sys.argv[1:]))
