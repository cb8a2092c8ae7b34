"""The live table of jobs, and a line a job where nothing is live."""

from __future__ import annotations

import time

import pytest
from rich.console import Console

from shapeparse.benchmark.board import Board, duration, running_words
from shapeparse.benchmark.engines.local import Event
from shapeparse.benchmark.plan import Job

DRAG, BC = Job("drag", 0, "fast"), Job("bc", 1, "fast")


def shown(board: Board) -> list[str]:
    console = Console(width=100)
    with console.capture() as captured:
        console.print(board.table())
    return captured.get().splitlines()


def test_the_table_shows_what_waits_runs_and_has_ended() -> None:
    board = Board(["bc", "drag"], 2, [Job("bc", 0, "fast")], 3)
    board.is_live = False
    board.tell(Event(DRAG, "running", {"epoch": 4, "best": 0.875}))
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in shown(board)[2:]}
    assert rows == {"bc": "✓ ·", "drag": "epoch 4, 87.50 % ·"}
    board.tell(Event(BC, "failed", {"reason": "The disk is full."}))
    assert "bc ✓ ✗" in [" ".join(line.split()) for line in shown(board)]


def test_where_nothing_is_live_a_line_is_printed_when_a_job_ends(capsys: pytest.CaptureFixture[str]) -> None:
    with Board(["bc", "drag"], 2, [], 2) as board:
        board.tell(Event(DRAG, "running", {}))
        board.tell(Event(DRAG, "done", {}))
        board.tell(Event(BC, "failed", {"reason": "The [disk] is full."}))
    assert capsys.readouterr().err.splitlines() == [
        "fast-drag-0 done (1 of 2)", "fast-bc-1 failed: The [disk] is full. (2 of 2)",
    ]  # fmt: skip


def test_the_time_left_follows_from_the_jobs_that_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    board = Board(["bc"], 1, [], 3)
    assert board.time_left() == "0 of 3 jobs ended"
    monkeypatch.setattr(time, "monotonic", lambda: board.started + 600)
    board.ended = 1
    assert board.time_left() == "1 of 3 jobs ended, about 20 minutes left"
    board.ended = 3
    assert board.time_left() == "3 of 3 jobs ended"


def test_how_far_a_job_is() -> None:
    assert running_words({}) == "starting"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(3, "less than a minute"), (60, "1 minute"), (3600, "60 minutes"), (2 * 3600 + 300, "2 h 05 min")],
)
def test_durations_are_taken_in_at_a_glance(seconds: float, words: str) -> None:
    assert duration(seconds) == words
