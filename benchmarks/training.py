"""How fast training is: updates and nodes a second of methods and presets, the replay's memory, and peak memory.

    python benchmarks/training.py [--epochs 1] [--presets fast frozen] [--methods ...]

Uses the built-in generator at 256x256, 362 images, and one thread. Writes results/speed/training.json and training.md.
"""

from __future__ import annotations

import resource
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import tyro
from machine import REPOSITORY, facts, made_on

from shapeparse.data.source import Source
from shapeparse.learning.data import split_data
from shapeparse.learning.memory import Memory
from shapeparse.learning.names import PUBLISHED
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.trainer import Trainer
from shapeparse.support.files import make_folder, write_json, write_text

IMAGES = 362
NODES = 1_000_000


def main(
    epochs: int = 1,
    presets: tuple[str, ...] = ("fast", "frozen"),
    methods: tuple[str, ...] = (*PUBLISHED, "drag-exact-anchored"),
    out: Path = REPOSITORY / "results" / "speed",
) -> None:
    """Train each method for some epochs and count.

    Args:
        epochs: passes over the images.
        presets: networks to train.
        methods: what to train them with.
        out: where the results go.
    """
    source = Source(count=IMAGES)
    data, _ = split_data(source.read(256), 0.1, 0, 0, source)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (preset, method) in enumerate(product(presets, methods)):
            settings = TrainSettings(method=method, preset=preset, epochs=epochs + 1, threads=1)
            trainer = Trainer(settings, data, Path(folder) / str(number))
            before, *found = trainer.run()  # the first epoch is for kernels to be compiled in
            seconds = found[-1]["seconds"] - before["seconds"]
            updates = found[-1]["updates"] - before["updates"]
            nodes = found[-1]["node_samples"] - before["node_samples"]
            rows.append(
                {
                    "preset": preset,
                    "method": method,
                    "updates_per_second": updates / seconds,
                    "nodes_per_second": nodes / seconds,
                    "seconds_an_epoch": seconds / epochs,
                }
            )
            print(rows[-1], flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    replay = Memory(1000, NODES // 1000).nbytes() / 1e6
    result = {"rows": rows, "peak_rss_mb": peak, "replay_mb_of_a_million_nodes": replay, **facts()}
    write_json(make_folder(out) / "training.json", result)
    write_text(out / "training.md", table(result))


def table(result: dict[str, Any]) -> str:
    """A row a method: what each preset does a second, and how the last compares with the first."""
    found = {(row["preset"], row["method"]): row for row in result["rows"]}
    presets, methods = ([*dict.fromkeys(row[key] for row in result["rows"])] for key in ("preset", "method"))
    titles = [f"{what} a second, {preset}" for what in ("updates", "nodes") for preset in presets]
    lines = [
        "# Speed of training",
        "",
        f"{IMAGES} images of the built-in generator, one thread. Peak memory {result['peak_rss_mb']:.0f} MB, with all",
        "rows one after the other in one process; a replay of a million nodes takes "
        f"{result['replay_mb_of_a_million_nodes']:.0f} MB. Rollouts and",
        "validation are part of the time; that frozen eyes look at all images once is not. *Times* is how many more",
        f"updates {presets[-1]} makes than {presets[0]}. {made_on([result], ['all rows'])}.",
        "Made by `python benchmarks/training.py`.",
        "",
        f"| method | {' | '.join(titles)} | times |",
        f"| --- |{' ---: |' * (len(titles) + 1)}",
    ]
    for method in methods:
        updates, nodes = (
            [found[preset, method][f"{what}_per_second"] for preset in presets] for what in ("updates", "nodes")
        )
        cells = [*(f"{one:.1f}" for one in updates), *(f"{one:,.0f}" for one in nodes)]
        lines.append(f"| {method} | {' | '.join(cells)} | {updates[-1] / updates[0]:.1f} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    tyro.cli(main)
