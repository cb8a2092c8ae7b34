"""The summary of ``decompose``: a table for people, JSON and CSV for programs; ``parse`` shares some of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from statistics import fmean
from typing import Any

from ..data.dataset import Skipped
from ..support import files
from ..support.progress import percent, print_table
from ..support.text import one_line
from .decomposition import Row, Settings
from .inputs import DECOMPOSED

MOST_ROWS = 20
"""Longer tables are in the files; the terminal shows their beginning and the mean."""

SHARES = ("paint", "accuracy", "coverage", "waste", "iou")
COUNTS = ("rectangles", "merged", "paint_rectangles", "merged_paint")
_COLUMNS = ("mask", "size", "accuracy", "coverage", "waste", "IoU", "rectangles", "merged")


def write_summary(out: Path, settings: Settings, rows: Sequence[Row], problems: Sequence[Skipped]) -> None:
    """Write summary.json and summary.csv."""
    content = {
        "format": DECOMPOSED,
        "settings": asdict(settings),
        "mean": means(rows) if rows else None,
        "masks": [asdict(row) for row in rows],
        "problems": problems_json(problems),
    }
    files.write_json(out / "summary.json", content)
    files.write_text(out / "summary.csv", as_csv(rows, Row))


def means(rows: Sequence[Row]) -> dict[str, float]:
    """The mean over the masks of every figure."""
    return {name: fmean(getattr(row, name) for row in rows) for name in (*SHARES, *COUNTS)}


def print_rows(rows: Sequence[Row]) -> None:
    """Print the table: a row a mask, and the mean if there are several."""
    mean = means(rows)
    footer: list[str] = []
    if len(rows) > 1:
        shares = [percent(mean[name]) for name in ("accuracy", "coverage", "waste", "iou")]
        footer = [f"mean of {len(rows)}", "", *shares, f"{mean['rectangles']:.1f}", f"{mean['merged']:.1f}"]
    print_table(_COLUMNS, [_cells(row) for row in rows[:MOST_ROWS]], footer=footer)
    if len(rows) > MOST_ROWS:
        print(f"\n{len(rows) - MOST_ROWS} more are in summary.csv and summary.json.")


def _cells(row: Row) -> list[str]:
    shares = [percent(share) for share in (row.accuracy, row.coverage, row.waste, row.iou)]
    return [one_line(row.name), f"{row.width}x{row.height}", *shares, str(row.rectangles), str(row.merged)]


def problems_json(problems: Sequence[Skipped]) -> list[dict[str, str]]:
    """The files that could not be used, as JSON can hold them."""
    return [{"file": str(problem.path), "reason": problem.reason} for problem in problems]


def as_csv(rows: Sequence[Any], kind: type) -> str:
    """The rows, which are of the dataclass ``kind``, as CSV; their ``files`` are left out."""
    names = [field.name for field in fields(kind) if field.name != "files"]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(names)
    for row in rows:
        table.writerow([_plain(getattr(row, name)) for name in names])
    return text.getvalue()


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.6f}"
    return one_line(value) if isinstance(value, str) else value
