"""The exact tree search beside its peers, in one run on one core.

    python benchmarks/optimal.py [--data DIR] [--out results/optimal] [--quick]

``DIR`` holds masks/ (or masks themselves). Without it: the car-panels data beside the repository if it is there, else
masks of the built-in generator alone. Needs scikit-learn and pycontree. Writes optimal.json and optimal.md. Takes about
twenty minutes; ConTree and scikit-learn take most of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median
from time import thread_time
from typing import Any

import numpy as np
import tyro
from machine import REPOSITORY, facts
from oracle import CAR_PANELS, table
from pycontree import ConTree
from sklearn.tree import DecisionTreeClassifier

from shapeparse import Limits, Nodes, ParseTree, UserError, igm
from shapeparse.data.generator import generate
from shapeparse.data.images import read_mask, resize_mask
from shapeparse.grammar import prune
from shapeparse.grammar.segments import merge_rectangles
from shapeparse.grammar.tree import positives
from shapeparse.oracle.optimal import OptimalOracle, best_tree, tree_curve
from shapeparse.oracle.optimal.best import problem_of
from shapeparse.oracle.optimal.search import solve_near
from shapeparse.support.files import make_folder, write_json, write_text

SIDE = 256
RECTANGLES = (5, 10, 20, 40)
PRICES = (0.01, 0.003, 0.0028, 0.001, 0.0009, 0.0003, 0.00012)
DEPTHS = {2: 20, 3: 20, 4: 5}
"""How many masks ConTree is given at each depth."""
PEER_MASKS = 40
GENERATED = 60
TEACHER_MASKS = 300
Masks = list[np.ndarray]
Row = dict[str, Any]
PLACES = np.stack(np.meshgrid(np.arange(SIDE), np.arange(SIDE)), axis=-1).reshape(-1, 2).astype(np.float64)


def main(
    data: Path | None = None, out: Path = REPOSITORY / "results" / "optimal", seed: int = 0, quick: bool = False
) -> None:
    """Measure the exact tree search and its peers; write optimal.json and optimal.md.

    Args:
        data: a folder of masks, or with a folder masks/ in it.
        out: where the results go.
        seed: of the generated masks.
        quick: a few masks only, and no depth 4.
    """
    folder = make_folder(out)
    sets = load(data, seed, quick)
    warm_up(next(iter(sets.values()))[0])
    result: Row = {"benchmark": "optimal", **facts("scikit-learn", "pycontree"), "seed": seed, "quick": quick}
    result["masks"] = {name: len(masks) for name, masks in sets.items()}
    result["at a price"] = [row for name, masks in sets.items() for row in at_prices(name, masks)]
    result["at most so many rectangles"] = [row for name, masks in sets.items() for row in at_most(name, masks, quick)]
    result["exact covers"] = [covers(name, masks) for name, masks in sets.items()]
    first = next(iter(sets.values()))
    result["beside ConTree"] = [against_contree(first, depth, quick) for depth in DEPTHS if depth < 4 or not quick]
    result["growth"] = growth(first[0], quick)
    result["as a teacher"] = [as_teacher(first[: 20 if quick else TEACHER_MASKS])]
    write_json(folder / "optimal.json", result)
    write_text(folder / "optimal.md", page(result))
    print(page(result))


def load(data: Path | None, seed: int, quick: bool) -> dict[str, Masks]:
    """Sets of masks by name: the folder's first, then the generator's."""
    sets: dict[str, Masks] = {}
    folder = data or (CAR_PANELS if CAR_PANELS.is_dir() else None)
    if folder is not None:
        paths = sorted((folder / "masks").glob("*.png")) or sorted(folder.glob("*.png"))
        if not paths:
            raise UserError(f"{folder} has no masks/*.png and no *.png; give a folder of masks.")
        paths = paths[:: max(1, len(paths) // 8)][:8] if quick else paths
        sets[folder.resolve().name] = [resize_mask(read_mask(path), SIDE) for path in paths]
    sets["built-in"] = [generate(seed, index, SIDE)[1] for index in range(4 if quick else GENERATED)]
    return sets


def warm_up(mask: np.ndarray) -> None:
    """Load or compile the kernels."""
    tree_curve(mask, most=30)
    for depth in (2, 3, 4):
        best_tree(mask, depth=depth)
    igm(mask, lookahead=2)
    OptimalOracle([mask])(Nodes.roots([(SIDE, SIDE)]))


def timed(work: Callable[..., Any], *arguments: Any, **settings: Any) -> tuple[float, Any]:
    """Processor time, which other work on the machine disturbs least, and the result."""
    start = thread_time()
    result = work(*arguments, **settings)
    return thread_time() - start, result


def row_of(times: list[float], accuracies: list[float], rectangles: list[int]) -> Row:
    return {
        "accuracy": float(mean(accuracies)),
        "rectangles": float(mean(rectangles)),
        "ms per mask": 1000 * mean(times),
        "ms at most": 1000 * max(times),
    }


# ---- accuracy over rectangles ----------------------------------------------------------------------------------------


def at_prices(name: str, masks: Masks) -> list[Row]:
    rows = []
    for price in PRICES:
        print(f"{name}, price {price} ...", file=sys.stderr)
        times, found = zip(*(timed(best_tree, mask, price=price) for mask in masks), strict=True)
        numbers = row_of(list(times), [one.accuracy for one in found], [one.rectangles for one in found])
        rows.append({"masks": name, "price": str(price), **numbers})
    return rows


def at_most(name: str, masks: Masks, quick: bool) -> list[Row]:
    peers = masks[:: max(1, len(masks) // PEER_MASKS)][:PEER_MASKS]
    methods: dict[str, tuple[Masks, Callable[[np.ndarray, int], ParseTree | DecisionTreeClassifier]]] = {
        "exact search": (masks, lambda mask, number: best_tree(mask, rectangles=number).tree),
        "exact search, the masks of the peers": (peers, lambda mask, number: best_tree(mask, rectangles=number).tree),
        "greedy IGM, depth 10, pruned": (peers, lambda mask, number: pruned(mask, number, 0)),
        "lookahead 8, depth 7, pruned": (peers, lambda mask, number: pruned(mask, number, 8)),
        "scikit-learn, cost-complexity pruning": (peers, pruned_by_sklearn),
    }
    rows = []
    for method, (some, work) in methods.items():
        for number in RECTANGLES:
            print(f"{name}, {method}, {number} rectangles ...", file=sys.stderr)
            times, trees = zip(*(timed(work, mask, number) for mask in some), strict=True)
            numbers = row_of(
                list(times),
                [accuracy(tree, mask) for tree, mask in zip(trees, some, strict=True)],
                [leaves(tree) for tree in trees],
            )
            rows.append({"masks": f"{name} ({len(some)})", "method": method, "at most": number, **numbers})
    return rows


def accuracy(tree: ParseTree | DecisionTreeClassifier, mask: np.ndarray) -> float:
    return tree.accuracy(mask) if isinstance(tree, ParseTree) else tree.score(PLACES, mask.ravel())


def leaves(tree: ParseTree | DecisionTreeClassifier) -> int:
    return tree.leaf_count if isinstance(tree, ParseTree) else int(tree.get_n_leaves())


def pruned(mask: np.ndarray, number: int, lookahead: int) -> ParseTree:
    """The most accurate pruning, at any price, of at most so many leaves."""
    tree = igm(mask, 7 if lookahead else 10, lookahead=lookahead, threads=1)
    assert isinstance(tree, ParseTree)
    positive = positives(tree.nodes, [mask])
    low, high = 0.0, 1.0
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (low, middle) if prune(tree, positive, middle).leaf_count <= number else (middle, high)
    return prune(tree, positive, high)


def pruned_by_sklearn(mask: np.ndarray, number: int) -> DecisionTreeClassifier:
    """The largest tree of at most so many leaves on scikit-learn's path of cost-complexity pruning."""
    labels = mask.ravel()
    alphas = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(PLACES, labels).ccp_alphas
    low, high = 0, len(alphas) - 1
    while low < high:
        middle = (low + high) // 2
        tree = DecisionTreeClassifier(random_state=0, ccp_alpha=max(0.0, alphas[middle])).fit(PLACES, labels)
        low, high = (low, middle) if tree.get_n_leaves() <= number else (middle + 1, high)
    return DecisionTreeClassifier(random_state=0, ccp_alpha=max(0.0, alphas[high])).fit(PLACES, labels)


