"""The same bounded tuning for every method: four trials each, judged on validation images of the first split alone.

    python benchmarks/tuning.py [--data DIR] [--methods ...] [--epochs 16]

Every method gets its usual settings, half and double the learning rates, and three times the weight of its second most
important number: the entropy's, or, where there is imitation, the split's. Test images are not even read. Trials run
two at a time, on one core each; what results/NAME/results.json of the benchmark has of the same settings is not run
again. Stop it whenever you like: the same command goes on. Writes results/tuning/NAME.json and NAME.md.
"""

from __future__ import annotations

import json
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import tyro
from machine import REPOSITORY, facts

from shapeparse.benchmark.plan import Job, Plan
from shapeparse.data.source import Source
from shapeparse.learning.data import TrainingData
from shapeparse.learning.methods import METHODS
from shapeparse.learning.settings import LearningSettings, TrainSettings, recipe
from shapeparse.learning.trainer import Trainer
from shapeparse.networks.presets import preset_named
from shapeparse.support.files import make_folder, write_json, write_text

CAR_PANELS = REPOSITORY.parent / "shared" / "data" / "car-panels"


def main(
    data: Path | None = None,
    methods: tuple[str, ...] = tuple(METHODS),
    epochs: int = 16,
    preset: str = "fast",
    jobs: int = 2,
    out: Path = REPOSITORY / "results" / "tuning",
) -> None:
    """Try the settings of each method.

    Args:
        data: a folder with images/ and masks/; car-panels beside the repository, or else the built-in generator.
        methods: which methods; all if not given.
        epochs: budget of each trial.
        preset: which network.
        jobs: trials at the same time.
        out: where the results go.
    """
    if data is None and CAR_PANELS.is_dir():
        data = CAR_PANELS
    name = data.name if data else "built-in"
    loaded = (Source(str(data)) if data else Source()).read(preset_named(preset).side)
    plan = Plan.of(name, loaded, 1, None, epochs, preset)
    training = plan.training_data(loaded, 0)
    path = make_folder(out) / f"{name}.json"
    trials: list[dict[str, Any]] = json.loads(path.read_text())["trials"] if path.exists() else []
    done = {(one["method"], one["trial"]) for one in trials if one["epochs"] == epochs}
    benchmark = REPOSITORY / "results" / name / "results.json"
    runs: list[dict[str, Any]] = json.loads(benchmark.read_text())["runs"] if benchmark.exists() else []
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        waiting = {}
        for method in methods:
            usual = plan.settings(Job(method, 0, preset), threads=1)
            for trial, learning in tried(method, recipe(preset, method)["learning"]).items():
                if (method, trial) not in done:
                    settings = replace(usual, learning=learning)
                    known = already_run(settings, runs)
                    work = pool.submit(dict, known) if known else pool.submit(one_trial, settings, training)
                    waiting[work] = (method, trial)
        for future in as_completed(waiting):
            method, trial = waiting[future]
            trials.append({"method": method, "trial": trial, "epochs": epochs, **future.result()})
            print(f"{method}, {trial}: {trials[-1]['validation']:.4f}", flush=True)
            write_json(path, {"data": name, "preset": preset, "trials": trials, **facts()})
            write_text(out / f"{name}.md", table(name, trials))


def one_trial(settings: TrainSettings, training: TrainingData) -> dict[str, Any]:
    """Train with some settings; how good the best epoch was on validation images."""
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(settings, training, Path(folder) / "run")
        trainer.run()
    found = {"validation": trainer.best, "best_epoch": trainer.best_epoch, "seconds": trainer.seconds}
    return {**found, "learning": asdict(settings.learning)}


def already_run(settings: TrainSettings, runs: list[dict[str, Any]]) -> dict[str, Any] | None:
    """What the benchmark found with these settings on the first split, if it has run them."""
    for run in runs:
        same = run["row"] == settings.method and run["fold"] == 0 and run["epochs"] == settings.epochs
        if same and run["settings"]["learning"].items() <= asdict(settings.learning).items():
            return {
                "validation": max(accuracy for _, accuracy in run["validation_curve"]),
                "best_epoch": run["best_epoch"],
                "seconds": run["seconds"],
                "learning": asdict(settings.learning),
            }
    return None


def tried(method: str, usual: LearningSettings) -> dict[str, LearningSettings]:
    """The trials of a method by name."""
    row = METHODS[method]
    second = "split_weight" if row.setting == "IL" or row.imitates_until else "entropy"

    def rates(factor: float) -> LearningSettings:
        return replace(usual, rate=factor * usual.rate, critic_rate=factor * usual.critic_rate)

    return {
        "usual": usual,
        "rate / 2": rates(0.5),
        "rate x 2": rates(2.0),
        "second x 3": replace(usual, **{second: getattr(usual, second) * 3}),
    }


def table(name: str, trials: list[dict[str, Any]]) -> str:
    """A row a method, a column a trial, as Markdown."""
    columns = ("usual", "rate / 2", "rate x 2", "second x 3")
    found = {(one["method"], one["trial"]): one for one in trials}
    lines = [
        f"# Tuning on {name}",
        "",
        f"Accuracy on validation images of the first split, best of {trials[0]['epochs']} epochs. The",
        "second number is the weight of the split beside the rule where there is imitation, else of the entropy.",
        "Made by `python benchmarks/tuning.py`.",
        "",
        f"| method | {' | '.join(columns)} |",
        f"| --- |{' --- |' * len(columns)}",
    ]
    for method, row in METHODS.items():
        if any((method, column) in found for column in columns):
            cells = [found.get((method, column)) for column in columns]
            shown = [f"{100 * cell['validation']:.2f}" if cell else "–" for cell in cells]
            lines.append(f"| {row.title} | {' | '.join(shown)} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    tyro.cli(main)
