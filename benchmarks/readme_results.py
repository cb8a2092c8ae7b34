"""Write the README's results from the files that hold them, so that no figure is typed by hand.

python benchmarks/readme_results.py [--check]
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from shapeparse.benchmark.paper import PAPER_TABLE
from shapeparse.benchmark.standings import ROWS, Standings, kind, setting
from shapeparse.benchmark.statistics import Group
from shapeparse.benchmark.table import budget, conditions, data_name
from shapeparse.benchmark.words import NONE, spread_percent
from shapeparse.errors import UserError
from shapeparse.files import write_text

REPOSITORY = Path(__file__).resolve().parents[1]
RESULTS = REPOSITORY / "results"
README = REPOSITORY / "README.md"
SECTIONS = {
    "oracle": "results/oracle/oracle.json",
    "benchmark": "results/*/results.json",
    "learning": "results/learning/*/results.json",
}
"""What is written between two marks, and the files it comes from."""
DEPTHS = (1, 3, 5, 7, 9)


@dataclass(frozen=True)
class Args:
    """Bring the results in README.md up to date."""

    check: bool = False
    """Change nothing; fail if they are not up to date."""


def main(args: Args) -> int:
    """Write the README, or say whether it is up to date."""
    readme = README.read_text(encoding="utf-8")
    updated = with_all_results(readme)
    if args.check:
        if updated != readme:
            print("README.md is not up to date; run `python benchmarks/readme_results.py`.", file=sys.stderr)
        return int(updated != readme)
    write_text(README, updated)
    return 0


def with_all_results(readme: str) -> str:
    """The README as the files under results/ say it should be."""
    oracle = RESULTS / "oracle" / "oracle.json"
    readme = with_results(
        readme, "oracle", oracle_section(json.loads(oracle.read_bytes()) if oracle.exists() else None)
    )
    readme = with_results(readme, "learning", learning_section(_benchmarks("learning/*")))
    return with_results(readme, "benchmark", benchmark_section(_benchmarks("*")))


def _benchmarks(pattern: str) -> dict[str, dict[str, Any]]:
    """The results of benchmarks, by the names of their folders."""
    found = {path.parent.name: json.loads(path.read_bytes()) for path in sorted(RESULTS.glob(f"{pattern}/results.json"))}
    return {name: results for name, results in found.items() if results["runs"]}


def with_results(readme: str, name: str, text: str) -> str:
    """The README with ``text`` between the two marks of a section."""
    first = (
        f"<!-- {name} results: written by benchmarks/readme_results.py from {SECTIONS[name]}; do not edit by hand -->"
    )
    last = f"<!-- end of {name} results -->"
    before, begin, rest = readme.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise UserError(f"README.md lacks the marks of the {name} results; put them back.")
    return f"{before}{first}\n{text}{last}{after}"


def benchmark_section(benchmarks: dict[str, dict[str, Any]]) -> str:
    """One table of all benchmarks: a row a method, a column a dataset."""
    if not benchmarks:
        return "\nNot measured yet: `shapeparse benchmark --out results/built-in` makes the first.\n\n"
    standings = {folder: Standings(results) for folder, results in benchmarks.items()}
    groups = {folder: {group.row: group for group in one.groups} for folder, one in standings.items()}
    rows = [row for row in ROWS if any(row in found for found in groups.values())]
    lines = []
    for row in rows:
        folder = next(folder for folder in groups if row in groups[folder])
        title, kind = standings[folder].title(groups[folder][row]), setting(groups[folder][row])
        paper = PAPER_TABLE[row][1] if row in PAPER_TABLE else None
        cells = [_test_accuracy(standings[folder], groups[folder].get(row)) for folder in groups]
        lines.append(" | ".join([title, kind, NONE if paper is None else f"{paper:.2f}", *cells]))
    made = [
        f"- **{folder}**: {'; '.join(conditions(results).split('; ')[2:])} [All of it](results/{folder}/table.md)."
        for folder, results in benchmarks.items()
    ]
    return f"""
| row | setting | paper | {" | ".join(groups)} |
| --- | --- | ---: |{" ---: |" * len(groups)}
{chr(10).join(f"| {line} |" for line in lines)}

{chr(10).join(made)}

"""


def learning_section(benchmarks: dict[str, dict[str, Any]]) -> str:
    """What five minutes on both cores give, in a line a benchmark."""
    if not benchmarks:
        return "\nNot measured yet: `python benchmarks/learning.py` makes `results/learning`.\n\n"
    lines = []
    for folder, results in benchmarks.items():
        standings = Standings(results)
        reached = [
            f"{standings.title(group)} {_test_accuracy(standings, group)}"
            for group in standings.groups
            if kind(group) == "method"
        ]
        lines.append(
            f"- {data_name(results)}, network {results['preset']}, {budget(results)} a run: {'; '.join(reached)}"
            f" ([all of it](results/learning/{folder}/table.md))."
        )
    return "\n" + "\n".join(lines) + "\n\n"


def _test_accuracy(standings: Standings, group: Group | None) -> str:
    """Test accuracy over the folds, in percent; of how many, if not all are done."""
    if group is None:
        return NONE
    done = "" if len(group.runs) == standings.folds else f" ({len(group.runs)} of {standings.folds} splits)"
    return spread_percent(group.over_folds("accuracy", "test")) + done


def oracle_section(result: dict[str, Any] | None) -> str:
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
The oracle sees the mask, so these figures say how well so many rectangles can do, not how well a learner does.
Means over {masks["count"]} masks of {masks["side"]}x{masks["side"]} pixels ({source}).

| depth | greedy (IGM): accuracy | rectangles | lookahead 8: accuracy | rectangles |
| --- | --- | --- | --- | --- |
{chr(10).join(lines)}

Processor time on one core ({machine["cpu"]}, {machine["system"]}) beside scikit-learn's `DecisionTreeClassifier`
(entropy, depth {depth}), a general tool that minimises the same entropy; its accuracy differs from IGM's on
{differ} of the {masks["count"]} masks.

| method | accuracy | ms a mask | times faster |
| --- | --- | --- | --- |
{chr(10).join(speed)}

Times and ratios are medians over groups of masks, so a ratio is not exactly that of the two times beside it; other work
on the machine moves it, so take it as an order of magnitude.
All of it, by size and number of cores too: [results/oracle/oracle.md](results/oracle/oracle.md),
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