def covers(name: str, masks: Masks) -> Row:
    """How many rectangles an exact cover takes: the fewest that partition the mask, and merged runs of pixels."""
    runs = [merged_runs(np.asarray(mask, bool)) + merged_runs(~np.asarray(mask, bool)) for mask in masks]
    fewest = []
    for mask in masks:
        parts = [pixel_runs(labels) for labels in (np.asarray(mask, bool), ~np.asarray(mask, bool))]
        fewest.append(sum(len(merge_rectangles(part)) if len(part) else 0 for part in parts))
    return {"masks": name, "accuracy": 1.0, "fewest rectangles": mean(fewest), "merged runs of pixels": mean(runs)}


def pixel_runs(mask: np.ndarray) -> np.ndarray:
    """The runs of every row as boxes x, y, w, h."""
    padded = np.zeros((mask.shape[0], mask.shape[1] + 2), np.int8)
    padded[:, 1:-1] = mask
    change = np.diff(padded, axis=1)
    (y, first), (_, last) = np.nonzero(change == 1), np.nonzero(change == -1)
    return np.stack([first, y, last - first, np.ones_like(y)], axis=1)


def merged_runs(mask: np.ndarray) -> int:
    """Runs of pixels, with equal runs of neighbouring rows as one."""
    boxes = {(int(x), int(y), int(w)) for x, y, w, _ in pixel_runs(mask)}
    return sum((x, y - 1, w) not in boxes for x, y, w in boxes)


