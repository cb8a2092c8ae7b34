"""What the numbers say: computed, whoever wins."""

from __future__ import annotations

import pytest

from shapeparse.benchmark.report.findings import (
    beyond_the_nine,
    drag_is_best,
    findings,
    imitation_works,
    lead,
    orientation,
    rl_fails,
    value_adds,
)
from shapeparse.benchmark.standings import Standings
from shapeparse.learning.names import PUBLISHED

from .conftest import Make, set_each


def test_the_lead_names_the_winner_whoever_it_is(some_results: Make) -> None:
    results = some_results(("drag", "dagger", "segment"))
    for row, accuracy in (("drag", 0.90), ("dagger", 0.92), ("segment", 0.95)):
        set_each(results, row, accuracy)
    text = lead(Standings(results))
    assert text.startswith("U-Net, then IGM (a peer, not one of the methods) is the most accurate here")
    assert "DAgger is next, 3.0 points behind." in text
    assert "2nd of the paper's nine, of which 2 were run, 2.0 points behind DAgger" in text
    set_each(results, "drag", 0.97)
    assert lead(Standings(results)).startswith("DRAG is the most accurate here")


def test_the_lead_says_when_the_data_cannot_tell(some_results: Make) -> None:
    results = some_results(("drag", "dagger"), folds=1)
    for row, each in (("drag", [0.9, 0.8, 0.7, 0.6]), ("dagger", [0.8, 0.9, 0.6, 0.72])):
        (run,) = (run for run in results["runs"] if run["row"] == row)
        run |= {"test_accuracy_each": each, "test": run["test"] | {"accuracy": sum(each) / 4}}
    assert "this data cannot tell it from DRAG (difference +0.50 points" in lead(Standings(results))


def test_without_methods_the_lead_says_so_and_lines_are_for_orientation(some_results: Make) -> None:
    standings = Standings(some_results(("oracle", "majority-set")))
    assert lead(standings) == "No method has finished yet."
    assert orientation(standings).startswith("Lines: IGM oracle 9")


@pytest.mark.parametrize(
    ("mcpg", "ddpg", "verdict"),
    [(0.7, 0.6, "yes"), (0.8, 0.6, "in part: MCPG is"), (0.8, 0.9, "no: MCPG and DDPG are")],
)
def test_whether_rl_fails_is_computed(mcpg: float, ddpg: float, verdict: str, some_results: Make) -> None:
    results = some_results(("majority-set", "mcpg", "ddpg"))
    for row, accuracy in (("majority-set", 0.7), ("mcpg", mcpg), ("ddpg", ddpg)):
        set_each(results, row, accuracy)
    finding = rl_fails(Standings(results))
    assert finding.verdict.startswith(verdict)
    assert [one.interval.mean for one in finding.comparisons] == pytest.approx([mcpg - 0.7, ddpg - 0.7])


@pytest.mark.parametrize(("dagger", "verdict"), [(0.9, "yes"), (0.75, "in part"), (0.5, "no")])
def test_whether_imitation_works_is_computed(dagger: float, verdict: str, some_results: Make) -> None:
    results = some_results(("majority-set", "mcpg", "dagger"))
    for row, accuracy in (("majority-set", 0.7), ("mcpg", 0.8), ("dagger", dagger)):
        set_each(results, row, accuracy)
    assert imitation_works(Standings(results)).verdict.startswith(verdict)


@pytest.mark.parametrize(
    ("drag", "verdict", "counts"),
    [
        (0.95, "yes; it is 1st of the 3", "above 2 of its rivals, below none"),
        (0.85, "no; it is 2nd of the 3", "above 1 of its rivals, below 1"),
        (0.80, "no; it is 3rd of the 3", "above none of its rivals, below 1, and not to be told from 1"),
    ],
)
def test_where_drag_stands_is_computed(drag: float, verdict: str, counts: str, some_results: Make) -> None:
    results = some_results(("bc", "dagger", "drag", "drag-anchored"))
    for row, accuracy in (("bc", 0.80), ("dagger", 0.9), ("drag", drag), ("drag-anchored", 0.99)):
        set_each(results, row, accuracy)
    finding = drag_is_best(Standings(results))
    assert finding.verdict == f"{verdict} of them that were run: {counts}"


def test_there_are_three_findings_and_each_says_what_it_takes_if_it_is_not_known_yet(some_results: Make) -> None:
    known, unknown = (findings(Standings(some_results(rows))) for rows in (("mcpg", "dagger", "drag"), ("oracle",)))
    assert len(known) == len(unknown) == 3
    assert all(finding.verdict.startswith("not known yet") for finding in unknown)
    assert [finding.claim for finding in known] == [finding.claim for finding in unknown]


@pytest.mark.parametrize(("control", "verdict"), [(0.8, "yes"), (0.95, "no, it costs accuracy")])
def test_what_the_critics_value_adds_to_imitation_is_computed(control: float, verdict: str, some_results: Make) -> None:
    results = some_results(("drag", "drag-control"))
    set_each(results, "drag", 0.9)
    set_each(results, "drag-control", control)
    finding = value_adds(Standings(results))
    assert finding is not None and finding.verdict.startswith(verdict)
    assert [one.interval.mean for one in finding.comparisons] == pytest.approx([0.9 - control])


@pytest.mark.parametrize(("exact", "verdict"), [(0.95, "yes; "), (0.88, "no; ")])
def test_whether_a_method_beyond_the_paper_beats_the_nine_is_computed(
    exact: float, verdict: str, some_results: Make
) -> None:
    results = some_results((*PUBLISHED, "drag-control", "aggrevate-exact"))
    for row in (*PUBLISHED, "drag-control"):
        set_each(results, row, 0.9 if row == "dagger" else 0.8)
    set_each(results, "aggrevate-exact", exact)
    finding = beyond_the_nine(Standings(results))
    assert finding is not None and finding.verdict.startswith(verdict)
    assert f"is above {'9 of the nine' if exact > 0.9 else '8 of the nine'}" in finding.verdict


def test_all_nine_are_beaten_only_when_all_nine_were_run(some_results: Make) -> None:
    results = some_results(("drag", "dagger", "aggrevate-exact"))
    for row, accuracy in (("drag", 0.8), ("dagger", 0.9), ("aggrevate-exact", 0.95)):
        set_each(results, row, accuracy)
    finding = beyond_the_nine(Standings(results))
    assert finding is not None and finding.verdict.startswith("not known yet; ")
    assert "is above 2 of the 2 of them that were run" in finding.verdict


def test_what_was_not_run_is_not_asked(some_results: Make) -> None:
    standings = Standings(some_results(("drag", "dagger")))
    assert value_adds(standings) is None and beyond_the_nine(standings) is None
    assert len(findings(standings)) == 3
