"""Jobs in processes of this machine, a few at a time, with the cores shared out among them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ...support import plugins
from ...support.errors import UserError
from ..plan import Job
from ..record import Record

PAUSE = 0.2


class Event(NamedTuple):
    """Something that happened to a job."""

    job: Job
    state: Literal["running", "done", "failed"]
    detail: dict[str, Any]
    """Running: epoch, seconds and best validation accuracy so far. Failed: the reason."""


def run_jobs(
    record: Record, jobs: Sequence[Job], parallel: int, tell: Callable[[Event], None], address: str | None = None
) -> None:
    """Run the jobs, ``parallel`` at a time; what happens is told as it happens. One that fails stops no other."""
    if address is not None:
        raise UserError("An --address goes with --engine ray; leave it out to use this machine.")
    threads = max(1, (os.cpu_count() or 1) // parallel)
    waiting, running = list(jobs), dict[Job, subprocess.Popen[bytes]]()
    try:
        while waiting or running:
            while waiting and len(running) < parallel:
                job = waiting.pop(0)
                running[job] = _start(record, job, threads)
                tell(Event(job, "running", {}))
            time.sleep(PAUSE)
            for job, process in list(running.items()):
                code = process.poll()
                if code is None:
                    status = read_status(record.job_folder(job))
                    if status is not None:
                        tell(Event(job, "running", status))
                    continue
                del running[job]
                if code == 0:
                    tell(Event(job, "done", {}))
                else:
                    tell(Event(job, "failed", {"reason": _reason(record.job_folder(job), code)}))
    finally:
        for process in running.values():
            process.terminate()
        for process in running.values():
            process.wait()


def _start(record: Record, job: Job, threads: int) -> subprocess.Popen[bytes]:
    folder = record.job_folder(job)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("status.json", "result.json"):
        (folder / name).unlink(missing_ok=True)
    command = [sys.executable, "-m", "shapeparse.benchmark.worker", str(record.out), job.row, str(job.fold)]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "NUMBA_NUM_THREADS": str(threads)}
    environment.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # a thread that waits should not burn the other job's core
    command += [str(threads), *plugins.IMPORTED]
    with (folder / "log.txt").open("wb") as log:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log, env=environment)


def read_status(folder: Path) -> dict[str, Any] | None:
    """How far a job says it is; None if it has not said anything yet."""
    try:
        content: dict[str, Any] = json.loads((folder / "status.json").read_text(encoding="utf-8"))
        return content
    except (OSError, ValueError):
        return None


def _reason(folder: Path, code: int) -> str:
    """The last line a worker wrote, which is the sentence of its error."""
    if code < 0:
        return f"it was ended by signal {-code}; start the benchmark again to go on from its last checkpoint"
    lines = (folder / "log.txt").read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1].removeprefix("shapeparse: ") if lines else f"it ended with exit code {code}"
