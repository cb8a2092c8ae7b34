"""How much work labelling is: polygons from nothing, and corrections of a parser that learns along the way.

    python benchmarks/labelling.py [--data DIR] [--out results/labelling] [--quick]

``DIR`` holds images/ and masks/. Without it: the car-panels data beside the repository if it is there, and the built-in
generator. A simulated annotator (``annotator``) corrects proposals until 98 % of the pixels are right; its actions and
seconds are counted. Writes labelling.json and labelling.md, the former after every photograph: stop it whenever you
like, the same command goes on. Trainings are kept in DIR/runs of the output folder and go on too. Takes hours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import tyro
from annotator import CLICK, DRAG, ENOUGH, KEY, THINK, Effort, correct, polygons_from_nothing
from machine import REPOSITORY, facts
from oracle import CAR_PANELS, table

from shapeparse import ParseTree, UserError, load
from shapeparse.data import FolderDataset
from shapeparse.data.generator import generate
from shapeparse.labelling.edits import Labels, Sight
from shapeparse.labelling.order import Order, looks, ranked
from shapeparse.labelling.store import write_mask, write_png
from shapeparse.labelling.teaching import Teaching, teach
from shapeparse.labelling.worker import doubt, map_of
from shapeparse.support.files import make_folder, read_json, write_json, write_text

Row = dict[str, Any]
Pictures = list[tuple[np.ndarray, np.ndarray]]
SIDE = 256
VARIANTS: dict[str, Order | None] = {
    "polygons from nothing": None, "proposals, random order": "random", "proposals, chosen order": "chosen",
}  # fmt: skip


def main(
    data: Path | None = None,
    out: Path = REPOSITORY / "results" / "labelling",
    photographs: int = 30,
    held_out: int = 40,
    seeds: int = 3,
    quick: bool = False,
) -> None:
    """Simulate sittings; write labelling.json and labelling.md.

    Args:
        data: a folder with images/ and masks/.
        out: where the results go.
        photographs: to be labelled in a sitting.
        held_out: photographs on which the parsers are measured.
        seeds: sittings of each kind, each with other photographs.
        quick: a few photographs and tiny trainings, to see that it works.
    """
    if quick:
        photographs, held_out, seeds = 4, 2, 1
    teaching = Teaching(every=2, preset="fast", epochs=1) if quick else Teaching(every=5)
    folder = make_folder(out)
    sets = sources(data)
    path = folder / "labelling.json"
    asked = {"photographs": photographs, "held out": held_out, "seeds": seeds, "teaching": asdict(teaching)}
    result = read_json(path, "remove it") if path.exists() else {}
    if result.get("asked") not in (None, asked):
        raise UserError(f"{path} was made with other settings; remove it, or choose another --out.")
    result = {"benchmark": "labelling", **facts("scipy"), "asked": asked, "sittings": result.get("sittings", {})}
    for name, picture in sets.items():
        for seed in range(seeds):
            pictures = picture(seed, photographs + held_out)
            for variant, order in VARIANTS.items():
                key = f"{name}, seed {seed}: {variant}"
                rows = result["sittings"].setdefault(key, [])
                place = folder / "runs" / f"{name}-{seed}-{order}"
                for row in sitting(pictures[:photographs], pictures[photographs:], order, teaching, place, rows, seed):
                    rows.append(row)
                    write_json(path, result)
    write_text(folder / "labelling.md", page(result, list(sets)))
    print(page(result, list(sets)))


def sources(data: Path | None) -> dict[str, Callable[[int, int], Pictures]]:
    """Sets of photographs by name: each a function of a seed and a number."""

    def of_folder(folder: Path) -> Callable[[int, int], Pictures]:
        def pictures(seed: int, count: int) -> Pictures:
            dataset = FolderDataset(folder, side=SIDE)
            if len(dataset) < count:
                raise UserError(f"{folder} has {len(dataset)} photographs, fewer than {count}; ask for fewer.")
            chosen = np.random.default_rng(seed).permutation(len(dataset))[:count]
            samples = [dataset.read(int(index)) for index in chosen]
            return [(sample.image, sample.mask) for sample in samples]

        return pictures

    folder = data or (CAR_PANELS if CAR_PANELS.is_dir() else None)
    sets = {} if folder is None else {folder.resolve().name: of_folder(folder)}
    if data is None:
        sets["built-in"] = lambda seed, count: [generate(7000 + seed, index, SIDE) for index in range(count)]
    return sets


def sitting(
    pictures: Pictures,
    tests: Pictures,
    order: Order | None,
    teaching: Teaching,
    folder: Path,
    known: list[Row],
    seed: int,
) -> Iterator[Row]:
    """The rows of a sitting, one per photograph, from the first that is not known yet."""
    seen = [looks(photo) for photo, _ in pictures]
    done: list[int] = [row["photograph"] for row in known]
    trees: dict[int, tuple[ParseTree, np.ndarray | None]] = {}
    doubts: dict[int, float] = {}
    held_out: float | None = known[-1]["held-out accuracy"] if known else None
    if order is not None and done:
        trees, doubts, held_out = learned(pictures, tests, done, teaching, folder)
    while len(done) < len(pictures):
        left = [number for number in range(len(pictures)) if number not in done]
        number = ranked(order or "name", seen, done, left, doubts, seed)[0]
        photo, truth = pictures[number]
        effort = polygons_from_nothing(truth) if order is None else corrected(photo, truth, trees.get(number))
        done.append(number)
        if order is not None and len(done) % teaching.every == 0:
            trees, doubts, held_out = learned(pictures, tests, done, teaching, folder)
        yield {"photograph": number, **asdict(effort), "held-out accuracy": held_out}


def corrected(photo: np.ndarray, truth: np.ndarray, proposal: tuple[ParseTree, np.ndarray | None] | None) -> Effort:
    """The effort of correcting a proposal, or of beginning with nothing."""
    if proposal is None:
        return correct(Labels.of(np.zeros(truth.shape, bool)), truth, Sight(lambda: photo))[1]
    tree, likely = proposal
    return correct(Labels(tree.labels(), tree), truth, Sight(lambda: photo, likely))[1]


def learned(
    pictures: Pictures, tests: Pictures, done: list[int], teaching: Teaching, folder: Path
) -> tuple[dict[int, tuple[ParseTree, np.ndarray | None]], dict[int, float], float | None]:
    """What a parser proposes that has learned from the last full round of what was done; its accuracy beside it."""
    count = len(done) // teaching.every * teaching.every
    if not count:
        return {}, {}, None
    run = make_folder(folder / str(count))
    for part in ("images", "masks"):
        make_folder(run / "data" / part)
    for number in done[:count]:
        photo, truth = pictures[number]
        write_png(run / "data" / "images" / f"{number}.png", photo)
        write_mask(run / "data" / "masks" / f"{number}.png", truth)
    teach(teaching, run / "data", run, 1, lambda row: None)
    parser = load(run)
    others = [number for number in range(len(pictures)) if number not in done[:count]]
    found = {number: parser.parse(pictures[number][0], price=0.0005) for number in others}
    trees = {number: (tree, map_of(parser, pictures[number][0])) for number, tree in found.items()}
    share = mean(parser.parse(photo, price=0.0005).accuracy(truth) for photo, truth in tests)
    return trees, {number: doubt(tree) for number, tree in found.items()}, share


def page(result: Row, names: list[str]) -> str:
    """The results to read."""
    asked = result["asked"]
    text = [
        "# The work of labelling",
        f"A simulated annotator labels {asked['photographs']} photographs until {ENOUGH:.0%} of the pixels are right, "
        f"{asked['seeds']} times. A click takes {CLICK:.1f} s, a drag {DRAG:.1f} s, a decision {THINK} s and another "
        f"tool {KEY} s, by the keystroke-level model. A parser learns after every {asked['teaching']['every']} "
        "photographs. `python benchmarks/labelling.py` made this page.",
    ]
    for name in names:
        text += [f"## {name}", table(rows_of(result, name))]
    return "\n\n".join(text) + "\n"


def rows_of(result: Row, name: str) -> list[Row]:
    """One row per kind of sitting and stretch of photographs: the mean over sittings."""
    count, every = result["asked"]["photographs"], result["asked"]["teaching"]["every"]
    rows = []
    for variant in VARIANTS:
        sittings = [rows for key, rows in result["sittings"].items() if key.startswith(f"{name},") and variant in key]
        for first in range(0, count, every):
            part = [row for sitting in sittings for row in sitting[first : first + every]]
            known = [sitting[min(first + every, len(sitting)) - 1]["held-out accuracy"] for sitting in sittings]
            shares = [share for share in known if share is not None]
            rows.append(
                {"sitting": variant, "photographs": f"{first + 1} to {min(first + every, count)}",
                 "actions per photograph": mean(row["actions"] for row in part),
                 "seconds per photograph": mean(row["seconds"] for row in part),
                 "accuracy reached": mean(row["accuracy"] for row in part),
                 "held-out accuracy": float(mean(shares)) if shares else "-"}
            )  # fmt: skip
    return rows


if __name__ == "__main__":
    tyro.cli(main)
