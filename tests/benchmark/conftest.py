"""Results to show: made up, but shaped as a benchmark writes them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shapeparse.benchmark.plan import Plan
from shapeparse.benchmark.record import Record
from shapeparse.data import Loaded
from shapeparse.grammar import ParseTree
from shapeparse.learning.methods import ABLATIONS, METHODS, method_named
from shapeparse.oracle import igm

ACCURACY = {
    "majority-set": 0.745, "majority-image": 0.752,
    "mcpg": 0.745, "ddpg": 0.731, "bc": 0.872, "dagger": 0.909, "aggrevated": 0.852, "ac-aggrevated": 0.861,
    "off-mcpg": 0.866, "off-acpg": 0.848, "drag": 0.893, "drag-dense": 0.897, "drag-anchored": 0.912,
    "dagger-taken": 0.803, "mcpg-root": 0.744,
    "colours": 0.702, "segment": 0.934, "segment-lookahead": 0.949,
    "segment-lite": 0.931, "segment-lite-lookahead": 0.932, "oracle": 0.962, "oracle-lookahead": 0.991,
}  # fmt: skip
ACCURACY |= {row: 0.87 for row in (*METHODS, *ABLATIONS) if row not in ACCURACY}
TITLES = {
    "majority-set": "Majority label of the set", "majority-image": "Majority label of each image",
    "colours": "Colour clusters, then IGM", "segment": "U-Net, then IGM", "segment-lookahead": "U-Net, then lookahead",
    "segment-lite": "U-Net on the encoder, then IGM",
    "segment-lite-lookahead": "U-Net on the encoder, then lookahead",
    "oracle": "IGM oracle", "oracle-lookahead": "Lookahead oracle",
}  # fmt: skip
DEPTH = 7


def kind(row: str) -> str:
    if row in METHODS:
        return "method"
    if row in ABLATIONS:
        return "ablation"
    return "line" if row.startswith(("majority", "oracle")) else "peer"


def make_summary(accuracy: float, images: int) -> dict[str, Any]:
    """An evaluation whose parts fit together: regret is the distance from the oracle, split over depths."""
    lost = ACCURACY["oracle"] - accuracy
    share = np.linspace(0, 1, DEPTH + 1) ** 2
    labels, splits = 0.75 * lost * share / share.sum(), 0.25 * lost * share[::-1] / share.sum()
    splits[-1] -= 0.002
    growth = 1 - 0.5 ** np.arange(DEPTH + 1)
    return {
        "images": images, "accuracy": accuracy, "iou": accuracy - 0.1, "coverage": accuracy, "waste": 1 - accuracy,
        "leaves": 1.0 if lost > 0.2 else 40 + 200 * max(lost, 0), "oracle_accuracy": ACCURACY["oracle"],
        "majority_accuracy": 0.75, "regret": float(labels.sum() + splits.sum()),
        "label_regret_by_depth": labels.tolist(), "split_regret_by_depth": splits.tolist(),
        "accuracy_by_depth": (0.75 + (accuracy - 0.75) * growth / growth[-1]).tolist(),
    }  # fmt: skip


def make_run(row: str, fold: int, each: Sequence[float], random: np.random.Generator) -> dict[str, Any]:
    unet = "unet-lite" if row.startswith("segment-lite") else "unet"
    job = f"fast-{unet if row.startswith('segment') else row}-{fold}"
    trained, accuracy, times = kind(row) != "line", float(np.mean(each)), np.arange(1, 17) * 18.7
    curve = accuracy - (accuracy - 0.6) * np.exp(-times / 60) + random.normal(0, 0.004, len(times))
    return {
        "job": job, "row": row, "kind": kind(row), "preset": "fast", "fold": fold, "seed": fold,
        "title": TITLES[row] if row in TITLES else method_named(row).title, "settings": {},
        "epochs": 16 if trained else None, "best_epoch": 15 if trained else None,
        "seconds": 300.0 + fold if trained else None, "nodes_per_second": 900.0 if row in METHODS else None,
        "parse_ms": {"segment-lookahead": 210.0, "segment": 14.0, "oracle": 0.06}.get(row, 8.0 + fold),
        "validation_curve": np.stack([times, curve], axis=1).tolist() if trained and row != "colours" else [],
        "train": make_summary(accuracy + 0.02, 16), "validation": make_summary(accuracy + 0.001, 4),
        "test": make_summary(accuracy, len(each)),
        "raw_test_accuracy": accuracy + 0.015 if row == "segment" else None, "test_accuracy_each": list(each),
        "date": "2026-11-16", "machine": {"cpu": "Example CPU", "cores": 2, "system": "Linux"}, "versions": {},
    }  # fmt: skip


def make_results(rows: Sequence[str] = tuple(ACCURACY), folds: int = 3, count: int = 24) -> dict[str, Any]:
    """Results of some rows: images differ in how hard they are, and every row is a little random on each."""
    random = np.random.default_rng(3)
    parts = [random.permutation(count) for _ in range(folds)]
    ends = (2 * count // 3, 5 * count // 6)
    cut = [{"train": a, "validation": b, "test": c} for a, b, c in (np.split(part, ends) for part in parts)]
    splits = [{name: sorted(part.tolist()) for name, part in split.items()} for split in cut]
    hardness = random.normal(0, 0.03, count)
    runs = []
    for row in rows:
        for fold, split in enumerate(splits):
            test = np.array(split["test"])
            each = ACCURACY[row] + hardness[test] + random.normal(0, 0.015, len(test)) * (kind(row) != "line")
            runs.append(make_run(row, fold, np.minimum(each, 1.0).tolist(), random))
    names = [f"{image:04d}" for image in range(count)]
    data = {"name": "made-up", "images": count, "fingerprint": "0123456789abcdef", "names": names}
    return {
        "format": "shapeparse-benchmark", "version": 1, "data": data, "minutes": 5.0, "epochs": None,
        "preset": "fast", "seed": 0, "depth": DEPTH, "splits": splits, "runs": runs, "failed": [],
    }  # fmt: skip


def many(found: ParseTree | list[ParseTree]) -> list[ParseTree]:
    """What ``igm`` makes of a stack of masks."""
    assert isinstance(found, list)
    return found


def write_trees(out: Path, results: dict[str, Any], loaded: Loaded, depths: dict[str, int]) -> None:
    """Trees of the oracle at some depth stand in for those of each row; the runs get their accuracies."""
    for run in results["runs"]:
        if run["row"] in depths:
            test = results["splits"][run["fold"]]["test"]
            masks = loaded.masks[test]
            trees = many(igm(masks, depths[run["row"]], threads=1))
            run["test_accuracy_each"] = [tree.accuracy(mask) for tree, mask in zip(trees, masks, strict=True)]
            run["test"]["accuracy"] = float(np.mean(run["test_accuracy_each"]))
            folder = out / "jobs" / run["job"]
            folder.mkdir(parents=True, exist_ok=True)
            content = [json.loads(tree.to_json()) for tree in trees]
            (folder / f"{run['row']}.test_trees.json").write_text(json.dumps(content))


@pytest.fixture
def results() -> dict[str, Any]:
    """All rows on all of three folds."""
    return make_results()


@pytest.fixture
def some_results() -> Callable[..., dict[str, Any]]:
    """A function that makes results of some rows."""
    return make_results


@pytest.fixture
def with_trees(photographs: Callable) -> Callable[[Path, dict[str, Any]], Loaded]:
    """A function that writes trees for three rows of the results, and answers the images."""

    def write(out: Path, results: dict[str, Any]) -> Loaded:
        images, masks = photographs(results["data"]["images"])
        loaded = Loaded(images, masks, list(results["data"]["names"]), [])
        write_trees(out, results, loaded, {"drag": 4, "dagger": 5, "mcpg": 0})
        return loaded

    return write


@pytest.fixture
def dozen(photographs: Callable) -> Loaded:
    """Twelve photographs of 32 x 32 pixels to benchmark on."""
    images, masks = photographs(12)
    return Loaded(images, masks, [f"{index:04d}" for index in range(12)], [])


def start(out: Path, loaded: Loaded) -> tuple[Record, Plan]:
    """A benchmark of two epochs a job, of which no job is done."""
    record, plan = Record(out), Plan.of("dozen", loaded, 1, None, 2, depth=4)
    record.start(plan)
    record.cache(loaded)
    return record, plan


@pytest.fixture
def started(dozen: Loaded, tmp_path: Path) -> tuple[Record, Plan]:
    """A benchmark of which no job is done."""
    return start(tmp_path / "out", dozen)
