"""How much travel a route saves, and how much is painted: plans of the oracle's trees beside plain ways to paint.

    python benchmarks/painting.py [--data DIR] [--images 40] [--brush 12]

``DIR`` holds masks/ (or masks themselves). Without it: the car-panels data beside the repository if it is there, else
masks of the built-in generator. Writes results/painting/painting.json and painting.md.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import tyro
from machine import REPOSITORY, facts

from shapeparse import ParseTree, UserError, igm
from shapeparse.data.images import read_mask
from shapeparse.painting import PaintSettings, plan_painting
from shapeparse.painting.alternatives import row_by_row
from shapeparse.support.files import make_folder, write_json, write_text

CAR_PANELS = REPOSITORY.parent / "shared" / "data" / "car-panels"
SIDE = 256
WAYS = {
    "route": "this plan",
    "nearest": "the same strokes, nearest first",
    "tree": "the same strokes, in the order of the tree",
    "raster": "the same strokes, from top to bottom",
    "rows": "row by row over the mask",
}
CHANGES: dict[str, Any] = {
    "route": {},
    "nearest": {"order": "nearest"},
    "tree": {"order": "tree"},
    "raster": {"order": "raster"},
}
Row = dict[str, Any]


def main(
    data: Path | None = None,
    images: int = 40,
    brush: float = 12.0,
    overlap: float = 0.1,
    depth: int = 7,
    out: Path = REPOSITORY / "results" / "painting",
) -> None:
    """Plan with every order, and row by row; write painting.json and painting.md.

    Args:
        data: a folder of masks, or with a folder masks/ in it.
        images: how many masks, evenly spread over the folder.
        brush: in pixels.
        overlap: of neighbouring strokes, a share of the brush.
        depth: of the oracle's trees.
        out: where the results go.
    """
    folder = make_folder(out)
    name, masks = load(data, images)
    trees = [igm(mask, depth) for mask in masks]
    settings = PaintSettings(brush=brush, overlap=overlap)
    plan_painting(trees[0], settings)  # load or compile the kernels
    every = [measured(tree, mask, settings) for tree, mask in zip(trees, masks, strict=True)]
    ways = {way: {key: float(np.mean([one[way][key] for one in every])) for key in every[0][way]} for way in WAYS}
    result: Row = {
        "benchmark": "painting",
        **facts(),
        "masks": {"name": name, "count": len(masks)},
        "settings": {"brush": brush, "overlap": overlap, "depth": depth},
        "rectangles": ways["route"]["rectangles"],
        "narrow": ways["route"]["narrow"],
        "longer than nearest first": longer(every, "route", "nearest"),
        "ways": ways,
    }
    write_json(folder / "painting.json", result)
    write_text(folder / "painting.md", page(result))
    print(page(result))


def longer(every: list[dict[str, Row]], way: str, other: str) -> int:
    """On how many masks one way travels farther than another."""
    return sum(one[way]["travel_length"] > one[other]["travel_length"] + 1e-6 for one in every)


def load(data: Path | None, images: int) -> tuple[str, list[np.ndarray]]:
    if data is None and not CAR_PANELS.is_dir():
        from shapeparse.data.generator import generate

        return "generated, seed 0", [generate(0, index, SIDE)[1] for index in range(images)]
    data = data or CAR_PANELS
    paths = sorted((data / "masks").glob("*.png")) or sorted(data.glob("*.png"))
    if not paths:
        raise UserError(f"{data} has no masks/*.png and no *.png; give a folder of masks.")
    chosen = np.unique(np.linspace(0, len(paths) - 1, min(images, len(paths))).round().astype(int))
    return data.resolve().name, [read_mask(paths[place]) for place in chosen]


def measured(tree: ParseTree, mask: np.ndarray, settings: PaintSettings) -> dict[str, Row]:
    """The metrics of every way, with the processor seconds that planning took."""
    found = {}
    for way in WAYS:
        start = process_time()
        if way == "rows":
            plan = replace(plan_painting(tree, replace(settings, order="tree")), strokes=row_by_row(mask, settings))
        else:
            plan = plan_painting(tree, replace(settings, **CHANGES[way]))
        taken = process_time() - start
        found[way] = plan.metrics(mask) | {"planning": taken}
    return found


def page(result: Row) -> str:
    machine, masks, settings, ways = (result[key] for key in ("machine", "masks", "settings", "ways"))
    versions = ", ".join(f"{package} {number}" for package, number in result["versions"].items())
    count, travel = masks["count"], {way: one["travel_length"] for way, one in ways.items()}
    lines = [
        f"| {WAYS[way]} | {one['strokes']:.1f} | {one['painted_length']:,.0f} | {one['travel_length']:,.0f} | "
        f"{100 * one['coverage']:.2f} % | {100 * one['waste']:.2f} % | {100 * one['overlap']:.1f} % | "
        f"{one['seconds']:.0f} | {1000 * one['planning']:.0f} |"
        for way, one in ways.items()
    ]
    parts = [
        "# Painting: travel, coverage and waste",
        f"The oracle's trees of depth {settings['depth']} of {count} masks ({masks['name']}), with a brush of "
        f"{settings['brush']:g} pixels and an overlap of {settings['overlap']:g}.\n"
        f"Means over the masks, which have {result['rectangles']:.1f} rectangles to paint, {result['narrow']:.1f} of "
        "them narrower than the brush. Lengths are in pixels; planning is processor time.\n"
        f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}; {versions}; {result['date']}.\n"
        f"Made by `python benchmarks/painting.py --images {count} --brush {settings['brush']:g}`.",
        "| way | strokes | painted | travel | coverage | waste | overlap | painting, s | planning, ms |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n" + "\n".join(lines),
        f"The route's travel is {saved(travel, 'nearest')} than nearest first, {saved(travel, 'raster')} than the\n"
        f"same strokes from top to bottom, and {saved(travel, 'rows')} than row by row over the mask.\n"
        f"It is longer than nearest first on {result['longer than nearest first']} of the {count} masks.",
    ]
    return "\n\n".join(parts) + "\n"


def saved(travel: dict[str, float], way: str) -> str:
    share = 1 - travel["route"] / travel[way]
    return f"{100 * abs(share):.1f} % {'shorter' if share >= 0 else 'longer'}"


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(str(error))
