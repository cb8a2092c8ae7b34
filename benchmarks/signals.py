"""Teachers and signals beyond the paper, tried on validation images: which of them earns a row in the comparison.

    python benchmarks/signals.py [--data DIR ...] [--rows ...] [--seeds 11]

Every row is trained to a plateau with the preset frozen, on one core, two at a time: 270 photographs to learn from, and
the other 92 to validate with, so that small differences show. The split is of a seed that the comparison of methods
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
from typing import Any, NamedTuple

import numpy as np
import tyro
from machine import REPOSITORY, facts
from strongest import SHARED

from shapeparse.benchmark.words import plural
from shapeparse.data import Loaded
from shapeparse.data.source import Source
from shapeparse.learning.data import TrainingData
from shapeparse.learning.methods import METHODS, method_named
from shapeparse.learning.names import register_method
from shapeparse.learning.policy_losses import exact_gradient
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.trainer import Trainer
from shapeparse.support.files import make_folder, write_json, write_text
from shapeparse.support.plugins import import_plugin

LEARN_FROM = 270
ANCHORS = (1.0, 0.2)
"""Weights of imitation beside the exact slope; 1 is the row of the table of methods."""
PRICES = (1e-4, 1e-5)
"""Of a rectangle of the optimal teacher, as a share of the image."""


class Row(NamedTuple):
    """What is tried: a method, and the price of its teacher."""

    method: str
    price: float | None = None

    @property
    def name(self) -> str:
        """As results and folders call it."""
        return self.method if self.price is None else f"{self.method}-at-{self.price:g}"

    def settings(self, plateau: int, seed: int) -> TrainSettings:
        """How it is trained."""
        priced = {} if self.price is None else {"teacher_price": self.price}
        return TrainSettings(self.method, "frozen", plateau=plateau, seed=seed, threads=1, **priced)


import_plugin(str(REPOSITORY / "examples" / "learner_aware.py"))
for anchor in ANCHORS:
    title = f"DRAG, exact, beside {anchor:g} of imitation"
    method = replace(METHODS["drag-exact-anchored"], title=title, policy_loss=exact_gradient(anchor))
    register_method(f"slope-{anchor:g}", method)
TAUGHT_BY_BEST_TREE = ("dagger-optimal", *(f"slope-{anchor:g}" for anchor in ANCHORS))
ROWS = {
    row.name: row
    for row in (
        *(Row("dagger"), Row("aggrevate-advised", PRICES[0]), Row("drag-after-1")),
        *(Row(method, price) for method, price in product(TAUGHT_BY_BEST_TREE, PRICES)),
    )
}


def main(
    data: tuple[str, ...] = (),
    rows: tuple[str, ...] = tuple(ROWS),
    seeds: tuple[int, ...] = (11,),
    plateau: int = 2000,
    jobs: int = 2,
    out: Path = REPOSITORY / "results" / "signals",
) -> None:
    """Train and validate.

    Args:
        data: folders with images/ and masks/, or built-in; if not given, built-in and what is beside the repository.
        rows: what to train.
        seeds: of the split and of the training; one run each.
        plateau: updates without improvement that end a training.
        jobs: trainings at the same time.
        out: where the results go.
    """
    usual = ("built-in", *(str(path) for path in sorted(SHARED.glob("*")) if (path / "images").is_dir()))
    found = {Path(name).name: (Source() if name == "built-in" else Source(name)).read(256) for name in data or usual}
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        waiting = {}
        for seed, name in product(seeds, found):
            done = {run["row"] for run in known(out, name) if run["seed"] == seed}
            part = split(found[name], seed)
            for row in (ROWS[row] for row in rows if row not in done):
                folder = out / "jobs" / name / f"{row.name}-{seed}"
                waiting[pool.submit(one_run, row, row.settings(plateau, seed), part, folder)] = name
        for future in as_completed(waiting):
            name, run = waiting[future], future.result()
            count = len(found[name].names) - LEARN_FROM
            runs = [*known(out, name), run]
            results = {"data": name, "validation": count, "plateau": plateau, "runs": runs, **facts()}
            write_json(make_folder(out) / f"{name}.json", results)
            write_text(out / f"{name}.md", table(results))
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


def one_run(row: Row, settings: TrainSettings, data: TrainingData, folder: Path) -> dict[str, Any]:
    """Train to the plateau; the best epoch on validation images."""
    epochs = Trainer(settings, data, folder).run(resume=True)
    best = max(epochs, key=lambda epoch: float(epoch["validation_accuracy"]))
    title = method_named(settings.method).title
    return {
        "row": row.name, "title": title if row.price is None else f"{title}, price {row.price:g}",
        "seed": settings.seed, "accuracy": best["validation_accuracy"], "rectangles": best["validation_leaves"],
        "updates": epochs[-1]["updates"], "seconds": epochs[-1]["seconds"],
    }  # fmt: skip


def table(results: dict[str, Any]) -> str:
    """The rows from the most accurate on, as Markdown."""
    by_row: dict[str, list[dict[str, Any]]] = {}
    for run in results["runs"]:
        by_row.setdefault(run["row"], []).append(run)
    seeds = sorted({run["seed"] for run in results["runs"]})
    lines = [
        f"# Signals beyond the paper, on {results['data']}",
        "",
        f"Accuracy in percent on {results['validation']} validation images, best epoch; each training to a plateau of "
        f"{results['plateau']:,}",
        f"updates, preset frozen, {plural(len(seeds), 'split')} (seed {', '.join(map(str, seeds))}). "
        f"{results['machine']['cpu']}; {results['date']}.",
        "Made by `python benchmarks/signals.py`.",
        "",
        "| what is learned from | accuracy | rectangles | updates | runs |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]

    def mean(row: list[dict[str, Any]], name: str) -> float:
        return float(np.mean([run[name] for run in row]))

    lines += [
        f"| {row[0]['title']} | {100 * mean(row, 'accuracy'):.2f} | {mean(row, 'rectangles'):.0f} | "
        f"{mean(row, 'updates'):,.0f} | {len(row)} |"
        for row in sorted(by_row.values(), key=lambda row: -mean(row, "accuracy"))
    ]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    tyro.cli(main)
