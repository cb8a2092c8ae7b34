"""Where the repository is, and what results say of the machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shapeparse.support.machine import facts

__all__ = ["REPOSITORY", "facts", "made_on"]

REPOSITORY = Path(__file__).resolve().parents[1]


def made_on(runs: Sequence[dict[str, Any]], rows: Sequence[str]) -> str:
    """Where and when runs were made, each with the ``facts()`` of its own; if on several machines, which rows on which.

    >>> epyc, xeon = {"cpu": "EPYC", "cores": 2}, {"cpu": "Xeon", "cores": 4}
    >>> runs = [{"machine": epyc, "date": "2026-11-18"}, {"machine": xeon, "date": "2026-11-19"}]
    >>> made_on(runs, ["U-Net", "best"])
    'U-Net: EPYC, 2 cores; 2026-11-18. best: Xeon, 4 cores; 2026-11-19'
    """
    dates: dict[str, set[str]] = {}
    made: dict[str, list[str]] = {}
    for run, row in zip(runs, rows, strict=True):
        machine = f"{run['machine']['cpu']}, {run['machine']['cores']} cores"
        dates.setdefault(machine, set()).add(run["date"])
        known = made.setdefault(machine, [])
        known.extend([row] if row not in known else [])

    def part(machine: str) -> str:
        first, last = min(dates[machine]), max(dates[machine])
        when = first if first == last else f"{first} to {last}"
        return f"{', '.join(made[machine]) + ': ' if len(made) > 1 else ''}{machine}; {when}"

    return ". ".join(map(part, made))
