"""Jobs as tasks of a Ray cluster: a quiet one of this machine, or one whose address is given.

A job survives the death of its worker and of its node: Ray runs it again, and it goes on from its last checkpoint if
the new node can reach the benchmark's folder (a shared file system, or the same machine), else from the start.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from ...data import Loaded
from ...scale.cluster import cluster
from ...support import files, plugins
from ...support.errors import UserError
from ...support.processes import alone
from ..plan import Job, Plan
from ..record import Record
from ..worker import LOCK, PATIENCE, watched
from .local import PAUSE, Event, read_status

RETRIES = 5
"""How often a job whose worker or node died is run again."""
LEFT_BEHIND = ("checkpoint.safetensors", LOCK, "status.json")
"""Files of a job that are of no use once it is done."""


class Outcome(NamedTuple):
    """What comes back of a job that is done."""

    runs: list[dict[str, Any]]
    files: dict[str, bytes]
    """The job's folder, if it was on a disk that only the node can reach."""


def run_jobs(
    record: Record, jobs: Sequence[Job], parallel: int, tell: Callable[[Event], None], address: str | None = None
) -> None:
    """Run the jobs, ``parallel`` at a time; what happens is told as it happens. One that fails stops no other."""
    with cluster(address, max(os.cpu_count() or 1, parallel)) as ray, mark(record.out / "jobs") as marked:
        threads = cores_each(ray, parallel)
        task = ray.remote(
            num_cpus=threads, num_gpus=0, max_retries=RETRIES,
            max_calls=1,  # a process of its own for every job
            runtime_env={"env_vars": environment(threads)},
        )(do_job)  # fmt: skip
        plan = record.plan_path.read_text(encoding="utf-8")
        loaded = record.cached(Plan.from_json(json.loads(plan)))
        data = [ray.put(np.asarray(array)) for array in (loaded.images, loaded.masks)]
        waiting, running = list(jobs), dict[Any, Job]()
        try:
            while waiting or running:
                while waiting and len(running) < parallel:
                    job = waiting.pop(0)
                    for name in ("status.json", "result.json"):
                        (record.job_folder(job) / name).unlink(missing_ok=True)
                    running[task.remote(*data, plan, job, marked, threads, tuple(plugins.IMPORTED))] = job
                    tell(Event(job, "running", {}))
                ended, _ = ray.wait(list(running), timeout=PAUSE)
                for reference in ended:
                    job = running.pop(reference)
                    tell(finished(ray, reference, job, record.job_folder(job)))
                for job in running.values():
                    status = read_status(record.job_folder(job))
                    if status is not None:
                        tell(Event(job, "running", status))
        finally:
            for reference in running:
                ray.cancel(reference, force=True)


def do_job(
    images: np.ndarray, masks: np.ndarray, plan: str, job: Job, marked: Path, threads: int, imports: Sequence[str] = ()
) -> Outcome:
    """Do a job on whichever node Ray has chosen."""
    import torch

    from ..job import run_job

    for plugin in imports:
        plugins.import_plugin(plugin)
    torch.set_num_threads(threads)
    here = Plan.from_json(json.loads(plan))
    loaded = Loaded(images, masks, list(here.names), [])  # read only, which is enough: a fold's part of it is a copy
    with contextlib.ExitStack() as stack:
        is_shared = marked.exists()
        jobs = marked.parent if is_shared else Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder = files.make_folder(jobs / job.name)
        stack.enter_context(alone(folder / LOCK, PATIENCE))
        runs = run_job(here, job, loaded, folder, threads, noted(folder))
        return Outcome(runs, {} if is_shared else {path.name: path.read_bytes() for path in worth_keeping(folder)})


def noted(folder: Path) -> Callable[[dict[str, Any]], None]:
    """Notes how far a training is. Without its node, the process ends as if killed: the job is for another node."""
    note, node = watched(folder), os.getppid()

    def report(row: dict[str, Any]) -> None:
        if os.getppid() != node:  # on POSIX systems, orphans get another parent
            os._exit(1)  # an error that is raised would be taken for the job's own
        note(row)

    return report


def worth_keeping(folder: Path) -> list[Path]:
    """The files of a job that is done."""
    return [path for path in sorted(folder.iterdir()) if path.name not in LEFT_BEHIND and path.is_file()]


def finished(ray: Any, reference: Any, job: Job, folder: Path) -> Event:
    """What became of a task that has ended; its files are written where a job of this machine leaves them."""
    files.make_folder(folder)
    try:
        outcome: Outcome = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        files.write_text(folder / "log.txt", f"{error}\n")
        return Event(job, "failed", {"reason": sentence(error)})
    except ray.exceptions.RayError as error:
        files.write_text(folder / "log.txt", f"{error}\n")
        reason = f"Ray gave it up ({type(error).__name__}); start the benchmark again to go on from its last checkpoint"
        return Event(job, "failed", {"reason": reason})
    for name, content in outcome.files.items():
        files.write_bytes(folder / name, content)
    files.write_json(folder / "result.json", outcome.runs)
    return Event(job, "done", {})


def sentence(error: Any) -> str:
    """What a task raised, in one line: the user's mistake, or the last line of the traceback."""
    if isinstance(error.cause, UserError):
        return str(error.cause)
    return str(error).strip().splitlines()[-1]


# ---- the cluster ---------------------------------------------------------------------------------------------------


def cores_each(ray: Any, parallel: int) -> int:
    """The cluster's cores shared out among the jobs, but no more than its largest node has."""
    cores = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
    return max(1, min(sum(cores) // parallel, max(cores, default=1)))


def environment(threads: int) -> dict[str, str]:
    """What the local engine gives its processes, so that both give the same numbers."""
    return {"OMP_NUM_THREADS": str(threads), "NUMBA_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "PASSIVE"}


@contextlib.contextmanager
def mark(folder: Path) -> Iterator[Path]:
    """A file that says who can see it that a folder is this very one, whatever lies at the same path elsewhere."""
    path = files.make_folder(folder).resolve() / f"{uuid4().hex}.mark"
    files.write_text(path, "")
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
