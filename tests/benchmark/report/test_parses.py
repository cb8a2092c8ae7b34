"""The trees of one fold, read back: by name, never from elsewhere, and without those that are broken."""

from __future__ import annotations

from pathlib import Path

from shapeparse.benchmark.report import write_report
from shapeparse.benchmark.report.parses import read_parses
from shapeparse.benchmark.standings import Standings
from shapeparse.data import Loaded

from .conftest import Make, WithTrees, read


def test_trees_that_are_missing_or_broken_cost_only_their_pictures(
    some_results: Make, with_trees: WithTrees, tmp_path: Path
) -> None:
    results = some_results(("drag", "dagger", "mcpg"), folds=2)
    loaded = with_trees(tmp_path, results)
    for name, content in (("drag-0", "[{}, 1, null, []]"), ("dagger-0", "[1"), ("mcpg-0", "[]")):
        row = name.split("-")[0]
        (tmp_path / "jobs" / f"fast-{name}" / f"{row}.test_trees.json").write_text(content)
    parses = read_parses(Standings(results), tmp_path, loaded)
    assert parses is not None and parses.fold == 1  # of which more trees are left
    assert all(parses.tree(group, 0) is not None for group in parses.learners)
    for row in ("drag", "dagger", "mcpg"):
        (tmp_path / "jobs" / f"fast-{row}-1" / f"{row}.test_trees.json").unlink()
    page = read(write_report(results, tmp_path, loaded))
    assert "test images of fold 0" in page.text  # with empty cells
    assert "iframe" in page.tags
    (tmp_path / "jobs" / "fast-drag-0" / "drag.test_trees.json").unlink()
    assert read_parses(Standings(results), tmp_path, loaded) is None


def test_pictures_are_found_by_name_and_left_out_if_they_are_not_the_same_data(
    some_results: Make, with_trees: WithTrees, tmp_path: Path
) -> None:
    results = some_results(("drag", "dagger"), folds=1)
    loaded = with_trees(tmp_path, results)
    turned = Loaded(loaded.images[::-1], loaded.masks[::-1], loaded.names[::-1], [])
    straight, back = (read_parses(Standings(results), tmp_path, some) for some in (loaded, turned))
    assert straight is not None and back is not None
    assert (straight.images == back.images).all()
    assert (straight.masks == loaded.masks[results["splits"][0]["test"]]).all()
    others = loaded._replace(names=[f"other {name}" for name in loaded.names])
    assert read_parses(Standings(results), tmp_path, others) is None


def test_a_job_that_leads_elsewhere_is_not_followed(some_results: Make, with_trees: WithTrees, tmp_path: Path) -> None:
    results = some_results(("drag",), folds=1)
    loaded = with_trees(tmp_path, results)
    results["runs"][0]["job"] = "../jobs/fast-drag-0"
    assert read_parses(Standings(results), tmp_path, loaded) is None
