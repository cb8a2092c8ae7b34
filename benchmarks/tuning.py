"""The same bounded tuning for every method: a few trials each, judged on validation images of the first split alone.

    python benchmarks/tuning.py [--data DIR] [--methods ...] [--minutes 2]

Every method gets its usual settings, half and double the learning rates, and a third and three times the weight of its
second most important number: the entropy's, or, where there is only imitation, the split's. Test images are not even
read. Stop it whenever you like: the same command goes on. Writes results/tuning/NAME.json and NAME.md.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import tyro
from machine import REPOSITORY, facts

from shapeparse.benchmark.plan import Job, Plan
from shapeparse.commands.learning import Source
from shapeparse.files import make_folder, write_json, write_text
from shapeparse.learner import LearningSettings
from shapeparse.methods import METHODS
from shapeparse.networks.presets import preset_named
from shapeparse.train import Trainer

CAR_PANELS = REPOSITORY.parent / "shared" / "data" / "car-panels"


def main(
    data: Path | None = None,
    methods: tuple[str, ...] = tuple(METHODS),
    minutes: float = 2.0,
    preset: str = "fast",
    out: Path = REPOSITORY / "results" / "tuning",
) -> None:
    """Try the settings of each method.

    Args:
        data: a folder with images/ and masks/; car-panels beside the repository, or else the built-in generator.
        methods: which methods; all if not given.
        minutes: budget of each trial.
        preset: which network.
        out: where the results go.
    """
    if data is None and CAR_PANELS.is_dir():
        data = CAR_PANELS
    name = data.name if data else "built-in"
    loaded = (Source(str(data)) if data else Source()).read(preset_named(preset).side)
    plan = Plan.of(name, loaded, 1, minutes, None, preset)
    training = plan.training_data(loaded, 0)
    path = make_folder(out) / f"{name}.json"
    trials: list[dict[str, Any]] = json.loads(path.read_text())["trials"] if path.exists() else []
    for method in methods:
        settings = plan.settings(Job(method, 0, preset))
        for trial, learning in tried(method, settings.learning).items():
            if any((one["method"], one["trial"], one["minutes"]) == (method, trial, minutes) for one in trials):
                continue
            with tempfile.TemporaryDirectory() as folder:
                trainer = Trainer(replace(settings, learning=learning), training, Path(folder) / "run")
                trainer.run()
            result = {"validation": trainer.best, "epochs": trainer.epoch, "best_epoch": trainer.best_epoch}
            trials.append(
                {"method": method, "trial": trial, "minutes": minutes, **result, "learning": asdict(learning)}
            )
            print(f"{method}, {trial}: {trainer.best:.4f}", flush=True)
            write_json(path, {"data": name, "preset": preset, "trials": trials, **facts()})
            write_text(out / f"{name}.md", table(name, trials))


def tried(method: str, usual: LearningSettings) -> dict[str, LearningSettings]:
    """The trials of a method by name."""
    second = "split_weight" if METHODS[method].actor == "imitation" or METHODS[method].anchor else "entropy"
    words = second.replace("_", " ")

    def rates(factor: float) -> LearningSettings:
        return replace(usual, rate=factor * usual.rate, critic_rate=factor * usual.critic_rate)

    return {
        "usual": usual,
        "rate / 2": rates(0.5),
        "rate x 2": rates(2.0),
        f"{words} / 3": replace(usual, **{second: getattr(usual, second) / 3}),
        f"{words} x 3": replace(usual, **{second: getattr(usual, second) * 3}),
    }


def table(name: str, trials: list[dict[str, Any]]) -> str:
    """All trials as Markdown."""
    lines = [
        f"# Tuning on {name}",
        "",
        "Accuracy on validation images of the first split, best epoch. Made by `python benchmarks/tuning.py`.",
        "",
        "| method | trial | minutes | validation | epochs |",
        "| --- | --- | --- | --- | --- |",
    ]
    for one in trials:
        title = METHODS[one["method"]].title
        lines.append(f"| {title} | {one['trial']} | {one['minutes']:g} | {one['validation']:.4f} | {one['epochs']} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    tyro.cli(main)
