"""What ``shapeparse benchmark`` would do, and how long that would take; test_benchmark.py types it in."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shapeparse.benchmark.plan import Job, Plan
from shapeparse.commands.benchmarking import estimate, say_plan
from shapeparse.data import Loaded

BC, LINES = Job("bc", 0, "fast"), Job("lines", 0, "fast")


@pytest.fixture
def make(photographs: Callable) -> Callable[..., Plan]:
    images, masks = photographs(8)
    loaded = Loaded(images, masks, [str(place) for place in range(8)], [])
    return lambda minutes, epochs: Plan.of("eight", loaded, 2, minutes, epochs)


def test_a_job_takes_its_minutes_and_a_little(make: Callable[..., Plan]) -> None:
    assert estimate(BC, make(2.0, None), {"runs": []}) == 135
    assert estimate(LINES, make(2.0, None), {"runs": []}) == 15


def test_how_long_epochs_take_is_known_from_runs_of_the_same_row(make: Callable[..., Plan]) -> None:
    runs = [{"job": "fast-bc-0", "seconds": 40.0}, {"job": "fast-bc-1", "seconds": 60.0}]
    others = [{"job": "fast-drag-0", "seconds": 9.0}, {"job": "best-bc-0", "seconds": 9.0}]
    assert estimate(BC, make(None, 3), {"runs": [*runs, *others]}) == 65
    assert estimate(BC, make(None, 3), {"runs": others}) is None


def test_the_plan_says_what_is_done_and_what_is_to_do(
    make: Callable[..., Plan], capsys: pytest.CaptureFixture[str]
) -> None:
    plan = make(2.0, None)
    jobs = plan.jobs(["bc", "lines"])
    results = {"runs": [], "minutes": 2.0, "epochs": None}
    say_plan(plan, ["bc", "lines"], [BC], [job for job in jobs if job != BC], 2, results)
    printed = capsys.readouterr().out
    assert printed.startswith("eight: 8 photographs, 2 random splits")
    assert [line.split() for line in printed.splitlines() if line.startswith(("bc", "lines"))] == [
        ["bc", "done", "to", "do"], ["lines", "to", "do", "to", "do"],
    ]  # fmt: skip
    assert "3 jobs to do, 2 at a time: about 1 minute." in printed  # (135 + 15 + 15) / 2 seconds
