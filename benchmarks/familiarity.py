"""Does a parser know when it does not know? Photographs of its own kind, held out, against those of other kinds.

    python benchmarks/familiarity.py [--minutes 0.5] [--seed 3]

One parser for each kind of photographs: the built-in generator, and the folders beside the repository. Each is trained
briefly, with many photographs and with ten, and says how strange it finds photographs it has not learned from: those of
its own kind, and some of each other. Trainings are kept in runs/familiarity, and the same command goes on where it
was stopped. Writes results/familiarity/familiarity.json and familiarity.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tyro
from machine import REPOSITORY, facts

from shapeparse.data import BUILT_IN, Source
from shapeparse.learning.data import TrainingData
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.trainer import Trainer
from shapeparse.networks.presets import preset_named
from shapeparse.oracle.ready import ready_oracle
from shapeparse.parsing.load import load
from shapeparse.support.errors import UserError
from shapeparse.support.files import make_folder, write_json, write_text

SHARED = REPOSITORY.parent / "shared" / "data"
HELD_OUT, STRANGERS = 60, 100
"""Photographs of its own kind, and of each other kind, that every parser is asked about."""
MANY, FEW = 100, 10
VALIDATION = 10


def main(
    data: tuple[Path, ...] = (),
    preset: str = "best",
    minutes: float = 0.5,
    seed: int = 3,
    work: Path = REPOSITORY / "runs" / "familiarity",
    out: Path = REPOSITORY / "results" / "familiarity",
) -> None:
    """Train, look, and compare.

    Args:
        data: folders with images/ and masks/; those beside the repository if not given.
        preset: the network.
        minutes: budget of each training; what the encoder sees of whole photographs hardly depends on it.
        seed: which photographs are held out, and of the trainings.
        work: where the trainings are kept.
        out: where the results go.
    """
    folders = data or tuple(path for path in sorted(SHARED.glob("*")) if (path / "images").is_dir())
    if not folders:
        raise UserError("There are no other kinds of photographs beside the repository; give some with --data.")
    ready_oracle()
    side = preset_named(preset).side
    loaded = {"built-in": Source(BUILT_IN).read(side), **{path.name: Source(str(path)).read(side) for path in folders}}
    rows = []
    for name, own in loaded.items():
        order = np.random.default_rng(seed).permutation(len(own.names))
        held, rest = order[:HELD_OUT], order[HELD_OUT:]
        strangers = np.concatenate([other.images[:STRANGERS] for kind, other in loaded.items() if kind != name])
        for count in (MANY, FEW):
            known, checked = rest[:count], rest[count : count + VALIDATION]
            parts = TrainingData(own.images[known], own.masks[known], own.images[checked], own.masks[checked])
            settings = TrainSettings(preset=preset, minutes=minutes, seed=seed)
            run = work / f"{preset}-{name}-{count}-{minutes:g}-{seed}"
            Trainer(settings, parts, run).run(resume=True)
            parser = load(run)
            found = [np.array(parser.strangeness(images), float) for images in (own.images[held], strangers)]
            row = {"data": name, "learned_from": len(known), **compared(*found)}
            print(row, flush=True)
            rows.append(row)
    result = {"preset": preset, "minutes": minutes, "seed": seed, "rows": rows, **facts()}
    write_json(make_folder(out) / "familiarity.json", result)
    write_text(out / "familiarity.md", page(result))


def compared(familiar: npt.NDArray[np.floating], strange: npt.NDArray[np.floating]) -> dict[str, Any]:
    """How well strangeness tells the one kind from the others."""
    return {
        "held_out": len(familiar),
        "strangers": len(strange),
        "area": area_under_roc(familiar, strange),
        "false_alarms": float((familiar > 1).mean()),
        "noticed": float((strange > 1).mean()),
        "median_held_out": float(np.median(familiar)),
        "median_strangers": float(np.median(strange)),
    }


def area_under_roc(familiar: npt.NDArray[np.floating], strange: npt.NDArray[np.floating]) -> float:
    """How often a stranger is stranger than a familiar photograph, over all pairs; ties count half."""
    apart = strange[:, None] - familiar[None, :]
    return float((apart > 0).mean() + (apart == 0).mean() / 2)


def page(result: dict[str, Any]) -> str:
    """The result as Markdown."""
    lines = [
        f"| {row['data']} | {row['learned_from']} | {row['area']:.4f} | {100 * row['noticed']:.1f} "
        f"| {100 * row['false_alarms']:.1f} | {row['median_held_out']:.2f} | {row['median_strangers']:.2f} |"
        for row in result["rows"]
    ]
    first, machine = result["rows"][0], result["machine"]
    columns = "learned from, photographs, area under ROC, strangers noticed %, false alarms %, median, of strangers"
    lines = [f"| {columns.replace(', ', ' | ')} |", "| --- |" + " ---: |" * 6, *lines]
    return f"""# Does a parser know when it does not know?

Preset {result["preset"]}, {result["minutes"]:g} minutes, seed {result["seed"]}. Each parser has learned from one kind
of photographs, and says how strange it finds {first["held_out"]} others of that kind, and {first["strangers"]} of the
other kinds; beyond 1 it warns. The medians are those of strangeness.

{chr(10).join(lines)}

{machine["cpu"]}, {machine["cores"]} cores; {result["date"]}. Made by `python benchmarks/familiarity.py`.
"""


if __name__ == "__main__":
    tyro.cli(main)