# ---- optimal trees of a few levels -----------------------------------------------------------------------------------


def against_contree(masks: Masks, depth: int, quick: bool) -> Row:
    """Errors and time of both, in turns on the same masks."""
    count = min(len(masks), 4 if quick else DEPTHS[depth])
    ratios, own_times, peer_times, equal = [], [], [], 0
    for mask in masks[:: max(1, len(masks) // count)][:count]:
        print(f"ConTree, depth {depth} ...", file=sys.stderr)
        labels = np.asarray(mask, np.int64).ravel()
        peer = ConTree(max_depth=depth)
        taken, _ = timed(peer.fit, PLACES, labels)
        own, found = timed(best_tree, np.asarray(mask, bool), depth=depth)
        wrong = int((peer.predict(PLACES) != labels).sum())
        equal += wrong == round((1 - found.accuracy) * mask.size)
        ratios.append(taken / own)
        own_times.append(own)
        peer_times.append(taken)
    return {
        "depth": depth,
        "masks": count,
        "equal optimum": equal,
        "ConTree: s per mask": mean(peer_times),
        "exact search: ms per mask": 1000 * mean(own_times),
        "times faster, median": median(ratios),
        "times faster, least": min(ratios),
    }


# ---- growth ----------------------------------------------------------------------------------------------------------


def growth(mask: np.ndarray, quick: bool) -> dict[str, list[Row]]:
    """How time grows with lines, size and rectangles, on one mask."""
    problem = problem_of(mask, None, 1, 1.0, 1.0)
    costs = problem.costs(0.001)

    def shortest(work: Callable[..., Any], *arguments: Any, **settings: Any) -> float:
        return 1000 * min(timed(work, *arguments, **settings)[0] for _ in range(3))

    def table_of(gaps: int) -> float:
        return shortest(solve_near, problem, costs, problem.box, None, 1, gaps)

    lines = [{"gaps per axis": gaps, "ms per table": table_of(gaps)} for gaps in (8, 16, 24, 32, 40)]
    sides = []
    for side in (64, 256, 1024) if quick else (64, 128, 256, 512, 1024, 2048, 4096):
        scaled = resize_mask(mask, side)
        sides.append({"side": side, "ms for 20 rectangles": shortest(best_tree, scaled, rectangles=20)})
    budgets = [
        {"rectangles": number, "ms": shortest(best_tree, mask, rectangles=number)}
        for number in (5, 10, 20, 40, 80, 160)
    ]
    curve = [{"curve of 1 to 60 rectangles: ms": shortest(tree_curve, mask)}]
    return {"lines": lines, "size": sides, "rectangles": budgets, "curve": curve}


def as_teacher(masks: Masks) -> Row:
    """Time and memory of the optimal oracle's tables, and of its answers at random nodes between lines."""
    built, oracle = timed(OptimalOracle, masks, Limits(7), 0.001)
    rng, count = np.random.default_rng(0), 2000
    x, y = rng.integers(0, SIDE - 1, (2, count))
    w, h = (rng.integers(2, SIDE - start + 1) for start in (x, y))
    columns = (rng.integers(0, len(masks), count), x, y, w, h, rng.integers(0, 7, count))
    asked, _ = timed(oracle, Nodes(*(column.astype(np.int32) for column in columns)))
    row = {"masks": len(masks), "gaps per axis": oracle.gaps, "depth": oracle.limits.depth, "s to build": built}
    return {**row, "MB": oracle.memory / 1e6, "us per random node": 1e6 * asked / count}


# ---- the page --------------------------------------------------------------------------------------------------------


def page(result: Row) -> str:
    machine = result["machine"]
    versions = ", ".join(f"{package} {number}" for package, number in result["versions"].items())
    masks = ", ".join(f"{count} masks {name}" for name, count in result["masks"].items())
    parts = [
        "# The exact tree search beside its peers",
        f"{masks}, {SIDE}x{SIDE} pixels, seed {result['seed']}{', quick' if result['quick'] else ''}.\n"
        f"{machine['cpu']}, one core, {machine['system']}; {versions}; {result['date']}.\n"
        "Processor time. Made by `python benchmarks/optimal.py`.",
        "## At a price per rectangle",
        table(result["at a price"]),
        "## With at most so many rectangles",
        table(result["at most so many rectangles"]),
        "## Exact covers: rectangles of both labels",
        table(result["exact covers"]),
        "## Optimal trees of a few levels, over all pixel lines",
        table(result["beside ConTree"]),
        "## How time grows",
        *(table(rows) for rows in result["growth"].values()),
        "## As a teacher",
        table(result["as a teacher"]),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(str(error))
