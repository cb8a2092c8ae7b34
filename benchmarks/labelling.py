"""How much work labelling is: polygons from nothing, and corrections of a parser that learns along the way.

    python benchmarks/labelling.py [--names car-panels built-in] [--data DIR] [--out results/labelling] [--quick]

``DIR`` holds images/ and masks/. Without it: the car-panels data beside the repository if it is there, and the built-in
generator. A simulated annotator (``annotator``) corrects proposals until 98 % of the pixels are right; its actions and
seconds are counted: in the sitting itself, and, after every parser, for photographs held out of it, which are many more
than the five or so that a sitting has at that point. Writes NAME.json, NAME.md and NAME.png for each set, the first
after every photograph: stop it whenever you like, the same command goes on, and more --seeds add sittings. A parser
learns for so many minutes of one core's time, whatever else the machine does. Takes about three quarters of an hour for
each set on one core.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
from shapeparse.labelling.teaching import LEAST, Teaching, teach
from shapeparse.labelling.worker import doubt, map_of
from shapeparse.learning.beginning import PRETRAINED, usual_beginning
from shapeparse.networks.presets import preset_named
from shapeparse.parsing.parser import Parser
from shapeparse.pictures.figures import chart, figure_png, new_figure
from shapeparse.support.files import make_folder, read_json, write_bytes, write_json, write_text
from shapeparse.support.limits import DEFAULT_PRICE
from shapeparse.support.text import unknown

Row = dict[str, Any]
Pictures = list[tuple[np.ndarray, np.ndarray]]
Proposal = tuple[ParseTree, np.ndarray | None]
HELD_OUT = ("held-out accuracy", "held-out actions", "held-out polygons")
"""What is known of a parser from photographs that are not part of the sitting."""
SIDE = 256
BUILT_IN = "built-in"
STRETCH = 5
"""Photographs over which efforts are averaged."""
ASKED = 20
"""Held-out photographs whose proposals are corrected after every parser, to see what the next photograph takes."""
VARIANTS: dict[str, Order | None] = {
    "polygons from nothing": None, "proposals, random order": "random", "proposals, chosen order": "chosen",
}  # fmt: skip


def main(
    names: tuple[str, ...] = (),
    data: Path | None = None,
    out: Path = REPOSITORY / "results" / "labelling",
    photographs: int = 30,
    held_out: int = 40,
    seeds: int = 2,
    quick: bool = False,
) -> None:
    """Simulate sittings; write NAME.json, NAME.md and NAME.png.

    Args:
        names: sets of photographs, of all that there are.
        data: a folder with images/ and masks/.
        out: where the results go.
        photographs: to be labelled in a sitting.
        held_out: photographs on which the parsers are measured.
        seeds: sittings of each kind, each with other photographs.
        quick: a few photographs and tiny trainings, to see that it works.
    """
    if quick:
        photographs, held_out, seeds = 4, 2, 1
    teaching = Teaching(every=2, preset="fast", epochs=1) if quick else Teaching()
    first = usual_beginning(preset_named(teaching.preset), LEAST)
    asked = {
        "photographs": photographs, "held out": held_out, "teaching": asdict(teaching),
        "first parser begins with": first,
    }  # fmt: skip
    known = sources(data)
    for name in names or known:
        if name not in known:
            raise unknown("set", name, known)
        result = simulated(name, known[name], make_folder(out), asked, seeds)
        write_text(out / f"{name}.md", page(result))
        draw_curves(result, out / f"{name}.png")
        print(page(result))


def simulated(name: str, source: Callable[[int, int], Pictures], folder: Path, asked: Row, seeds: int) -> Row:
    """All sittings with the photographs of a set; those that are known are not simulated again."""
    path = folder / f"{name}.json"
    before = read_json(path, "remove it") if path.exists() else {}
    if before.get("asked") not in (None, asked):
        raise UserError(f"{path} was made with other settings; remove it, or choose another --out.")
    result = {
        "benchmark": "labelling", "set": name, **facts("scipy"), "asked": asked, "sittings": before.get("sittings", {})
    }  # fmt: skip
    teaching, count = Teaching(**asked["teaching"]), asked["photographs"]
    for seed in range(seeds):
        pictures = source(seed, count + asked["held out"])
        for variant, order in VARIANTS.items():
            rows = result["sittings"].setdefault(f"seed {seed}: {variant}", [])
            place = folder / "jobs" / f"{name}-{seed}-{order}"
            for row in sitting(pictures[:count], pictures[count:], order, teaching, place, rows, seed):
                rows.append(row)
                write_json(path, result)
                print(f"{name}, seed {seed}, {variant}, {len(rows)}: {row['actions']} actions", flush=True)
    return result


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
        sets[BUILT_IN] = lambda seed, count: [generate(7000 + seed, index, SIDE) for index in range(count)]
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
    trees: dict[int, Proposal] = {}
    doubts: dict[int, float] = {}
    held_out: Row = {name: known[-1][name] if known else None for name in HELD_OUT}
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
        yield {"photograph": number, **asdict(effort), **held_out}


def corrected(photo: np.ndarray, truth: np.ndarray, proposal: Proposal | None) -> Effort:
    """The effort of correcting a proposal, or of beginning with nothing."""
    if proposal is None:
        return correct(Labels.of(np.zeros(truth.shape, bool)), truth, Sight(lambda: photo))[1]
    tree, likely = proposal
    return correct(Labels.proposed(tree, likely), truth, Sight(lambda: photo, likely))[1]


def learned(
    pictures: Pictures, tests: Pictures, done: list[int], teaching: Teaching, folder: Path
) -> tuple[dict[int, Proposal], dict[int, float], Row]:
    """What a parser proposes that has learned from the last full round of what was done; how it does on others."""
    count = len(done) // teaching.every * teaching.every
    if not count:
        return {}, {}, dict.fromkeys(HELD_OUT)
    run = make_folder(folder / str(count))
    for part in ("images", "masks"):
        make_folder(run / "data" / part)
    for number in done[:count]:
        photo, truth = pictures[number]
        write_png(run / "data" / "images" / f"{number}.png", photo)
        write_mask(run / "data" / "masks" / f"{number}.png", truth)
    last = folder / str(count - teaching.every)
    with processor_time():
        teach(teaching, run / "data", run, 1, lambda row: None, str(last) if last.is_dir() else None)
    parser = load(run)
    others = [number for number in range(len(pictures)) if number not in done[:count]]
    proposals = {number: proposed(parser, pictures[number][0]) for number in others}
    on_tests = [proposed(parser, photo) for photo, _ in tests]
    both = list(zip(tests, on_tests, strict=True))
    efforts = [corrected(photo, truth, proposal) for (photo, truth), proposal in both[:ASKED]]
    held_out = {
        "held-out accuracy": mean(tree.accuracy(truth) for (_, truth), (tree, _) in both),
        "held-out actions": mean(effort.actions for effort in efforts),
        "held-out polygons": mean(polygons_from_nothing(truth).actions for _, truth in tests[:ASKED]),
    }
    return proposals, {number: doubt(tree) for number, (tree, _) in proposals.items()}, held_out


def proposed(parser: Parser, photo: np.ndarray) -> Proposal:
    """A parser's tree of a photograph, and its map."""
    return parser.parse(photo, price=DEFAULT_PRICE), map_of(parser, photo)


