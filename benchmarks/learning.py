"""How accurate the methods become: seeded random splits, the same minutes for each, test images parsed once at the end.

    python benchmarks/learning.py [--data DIR] [--methods bc dagger ...] [--preset fast] [--folds 3] [--minutes 5]

``DIR`` is a folder with images/ and masks/; without it the car-panels data beside the repository if it is there, else
the built-in generator. One run at a time, on all cores. Stop it whenever you like: the same command goes on where it
stopped, and skips what is done. Run folders go to runs/learning (ignored by git); the numbers of every run, the splits
and a table go to results/learning.
"""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from machine import REPOSITORY, facts

from shapeparse.commands.learning import Source
from shapeparse.data import Loaded, Split, random_splits
from shapeparse.evaluate import evaluate
from shapeparse.files import make_folder, write_json, write_text
from shapeparse.methods import METHODS
from shapeparse.model import load
from shapeparse.networks.presets import preset_named
from shapeparse.train import Trainer, TrainingData, TrainSettings

CAR_PANELS = REPOSITORY.parent / "shared" / "data" / "car-panels"
TRAIN_SHARE = 300 / 362
VALIDATION = 30


def main(
    data: Path | None = None,
    methods: tuple[str, ...] = tuple(METHODS),
    preset: str = "fast",
    folds: int = 3,
    minutes: float = 5.0,
    seed: int = 0,
    out: Path = REPOSITORY / "results" / "learning",
    runs: Path = REPOSITORY / "runs" / "learning",
) -> None:
    """Train every method on every fold and write a table.

    Args:
        data: a folder with images/ and masks/.
        methods: which methods; all if not given.
        preset: which network.
        folds: how many random splits.
        minutes: budget of each run.
        seed: of the splits and of the runs.
        out: where the numbers go.
        runs: where the run folders go.
    """
    if data is None and CAR_PANELS.is_dir():
        data = CAR_PANELS
    name = data.name if data else "built-in"
    loaded = (Source(str(data)) if data else Source()).read(preset_named(preset).side)
    splits = [
        split.with_validation(VALIDATION, seed + fold)
        for fold, split in enumerate(
            random_splits(len(loaded.names), round(len(loaded.names) * TRAIN_SHARE), folds, seed)
        )
    ]
    results = make_folder(out / name)
    write_json(results / "splits.json", [split.to_json() for split in splits])
    for fold, split in enumerate(splits):
        for method in methods:
            settings = TrainSettings(method=method, preset=preset, minutes=minutes, seed=seed + fold)
            job = f"{preset}-{method}-{fold}"
            if (results / f"{job}.json").exists():
                continue
            result = one_run(settings, loaded, split, runs / name / job)
            write_json(results / f"{job}.json", {"data": name, "fold": fold, **result})
            print(f"{name} {job}: test {result['test']['accuracy']:.4f}", flush=True)
            write_table(results, name)


def one_run(settings: TrainSettings, loaded: Loaded, split: Split, folder: Path) -> dict[str, Any]:
    """Train, resuming if it was interrupted; then evaluate the epoch that was best on validation, on each part."""
    parts = {part: list(getattr(split, part)) for part in ("train", "validation", "test")}
    images, masks = loaded.images, loaded.masks
    training = TrainingData(
        images[parts["train"]], masks[parts["train"]], images[parts["validation"]], masks[parts["validation"]]
    )
    trainer = Trainer(settings, training, folder)
    rows = trainer.run(resume=True)
    parser = load(folder)
    found = {part: evaluate(parser.policy, images[i], masks[i], parser.limits) for part, i in parts.items()}
    return {
        "settings": asdict(settings),
        "epochs": len(rows),
        "best_epoch": trainer.best_epoch,
        "seconds": trainer.seconds,
        "validation_curve": [[row["seconds"], row["validation_accuracy"]] for row in rows],
        "nodes_per_second": statistics.median(row["nodes_per_second"] for row in rows),
        **{part: evaluation.summary() for part, evaluation in found.items()},
        "test_accuracy_each": found["test"].accuracy.tolist(),
        **facts(),
    }


def write_table(folder: Path, name: str) -> None:
    """One table of all runs of a dataset that are done."""
    results = [json.loads(path.read_text()) for path in sorted(folder.glob("*-[0-9].json"))]
    rows = [table_row(key, group) for key, group in grouped(results).items()]
    columns = ("preset", "method", "minutes", "folds", "train", "validation", "test", "sd", "oracle")
    columns += ("lost by labels", "lost by splits", "leaves")
    lines = [
        f"# Methods on {name}",
        "",
        "Pixel accuracy, mean over folds. Test images are parsed once, by the epoch that was best on validation.",
        "Made by `python benchmarks/learning.py`; every run has a JSON file beside this one.",
        "",
        f"| {' | '.join(columns)} |",
        f"|{' --- |' * len(columns)}",
        *sorted(rows, key=lambda row: (row.split("|")[1], -float(row.split("|")[7]))),
        "",
    ]
    write_text(folder / "table.md", "\n".join(lines))


def grouped(results: list[dict[str, Any]]) -> dict[tuple[str, str, float], list[dict[str, Any]]]:
    """Runs that differ only in their fold."""
    groups: dict[tuple[str, str, float], list[dict[str, Any]]] = {}
    for result in results:
        settings = result["settings"]
        groups.setdefault((settings["preset"], settings["method"], settings["minutes"]), []).append(result)
    return groups


def table_row(key: tuple[str, str, float], group: list[dict[str, Any]]) -> str:
    """A line of the table: means over the folds."""
    preset, method, minutes = key

    def mean(part: str, figure: str) -> float:
        return float(np.mean([np.sum(result[part][figure]) for result in group]))

    spread = float(np.std([result["test"]["accuracy"] for result in group], ddof=1)) if len(group) > 1 else 0.0
    accuracy = " | ".join(f"{mean(part, 'accuracy'):.4f}" for part in ("train", "validation", "test"))
    regret = " | ".join(f"{mean('test', f'{kind}_regret_by_depth'):.4f}" for kind in ("label", "split"))
    return (
        f"| {preset} | {METHODS[method].title} | {minutes:g} | {len(group)} | {accuracy} | {spread:.4f} "
        f"| {mean('test', 'oracle_accuracy'):.4f} | {regret} | {mean('test', 'leaves'):.0f} |"
    )


if __name__ == "__main__":
    tyro.cli(main)
