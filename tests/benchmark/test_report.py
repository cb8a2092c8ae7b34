"""The report: it stands alone, says what the numbers say, and copes with whatever is missing."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from shapeparse.benchmark.report import write_report
from shapeparse.benchmark.report.findings import drag_is_best, imitation_works, lead, orientation, rl_fails
from shapeparse.benchmark.report.parses import read_parses
from shapeparse.benchmark.standings import Standings
from shapeparse.data import Loaded

Make = Callable[..., dict[str, Any]]
WithTrees = Callable[[Path, dict[str, Any]], Loaded]


@pytest.fixture(autouse=True)
def quick_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few pictures of few pixels, which are quickly drawn."""
    for name in ("OBJECTS", "DISPUTED", "FAILURES"):
        monkeypatch.setattr(f"shapeparse.benchmark.report.galleries.{name}", 2)
    monkeypatch.setattr("shapeparse.pictures.figures._DPI", 24)
    monkeypatch.setattr("shapeparse.pictures.pixels._TARGET", 32)


class Reader(HTMLParser):
    """Checks that tags are balanced; keeps headings, all text, and the beginnings of what is referred to."""

    VOID = frozenset({"meta", "img", "link", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.headings: list[str] = []
        self.words: list[str] = []
        self.sources: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.sources += [str(value)[:20] for name, value in attrs if name in ("src", "href", "srcset", "action")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)


def read(path: Path) -> Reader:
    text = path.read_text()
    found = Reader(text)
    assert all(source.startswith("data:image/") for source in found.sources)
    assert not re.search(r"https?://|url\(|@import", text.replace("http://www.w3.org/2000/svg", ""))  # a mere name
    return found


def keep(results: dict[str, Any], chosen: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    return results | {"runs": [run for run in results["runs"] if chosen(run)]}


def set_each(results: dict[str, Any], row: str, accuracy: float) -> None:
    """Give a row the same accuracy on every image."""
    for run in results["runs"]:
        if run["row"] == row:
            run["test_accuracy_each"] = [accuracy] * len(run["test_accuracy_each"])
            run["test"]["accuracy"] = accuracy


SECTIONS = [
    "The paper's Table 1, and ours", "The paper's three findings", "How they learned",
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
