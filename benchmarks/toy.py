"""Does every method learn? The built-in generator at 64x64, a minute each: start, end and the majority line.

    python benchmarks/toy.py [--methods ...] [--minutes 1]

A method's start is its untrained policy. Two methods train at a time, on one core each. Writes
results/learning/toy.json and toy.md.
"""

from __future__ import annotations

import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import tyro
from machine import REPOSITORY, facts

from shapeparse.data.generator import generate
from shapeparse.grammar import Limits
from shapeparse.learning.data import TrainingData
from shapeparse.learning.learner import Learner
from shapeparse.learning.methods import METHODS
from shapeparse.learning.settings import LearningSettings, TrainSettings
from shapeparse.learning.trainer import Trainer
from shapeparse.networks.presets import PRESETS
from shapeparse.parsing.evaluation import evaluate
from shapeparse.parsing.load import load
from shapeparse.parsing.trees import parse_images
from shapeparse.support.files import make_folder, write_json, write_text

SIDE, COUNT, DEPTH = 64, 362, 5
TOY = replace(PRESETS["fast"], side=SIDE, positions=16)


def main(
    methods: tuple[str, ...] = tuple(METHODS),
    minutes: float = 1.0,
    seed: int = 0,
    jobs: int = 2,
    out: Path = REPOSITORY / "results" / "learning",
) -> None:
    """Train each method on 270 images, choose the epoch on 30 others, and test on 62.

    Args:
        methods: which methods; all if not given.
        minutes: budget of each.
        seed: of everything random.
        jobs: methods at the same time.
        out: where the results go.
    """
    samples = [generate(seed, index, SIDE) for index in range(COUNT)]
    images, masks = (np.stack(column) for column in zip(*samples, strict=True))
    rows = []
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        for row in pool.map(partial(one_method, images=images, masks=masks, minutes=minutes, seed=seed), methods):
            print(row, flush=True)
            rows.append(row)
    result = {"seed": seed, "minutes": minutes, "side": SIDE, "depth": DEPTH, "rows": rows, **facts()}
    write_json(make_folder(out) / "toy.json", result)
    lines = [
        "# Does every method learn?",
        "",
        f"The built-in generator at {SIDE}x{SIDE}, depth {DEPTH}, {minutes:g} minutes each, 62 test images.",
        "Made by `python benchmarks/toy.py`.",
        "",
        "| method | untrained | trained | majority | oracle |",
        "| --- | --- | --- | --- | --- |",
        *[
            f"| {row['title']} | {row['start']:.4f} | {row['end']:.4f} | {row['majority']:.4f} | {row['oracle']:.4f} |"
            for row in rows
        ],
        "",
    ]
    write_text(out / "toy.md", "\n".join(lines))


def one_method(name: str, images: np.ndarray, masks: np.ndarray, minutes: float, seed: int) -> dict[str, Any]:
    """Accuracy on test images before and after training."""
    data = TrainingData(images[:270], masks[:270], images[270:300], masks[270:300])
    limits = Limits(DEPTH)
    untrained = Learner(METHODS[name], TOY, limits, LearningSettings(), seed).policy
    start = evaluate(parse_images(untrained, images[300:], limits), masks[300:], limits).summary()
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(PRESETS, {"toy": TOY}):
        settings = TrainSettings(method=name, preset="toy", minutes=minutes, seed=seed, depth=DEPTH, threads=1)
        trainer = Trainer(settings, data, Path(folder) / "run")
        trainer.run()
        trained = load(Path(folder) / "run")
        end = evaluate(trained.forests(images[300:]), masks[300:], limits).summary()
    return {
        "method": name,
        "title": METHODS[name].title,
        "start": start["accuracy"],
        "end": end["accuracy"],
        "majority": end["majority_accuracy"],
        "oracle": end["oracle_accuracy"],
        "leaves": end["leaves"],
        "label_regret_by_depth": end["label_regret_by_depth"],
        "split_regret_by_depth": end["split_regret_by_depth"],
        "epochs": trainer.epoch,
    }


if __name__ == "__main__":
    tyro.cli(main)
