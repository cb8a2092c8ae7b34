"""How long plans take, and what they paint: rectangles, rows, cells and the quickest of them, beside plain rows.

    python benchmarks/painting.py [--data DIR] [--images 362] [--brushes 6 12 24]

``DIR`` holds masks/ (or masks themselves). Without it: the car-panels data beside the repository if it is there, and
masks of the built-in generator. Writes results/painting/painting.json and painting.md.

What is measured of each mask and brush is kept in a file beside the repository's results, OUT/measured.jsonl, so that a
run that was stopped goes on where it was; delete the file when the planner has changed. Some 0.15 s of processor time
per mask and brush.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import tyro
from machine import REPOSITORY, facts

from shapeparse import UserError, igm
from shapeparse.data.generator import generate
from shapeparse.data.images import read_mask
from shapeparse.painting import PaintSettings, Part, choose_plan, plan_painting
from shapeparse.painting.choose import LIFTED, least_seconds
from shapeparse.support.files import make_folder, write_json, write_text

CAR_PANELS = REPOSITORY.parent / "shared" / "data" / "car-panels"
SIDE, BUILT_IN = 256, 60
DEPTH = 7
OLD = "tree, lifted"
WAYS = {
    "auto": "auto: the quickest",
    "rectangles": "rectangles",
    "rows": "rows",
    "cells": "cells",
    LIFTED: "rows, a lift per stroke",
    OLD: f"greedy tree of depth {DEPTH}, a lift per stroke",
}
FIGURES = ("seconds", "strokes", "lifts", "painted_length", "travel_length", "coverage", "waste")
Row = dict[str, Any]


def main(
    data: Path | None = None,
    images: int = 362,
    brushes: tuple[float, ...] = (6.0, 12.0, 24.0),
    coverage: float = 0.99,
    out: Path = REPOSITORY / "results" / "painting",
) -> None:
    """Plan every mask with every brush in every way; write painting.json and painting.md.

    Args:
        data: a folder of masks, or with a folder masks/ in it.
        images: how many masks of a folder at most, evenly spread over it.
        brushes: in pixels.
        coverage: that a plan must reach.
        out: where the results go.
    """
    folder = make_folder(out)
    sets = {name: masks for name, masks in load(data, images).items() if masks}
    choose_plan(Part(next(iter(sets.values()))[0]), PaintSettings())  # load or compile the kernels
    known = Measured(folder / "measured.jsonl")
    results = []
    for name, masks in sets.items():
        for brush in brushes:
            limits = PaintSettings(brush=brush, coverage=coverage, waste=1.0)
            results.append(summed(name, brush, measured(name, masks, limits, known)))
            print(f"{name}, brush {brush:g}: {known.seconds:.0f} s of processor time so far", flush=True)
    result: Row = {
        "benchmark": "painting",
        **facts(),
        "command": f"python benchmarks/painting.py --images {images}",
        "settings": {"coverage": coverage, "depth": DEPTH, "overlap": PaintSettings().overlap},
        "processor_seconds": known.seconds,
        "results": results,
    }
    write_json(folder / "painting.json", result)
    write_text(folder / "painting.md", page(result))
    print(page(result))


def load(data: Path | None, images: int) -> dict[str, list[np.ndarray]]:
    """The sets of masks by name."""
    built_in = {"built-in, seed 0": [generate(0, index, SIDE)[1] for index in range(min(images, BUILT_IN))]}
    if data is None and not CAR_PANELS.is_dir():
        return built_in
    folder = data or CAR_PANELS
    paths = sorted((folder / "masks").glob("*.png")) or sorted(folder.glob("*.png"))
    if not paths:
        raise UserError(f"{folder} has no masks/*.png and no *.png; give a folder of masks.")
    chosen = np.unique(np.linspace(0, len(paths) - 1, min(images, len(paths))).round().astype(int))
    return {folder.resolve().name: [read_mask(paths[place]) for place in chosen], **built_in}


class Measured:
    """What was measured already, one JSON line per mask and brush."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        whole = [line for line in lines if line.endswith("}")]  # the last one may have been cut short
        self.rows: dict[str, Row] = {row["key"]: row for row in map(json.loads, whole)}

    @property
    def seconds(self) -> float:
        """Processor time of all that was measured."""
        return sum(row["planning"] + row["rest"] for row in self.rows.values())

    def add(self, row: Row) -> None:
        """Keep a row."""
        self.rows[row["key"]] = row
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def measured(name: str, masks: list[np.ndarray], settings: PaintSettings, known: Measured) -> list[Row]:
    """The figures of all ways over each mask that a brush fits."""
    rows = []
    for place, mask in enumerate(masks):
        if not mask.any() or settings.brush > max(np.ptp(np.nonzero(mask), axis=1)) + 1:
            continue
        content = hashlib.sha256(np.packbits(mask).tobytes()).hexdigest()[:12]
        key = f"{name} {content} {settings.brush:g} {settings.coverage:g}"
        if key not in known.rows:
            known.add({"key": key, **planned(mask, settings)})
            print(f"{name} {place + 1}/{len(masks)}, brush {settings.brush:g}", flush=True)
        rows.append(known.rows[key])
    return rows


