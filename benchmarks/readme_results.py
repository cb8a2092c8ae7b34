"""Write the results in README.md and docs/ from the files that hold them: no figure is typed by hand.

python benchmarks/readme_results.py [--check]
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from strongest import FINEST, rows_of, split_interval

from shapeparse.benchmark.paper import PAPER_TABLE
from shapeparse.benchmark.report.findings import findings, lead
from shapeparse.benchmark.standings import ROWS, Standings, kind, setting
from shapeparse.benchmark.statistics import Group, worth
from shapeparse.benchmark.table import budget, conditions, data_name
from shapeparse.benchmark.words import NONE, signed_interval, spread_percent
from shapeparse.support.errors import UserError
from shapeparse.support.files import write_text

REPOSITORY = Path(__file__).resolve().parents[1]
RESULTS = REPOSITORY / "results"
PAGES = {
    REPOSITORY / "README.md": ("strength",),
    REPOSITORY / "docs" / "results.md": ("strength", "benchmark", "learning", "training", "oracle", "pretrained"),
    REPOSITORY / "docs" / "painting.md": ("painting", "perspective"),
    REPOSITORY / "docs" / "formats.md": ("fuzz",),
    REPOSITORY / "docs" / "labelling.md": ("labelling",),
    REPOSITORY / "docs" / "reproduction.md": ("benchmark", "findings", "worth", "plateau", "ladder", "off-middle"),
    REPOSITORY / "docs" / "methods.md": ("regret", "tuning"),
    REPOSITORY / "docs" / "training.md": ("few-photographs", "familiarity"),
    REPOSITORY / "docs" / "strongest.md": ("strongest", "ablations", "parsing"),
}
"""The pages, and what is written between two marks of each. The README has one small table; docs/ has the rest."""
SOURCES = {
    "oracle": "results/oracle/oracle.json",
    "benchmark": "results/converged/*/results.json",
    "findings": "results/converged/*/results.json",
    "worth": "results/converged/*/results.json",
    "plateau": "results/converged/*/results.json",
    "ladder": "results/ladder/*/results.json",
    "off-middle": "results/converged/*/results.json",
    "learning": "results/learning/*/results.json",
    "regret": "results/converged/*/results.json",
    "strength": "results/strongest/*.json",
    "strongest": "results/strongest/*.md",
    "ablations": "results/ablations/*.md",
    "parsing": "results/speed/parsing.md",
    "tuning": "results/tuning/*.md",
    "training": "results/speed/training.md",
    "labelling": "results/labelling/*.md",
    "painting": "results/painting/painting.md",
    "perspective": "results/perspective/perspective.md",
    "fuzz": "results/fuzz/fuzz.md",
    "pretrained": "results/pretrained/pretrained.md",
    "familiarity": "results/familiarity/*.md",
    "few-photographs": "results/few-photographs/*.md",
}
DEPTHS = (1, 3, 5, 7, 9)


@dataclass(frozen=True)
class Args:
    """Bring the results in README.md and docs/ up to date."""

    check: bool = False
    """Change nothing; fail if they are not up to date."""


def main(args: Args) -> int:
    """Write the pages, or say whether they are up to date."""
    late = [page for page in PAGES if with_all_results(page) != page.read_text(encoding="utf-8")]
    for page in late:
        if args.check:
            print(f"{page.name} is not up to date; run `python benchmarks/readme_results.py`.", file=sys.stderr)
        else:
            write_text(page, with_all_results(page))
    return int(args.check and bool(late))


def with_all_results(page: Path) -> str:
    """A page as the files under results/ say it should be."""
    text = page.read_text(encoding="utf-8")
    to_results = "" if page.parent == REPOSITORY else "../"
    for name in PAGES[page]:
        text = with_results(text, name, section(name, to_results), page.name)
    return text


def section(name: str, to_results: str) -> str:
    """What stands between two marks; ``to_results`` leads from the page to the repository's root."""
    if name == "oracle":
        oracle = RESULTS / "oracle" / "oracle.json"
        return oracle_section(json.loads(oracle.read_bytes()) if oracle.exists() else None, to_results)
    if name == "strength":
        return strength_section(
            {path.stem: json.loads(path.read_bytes()) for path in sorted(REPOSITORY.glob(SOURCES[name]))}
        )
    if name == "learning":
        return learning_section(_benchmarks("learning/*"), to_results)
    if name == "labelling":
        return labelling_section(sorted(REPOSITORY.glob(SOURCES[name])), to_results)
    if SOURCES[name].endswith(".md"):
        return pages_section(sorted(REPOSITORY.glob(SOURCES[name])))
    converged = _benchmarks("converged/*")
    if name == "regret":
        return regret_section(converged)
    if name == "findings":
        return findings_section(converged)
    if name == "worth":
        return worth_section(converged)
    if name == "plateau":
        return plateau_section(converged)
    if name == "ladder":
        return ladder_section(converged.get("built-in"), _benchmarks("ladder/*"))
    if name == "off-middle":
        return off_middle_section(converged)
    return benchmark_section(converged, to_results)


