"""A run is used only if it has all that tables and reports look at, each of its kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from shapeparse.benchmark.checks import MACHINE, RUN, SUMMARY, is_count, is_number, lacking, wrong_in_runs

RESULTS = sorted((Path(__file__).parents[2] / "results").glob("**/results.json"))
STORED: dict[str, Any] = json.loads(next(path for path in RESULTS if path.parent.name == "built-in").read_text())
TESTS = [len(split["test"]) for split in STORED["splits"]]


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.parent.name)
def test_what_benchmarks_wrote_is_as_it_must_be(path: Path) -> None:
    results = json.loads(path.read_text())
    assert wrong_in_runs(results["runs"], [len(split["test"]) for split in results["splits"]]) is None


@pytest.mark.parametrize("name", RUN)
def test_whatever_is_missing_or_of_another_kind_is_named(name: str) -> None:
    for spoil in (lambda run: run.pop(name), lambda run: run.update({name: object()})):
        runs = deepcopy(STORED["runs"][:2])
        spoil(runs[1])
        assert wrong_in_runs(runs, TESTS) == f"run 2 has no valid {name}"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda run: run.update(fold=99),
        lambda run: run.update(fold=10**12),
        lambda run: run["test_accuracy_each"].pop(),
        lambda run: run.update(test=run["test"] | {"accuracy": float("nan")}),
        lambda run: run["validation_curve"].append([1.0]),
        lambda run: run.update(epochs=True),
    ],
)
def test_numbers_that_cannot_be_are_refused(spoil: Callable[[dict], Any]) -> None:
    runs = deepcopy(STORED["runs"][:1])
    spoil(runs[0])
    assert wrong_in_runs(runs, TESTS) is not None


def test_parts_are_looked_into() -> None:
    run = STORED["runs"][0]
    assert [lacking(run["test"], SUMMARY), lacking(run["machine"], MACHINE)] == [None, None]
    assert lacking([], SUMMARY) == "all"
    assert wrong_in_runs({}, TESTS) == "its runs are no list"
    assert [is_number(value) for value in (1, 0.5, True, float("inf"), "1")] == [True, True, False, False, False]
    assert [is_count(value) for value in (0, 3, -1, 2.0, 10**12)] == [True, True, False, False, False]
