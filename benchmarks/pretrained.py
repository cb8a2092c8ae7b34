"""Make the pretrained parser that comes with the package: preset best, learned from the built-in generator.

    python benchmarks/pretrained.py [--images 3400] [--test 200] [--epochs 10]

The pictures have a seed of their own, so those of the demo, the benchmarks and the tests are not among them. Stop it
whenever you like: the same command goes on where it stopped. The run is kept in runs/pretrained; what it learned goes
to src/shapeparse/parsing/pretrained as float16, without the encoder, which stays as its wheel has it. How good it is on
pictures held out, and on the photographs beside the repository, goes to results/pretrained.
To ship a run that is there already, say so: --run RUN.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import tyro
from machine import REPOSITORY, facts

from shapeparse.commands.evaluate import choose
from shapeparse.commands.watch import Watch
from shapeparse.data import BUILT_IN, Loaded
from shapeparse.data.source import Source
from shapeparse.learning.data import split_data
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.start import stored_settings
from shapeparse.learning.trainer import Trainer
from shapeparse.networks.presets import preset_named
from shapeparse.oracle import igm
from shapeparse.oracle.ready import ready_oracle
from shapeparse.parsing.evaluation import accuracy_and_leaves, evaluate
from shapeparse.parsing.load import load
from shapeparse.parsing.parser import Parser
from shapeparse.parsing.run_data import RunData
from shapeparse.parsing.shipped import PRETRAINED, ship
from shapeparse.support import progress
from shapeparse.support.files import make_folder, write_json, write_text
from shapeparse.support.limits import LOOKAHEAD

PRESET, METHOD, WORLD = "best", "dagger", "wide"
AS_IT_IS = {"encoder_rate": 0.0}
"""The encoder is not fine-tuned: the package does not hold it, and what ImageNet taught goes further than what the
generator can teach."""
SEED = 1_000_000
"""Of the pictures: demo, tests and benchmarks have small ones."""
VALIDATION = 0.05


def main(
    images: int = 3400,
    test: int = 200,
    epochs: int = 10,
    threads: int | None = None,
    run: Path | None = None,
    work: Path = REPOSITORY / "runs" / "pretrained",
    package: Path = PRETRAINED,
    out: Path = REPOSITORY / "results" / "pretrained",
) -> None:
    """Train, ship and measure.

    Args:
        images: pictures that are made, the held-out ones among them.
        test: pictures to hold out.
        epochs: budget of the training.
        threads: that train; all cores if not given.
        run: a run to ship as it is, instead of a training.
        work: the run folder of the training.
        package: where the package's own data is.
        out: where the results go.
    """
    ready_oracle()
    source = RunData.of(run).source if run else Source(BUILT_IN, seed=SEED, count=images, world=WORLD)
    loaded = source.read(preset_named(PRESET).side)
    if run is None:
        settings = TrainSettings(preset=PRESET, method=METHOD, epochs=epochs, threads=threads, learning=AS_IT_IS)
        train(work, loaded, source, test, settings)
    size = ship(run or work, package)
    parser, stored = load(package), RunData.of(package)
    settings, held_out = stored_settings(package), choose(loaded, "test", stored, package)
    result = {
        **{name: getattr(settings, name) for name in ("preset", "method", "epochs")},
        "seed": stored.source.seed,
        **{part: len(names) for part, names in stored.parts.items()},
        "bytes": size,
        "epoch": parser.facts["epoch"],
        **measured(parser, held_out),
        "float32_accuracy": accuracy(load(run or work), held_out),
        **facts(),
    }
    write_json(make_folder(out) / "pretrained.json", result)
    write_text(out / "pretrained.md", page(result))
    print(page(result))


def train(work: Path, loaded: Loaded, source: Source, test: int, settings: TrainSettings) -> None:
    """Train, or go on training, in the run folder."""
    data, parts = split_data(loaded, VALIDATION, test, SEED, source)
    trainer = Trainer(settings, data, work, {"data": parts})
    with Watch(trainer) as watch:
        trainer.run(resume=True, report=watch)


def measured(parser: Parser, held_out: Loaded) -> dict[str, Any]:
    """How good the parser is on pictures it has never met, and what can be reached without learning."""
    forests = parser.forests(held_out.images, progress.bar("Parsing photographs"))
    summary = evaluate(forests, held_out.masks, parser.limits).summary()
    names = ("accuracy", "iou", "leaves", "majority_accuracy", "oracle_accuracy")
    ahead = igm(list(held_out.masks), parser.limits.depth, parser.limits.min_extent, LOOKAHEAD)
    assert isinstance(ahead, list)
    looked = np.mean([tree.accuracy(mask) for tree, mask in zip(ahead, held_out.masks, strict=True)])
    return {
        **{name: summary[name] for name in names},
        "lookahead_accuracy": float(looked),
        "calibration_error": parser.reliability(forests, held_out.masks).error,
    }


def accuracy(parser: Parser, held_out: Loaded) -> float:
    """The mean share of pixels labelled right."""
    return float(accuracy_and_leaves(parser.forests(held_out.images), held_out.masks)[0].mean())


def page(result: dict[str, Any]) -> str:
    """The result as Markdown."""
    rows = {
        "Majority label of each image": "majority_accuracy",
        "The pretrained parser": "accuracy",
        "The same before its weights became float16": "float32_accuracy",
        "Oracle (IGM), sees the mask": "oracle_accuracy",
        "Oracle with lookahead": "lookahead_accuracy",
    }
    lines = [f"| {title} | {100 * result[name]:.2f} |" for title, name in rows.items()]
    machine = result["machine"]
    return f"""# The pretrained parser

Preset {result["preset"]}, trained by {result["method"]} for {result["epochs"]} epochs on {result["train"]} pictures
of the built-in generator (seed {result["seed"]}); {result["validation"]} more taught it how sure it may be. Its weights
are float16 and take {result["bytes"] / 1e6:.2f} MB.

Share of the pixels labelled right, on {result["test"]} pictures of the same generator that were held out:

| row | test % |
| --- | ---: |
{chr(10).join(lines)}

Its trees have {result["leaves"]:.1f} rectangles on average, and how sure it is of a label is off by
{100 * result["calibration_error"]:.2f} % on average.
It knows the generator's plates, window frames and car doors only; these figures say nothing of other photographs.

{machine["cpu"]}, {machine["cores"]} cores; {result["date"]}. Made by `python benchmarks/pretrained.py`.
"""


if __name__ == "__main__":
    tyro.cli(main)