def _benchmarks(pattern: str) -> dict[str, dict[str, Any]]:
    """The results of benchmarks, by the names of their folders."""
    paths = sorted(RESULTS.glob(f"{pattern}/results.json"))
    found = {path.parent.name: json.loads(path.read_bytes()) for path in paths}
    return {name: results for name, results in found.items() if results["runs"]}


def with_results(text: str, name: str, results: str, page: str) -> str:
    """A page with ``results`` between the two marks of a section."""
    first = (
        f"<!-- {name} results: written by benchmarks/readme_results.py from {SOURCES[name]}; do not edit by hand -->"
    )
    last = f"<!-- end of {name} results -->"
    before, begin, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise UserError(f"{page} lacks the marks of the {name} results; put them back.")
    return f"{before}{first}\n{results}{last}{after}"


def pages_section(pages: list[Path]) -> str:
    """Pages that benchmarks wrote, their headings made those of parts."""
    if not pages:
        return "\nNot measured yet.\n\n"
    texts = [page.read_text(encoding="utf-8").strip().removeprefix("# ") for page in pages]
    return "\n" + "\n\n".join(f"### {text}" for text in texts) + "\n\n"


def labelling_section(pages: list[Path], to_results: str) -> str:
    """The pages, each with its curves if there are any."""
    text = ""
    for page in pages:
        curves = page.with_suffix(".png")
        text += pages_section([page])
        if curves.exists():
            where = f"{to_results}{curves.relative_to(REPOSITORY).as_posix()}"
            text += f"![Actions per photograph, and accuracy against actions: {page.stem}]({where})\n\n"
    return text or pages_section([])


def strength_section(found: dict[str, dict[str, Any]]) -> str:
    """The strongest parser and its peers: one row per way, two columns per dataset."""
    if not found:
        return "\nNot measured yet: `python benchmarks/strongest.py` makes `results/strongest`.\n\n"
    rows = {name: rows_of(results) for name, results in found.items()}
    lines = []
    shown = ("best tree", f"at the price {FINEST:g}")
    titles = dict.fromkeys(title for one in rows.values() for title in one if title == "best" or title.endswith(shown))
    for title in titles:
        cells = [
            f"{one[title].percent()} | {one[title].over_splits}" if title in one else "– | –" for one in rows.values()
        ]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    minutes = next(iter(found.values()))["runs"][0]["minutes"]
    return f"""
| {minutes:g} minutes of training | {" | ".join(f"{name} | minus the peer" for name in rows)} |
| --- |{" ---: | ---: |" * len(rows)}
{chr(10).join(lines)}

"""


