"""How fast and how accurate the oracle is, beside scikit-learn's decision tree in the same run.

    python benchmarks/oracle.py [--data DIR] [--out results/oracle]

``DIR`` holds masks/ (or masks themselves). Without it: the car-panels data beside the repository if it is there, else
masks of the built-in generator. Writes oracle.json and oracle.md. Takes about a minute on two cores.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from time import perf_counter, sleep, thread_time
from typing import Any

import numpy as np
import tyro
from machine import REPOSITORY, facts
from sklearn.tree import DecisionTreeClassifier

from shapeparse import Actions, Limits, Nodes, Oracle, ParseTree, Rule, UserError, igm
from shapeparse.data.images import read_mask, resize_mask
from shapeparse.grammar import expand
from shapeparse.support.files import make_folder, write_json, write_text

CAR_PANELS = REPOSITORY.parent / "shared" / "data" / "car-panels"
SIDE, DEPTH = 256, 7
GENERATED = 120
GROUP = 20
Masks = list[np.ndarray]
Row = dict[str, Any]


def main(data: Path | None = None, out: Path = REPOSITORY / "results" / "oracle", seed: int = 0) -> None:
    """Measure the oracle; write oracle.json and oracle.md.

    Args:
        data: a folder of masks, or with a folder masks/ in it.
        out: where the results go.
        seed: of the generated masks and of the random actions.
    """
    folder = make_folder(out)
    name, masks = load(data, seed)
    igm(np.stack(masks[:1]), lookahead=2)  # load or compile the kernels
    result: Row = {
        "benchmark": "oracle",
        **facts("scikit-learn"),
        "seed": seed,
        "idle share of the processor before": idle_share(),
        "masks": {"name": name, "count": len(masks), "side": SIDE},
    }
    for part, measure in PARTS.items():
        print(f"{part} ...", file=sys.stderr)
        result[part] = measure(masks, seed)
    write_json(folder / "oracle.json", result)
    write_text(folder / "oracle.md", page(result))
    print(page(result))


def load(data: Path | None, seed: int) -> tuple[str, Masks]:
    if data is None and not CAR_PANELS.is_dir():
        from shapeparse.data.generator import generate

        return f"generated, seed {seed}", [generate(seed, index, SIDE)[1] for index in range(GENERATED)]
    data = data or CAR_PANELS
    paths = sorted((data / "masks").glob("*.png")) or sorted(data.glob("*.png"))
    if not paths:
        raise UserError(f"{data} has no masks/*.png and no *.png; give a folder of masks.")
    return data.resolve().name, [resize_mask(read_mask(path), SIDE) for path in paths]


def idle_share() -> float | None:
    """How much of the processor nobody uses just now; None where /proc/stat does not tell."""
    try:
        before = [int(number) for number in Path("/proc/stat").read_text().split()[1:9]]
        sleep(0.5)
        after = [int(number) for number in Path("/proc/stat").read_text().split()[1:9]]
    except (OSError, ValueError):
        return None
    spent = np.subtract(after, before)
    return float(spent[3] / max(1, spent.sum()))


def timed(clock: Callable[[], float], work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    start = clock()
    result = work(*arguments)
    return clock() - start, result


def typical(rounds: int, clock: Callable[[], float], work: Callable[..., Any], *arguments: Any) -> float:
    """The median time over some rounds."""
    return median(timed(clock, work, *arguments)[0] for _ in range(rounds))


def parse(masks: np.ndarray, depth: int = DEPTH, lookahead: int = 0) -> list[ParseTree]:
    """A stack of masks on one core."""
    trees = igm(masks, depth, lookahead=lookahead, threads=1)
    assert isinstance(trees, list)
    return trees


def fit(masks: Masks, places: np.ndarray) -> list[DecisionTreeClassifier]:
    options = {"criterion": "entropy", "max_depth": DEPTH, "random_state": 0}
    return [DecisionTreeClassifier(**options).fit(places, mask.ravel()) for mask in masks]


def accuracies(trees: Iterable[ParseTree], masks: Masks) -> list[float]:
    return [tree.accuracy(mask) for tree, mask in zip(trees, masks, strict=True)]


# ---- what is measured: on one core in processor time, which other work on the machine disturbs least ----------------


def against_sklearn(masks: Masks, seed: int) -> Row:
    """Oracle and scikit-learn take turns on small groups of masks; times are medians over the groups."""
    places = np.stack(np.meshgrid(np.arange(SIDE), np.arange(SIDE)), axis=-1).reshape(-1, 2).astype(np.float32)
    times: dict[str, list[float]] = {"scikit-learn": [], "igm": [], "lookahead 8": [], "lookahead 16": []}
    scores: dict[str, list[float]] = {method: [] for method in times}
    for first in range(0, len(masks), GROUP):
        some = np.stack(masks[first : first + GROUP])
        taken, peers = timed(thread_time, fit, some, places)
        times["scikit-learn"].append(taken / len(some))
        scores["scikit-learn"] += [peer.score(places, mask.ravel()) for peer, mask in zip(peers, some, strict=True)]
        for method, lookahead, rounds in (("igm", 0, 9), ("lookahead 8", 8, 1), ("lookahead 16", 16, 1)):
            times[method].append(typical(rounds, thread_time, parse, some, DEPTH, lookahead) / len(some))
            scores[method] += accuracies(parse(some, DEPTH, lookahead), some)
    peer_times = times["scikit-learn"]
    methods = [
        {
            "method": method,
            "accuracy": float(np.mean(scores[method])),
            "ms a mask": 1000 * median(taken),
            "times faster": median(peer / own for peer, own in zip(peer_times, taken, strict=True)),
        }
        for method, taken in times.items()
    ]
    different = np.abs(np.subtract(scores["igm"], scores["scikit-learn"])) > 1e-12
    return {"depth": DEPTH, "methods": methods, "masks where igm and scikit-learn differ": int(different.sum())}


def by_depth(masks: Masks, seed: int) -> list[Row]:
    rows: list[Row] = []
    stack = np.stack(masks)
    for depth in range(1, 12):
        row: Row = {"depth": depth}
        for method, lookahead, rounds in (("igm", 0, 3), ("lookahead 8", 8, 1)):
            trees = parse(stack, depth, lookahead)
            row[f"{method}: accuracy"] = float(np.mean(accuracies(trees, masks)))
            row[f"{method}: leaves"] = float(np.mean([tree.leaf_count for tree in trees]))
            taken = typical(rounds, thread_time, parse, stack, depth, lookahead)
            row[f"{method}: us a mask"] = 1e6 * taken / len(masks)
        rows.append(row)
    return rows


def by_size(masks: Masks, seed: int) -> list[Row]:
    """The same masks, thinned out or with every pixel made a square."""
    some = masks[:: max(1, len(masks) // 4)][:4]
    rows = []
    for side in (64, 128, 256, 512, 1024, 2048, 4096):
        scaled = np.stack([resize_mask(mask, side) for mask in some])
        greedy = typical(3, thread_time, parse, scaled) / len(some)
        ahead = typical(1, thread_time, parse, scaled, DEPTH, 8) / len(some)
        row = {"side": side, "igm: us a mask": 1e6 * greedy, "igm: ns a pixel": 1e9 * greedy / side**2}
        rows.append({**row, "lookahead 8: us a mask": 1e6 * ahead})
    return rows


def cost_to_go(masks: Masks, seed: int) -> list[Row]:
    """Exact cost-to-go of random actions at the nodes, of depths 0 to 6, of random trees."""
    limits, rng = Limits(DEPTH), np.random.default_rng(seed)

    def split_at_random(nodes: Nodes) -> Actions:
        may_x, may_y = nodes.w > 1, nodes.h > 1
        axis = np.where(may_x & (~may_y | (rng.random(len(nodes)) < 0.5)), Rule.SPLIT_X, Rule.SPLIT_Y)
        may = (may_x | may_y) & (nodes.depth < DEPTH)
        return Actions.at_locations(nodes, np.where(may, axis, Rule.PAINT), rng.random(len(nodes)))

    forest = expand([(SIDE, SIDE)] * len(masks), split_at_random, limits)
    inner = np.flatnonzero(forest.rule < Rule.PAINT)
    nodes, actions = forest.nodes.take(inner), Actions(forest.rule[inner], forest.cut[inner])
    oracles = {threads: Oracle(masks, limits, threads=threads) for threads in thread_counts()}
    best = best_of_turns(15, {threads: (oracle.cost_to_go, nodes, actions) for threads, oracle in oracles.items()})
    return [
        {"threads": threads, "queries": len(nodes), "queries a second": len(nodes) / taken, "speedup": best[1] / taken}
        for threads, taken in best.items()
    ]


def scaling(masks: Masks, seed: int) -> list[Row]:
    stack = np.stack(masks)
    rows: list[Row] = []
    for method, lookahead, rounds in (("igm", 0, 25), ("lookahead 8", 8, 5)):
        turns = {threads: (igm, stack, DEPTH, 1, lookahead, 0.0, threads) for threads in thread_counts()}
        best = best_of_turns(rounds, turns)
        for threads, taken in best.items():
            row = {"method": method, "threads": threads, "masks a second": len(masks) / taken}
            rows.append({**row, "speedup": best[1] / taken})
    return rows


def best_of_turns(rounds: int, turns: dict[int, tuple]) -> dict[int, float]:
    """The shortest wall time of each piece of work over some rounds, in which all take turns."""
    taken = [{key: timed(perf_counter, *work)[0] for key, work in turns.items()} for _ in range(rounds)]
    return {key: min(times[key] for times in taken) for key in turns}


def thread_counts() -> list[int]:
    return sorted({1, min(2, os.cpu_count() or 1)})


PARTS: dict[str, Callable[[Masks, int], Any]] = {
    "scaling": scaling,
    "cost-to-go": cost_to_go,
    "against scikit-learn": against_sklearn,
    "by depth": by_depth,
    "by size": by_size,
}


# ---- the page --------------------------------------------------------------------------------------------------------


def page(result: Row) -> str:
    machine, masks, peer = result["machine"], result["masks"], result["against scikit-learn"]
    versions = ", ".join(f"{package} {number}" for package, number in result["versions"].items())
    idle = result["idle share of the processor before"]
    wall = "Wall time, the best of rounds in turns"
    if idle is not None:
        wall += f"; {idle:.0%} of the processor was idle before, the rest was other work"
    count, differ = masks["count"], peer["masks where igm and scikit-learn differ"]
    parts = [
        "# The oracle: speed and accuracy",
        f"{count} masks of {masks['side']}x{masks['side']} pixels ({masks['name']}), seed {result['seed']}.\n"
        f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}; {versions}; {result['date']}.\n"
        "Made by `python benchmarks/oracle.py`.",
        f"## Beside scikit-learn's DecisionTreeClassifier (entropy, depth {peer['depth']}), one core",
        "Processor time; that of igm includes the integral image and the finished tree.\n"
        f"The methods take turns on groups of {GROUP} masks; times and ratios are medians over the groups.\n"
        f"The accuracy of igm differs from scikit-learn's on {differ} of {count} masks.",
        table(peer["methods"]),
        "## By depth, one core",
        table(result["by depth"]),
        "## By size, depth 7, one core",
        table(result["by size"]),
        "## Exact cost-to-go of random actions at random nodes of depths 0 to 6",
        f"{wall}.",
        table(result["cost-to-go"]),
        "## A stack of masks on several cores",
        f"{wall}.",
        table(result["scaling"]),
    ]
    return "\n\n".join(parts) + "\n"


def table(rows: list[Row]) -> str:
    head = list(rows[0])
    lines = [" | ".join(one_line(key, row[key]) for key in head) for row in rows]
    return "\n".join(f"| {line} |" for line in (" | ".join(head), " | ".join("---" for _ in head), *lines))


def one_line(key: str, value: Any) -> str:
    if not isinstance(value, float):
        return f"{value:,}" if isinstance(value, int) else str(value)
    if "accuracy" in key:
        return f"{value:.4f}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(str(error))
