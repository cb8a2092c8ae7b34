"""Who stands where: rows in the order of the table, ranked by accuracy, compared on the images both were tested on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from shapeparse.benchmark import standings as module
from shapeparse.benchmark.standings import ROWS, Standings, kind, setting
from shapeparse.learning.methods import METHODS
from shapeparse.learning.names import REGISTERED

from .conftest import ACCURACY

Make = Callable[..., dict[str, Any]]


def test_rows_stand_in_the_order_of_the_table_whatever_the_order_of_the_runs(results: dict[str, Any]) -> None:
    results["runs"].reverse()
    assert [group.row for group in Standings(results).groups] == [row for row in ROWS if row in ACCURACY]


def test_runs_without_an_accuracy_are_left_out(some_results: Make) -> None:
    results = some_results(("bc", "drag"))
    for run in results["runs"]:
        if run["row"] == "bc":
            run["test"] = {"accuracy": None}
    assert [group.row for group in Standings(results).groups] == ["drag"]


def test_learners_are_ranked_by_their_accuracy_on_test_images(results: dict[str, Any]) -> None:
    standings = Standings(results)
    found = [module.test_accuracy(group) for group in standings.ranked()]
    assert found == sorted(found, reverse=True)
    assert {kind(group) for group in standings.ranked()} == {"method", "ablation", "peer"}
    assert standings.ranked()[0].row == "segment-lookahead"
    assert len(standings.ranked_nine()) == 9


def test_a_row_may_lack_folds(some_results: Make) -> None:
    results = some_results(("bc", "drag"))
    results["runs"] = [run for run in results["runs"] if (run["row"], run["fold"]) != ("bc", 2)]
    standings = Standings(results)
    assert standings.folds == 3
    assert [group.row for group in standings.incomplete] == ["bc"]


def test_a_row_of_another_preset_is_named_so_and_stands_last(some_results: Make) -> None:
    results = some_results(("bc", "drag"))
    results["runs"] += [run | {"preset": "best"} for run in some_results(("bc",))["runs"]]
    standings = Standings(results)
    assert [standings.title(group) for group in standings.groups] == (
        ["Behaviour cloning", "DRAG", "Behaviour cloning (best)"]
    )
    other = standings.named("bc", "best")
    assert other is not None
    assert not standings.is_usual(other)
    assert standings.short_title(other) == "cloning (best)"
    assert standings.drag_beside(other) is standings.named("drag")


def test_a_difference_is_that_of_the_means_and_has_two_sides(some_results: Make) -> None:
    standings = Standings(some_results(("dagger", "drag"), folds=1))
    dagger, drag = standings.groups
    there, back = standings.difference(dagger, drag), standings.difference(drag, dagger)
    assert there is not None
    assert back is not None
    assert there.mean == pytest.approx(-back.mean)
    assert there.mean == pytest.approx(module.test_accuracy(dagger) - module.test_accuracy(drag))


def test_what_a_row_may_use(results: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    standings = Standings(results)
    named = {row: setting(group) for row in ("mcpg", "dagger", "drag", "oracle") if (group := standings.named(row))}
    assert named == {"mcpg": "RL", "dagger": "IL", "drag": "IL+RL", "oracle": "line"}
    own = replace(METHODS["bc"], title="My own", setting="IL+RL")
    monkeypatch.setitem(REGISTERED, "my-own", own)
    results["runs"] = [run | {"row": "my-own", "title": "My own"} for run in results["runs"] if run["row"] == "bc"]
    [group] = Standings(results).groups
    assert setting(group) == "IL+RL"