def benchmark_section(benchmarks: dict[str, dict[str, Any]], to_results: str) -> str:
    """One table of all benchmarks: one row per method, one column per dataset."""
    if not benchmarks:
        return "\nNot measured yet: docs/reproduction.md has the commands.\n\n"
    groups, titles = _by_row(benchmarks)
    lines = []
    for row, title in titles.items():
        kind = next(setting(found[row]) for found in groups.values() if row in found)
        paper = PAPER_TABLE[row][1] if row in PAPER_TABLE else None
        cells = [_test_accuracy(found.get(row), len(benchmarks[folder]["splits"])) for folder, found in groups.items()]
        lines.append(" | ".join([title, kind, NONE if paper is None else f"{paper:.2f}", *cells]))
    made = [
        f"- **{folder}**: {'; '.join(conditions(results).split('; ')[2:])}"
        f" [All of it]({to_results}results/converged/{folder}/table.md)."
        for folder, results in benchmarks.items()
    ]
    return f"""
| row | setting | paper | {" | ".join(groups)} |
| --- | --- | ---: |{" ---: |" * len(groups)}
{chr(10).join(f"| {line} |" for line in lines)}

{chr(10).join(made)}

"""


def _by_row(benchmarks: dict[str, dict[str, Any]]) -> tuple[dict[str, dict[str, Group]], dict[str, str]]:
    """Of each benchmark its groups by row, and the titles of all rows in the order of the table."""
    standings = {folder: Standings(results) for folder, results in benchmarks.items()}
    groups = {folder: {group.row: group for group in one.groups} for folder, one in standings.items()}
    titles = {}
    for row in ROWS:
        having = [folder for folder, found in groups.items() if row in found]
        if having:
            titles[row] = standings[having[0]].title(groups[having[0]][row])
    return groups, titles


def findings_section(benchmarks: dict[str, dict[str, Any]]) -> str:
    """The paper's claims, and what each dataset says of them."""
    if not benchmarks:
        return "\nNot measured yet.\n\n"
    parts = []
    for folder, results in benchmarks.items():
        standings = Standings(results)
        if standings.named("drag") is None:
            continue
        lines = [f"### {folder}", "", lead(standings), ""]
        for one in findings(standings):
            lines.append(f"- **{one.claim}?** In the paper {one.paper}. Here {one.verdict}.")
            lines += [
                f"  - {difference.first} minus {difference.second}: {signed_interval(difference.interval, 2)} points"
                for difference in one.comparisons
            ]
        parts.append("\n".join([*lines, ""]))
    return "\n" + "\n".join(parts) + "\n"


def worth_section(benchmarks: dict[str, dict[str, Any]]) -> str:
    """Accuracy minus the price of the rectangles, of every method, and how far that is from DAgger's."""
    groups, titles = _by_row(benchmarks)
    lines = []
    for row, title in titles.items():
        cells = [_worth(found.get(row), found.get("dagger")) for found in groups.values()]
        if any(row in found and kind(found[row]) == "method" for found in groups.values()):
            lines.append(f"| {title} | {' | '.join(cells)} |")
    if not lines:
        return "\nNot measured yet.\n\n"
    return f"""
| row | {" | ".join(f"{name} | rectangles | minus DAgger" for name in groups)} |
| --- |{" ---: | ---: | ---: |" * len(groups)}
{chr(10).join(lines)}

"""


def _worth(group: Group | None, dagger: Group | None) -> str:
    """What a row's trees are worth, their size, and the difference to DAgger's on the folds where both were run."""
    if group is None:
        return f"{NONE} | {NONE} | {NONE}"
    size = np.mean([run["test"]["leaves"] for run in group.runs.values()])
    apart = NONE
    if dagger is not None and dagger is not group:
        both = sorted(group.runs.keys() & dagger.runs.keys())
        apart = split_interval([worth(group.runs[fold]) - worth(dagger.runs[fold]) for fold in both])
    return f"{spread_percent(group.worth())} | {size:.0f} | {apart}"


def plateau_section(benchmarks: dict[str, dict[str, Any]]) -> str:
    """When validation stopped improving: updates, nodes learned from and minutes, means over the splits."""
    groups, titles = _by_row(benchmarks)
    lines = []
    for row, title in titles.items():
        cells = [_plateau(found.get(row)) for found in groups.values()]
        if set(cells) != {NONE}:
            lines.append(f"| {' | '.join([title, *cells])} |")
    if not lines:
        return "\nNot measured yet.\n\n"
    return f"""
| updates; thousand nodes; minutes | {" | ".join(groups)} |
| --- |{" ---: |" * len(groups)}
{chr(10).join(lines)}

"""


