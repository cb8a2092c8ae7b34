"""What each part of the strongest parser brings, on validation images of the first split.

    python benchmarks/ablations.py [--data DIR ...] [--minutes 3]

The preset scratch is trained as it is, and once more without each of its parts or with another, for the same minutes on
all cores. Test images are not even read. Stop it whenever you like: the same command goes on where it stopped. Writes
results/ablations/NAME.json and NAME.md.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from machine import REPOSITORY, facts
from strongest import METHOD, SHARED, evidence, row_of, ways_of_best

from shapeparse.benchmark.plan import Job, Plan
from shapeparse.data.source import Source
from shapeparse.grammar import ParseTree
from shapeparse.learning.data import TrainingData
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.trainer import Trainer
from shapeparse.networks.presets import PRESETS
from shapeparse.parsing.load import load
from shapeparse.support.files import make_folder, write_json, write_text

SMALL_LOOK = "scratch-192"
PRESETS[SMALL_LOOK] = replace(PRESETS["scratch"], look=192)


def variants(usual: TrainSettings) -> dict[str, TrainSettings]:
    """The settings of the preset scratch, and others, each with one part changed."""
    learning = usual.learning
    return {
        "as it is": usual,
        "nodes from the start": replace(usual, map_until=0.0),
        "large looks from the start": replace(usual, first_look=0),
        "weights not averaged": replace(usual, learning=replace(learning, averaging=0.0)),
        "heads that share the map's schedule": replace(usual, learning=replace(learning, fresh_heads=False)),
        "full precision": replace(usual, learning=replace(learning, quick=False)),
        "no loss of the map": replace(usual, map_until=0.0, learning=replace(learning, map_weight=0.0)),
        "taught by the lookahead oracle": replace(usual, lookahead=8),
        "DRAG, dense and anchored": replace(usual, method="drag-anchored"),
        "looking at 192 x 192 pixels only": replace(usual, preset=SMALL_LOOK),
    }


def main(data: tuple[Path, ...] = (), minutes: float = 3.0, out: Path = REPOSITORY / "results" / "ablations") -> None:
    """Train all variants.

    Args:
        data: folders with images/ and masks/; those beside the repository if there are any, else built-in images.
        minutes: budget of each training.
        out: where the results go.
    """
    found = data or tuple(path for path in sorted(SHARED.glob("*")) if (path / "images").is_dir())
    for source in (*found,) or (None,):
        name = source.name if source else "built-in"
        loaded = (Source(str(source)) if source else Source()).read(256)
        plan = Plan.of(name, loaded, 1, minutes, None, "scratch")
        path = make_folder(out) / f"{name}.json"
        rows: list[dict[str, Any]] = json.loads(path.read_text())["rows"] if path.exists() else []
        done = {row["variant"] for row in rows if row["minutes"] == minutes}
        for number, (title, settings) in enumerate(variants(plan.settings(Job(METHOD, 0, "scratch"))).items()):
            if title in done:
                continue
            row = trained(settings, plan, plan.training_data(loaded, 0), out / "jobs" / f"{name}-{number}")
            rows.append({"variant": title, "minutes": minutes, **row})
            write_json(path, {"data": name, "rows": rows, **facts()})
            write_text(out / f"{name}.md", table(name, rows))
            print(f"{name}, {title}: {row['ways']}", flush=True)


def trained(settings: TrainSettings, plan: Plan, training: TrainingData, folder: Path) -> dict[str, Any]:
    """Train with some settings; accuracy on validation images in every way of parsing them."""
    run = Trainer(settings, training, folder)
    run.run(resume=True)
    parser = load(folder)
    policy = parser.policy
    images, masks = training.validation_images, training.validation_masks
    ways = {title: mean_accuracy(parse(images), masks) for title, parse in ways_of_best(policy, plan).items()}
    raw = float(((evidence(policy, images) > 0.5) == masks).mean())
    return {"epochs": run.epoch, "updates": run.learner.updates, "ways": {**ways, "its map, no tree": raw}}


def mean_accuracy(trees: Sequence[ParseTree], masks: np.ndarray) -> float:
    """Of trees, each held against its mask."""
    return float(np.mean(row_of(trees, masks)["accuracy_each"]))


def table(name: str, rows: list[dict[str, Any]]) -> str:
    """A row a variant, a column a way of parsing, as Markdown."""
    columns = list(rows[0]["ways"])
    lines = [
        f"# What each part of the strongest parser brings, on {name}",
        "",
        f"Accuracy in percent on validation images of the first split, {rows[0]['minutes']:g} minutes a row.",
        "Made by `python benchmarks/ablations.py`.",
        "",
        f"| trained | {' | '.join(columns)} | updates |",
        f"| --- |{' ---: |' * (len(columns) + 1)}",
    ]
    for row in rows:
        cells = [f"{100 * row['ways'][column]:.2f}" for column in columns]
        lines.append(f"| {row['variant']} | {' | '.join(cells)} | {row['updates']} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    tyro.cli(main)
