"""The benchmark's page: one file that needs nothing beside it, and can be made while jobs are still running."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...data import Loaded
from ...pictures.page import Page
from ...support import files
from ..paper import PAPER_NOTE
from ..standings import Standings
from ..table import (
    COLUMNS,
    INTERVAL_NOTE,
    RANK_COLUMNS,
    RANK_NOTE,
    WORTH_NOTE,
    command,
    conditions,
    data_name,
    failures,
    notes,
    rank_rows,
    table_rows,
)
from ..words import signed_interval
from .charts import add_accuracies, add_depths, add_learning, add_regret, add_times
from .findings import findings, lead, orientation
from .galleries import add_pictures
from .parses import read_parses

NAME = "report.html"
COSTS = ("leaves", "minutes", "parse ms")
"""Columns of the table that the page shows as charts instead."""


def write_report(results: dict[str, Any], out: Path, loaded: Loaded | None) -> Path:
    """Write OUT/report.html for the results, finished or not.

    ``loaded`` are the images that were benchmarked on; with them, and the trees in OUT/jobs, the page has pictures.
    """
    standings = Standings(results)
    page = Page(f"Benchmark on {data_name(results)}", lead(standings))
    for text in (orientation(standings), conditions(results)):
        if text:
            page.paragraph(text)
    page.code(command(results))
    if standings.groups:
        _add_table(page, standings)
        add_accuracies(page, standings)
        _add_findings(page, standings)
        add_learning(page, standings)
        add_depths(page, standings)
        add_regret(page, standings)
        add_times(page, standings)
        parses = read_parses(standings, out, loaded) if loaded is not None else None
        if parses is not None:
            add_pictures(page, standings, parses)
    _add_failures(page, results)
    path = files.make_folder(out) / NAME
    files.write_text(path, page.html(footer="Made by shapeparse. The numbers are in results.json beside this page."))
    return path


def _add_table(page: Page, standings: Standings) -> None:
    ranked = standings.ranked()
    best = standings.groups.index(ranked[0]) if ranked else None
    page.heading("The paper's Table 1, and ours")
    page.paragraph(f"Share of pixels labelled right, in percent, mean ± standard deviation over folds. {PAPER_NOTE}")
    left_out = (*COSTS, *(() if standings.incomplete else ("folds",)))
    kept = [place for place, name in enumerate(COLUMNS) if name not in left_out]
    rows = [[row[place] for place in kept] for row in table_rows(standings, digits=1)]
    page.table([COLUMNS[place] for place in kept], rows, best)
    page.paragraph(WORTH_NOTE)
    page.paragraph(INTERVAL_NOTE)
    for note in notes(standings):
        page.paragraph(note)
    if ranked_rows := rank_rows(standings):
        page.paragraph(RANK_NOTE)
        page.table(RANK_COLUMNS, ranked_rows)


def _add_findings(page: Page, standings: Standings) -> None:
    page.heading("The paper's three findings, and beyond")
    columns = ("difference in test accuracy", "points, 95 % interval")
    for number, finding in enumerate(findings(standings), 1):
        page.paragraph(f"{number}. {finding.claim}. In the paper: {finding.paper}. Here: {finding.verdict}.")
        if finding.comparisons:
            rows = [(f"{first} minus {second}", signed_interval(known)) for first, second, known in finding.comparisons]
            page.table(columns, rows)


def _add_failures(page: Page, results: dict[str, Any]) -> None:
    failed = failures(results)
    if failed:
        page.heading("Jobs that failed")
        for job, reason in failed:
            page.paragraph(f"{job}: {reason}")
