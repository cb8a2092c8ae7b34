"""The table, with the paper's columns beside ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from shapeparse.benchmark.paper import PAPER_TABLE
from shapeparse.benchmark.standings import ROWS
from shapeparse.benchmark.table import COLUMNS, RANK_NOTE, table_markdown
from shapeparse.learning.methods import METHODS

Make = Callable[..., dict[str, Any]]


def cells(markdown: str) -> dict[str, dict[str, str]]:
    """The first table's rows by their titles."""
    first = markdown.split(RANK_NOTE)[0]
    lines = [line.strip("| ").split(" | ") for line in first.splitlines() if line.startswith("|")]
    assert {len(line) for line in lines} == {len(COLUMNS)}
    return {line[0]: dict(zip(COLUMNS, line, strict=True)) for line in lines[2:]}


def test_all_rows_stand_in_the_order_of_the_paper_with_its_numbers(results: dict[str, Any]) -> None:
    results["runs"].reverse()
    rows = cells(table_markdown(results))
    assert len(rows) == len(ROWS)
    methods = [title for title in rows if title in {method.title for method in METHODS.values()}]
    assert methods == [method.title for method in METHODS.values()]
    assert (rows["DRAG"]["paper train"], rows["DRAG"]["paper test"]) == ("88.05", "86.86")
    assert (rows["IGM oracle"]["paper train"], rows["IGM oracle"]["paper test"]) == ("98.50", "–")
    assert rows["DRAG, dense critic"]["paper test"] == "–"
    titles = ("MCPG", "DRAG", "MCPG, root's return", "U-Net, then IGM", "IGM oracle")
    assert [rows[title]["setting"] for title in titles] == ["RL", "IL+RL", "ablation", "peer", "line"]
    assert set(PAPER_TABLE) <= set(METHODS)


def test_ranks_stand_below_with_how_sure_they_are(some_results: Make) -> None:
    ranked = table_markdown(some_results(("drag", "dagger", "mcpg", "oracle"), folds=3)).split(RANK_NOTE)[1]
    rows = [line.strip("| ").split(" | ") for line in ranked.splitlines() if line.startswith("|")][2:]
    assert [row[0] for row in rows] == ["DAgger", "DRAG", "MCPG"]
    assert [row[2] for row in rows] == ["1", "2", "3"]
    assert rows[2][3:] == ["3 to 3", "0"]
    assert RANK_NOTE not in table_markdown(some_results(("drag", "dagger"), folds=1))


def test_cells_are_means_over_the_folds(some_results: Make) -> None:
    results = some_results(("drag",), folds=3)
    for run, accuracy, seconds in zip(results["runs"], (0.90, 0.92, 0.97), (60, 120, 180), strict=True):
        run["test"] |= {"accuracy": accuracy, "leaves": 40 + accuracy}
        run |= {"seconds": seconds, "parse_ms": 0.064}
    row = cells(table_markdown(results))["DRAG"]
    assert row["test %"] == "93.00 ± 3.61"
    assert (row["folds"], row["leaves"], row["minutes"], row["parse ms"]) == ("3", "40.9", "2.0", "0.064")
    assert row["worth %"] == "90.95 ± 3.60"  # 90 - 0.05 * 40.90, 92 - 0.05 * 40.92, 97 - 0.05 * 40.97
    assert row["DRAG minus this"] == "–"


def test_the_difference_is_between_rows_on_the_same_images(some_results: Make) -> None:
    results = some_results(("drag", "dagger", "bc"), folds=2)
    by_row = {(run["row"], run["fold"]): run for run in results["runs"]}
    for fold in range(2):
        each = by_row["drag", fold]["test_accuracy_each"]
        by_row["dagger", fold]["test_accuracy_each"] = [accuracy + 0.0125 for accuracy in each]
        by_row["bc", fold]["test_accuracy_each"] = list(each)
    rows = cells(table_markdown(results))
    assert rows["DAgger"]["DRAG minus this"] == "−1.25 [−1.25, −1.25]"
    assert rows["Behaviour cloning"]["DRAG minus this"] == "0.00 [0.00, 0.00]"