def planned(mask: np.ndarray, settings: PaintSettings) -> Row:
    """One mask in all ways."""
    start = process_time()
    chosen = choose_plan(Part(mask), settings)
    planning = process_time() - start
    old = plan_painting(igm(mask, DEPTH), replace(settings, join=False))
    found = {**chosen.ways, "auto": chosen.ways[chosen.plan.kind], OLD: old.metrics(mask)}
    return {
        "kind": chosen.plan.kind,
        "planning": planning,
        "least": least_seconds(Part(mask), settings),
        "ways": {way: {key: found[way][key] for key in FIGURES} for way in WAYS},
        "rest": process_time() - start - planning,
    }


def summed(name: str, brush: float, every: list[Row]) -> Row:
    """The means of all ways, and how often which plan was chosen."""
    kinds = [one["kind"] for one in every]
    auto, rows = ([one["ways"][way]["seconds"] for one in every] for way in ("auto", "rows"))
    ways = {way: {key: float(np.mean([one["ways"][way][key] for one in every])) for key in FIGURES} for way in WAYS}
    return {
        "masks": name,
        "count": len(every),
        "brush": brush,
        "least_seconds": float(np.mean([one["least"] for one in every])),
        "chosen": {kind: kinds.count(kind) for kind in ("rectangles", "rows", "cells")},
        "wasted_more": sum(one["ways"]["auto"]["waste"] > one["ways"][LIFTED]["waste"] + 1e-9 for one in every),
        "slower_than_rows": sum(ours > theirs + 1e-9 for ours, theirs in zip(auto, rows, strict=True)),
        "planning_ms": 1000 * float(np.mean([one["planning"] for one in every])),
        "ways": ways,
    }


def page(result: Row) -> str:
    """The results as a page."""
    machine, settings = result["machine"], result["settings"]
    versions = ", ".join(f"{package} {number}" for package, number in result["versions"].items())
    parts = [
        "# Painting: time, lifts, coverage and waste",
        f"Plans cover {settings['coverage']:.4g} of their mask, whatever they waste; overlap {settings['overlap']:g}.\n"
        "Means over the masks. Lengths are in pixels, times at 100 pixels per second with the brush down\n"
        "and 200 with it up, 0.5 s per lift and 0.1 s per turn.\n"
        f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}; {versions}; {result['date']}; "
        f"{result['processor_seconds']:.0f} s of processor time.\nMade by `{result['command']}`.",
        *(table(one) for one in result["results"]),
    ]
    return "\n\n".join(parts) + "\n"


def table(one: Row) -> str:
    """The table of one set of masks and one brush."""
    rows = [
        f"| {WAYS[way]} | {found['seconds']:.1f} | {found['strokes']:.1f} | {found['lifts']:.1f} | "
        f"{found['painted_length']:,.0f} | {found['travel_length']:,.0f} | {100 * found['coverage']:.2f} % | "
        f"{100 * found['waste']:.2f} % |"
        for way, found in one["ways"].items()
    ]
    auto, rectangles, lifted, old = (one["ways"][way]["seconds"] for way in ("auto", "rectangles", LIFTED, OLD))
    chosen = ", ".join(f"{kind} {count}" for kind, count in one["chosen"].items())
    return "\n".join([
        f"**{one['count']} masks ({one['masks']}), a brush of {one['brush']:g} pixels.**\n",
        "| plan | time, s | strokes | lifts | painted | travel | coverage | waste |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        *rows,
        f"| lower bound: area / brush | {one['least_seconds']:.1f} | | | | | | |\n",
        f"Auto is {saved(auto, lifted)} than rows with a lift per stroke, and {saved(auto, old)} than the greedy\n"
        f"tree's plan; rectangles alone are {saved(rectangles, old)} than that. Auto chose {chosen}.\n"
        f"It was slower than rows on {one['slower_than_rows']} masks, and wasted more than rows with a lift per stroke "
        f"on {one['wasted_more']}.\n"
        f"Planning took {one['planning_ms']:.0f} ms of processor time per mask, all plans together.",
    ])  # fmt: skip


def saved(ours: float, theirs: float) -> str:
    share = 1 - ours / theirs
    return f"{100 * abs(share):.1f} % {'quicker' if share >= 0 else 'slower'}"


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(str(error))
