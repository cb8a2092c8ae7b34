"""The whole report: it stands alone, says what the numbers say, and copes with whatever is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shapeparse.benchmark.report import write_report

from .conftest import Make, WithTrees, keep, read

SECTIONS = [
    "The paper's Table 1, and ours", "The paper's three findings, and beyond", "How they learned",
    "How accuracy grows with depth", "Where accuracy was lost", "Time",
]  # fmt: skip
PICTURES = ["Parses, as in the paper's Fig. 3", "Where they disagree most", "The worst of DAgger"]


def test_the_whole_report_stands_alone_with_all_sections(
    results: dict[str, Any], with_trees: WithTrees, tmp_path: Path
) -> None:
    rows = ("majority-set", "mcpg", "dagger", "drag", "oracle")
    results = keep(results, lambda run: run["row"] in rows)
    path = write_report(results, tmp_path, with_trees(tmp_path, results))
    assert path == tmp_path / "report.html"
    page = read(path)
    assert page.headings == SECTIONS + PICTURES
    assert "86.86" in page.text and "not public" in page.text
    assert path.read_bytes() == write_report(results, tmp_path, with_trees(tmp_path, results)).read_bytes()


def test_all_rows_without_pictures(results: dict[str, Any], tmp_path: Path) -> None:
    page = read(write_report(results, tmp_path / "new", None))
    assert page.headings == SECTIONS
    for title in ("AC-AggreVaTeD", "U-Net, then lookahead", "Lookahead oracle", "Majority label of each image"):
        assert title in page.text
    assert "U-Net, then lookahead and U-Net, then IGM" in page.text  # one training, one curve


@pytest.mark.parametrize("nothing", [{}, {"runs": [], "splits": [], "failed": []}])
def test_an_empty_file_gives_a_page_that_says_so(nothing: dict[str, Any], tmp_path: Path) -> None:
    page = read(write_report(nothing, tmp_path, None))
    assert "Nothing is done yet." in page.text
    assert page.headings == []


@pytest.mark.parametrize("rows", [("oracle",), ("drag",), ("colours",), ("mcpg", "majority-set"), ("bc", "oracle")])
def test_few_rows_of_one_fold_are_enough(rows: tuple[str, ...], some_results: Make, tmp_path: Path) -> None:
    page = read(write_report(some_results(rows, folds=1), tmp_path, None))
    assert page.headings[:2] == SECTIONS[:2]
    assert "not known yet" in page.text


def test_runs_without_details_leave_sections_out(some_results: Make, tmp_path: Path) -> None:
    results = some_results(("drag", "bc"), folds=2)
    for run in results["runs"]:
        run |= {"test": {"accuracy": run["test"]["accuracy"]}, "train": None, "validation_curve": []}
        run |= {"seconds": None, "parse_ms": None}
    assert read(write_report(results, tmp_path, None)).headings == SECTIONS[:2]


def test_incomplete_folds_and_failures_are_said(some_results: Make, tmp_path: Path) -> None:
    results = keep(some_results(("drag", "bc", "dagger")), lambda run: run["row"] == "drag" or run["fold"] == 1)
    results["failed"] = [{"job": "fast-bc-0", "reason": "The <disk> was full."}]
    page = read(write_report(results, tmp_path, None))
    assert page.headings[-1] == "Jobs that failed"
    assert "fast-bc-0: The <disk> was full." in page.text
    assert "Not all 3 folds are done for Behaviour cloning (1) and DAgger (1)" in page.text


def test_every_title_is_escaped(some_results: Make, with_trees: WithTrees, tmp_path: Path) -> None:
    results = some_results(("drag", "dagger", "mcpg", "majority-set"), folds=1)
    for run in results["runs"]:
        run |= {"title": f'<script>{run["row"]}</script>"&', "date": "<b>", "machine": {"cpu": "<i>"}}
    results["data"]["name"] = "<u>'\""
    loaded = with_trees(tmp_path, results)
    results["failed"] = [{"job": "<s>", "reason": "<em>`"}]
    page = read(write_report(results, tmp_path, loaded))
    assert not page.tags & {"script", "b", "i", "u", "s", "em"}
    assert '<script>drag</script>"&' in page.text
