"""The live table of all jobs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from rich.live import Live
from rich.table import Table

from ..support import progress
from .engines.local import Event
from .plan import Job

MARKS = {"waiting": "·", "done": "✓", "failed": "✗", "recorded": "✓"}


class Board:
    """Rows down, folds across: waiting, how far, the validation accuracy reached, or failed.

    Where the output is no terminal, a line is printed when a job ends instead.
    """

    def __init__(self, rows: Sequence[str], folds: int, recorded: Sequence[Job], left: int) -> None:
        self.rows, self.folds, self.left = rows, folds, left
        self.cells: dict[tuple[str, int], str] = {(job.row, job.fold): MARKS["recorded"] for job in recorded}
        self.started, self.ended = time.monotonic(), 0
        self.live = Live(console=progress.errors(), refresh_per_second=2, transient=True)
        self.is_live = progress.errors().is_terminal

    def __enter__(self) -> Board:
        if self.is_live:
            self.live.start()
            self.live.update(self.table())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.is_live:
            self.live.stop()

    def tell(self, event: Event) -> None:
        """Show what happened."""
        place = (event.job.row, event.job.fold)
        if event.state == "running":
            self.cells[place] = running_words(event.detail)
        else:
            self.cells[place] = MARKS[event.state]
            self.ended += 1
            if not self.is_live:
                words = "done" if event.state == "done" else f"failed: {event.detail['reason']}"
                progress.errors().print(f"{event.job.name} {words} ({self.ended} of {self.left})", markup=False)
        if self.is_live:
            self.live.update(self.table())

    def table(self) -> Table:
        """The table as it stands."""
        table = Table(title=self.time_left(), title_justify="left", box=None, padding=(0, 2))
        table.add_column("row")
        for fold in range(self.folds):
            table.add_column(f"fold {fold}")
        for row in self.rows:
            table.add_row(row, *(self.cells.get((row, fold), MARKS["waiting"]) for fold in range(self.folds)))
        return table

    def time_left(self) -> str:
        """How much longer it may take, once a job has ended."""
        done = f"{self.ended} of {self.left} jobs ended"
        if not self.ended or self.ended == self.left:
            return done
        seconds = (time.monotonic() - self.started) / self.ended * (self.left - self.ended)
        return f"{done}, about {duration(seconds)} left"


def running_words(detail: dict[str, Any]) -> str:
    """How far a job is."""
    if "epoch" not in detail:
        return "starting"
    return f"epoch {detail['epoch']}, {progress.percent(detail['best'])}"


def duration(seconds: float) -> str:
    """A time that a person can take in at a glance."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    if minutes < 90:
        return f"{minutes} minute{'' if minutes == 1 else 's'}"
    return f"{minutes // 60} h {minutes % 60:02d} min"
