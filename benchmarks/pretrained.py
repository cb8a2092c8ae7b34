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
from shapeparse.grammar import ParseTree
from shapeparse.learning.beginning import NOTHING
from shapeparse.learning.data import split_data
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.start import stored_settings
from shapeparse.learning.trainer import Trainer
from shapeparse.networks.presets import preset_named
from shapeparse.oracle import igm
from shapeparse.oracle.optimal import best_tree
from shapeparse.oracle.ready import ready_oracle
from shapeparse.parsing.evaluation import accuracy_and_leaves
from shapeparse.parsing.load import load
from shapeparse.parsing.parser import Parser
from shapeparse.parsing.run_data import RunData
from shapeparse.parsing.settings import ParseSettings
from shapeparse.parsing.shipped import PRETRAINED, ship
from shapeparse.support import progress
from shapeparse.support.files import make_folder, write_json, write_text

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
    others: tuple[Path, ...] | None = None,
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
        others: folders with images/ and masks/ of other kinds; those beside the repository if not given.
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
        "others": [transferred(parser, path) for path in (folders() if others is None else others)],
        **facts(),
    }
    write_json(make_folder(out) / "pretrained.json", result)
    write_text(out / "pretrained.md", page(result))
    print(page(result))


def train(work: Path, loaded: Loaded, source: Source, test: int, settings: TrainSettings) -> None:
    """Train, or go on training, in the run folder."""
    data, parts = split_data(loaded, VALIDATION, test, SEED, source)
    trainer = Trainer(settings, data, work, {"data": parts}, begin_with=NOTHING)
    with Watch(trainer) as watch:
        trainer.run(resume=True, report=watch)


def measured(parser: Parser, held_out: Loaded) -> dict[str, Any]:
    """How good the parser is on pictures it has never met, and what can be reached without learning."""
    forests = parser.forests(held_out.images, progress.bar("Parsing photographs"), ParseSettings())
    right, leaves = accuracy_and_leaves(forests, held_out.masks)
    paint = held_out.masks.mean(axis=(1, 2))
    greedy = igm(list(held_out.masks), parser.limits.depth, parser.limits.min_extent)
    best = [best_tree(mask).tree for mask in held_out.masks]
    assert isinstance(greedy, list)
    return {
        "accuracy": float(right.mean()),
        "leaves": float(leaves.mean()),
        "majority_accuracy": float(np.maximum(paint, 1 - paint).mean()),
        "oracle_accuracy": mean_accuracy(greedy, held_out),
        "best_accuracy": mean_accuracy(best, held_out),
        "calibration_error": parser.reliability(forests, held_out.masks).error,
    }


def mean_accuracy(trees: list[ParseTree], photographs: Loaded) -> float:
    """Of trees that were made with the masks in sight."""
    return float(np.mean([tree.accuracy(mask) for tree, mask in zip(trees, photographs.masks, strict=True)]))


def accuracy(parser: Parser, photographs: Loaded) -> float:
    """The mean share of pixels labelled right."""
    forests = parser.forests(photographs.images, settings=ParseSettings())
    return float(accuracy_and_leaves(forests, photographs.masks)[0].mean())


def folders() -> list[Path]:
    """Photographs of other kinds beside the repository."""
    return [path for path in sorted((REPOSITORY.parent / "shared" / "data").glob("*")) if (path / "images").is_dir()]


def transferred(parser: Parser, folder: Path) -> dict[str, Any]:
    """How good the parser is on photographs of another kind, and whether it notices that they are."""
    loaded = Source(str(folder)).read(parser.side)
    strange = np.array(parser.strangeness(loaded.images), float)
    paint = float(loaded.masks.mean())
    return {
        "data": folder.name,
        "photographs": len(loaded.names),
        "accuracy": accuracy(parser, loaded),
        "one_label": max(paint, 1 - paint),
        "noticed": float((strange > 1).mean()),
    }


def page(result: dict[str, Any]) -> str:
    """The result as Markdown."""
    rows = {
        "Majority label of each image": "majority_accuracy",
        "The pretrained parser": "accuracy",
        "The same before its weights became float16": "float32_accuracy",
        "Oracle (IGM), sees the mask": "oracle_accuracy",
        "Best tree at the same price, sees the mask": "best_accuracy",
    }
    lines = [f"| {title} | {100 * result[name]:.2f} |" for title, name in rows.items()]
    machine = result["machine"]
    return f"""# The pretrained parser

Preset {result["preset"]}, trained by {result["method"]} for {result["epochs"]} epochs on {result["train"]} pictures
of the built-in generator (its wide world, seed {result["seed"]}); {result["validation"]} more taught it how sure it may
be. The encoder stays as its wheel has it. All that was learned is float16 and takes {result["bytes"] / 1e6:.2f} MB.

Share of the pixels labelled right, on {result["test"]} pictures of the same generator that were held out:

| row | test % |
| --- | ---: |
{chr(10).join(lines)}

Its trees have {result["leaves"]:.1f} rectangles on average, and how sure it is of a label is off by
{100 * result["calibration_error"]:.2f} % on average.

{chr(10).join(others_lines(result["others"]))}
{machine["cpu"]}, {machine["cores"]} cores; {result["date"]}. Made by `python benchmarks/pretrained.py`.
"""


def others_lines(others: list[dict[str, Any]]) -> list[str]:
    """How it does on photographs of other kinds, as Markdown."""
    if not others:
        return []
    return [
        "On real photographs of other kinds, none of which it has learned from; *noticed* is the share of them that it",
        "says are unlike what it knows:",
        "",
        "| photographs | number | right % | one label for all % | noticed % |",
        "| --- | ---: | ---: | ---: | ---: |",
        *(
            f"| {one['data']} | {one['photographs']} | {100 * one['accuracy']:.2f} | {100 * one['one_label']:.2f} "
            f"| {100 * one['noticed']:.1f} |"
            for one in others
        ),
        "",
    ]


if __name__ == "__main__":
    tyro.cli(main)