@contextmanager
def processor_time() -> Iterator[None]:
    """Let trainings measure their minutes by the time of the processor, which other programs do not change."""
    watch = time.perf_counter
    time.perf_counter = time.process_time
    try:
        yield
    finally:
        time.perf_counter = watch


# ---- what comes of it ------------------------------------------------------------------------------------------------


def page(result: Row) -> str:
    """The results to read."""
    asked, machine = result["asked"], result["machine"]
    teaching, count = asked["teaching"], len(sittings_of(result, "polygons from nothing"))
    begun = asked["first parser begins with"] == PRETRAINED
    known = " The first parser begins with the pretrained one" + (
        ", which has learned from other pictures of this generator." if result["set"] == BUILT_IN else "."
    )
    text = [
        f"# The work of labelling: {result['set']}",
        f"A simulated annotator labels {asked['photographs']} photographs until {ENOUGH:.0%} of the pixels are right; "
        f"means of {count} sitting{'s'[: count > 1]} of each kind. Actions are clicks and drags. A "
        f"click takes {CLICK:.1f} s, a drag {DRAG:.1f} s, a decision {THINK} s and another tool {KEY} s, by the "
        f"keystroke-level model. After every {teaching['every']} photographs a parser learns on, for "
        f"{60 * teaching['minutes']:.0f} s of one core, for which the annotator waits, and is measured on "
        f"{asked['held out']} others.{known if begun else ''}",
        table(rows_of(result)),
        verdict(result),
        next_photograph(result),
        f"{machine['cpu']}, {machine['cores']} cores; {result['date']}. Made by `python benchmarks/labelling.py`.",
    ]
    return "\n\n".join(text) + "\n"


def sittings_of(result: Row, variant: str) -> list[list[Row]]:
    """The sittings of a kind, as far as those of all kinds are complete."""
    count, kinds = result["asked"]["photographs"], len(VARIANTS)
    complete = [key.partition(":")[0] for key, rows in result["sittings"].items() if len(rows) == count]
    return [
        rows
        for key, rows in result["sittings"].items()
        if key.endswith(variant) and complete.count(key.partition(":")[0]) == kinds
    ]