def _plateau(group: Group | None) -> str:
    """When a row's trainings reached their plateaus, on average."""
    found = [] if group is None else [run["plateau"] for run in group.runs.values() if run.get("plateau")]
    if not found:
        return NONE
    updates, nodes, seconds = (
        float(np.mean([one[name] for one in found])) for name in ("updates", "node_samples", "seconds")
    )
    return f"{updates:,.0f}; {nodes / 1000:,.0f}; {seconds / 60:.1f}"


def ladder_section(first: dict[str, Any] | None, others: dict[str, dict[str, Any]]) -> str:
    """What longer waits for the plateau change: rows of one split, a column for each wait."""
    runs = [run for results in [first, *others.values()] if results for run in results["runs"] if run["fold"] == 0]
    waited = {(run["row"], run["plateau"]["wait"]): run for run in runs if run.get("plateau")}
    waits = sorted({wait for _, wait in waited})
    rows = [row for row in dict.fromkeys(row for row, _ in waited) if all((row, wait) in waited for wait in waits[:2])]
    if len(waits) < 2:
        return "\nNot measured yet.\n\n"
    lines = [
        f"| {' | '.join([waited[row, waits[0]]['title'], *(_waited(waited.get((row, wait))) for wait in waits)])} |"
        for row in rows
    ]
    return f"""
| row | {" | ".join(f"until {wait:,} bring nothing" for wait in waits)} |
| --- |{" ---: |" * len(waits)}
{chr(10).join(lines)}

"""


def _waited(run: dict[str, Any] | None) -> str:
    """The test accuracy of a run, and the updates that it made in all."""
    return NONE if run is None else f"{100 * run['test']['accuracy']:.2f} ({run['updates']:,} updates)"


def off_middle_section(benchmarks: dict[str, dict[str, Any]]) -> str:
    """How far cuts lie from the middle of their nodes, by depth, means over the splits."""
    parts = []
    for folder, results in benchmarks.items():
        standings = Standings(results)
        lines = []
        for group in standings.ranked(("method",)):
            shares = [run["test"]["off_middle_by_depth"] for run in group.runs.values()]
            depths = min(map(len, shares))
            means = np.mean([one[:depths] for one in shares], axis=0)
            lines.append(f"| {standings.title(group)} | {' | '.join(f'{one:.3f}' for one in means)} |")
        if lines:
            columns = max(line.count("|") for line in lines) - 2
            head = " | ".join(str(depth) for depth in range(columns))
            parts.append(f"{folder}:\n\n| method | {head} |\n| --- |{' ---: |' * columns}\n" + "\n".join(lines))
    return "\n" + "\n\n".join(parts or ["Not measured yet."]) + "\n\n"


def regret_section(benchmarks: dict[str, dict[str, Any]]) -> str:
    """Where each method loses accuracy against the oracle, in points; a table per dataset."""
    columns = ("method", "rectangles", "labels too early", "labels of the last level", "upper splits", "lower splits")
    head = f"| {' | '.join([*columns, 'all'])} |\n| --- |{' ---: |' * len(columns)}"
    parts = []
    for folder, results in benchmarks.items():
        standings = Standings(results)
        lines = [_regret(standings, group) for group in standings.ranked(("method", "ablation"))]
        if lines:
            parts.append("\n".join([f"{folder}:\n", head, *lines]))
    return "\n" + "\n\n".join(parts or ["Not measured yet."]) + "\n\n"


def _regret(standings: Standings, group: Group) -> str:
    tests = [run["test"] for run in group.runs.values()]
    labels, splits = (
        100 * np.mean([test[f"{by}_regret_by_depth"] for test in tests], axis=0) for by in ("label", "split")
    )
    leaves = np.mean([test["leaves"] for test in tests])
    parts = (labels[:-1].sum(), labels[-1], splits[:5].sum(), splits[5:].sum(), (labels + splits).sum())
    cells = [f"{part:+.1f}".replace("-", "−") for part in parts]
    return f"| {' | '.join([standings.title(group), f'{leaves:.0f}', *cells])} |"


