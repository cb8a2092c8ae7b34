"""Accuracy against the number of labelled photographs: the preset best, the same from random weights, and the peer.

    python benchmarks/few_photographs.py [--data DIR ...] [--minutes 2] [--draws 3] [--counts 5 10 ...] [--rows best]

For each number of masks and each draw of photographs, every row is trained for the same minutes on all cores, and
parses the photographs that were held out of all draws. What `train` announces, an estimate with an interval, is held
against that. Stop it whenever you like: the same command goes on where it stopped. Writes
results/few-photographs/NAME.json and NAME.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from machine import REPOSITORY, facts, made_on
from strongest import METHOD, SHARED, row_of

from shapeparse.data import Loaded
from shapeparse.data.source import Source, pick
from shapeparse.learning.data import TrainingData
from shapeparse.learning.few import FEW
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.trainer import Trainer
from shapeparse.oracle.optimal import best_tree
from shapeparse.parsing.estimate import Estimate
from shapeparse.parsing.load import load
from shapeparse.peers.segmenter import Segmenter, SegmenterSettings
from shapeparse.support.files import make_folder, write_json, write_text

ROWS = {"best": "best", "scratch": "best, random weights", "unet-lite": "U-Net on the same encoder"}
HELD_OUT = 62
"""Photographs that no draw learns from."""
VALIDATION = 0.1
"""Share that validates, where there are enough; the peer always needs one at least."""


def main(
    data: tuple[Path, ...] = (),
    minutes: float = 2.0,
    draws: int = 3,
    seed: int = 3,
    counts: tuple[int, ...] = (5, 10, 20, 30, 60, 120, 270),
    rows: tuple[str, ...] = tuple(ROWS),
    out: Path = REPOSITORY / "results" / "few-photographs",
) -> None:
    """Train and measure.

    Args:
        data: folders with images/ and masks/; car-panels beside the repository if it is there, else built-in images.
        minutes: budget of each training.
        draws: draws of photographs for every number of them.
        seed: of the draws and of the trainings.
        counts: numbers of masks.
        rows: what to train, of best, scratch and unet-lite.
        out: where the results go.
    """
    usual = (SHARED / "car-panels",) if (SHARED / "car-panels").is_dir() else ()
    for source in (data or usual) or (None,):
        name = source.name if source else "built-in"
        loaded = (Source(str(source)) if source else Source()).read(256)
        path = make_folder(out) / f"{name}.json"
        runs: list[dict[str, Any]] = json.loads(path.read_text())["runs"] if path.exists() else []
        for count in counts:
            for draw in range(draws):
                for row in rows:
                    key = {"row": row, "count": count, "draw": draw, "minutes": minutes, "seed": seed}
                    if any(all(run[name] == value for name, value in key.items()) for run in runs):
                        continue
                    run = key | measured(row, loaded, count, draw, minutes, seed, out / "jobs")
                    runs.append(run | facts())
                    write_json(path, {"data": name, "runs": runs})
                    write_text(out / f"{name}.md", table(json.loads(path.read_text())))
                    print(f"{name}, {count} masks, draw {draw}, {ROWS[row]}: {run['accuracy']:.4f}", flush=True)


def measured(row: str, loaded: Loaded, count: int, draw: int, minutes: float, seed: int, jobs: Path) -> dict[str, Any]:
    """One training, and how accurate its best trees of held-out photographs are."""
    order = np.random.default_rng(seed).permutation(len(loaded.names))
    test = pick(loaded, [loaded.names[i] for i in order[:HELD_OUT]])
    drawn = np.random.default_rng([seed, draw, count]).permutation(order[HELD_OUT:])[:count]
    held = max(1, round(VALIDATION * len(drawn)))
    learns_from_all = row != "unet-lite" and count < FEW
    validation, train = (drawn[:0], drawn) if learns_from_all else (drawn[:held], drawn[held:])
    parts = [loaded.images[train], loaded.masks[train], loaded.images[validation], loaded.masks[validation]]
    folder = jobs / f"{row}-{count}-{draw}"
    if row == "unet-lite":
        settings = SegmenterSettings(
            minutes=minutes, seed=seed + draw, encoder="lite0", passes=max(2, 64 // count),
            begin_with="pretrained" if count < FEW else "none",  # as ours does
        )  # fmt: skip
        segmenter = Segmenter(settings, TrainingData(*parts), folder)
        segmenter.run(resume=True)
        trees = [best_tree(one).tree for one in segmenter.probabilities(test.images)]
        estimate: Estimate | None = None
    else:
        trainer = Trainer(TrainSettings(METHOD, row, minutes=minutes, seed=seed + draw), TrainingData(*parts), folder)
        trainer.run(resume=True)
        trees, estimate = load(folder).parse(list(test.images)), trainer.estimate
    found = row_of(trees, test.masks)
    known = {"estimate": None if estimate is None else estimate.to_json()}
    return {"accuracy": float(np.mean(found["accuracy_each"])), "rectangles": found["rectangles"], **known}


def table(results: dict[str, Any]) -> str:
    """A row a number of masks, a column a way, and how often the announced interval held the truth."""
    runs = results["runs"]
    lines = [
        f"# Accuracy against labelled photographs, on {results['data']}",
        "",
        f"Mean ± standard deviation over draws, in percent, on {HELD_OUT} photographs held out of all;",
        f"{runs[0]['minutes']:g} minutes a training on all cores, seed {runs[0]['seed']}. "
        f"{made_on(runs, [ROWS[run['row']] for run in runs])}.",
        "Made by `python benchmarks/few_photographs.py`.",
        "",
        f"| masks | {' | '.join(ROWS.values())} | announced by best |",
        f"| ---: |{' ---: |' * len(ROWS)} :--- |",
    ]
    for count in sorted({run["count"] for run in runs}):
        cells = []
        for row in ROWS:
            found = [100 * run["accuracy"] for run in runs if (run["row"], run["count"]) == (row, count)]
            spread = f" ± {np.std(found, ddof=1):.1f}" if len(found) > 1 else ""
            cells.append(f"{np.mean(found):.1f}{spread}" if found else "–")
        announced = "; ".join(
            f"{100 * one['low']:.0f} to {100 * one['high']:.0f}"
            for run in runs
            if (run["row"], run["count"]) == ("best", count) and (one := run["estimate"])
        )
        lines.append(f"| {count} | {' | '.join(cells)} | {announced} |")
    held = []
    for row, title in ROWS.items():
        said = [(run["accuracy"], run["estimate"]) for run in runs if run["row"] == row and run["estimate"]]
        inside = sum(one["low"] <= accuracy <= one["high"] for accuracy, one in said)
        held.extend([f"{inside} of {len(said)} runs of {title}"] if said else [])
    return "\n".join([*lines, "", f"The announced interval held the truth in {' and in '.join(held)}.", ""])


if __name__ == "__main__":
    tyro.cli(main)