def test_the_top_says_how_the_table_was_made(results: dict[str, Any]) -> None:
    top = table_markdown(results).split("| row")[0]
    for fact in ("made-up", "24 images", "0123456789abcdef", "3 splits of 16/4/4", "5 minutes", "seed 0", "depth 7"):
        assert fact in top
    for fact in ("Example CPU, 2 cores, Linux", "2026-11-16", "shapeparse benchmark", "not public"):
        assert fact in top


def test_a_budget_in_epochs_is_said(results: dict[str, Any]) -> None:
    results |= {"minutes": None, "epochs": 12}
    assert "12 epochs of training" in table_markdown(results)
    assert "--epochs 12" in table_markdown(results)


def test_the_command_says_where_the_data_comes_from(results: dict[str, Any]) -> None:
    results["data"]["name"] = "my photos"
    assert "    shapeparse benchmark --data my-photos --out DIR --minutes 5" in table_markdown(results)
    results["data"]["name"] = "built-in generator"
    assert "    shapeparse benchmark --out DIR --minutes 5" in table_markdown(results)


def test_missing_folds_and_failures_are_said(some_results: Make) -> None:
    results = some_results(("drag", "bc"), folds=3)
    results["runs"] = [run for run in results["runs"] if (run["row"], run["fold"]) != ("bc", 1)]
    results["failed"] = [{"job": "fast-bc-1", "reason": "The disk was full."}]
    markdown = table_markdown(results)
    assert cells(markdown)["Behaviour cloning"]["folds"] == "2"
    assert "Not all 3 folds are done for Behaviour cloning (2)" in markdown
    assert "- Failed: fast-bc-1: The disk was full." in markdown


def test_rows_without_drag_or_without_training_numbers_have_dashes(some_results: Make) -> None:
    results = some_results(("oracle", "bc"), folds=1)
    results["runs"][1] |= {"train": None, "parse_ms": None}
    rows = cells(table_markdown(results))
    assert rows["IGM oracle"]["minutes"] == rows["Behaviour cloning"]["train %"] == "–"
    assert rows["Behaviour cloning"]["DRAG minus this"] == rows["Behaviour cloning"]["parse ms"] == "–"


def test_another_preset_is_a_row_of_its_own_beside_its_own_drag(some_results: Make) -> None:
    results = some_results(("drag", "bc"), folds=1)
    again = [run | {"preset": "paper", "test_accuracy_each": [0.5] * 4} for run in results["runs"]]
    results["runs"] += again
    rows = cells(table_markdown(results))
    assert list(rows) == ["Behaviour cloning", "DRAG", "Behaviour cloning (paper)", "DRAG (paper)"]
    assert rows["Behaviour cloning (paper)"]["DRAG minus this"] == "0.00 (one fold)"


@pytest.mark.parametrize("nothing", [{}, {"runs": [], "splits": [], "failed": []}])
def test_an_empty_file_gives_a_table_that_says_so(nothing: dict[str, Any]) -> None:
    assert "Nothing is done yet." in table_markdown(nothing)


def test_a_title_can_neither_end_its_cell_nor_be_markup(some_results: Make) -> None:
    results = some_results(("drag",), folds=1)
    results["runs"][0]["title"] = "a | b\n| <b>c</b> `d`"
    (title,) = cells(table_markdown(results).replace("\\|", "¦"))
    assert title == "a ¦ b ¦ &lt;b&gt;c&lt;/b&gt; 'd'"


def test_the_masks_of_peers_are_told_from_their_trees(some_results: Make) -> None:
    results = some_results(("segment", "drag"), folds=1)
    results["runs"][0]["raw_test_accuracy"] = 0.951
    assert "before they become trees: U-Net, then IGM 95.1\u00a0%." in table_markdown(results)