def learning_section(benchmarks: dict[str, dict[str, Any]], to_results: str) -> str:
    """What five minutes on both cores give: one line per benchmark."""
    if not benchmarks:
        return "\nNot measured yet: `python benchmarks/learning.py` makes `results/learning`.\n\n"
    lines = []
    for folder, results in benchmarks.items():
        standings = Standings(results)
        reached = [
            f"{standings.title(group)} {_test_accuracy(group, standings.folds)}"
            for group in standings.groups
            if kind(group) == "method"
        ]
        lines.append(
            f"- {data_name(results)}, network {results['preset']}, {budget(results)} per run: {'; '.join(reached)}"
            f" ([all of it]({to_results}results/learning/{folder}/table.md))."
        )
    return "\n" + "\n".join(lines) + "\n\n"


def _test_accuracy(group: Group | None, folds: int) -> str:
    """Test accuracy over the folds, in percent; of how many, if not all are done."""
    if group is None:
        return NONE
    done = "" if len(group.runs) == folds else f" ({len(group.runs)} of {folds} splits)"
    return spread_percent(group.over_folds("accuracy", "test")) + done


def oracle_section(result: dict[str, Any] | None, to_results: str) -> str:
    """The oracle's results in words and tables."""
    if result is None:
        return "\nNot measured yet: `python benchmarks/oracle.py` makes `results/oracle`.\n\n"
    masks, machine = result["masks"], result["machine"]
    try:
        methods = {row["method"]: row for row in result["against scikit-learn"]["methods"]}
        by_depth = {row["depth"]: row for row in result["by depth"]}
        lines = [_depth_line(depth, by_depth[depth]) for depth in DEPTHS]
        speed = [_speed_line(name, row) for name, row in methods.items()]
    except (KeyError, TypeError) as error:
        # Lookahead used to be measured on other masks than the greedy oracle: such tables must not stand side by side.
        raise UserError("oracle.json was written by another benchmarks/oracle.py; run that again first.") from error
    source = masks["name"] if masks["name"].startswith("generated") else f"{masks['name']}, not in this repository"
    differ = result["against scikit-learn"]["masks where igm and scikit-learn differ"]
    depth = result["against scikit-learn"]["depth"]
    return f"""
The oracle sees the mask. These figures say how well so many rectangles can do, not how well a learner does.
Means over {masks["count"]} masks of {masks["side"]}x{masks["side"]} pixels ({source}).

| depth | greedy (IGM): accuracy | rectangles | lookahead 8: accuracy | rectangles |
| --- | --- | --- | --- | --- |
{chr(10).join(lines)}

Processor time on one core ({machine["cpu"]}, {machine["system"]}) beside scikit-learn's `DecisionTreeClassifier`
(entropy, depth {depth}), a general tool that minimises the same entropy; its accuracy differs from IGM's on
{differ} of the {masks["count"]} masks.

| method | accuracy | ms per mask | times faster |
| --- | --- | --- | --- |
{chr(10).join(speed)}

Times and ratios are medians over groups of masks, so a ratio is not exactly that of the two times beside it. Take it as
an order of magnitude: other work on the machine changes it.
All of it, by size and number of cores too: [results/oracle/oracle.md]({to_results}results/oracle/oracle.md),
made by `python benchmarks/oracle.py`.

"""


def _depth_line(depth: int, row: dict[str, Any]) -> str:
    cells = [
        f"{100 * row[f'{method}: accuracy']:.2f} % | {row[f'{method}: leaves']:.1f}"
        for method in ("igm", "lookahead 8")
    ]
    return f"| {depth} | {' | '.join(cells)} |"


def _speed_line(name: str, row: dict[str, Any]) -> str:
    return f"| {name} | {100 * row['accuracy']:.2f} % | {row['ms a mask']:.2g} | {_rough(row['times faster'])} |"


def _rough(ratio: float) -> str:
    """Two digits of a ratio: more would not be the same the next time."""
    return f"{float(f'{ratio:.2g}'):,g}"


if __name__ == "__main__":
    try:
        sys.exit(main(tyro.cli(Args)))
    except UserError as error:
        sys.exit(f"readme_results: {error}")