def rows_of(result: Row) -> list[Row]:
    """One row per kind of sitting and stretch of photographs: the mean over sittings."""
    count = result["asked"]["photographs"]
    found: list[Row] = []
    for variant in VARIANTS:
        sittings = sittings_of(result, variant)
        for first in range(0, count, STRETCH):
            last = min(first + STRETCH, count)
            part = [row for rows in sittings for row in rows[first:last]]
            shares = [rows[last - 1]["held-out accuracy"] for rows in sittings]
            known = [share for share in shares if share is not None]
            found.append(
                {"sitting": variant, "photographs": f"{first + 1} to {last}",
                 "actions per photograph": mean(row["actions"] for row in part),
                 "seconds per photograph": mean(row["seconds"] for row in part),
                 "held-out accuracy": float(mean(known)) if known else "-"}
            )  # fmt: skip
    return found


def verdict(result: Row) -> str:
    """The actions of corrections as a share of those of polygons for the same photographs, of the last stretches."""
    count = result["asked"]["photographs"]
    polygons = {
        (seed, row["photograph"]): row["actions"]
        for seed, rows in enumerate(sittings_of(result, "polygons from nothing"))
        for row in rows
    }
    lines = []
    for variant, order in VARIANTS.items():
        ends = sorted({min(2 * STRETCH, count), count}) if order is not None else ()
        for first, last in [*((max(end - STRETCH, 0), end) for end in ends), *([(0, count)] if ends else ())]:
            part = [
                (row["actions"], polygons[seed, row["photograph"]])
                for seed, rows in enumerate(sittings_of(result, variant))
                for row in rows[first:last]
            ]
            share = sum(ours for ours, _ in part) / max(sum(theirs for _, theirs in part), 1)
            lines.append(f"- {variant}, photographs {first + 1} to {last}: {share:.0%}")
    return "Actions as a share of those that polygons take for the same photographs:\n\n" + "\n".join(lines)


def next_photograph(result: Row) -> str:
    """What the next photograph takes after so many, by those that are held out."""
    orders = [variant for variant, order in VARIANTS.items() if order is not None]
    every, count = result["asked"]["teaching"]["every"], result["asked"]["photographs"]
    lines = []
    for learned_from in range(every, count + 1, every):
        cells = []
        for variant in orders:
            rows = [rows[learned_from - 1] for rows in sittings_of(result, variant)]
            ours, theirs = (sum(row[name] for row in rows) for name in HELD_OUT[1:])
            cells.append(f"{ours / max(theirs, 1e-9):.0%}")
        lines.append(f"| {learned_from} | {' | '.join(cells)} |")
    return "\n".join(
        [
            f"What a further photograph takes, after a parser has learned from so many: the same share, of "
            f"{min(ASKED, result['asked']['held out'])} "
            "held-out photographs per sitting:",
            "",
            f"| photographs learned from | {' | '.join(orders)} |",
            f"| ---: |{' ---: |' * len(orders)}",
            *lines,
        ]
    )


def draw_curves(result: Row, path: Path) -> None:
    """Actions per photograph against photographs done, and accuracy on held-out photographs against actions."""
    figure = new_figure(820, 330)
    work, learning = chart(figure, 46, 34, 340, 240), chart(figure, 456, 34, 340, 240)
    for number, variant in enumerate(VARIANTS):
        sittings = sittings_of(result, variant)
        actions = np.mean([[row["actions"] for row in rows] for rows in sittings], axis=0)
        style: Row = {"label": variant, "color": f"C{number}", "linewidth": 1.4}
        work.plot(np.arange(1, len(actions) + 1), smooth(actions, STRETCH), **style)
        shares = np.array([[row["held-out accuracy"] or np.nan for row in rows] for rows in sittings], float)
        if np.isfinite(shares).any():
            known = np.flatnonzero(np.isfinite(shares).all(axis=0) & new_values(shares))
            learning.plot(
                np.cumsum(actions)[known], 100 * shares.mean(axis=0)[known], marker="o", markersize=3, **style
            )
    work.set_title("actions per photograph", fontsize=10)
    work.set_xlabel("photographs done")
    work.set_ylim(0, 1.4 * work.get_ylim()[1])  # with room for the legend
    learning.set_title("pixels right on held-out photographs, %", fontsize=10)
    learning.set_xlabel("actions so far")
    work.legend(loc="upper right", frameon=False, fontsize=8)
    learning.legend(loc="lower right", frameon=False, fontsize=8)
    write_bytes(path, figure_png(figure))


def smooth(values: np.ndarray, width: int) -> np.ndarray:
    """The mean of each value and those around it."""
    half = width // 2
    return np.array([values[max(0, place - half) : place + half + 1].mean() for place in range(len(values))])


def new_values(table: np.ndarray) -> np.ndarray:
    """Columns that differ from the one before."""
    return np.append(True, (np.diff(np.nan_to_num(table), axis=1) != 0).any(axis=0))


if __name__ == "__main__":
    tyro.cli(main)
