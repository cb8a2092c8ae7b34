"""How fast training is: nodes a second of every method, the replay's memory, and peak memory of a whole training.

    python benchmarks/training.py [--epochs 1]

Uses the built-in generator at 256x256, 362 images. Writes results/speed/training.json and training.md.
"""

from __future__ import annotations

import resource
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
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


def main(epochs: int = 1, out: Path = REPOSITORY / "results" / "speed") -> None:
    """Train each method for some epochs and count.

    Args:
        epochs: passes over the images.
        out: where the results go.
    """
    data, _ = split_data(Source().read(256), 0.1, 0, 0, Source())
    rows = []
    for method in METHODS:
        with tempfile.TemporaryDirectory() as folder:
            start = perf_counter()
            trainer = Trainer(TrainSettings(method=method, epochs=epochs), data, Path(folder) / "run")
            found = trainer.run()
            seconds = perf_counter() - start
        nodes = float(np.median([row["nodes_per_second"] for row in found]))
        rows.append({"method": method, "nodes_per_second": nodes, "seconds_an_epoch": seconds / epochs})
        print(rows[-1], flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    replay = Memory(1000, NODES // 1000).nbytes() / 1e6
    result = {"rows": rows, "peak_rss_mb": peak, "replay_mb_of_a_million_nodes": replay, **facts()}
    write_json(make_folder(out) / "training.json", result)
    lines = [
        "# Speed of training",
        "",
        f"Preset fast, 362 images of the built-in generator. Peak memory {peak:.0f} MB, with all methods one after the",
        f"other in one process; a replay of a million nodes takes {replay:.0f} MB.",
        "Made by `python benchmarks/training.py`.",
        "",
        "| method | nodes learned from a second | seconds an epoch |",
        "| --- | --- | --- |",
        *[f"| {row['method']} | {row['nodes_per_second']:.0f} | {row['seconds_an_epoch']:.1f} |" for row in rows],
        "",
    ]
    write_text(out / "training.md", "\n".join(lines))


if __name__ == "__main__":
    tyro.cli(main)
