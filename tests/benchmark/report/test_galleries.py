"""The report's pictures: objects from easy to hard, where rows disagree, and the worst of the best."""

from __future__ import annotations

from pathlib import Path

import pytest

from shapeparse.benchmark.report.galleries import add_pictures, evenly_spread
from shapeparse.benchmark.report.parses import read_parses
from shapeparse.benchmark.standings import Standings
from shapeparse.pictures.page import Page

from .conftest import Make, Reader, WithTrees


@pytest.mark.parametrize(
    ("count", "wanted", "ranks"), [(10, 4, [0, 3, 6, 9]), (3, 6, [0, 1, 2]), (1, 6, [0]), (62, 2, [0, 61])]
)
def test_ranks_are_spread_from_the_first_to_the_last(count: int, wanted: int, ranks: list[int]) -> None:
    assert evenly_spread(count, wanted) == ranks


def test_one_row_has_no_dispute(some_results: Make, with_trees: WithTrees, tmp_path: Path) -> None:
    results = some_results(("dagger",), folds=1)
    loaded = with_trees(tmp_path, results)
    standings = Standings(results)
    parses = read_parses(standings, tmp_path, loaded)
    assert parses is not None
    page = Page("Page")
    add_pictures(page, standings, parses)
    found = Reader(page.html())
    assert found.headings == ["Parses, as in the paper's Fig. 3", "The worst of DAgger"]
    assert f"of the {len(parses)} test images of fold 0" in found.text
    mean = 100 * results["runs"][0]["test"]["accuracy"]
    assert f"its mean there is {mean:.1f}" in found.text
