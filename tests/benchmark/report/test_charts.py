"""The report's sections of charts: what is said of each is what was measured, and what was not run is left out."""

from __future__ import annotations

from typing import Any

import pytest

from shapeparse.benchmark.report import charts
from shapeparse.benchmark.standings import Standings
from shapeparse.pictures.page import Page

from .conftest import Make, Reader, set_each


def added(add, results: dict[str, Any]) -> str:
    page = Page("Page")
    add(page, Standings(results))
    html = page.html()
    Reader(html)
    return html.replace("\u00a0", " ")


def test_accuracies_are_described_and_drag_is_compared(some_results: Make) -> None:
    results = some_results(("dagger", "drag"))
    set_each(results, "dagger", 0.91)
    set_each(results, "drag", 0.93)
    html = added(charts.add_accuracies, results)
    assert "Test accuracy: DRAG 93.0 %; DAgger 91.0 %" in html
    assert "DRAG minus: DAgger +2.00 [+2.00, +2.00]" in html
    assert "DRAG minus" not in added(charts.add_accuracies, some_results(("dagger", "bc")))


def test_one_training_of_two_rows_is_one_curve(some_results: Make) -> None:
    html = added(charts.add_learning, some_results(("segment", "segment-lookahead", "bc")))
    assert html.count("Learning curve of") == 2
    assert "Learning curve of U-Net, then lookahead and U-Net, then IGM" in html


def test_what_went_on_to_a_plateau_is_drawn_over_updates(some_results: Make) -> None:
    results = some_results(("bc", "dagger", "segment"))
    for run in results["runs"]:
        if run["row"] != "segment":
            run["plateau"] = {"wait": 5}
            run["curve_updates"] = [10 * (place + 1) for place in range(len(run["validation_curve"]))]
    html = added(charts.add_learning, results)
    assert "over the number of updates, on a logarithmic axis" in html
    assert html.count("Learning curve of") == 2  # the U-Net counts none
    for run in results["runs"]:
        run["curve_updates"] = ["many"] * len(run["validation_curve"])
    assert "<h2>" not in added(charts.add_learning, results)


@pytest.mark.parametrize(
    ("add", "missing"),
    [
        (charts.add_learning, {"validation_curve": []}),
        (charts.add_depths, {"test": {"accuracy": 0.9}}),
        (charts.add_regret, {"test": {"accuracy": 0.9}}),
        (charts.add_times, {"seconds": None, "parse_ms": None}),
    ],
)
def test_a_section_without_numbers_is_left_out(some_results: Make, add, missing: dict[str, Any]) -> None:
    results = some_results(("bc", "drag"))
    assert "<h2>" in added(add, results)
    results["runs"] = [run | missing for run in results["runs"]]
    assert "<h2>" not in added(add, results)


def test_a_tree_that_would_be_better_if_cut_says_so(some_results: Make) -> None:
    results = some_results(("bc",))
    for run in results["runs"]:
        run["test"]["accuracy_by_depth"] = [0.7, 0.9, 0.8]
    assert "Behaviour cloning: 80.0 %; 90.0 % if cut at depth 1" in added(charts.add_depths, results)


def test_regret_is_split_into_labels_and_splits(some_results: Make) -> None:
    results = some_results(("bc",))
    for run in results["runs"]:
        run["test"] |= {"label_regret_by_depth": [0.01, 0.02], "split_regret_by_depth": [0.04, 0]}
    html = added(charts.add_regret, results)
    assert "Behaviour cloning: labels 3.0 %, splits 4.0 %" in html
    assert "Accuracy lost: Behaviour cloning 7.0 %" in html
