"""How jobs are run: in processes of this machine, or on a Ray cluster.

An engine is called with the record, the jobs, how many at a time, whom to tell of events, and a cluster's address.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..plan import Job
from ..record import Record
from . import local
from .local import Event

Engine = Callable[[Record, Sequence[Job], int, Callable[[Event], None], str | None], None]


def _ray(
    record: Record, jobs: Sequence[Job], parallel: int, tell: Callable[[Event], None], address: str | None
) -> None:
    from .ray import run_jobs

    run_jobs(record, jobs, parallel, tell, address)


ENGINES: dict[str, Engine] = {"local": local.run_jobs, "ray": _ray}
