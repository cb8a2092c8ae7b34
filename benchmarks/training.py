"""How fast training is: updates and nodes a second of methods and presets, the replay's memory, and peak memory.

    python benchmarks/training.py [--epochs 1] [--presets fast frozen] [--methods ...]

Uses the built-in generator at 256x256, 362 images, and one thread. Writes results/speed/training.json and training.md.
"""

from __future__ import annotations

import resource
import tempfile
from itertools import product
from pathlib import Path

import tyro
from machine import REPOSITORY, facts

from shapeparse.data.source import Source
from shapeparse.learning.data import split_data
from shapeparse.learning.memory import Memory
from shapeparse.learning.methods import METHODS
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.trainer import Trainer
from shapeparse.support.files import make_folder, write_json, write_text

NODES = 1_000_000


def main(
    epochs: int = 1,
    presets: tuple[str, ...] = ("fast", "frozen"),
    methods: tuple[str, ...] = tuple(METHODS),
    out: Path = REPOSITORY / "results" / "speed",
) -> None:
    """Train each method for some epochs and count.

    Args:
        epochs: passes over the images.
        presets: networks to train.
        methods: what to train them with.
        out: where the results go.
    """
    data, _ = split_data(Source().read(256), 0.1, 0, 0, Source())
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
    lines = [
        "# Speed of training",
        "",
        f"362 images of the built-in generator, one thread. Peak memory {peak:.0f} MB, with all rows one after the",
        f"other in one process; a replay of a million nodes takes {replay:.0f} MB. Rollouts and validation are part of",
        "the time; that frozen eyes look at all images once is not. Made by `python benchmarks/training.py`.",
        "",
        "| preset | method | updates a second | nodes learned from a second | seconds an epoch |",
        "| --- | --- | ---: | ---: | ---: |",
        *[
            f"| {row['preset']} | {row['method']} | {row['updates_per_second']:.1f} | {row['nodes_per_second']:.0f} | "
            f"{row['seconds_an_epoch']:.1f} |"
            for row in rows
        ],
        "",
    ]
    write_text(out / "training.md", "\n".join(lines))


if __name__ == "__main__":
    tyro.cli(main)
