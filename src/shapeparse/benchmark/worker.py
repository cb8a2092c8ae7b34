"""A job in a process of its own: ``python -m shapeparse.benchmark.worker OUT ROW FOLD THREADS PARENT [IMPORT ...]``.

It reads the plan and the cached data of ``OUT``, notes its progress in the job's ``status.json``, and ends with
``result.json``. It stops when the process that started it is gone, and never works beside another on the same job.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..support import files
from ..support.errors import UserError
from ..support.plugins import import_plugin
from .plan import Job, Plan
from .record import Record

PATIENCE = 60.0
"""Seconds to wait for another worker on the same job, which has been orphaned and is about to notice."""


def main(out: str, row: str, fold: str, threads: str, parent: str, *plugins: str) -> int:
    """Do the job for the process ``parent``, after importing what registers methods and networks; the exit code."""
    record = Record(Path(out))
    plan = Plan.from_json(json.loads(record.plan_path.read_text(encoding="utf-8")))
    job = Job(row, int(fold), plan.preset)
    folder = files.make_folder(record.job_folder(job))
    try:
        for plugin in plugins:
            import_plugin(plugin)
        with alone(folder / "lock"):
            work(record, plan, job, folder, int(threads), int(parent))
    except UserError as error:
        print(f"shapeparse: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def work(record: Record, plan: Plan, job: Job, folder: Path, threads: int, parent: int) -> None:
    """Do the job and write its result."""
    stop_if_orphaned(parent)
    from .job import run_job  # after the lock, so that a worker that waits costs nothing

    runs = run_job(plan, job, record.cached(plan), folder, threads, watched(folder, parent))
    files.write_json(folder / "result.json", runs)


def watched(folder: Path, parent: int) -> Callable[[dict[str, Any]], None]:
    """Notes how far a training is, and stops it when the process that started it is gone."""
    best = 0.0

    def report(row: dict[str, Any]) -> None:
        nonlocal best
        stop_if_orphaned(parent)
        if "epoch" in row:
            best = max(best, row["validation_accuracy"])
            seconds = row["seconds"]
            files.write_json(folder / "status.json", {"epoch": row["epoch"], "seconds": seconds, "best": best})

    return report


def stop_if_orphaned(parent: int) -> None:
    """Stop when the process that started this one is gone: on POSIX systems, orphans then get another parent."""
    if os.name == "posix" and os.getppid() != parent:
        raise KeyboardInterrupt


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold a lock that the system drops when the process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        yield
        return
    with path.open("w") as file:
        waited = 0.0
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if waited >= PATIENCE:
                    raise UserError(
                        f"{path.parent.name} is being worked on by another process; wait for it."
                    ) from error
                time.sleep(0.1)
                waited += 0.1
        yield


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
