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

from shapeparse.benchmark.standings import Standings
from shapeparse.benchmark.table import COLUMNS, conditions, data_name, table_rows
from shapeparse.errors import UserError
from shapeparse.files import write_text

REPOSITORY = Path(__file__).resolve().parents[1]
RESULTS = REPOSITORY / "results"
README = REPOSITORY / "README.md"
SECTIONS = {"oracle": "results/oracle/oracle.json", "benchmark": "results/*/results.json"}
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
    benchmarks = {path.parent.name: json.loads(path.read_bytes()) for path in sorted(RESULTS.glob("*/results.json"))}
    return with_results(readme, "benchmark", benchmark_section(benchmarks))


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
    """A table for every benchmark there is."""
    parts = [_benchmark_table(folder, results) for folder, results in benchmarks.items()]
    return "".join(parts) or "\nNot measured yet: `python benchmarks/learning.py` makes `results/car-panels`.\n\n"


def _benchmark_table(folder: str, results: dict[str, Any]) -> str:
    standings = Standings(results)
    wanted = ("row", "setting", "paper test", "test %", "folds")
    lines = [
        " | ".join(cell for column, cell in zip(COLUMNS, row, strict=True) if column in wanted)
        for row in table_rows(standings)
    ]
    return f"""
**{data_name(results)}**: {"; ".join(conditions(results).split("; ")[2:])}

| {" | ".join(wanted)} |
|{" --- |" * len(wanted)}
{chr(10).join(f"| {line} |" for line in lines)}

Everything of it: [results/{folder}/table.md](results/{folder}/table.md).

"""


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
