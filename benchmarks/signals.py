"""Teachers and signals beyond the paper, tried on validation images: which of them earns a row in the comparison.

    python benchmarks/signals.py [--data DIR ...] [--rows ...] [--seeds 11 12]

Every row is trained to a plateau with the preset frozen, on one core, two at a time: 270 photographs to learn from, and
the other 92 to validate with, so that small differences show. The splits are of seeds that the comparison of methods
does not use, and no test images are read. Stop it whenever you like: the same command goes on where it stopped. Writes
results/signals/NAME.json and NAME.md.
"""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from machine import REPOSITORY, facts

from shapeparse.data import Loaded
from shapeparse.data.source import Source
from shapeparse.learning.data import TrainingData
from shapeparse.learning.methods import METHODS, method_named
from shapeparse.learning.names import register_method
from shapeparse.learning.policy_losses import exact_gradient, exact_regret
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.trainer import Trainer
from shapeparse.support.files import make_folder, write_json, write_text
from shapeparse.support.plugins import import_plugin

SHARED = REPOSITORY.parent / "shared" / "data"
LEARN_FROM = 270
ANCHORS = (1.0, 0.1)
"""Weights of imitation beside an exact signal; with 1 they are the rows of the table of methods."""
import_plugin(str(REPOSITORY / "examples" / "learner_aware.py"))
for anchor in ANCHORS:
    beside = f"beside {anchor:g} of imitation"
    register_method(
        f"slope-{anchor:g}",
        replace(
            METHODS["drag-exact-anchored"], title=f"Slope of Q* at mu, {beside}", policy_loss=exact_gradient(anchor)
        ),
    )
    register_method(
        f"cost-{anchor:g}",
        replace(
            METHODS["aggrevate-exact"],
            title=f"Expected cost of all cuts, {beside}",
            policy_loss=exact_regret(anchor),
        ),
    )
ROWS = (
    *("dagger", "dagger-optimal", "dagger-places"),
    *(f"{signal}-{anchor:g}" for signal in ("slope", "cost") for anchor in ANCHORS),
    *("aggrevate-advised", "drag-after-1"),
)


def main(
    data: tuple[str, ...] = (),
    rows: tuple[str, ...] = ROWS,
    seeds: tuple[int, ...] = (11, 12),
    plateau: int = 2000,
    jobs: int = 2,
    out: Path = REPOSITORY / "results" / "signals",
) -> None:
    """Train and validate.

    Args:
        data: folders with images/ and masks/, or built-in; if not given, built-in and car-panels if that is there.
        rows: what to train.
        seeds: of the split and of the training; one run each.
        plateau: updates without improvement that end a training.
        jobs: trainings at the same time.
        out: where the results go.
    """
    usual = ("built-in", *(str(path) for path in [SHARED / "car-panels"] if path.is_dir()))
    found = {Path(name).name: (Source() if name == "built-in" else Source(name)).read(256) for name in data or usual}
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        waiting = {}
        for seed in seeds:
            parts = {name: split(loaded, seed) for name, loaded in found.items()}
            for row, name in product(rows, parts):
                if not any((run["row"], run["seed"]) == (row, seed) for run in known(out, name)):
                    settings = TrainSettings(row, "frozen", plateau=plateau, seed=seed, threads=1)
                    folder = out / "jobs" / name / f"{row}-{seed}"
                    waiting[pool.submit(one_run, settings, parts[name], folder)] = name
        for future in as_completed(waiting):
            name, run = waiting[future], future.result()
            runs = [*known(out, name), run]
            write_json(make_folder(out) / f"{name}.json", {"data": name, "plateau": plateau, "runs": runs, **facts()})
            write_text(out / f"{name}.md", table(json.loads((out / f"{name}.json").read_text())))
            print(f"{name}, {run['row']}, seed {run['seed']}: {run['accuracy']:.4f}", flush=True)


def known(out: Path, name: str) -> list[dict[str, Any]]:
    """The runs so far."""
    path = out / f"{name}.json"
    runs: list[dict[str, Any]] = json.loads(path.read_text())["runs"] if path.exists() else []
    return runs


def split(loaded: Loaded, seed: int) -> TrainingData:
    """Photographs to learn from, and all others to validate with."""
    order = np.random.default_rng(seed).permutation(len(loaded.names))
    learn, validate = order[:LEARN_FROM], order[LEARN_FROM:]
    return TrainingData(loaded.images[learn], loaded.masks[learn], loaded.images[validate], loaded.masks[validate])


def one_run(settings: TrainSettings, data: TrainingData, folder: Path) -> dict[str, Any]:
    """Train to the plateau; the best epoch on validation images."""
    rows = Trainer(settings, data, folder).run(resume=True)
    best = max(rows, key=lambda row: float(row["validation_accuracy"]))
    return {
        "row": settings.method, "title": method_named(settings.method).title, "seed": settings.seed,
        "accuracy": best["validation_accuracy"], "rectangles": best["validation_leaves"],
        "updates": rows[-1]["updates"], "seconds": rows[-1]["seconds"],
    }  # fmt: skip


def table(results: dict[str, Any]) -> str:
    """The rows from the best to the worst, as Markdown."""
    runs = results["runs"]
    seeds = sorted({run["seed"] for run in runs})
    lines = [
        f"# Signals beyond the paper, on {results['data']}",
        "",
        f"Accuracy in percent on validation images, best epoch, each training to a plateau of {results['plateau']:,} "
        "updates;",
        f"preset frozen; one column per split and seed. {results['machine']['cpu']}; {results['date']}.",
        "Made by `python benchmarks/signals.py`.",
        "",
        f"| what is learned from | {' | '.join(f'seed {seed}' for seed in seeds)} | mean | rectangles | updates |",
        f"| --- |{' ---: |' * (len(seeds) + 3)}",
    ]
    by_row: dict[str, list[dict[str, Any]]] = {}
    for run in runs:
        by_row.setdefault(run["row"], []).append(run)

    def mean(row: list[dict[str, Any]], name: str) -> float:
        return float(np.mean([run[name] for run in row]))

    for row in sorted(by_row.values(), key=lambda row: -mean(row, "accuracy")):
        of = {run["seed"]: run["accuracy"] for run in row}
        cells = [f"{100 * of[seed]:.2f}" if seed in of else "–" for seed in seeds]
        lines.append(
            f"| {row[0]['title']} | {' | '.join(cells)} | {100 * mean(row, 'accuracy'):.2f} | "
            f"{mean(row, 'rectangles'):.0f} | {mean(row, 'updates'):,.0f} |"
        )
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    tyro.cli(main)
