"""How far plans are off on a plane that is seen at an angle, and what a turned part costs.

    python benchmarks/perspective.py [--objects 24]

Masks of the built-in generator, 1000 x 1000 mm, are seen by a camera of 1280 x 960 pixels that looks at the plane at
up to 50 degrees, and planned from that photograph with corners that are exact, or off by so many pixels in a random
direction. The same masks are turned by 15 degrees and planned with and without ``--angle auto``. Writes
results/perspective/perspective.json and perspective.md.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from machine import REPOSITORY, facts
from scipy.ndimage import distance_transform_edt

from shapeparse import UserError
from shapeparse.data.generator import generate
from shapeparse.painting import PaintPlan, PaintSettings, Part, choose_plan
from shapeparse.painting.plane import Plane, Turn, best_angle
from shapeparse.painting.sampling import resampled
from shapeparse.painting.strokes import footprints
from shapeparse.support.files import make_folder, write_json, write_text

SIDE, MILLIMETRES = 500, 1000.0
SCALE = MILLIMETRES / SIDE
PHOTO = (960, 1280)
FOCAL, TILT = 1400.0, 50.0
BRUSH = 40.0
OFF = (0.0, 0.5, 1.0, 2.0, 4.0)
DEGREES = 15.0
Row = dict[str, Any]
Mask = np.ndarray


def main(objects: int = 24, seed: int = 0, out: Path = REPOSITORY / "results" / "perspective") -> None:
    """Plan objects that are seen at an angle or turned; write perspective.json and perspective.md.

    Args:
        objects: how many.
        seed: of the objects, the cameras and the errors of the corners.
        out: where the results go.
    """
    rng = np.random.default_rng(seed)
    rows, turned = [], []
    for index in range(objects):
        mask = generate(seed, index, SIDE)[1]
        rows += seen_at_an_angle(mask, camera(rng), rng)
        turned.append(seen_turned(mask))
        print(f"{index + 1} of {objects}", flush=True)
    result: Row = {
        "benchmark": "perspective",
        **facts(),
        "command": f"python benchmarks/perspective.py --objects {objects} --seed {seed}",
        "settings": {"objects": objects, "seed": seed, "brush_mm": BRUSH, "side_mm": MILLIMETRES, "degrees": DEGREES},
        "corners": [summed([row for row in rows if row["off"] == off]) for off in OFF],
        "turned": {name: means([one[name] for one in turned]) for name in turned[0]},
        "rows": rows,
    }
    folder = make_folder(out)
    write_json(folder / "perspective.json", result)
    write_text(folder / "perspective.md", page(result))
    print(page(result))


# ---- seen at an angle ------------------------------------------------------------------------------------------------


def camera(rng: np.random.Generator) -> Plane:
    """The plane as a camera sees it that looks at its middle, tilted and turned at random."""
    tilt, turn, roll = np.radians([rng.uniform(0, TILT), rng.uniform(0, 360), rng.uniform(-20, 20)])
    about_z = [np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]) for a in (turn, roll)]
    about_x = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    pose = about_z[1] @ about_z[0].T @ about_x @ about_z[0]  # tilted about an axis in the plane
    half = MILLIMETRES / 2
    corners = np.array([[-half, -half, 0], [half, -half, 0], [half, half, 0], [-half, half, 0]]) @ pose.T
    corners[:, 2] += 2.4 * MILLIMETRES
    seen = FOCAL * corners[:, :2] / corners[:, 2:] + np.array(PHOTO[::-1]) / 2
    return Plane(tuple((x, y) for x, y in seen.tolist()), MILLIMETRES, MILLIMETRES, SCALE)


def seen_at_an_angle(mask: Mask, truth: Plane, rng: np.random.Generator) -> list[Row]:
    """One object, planned from its photograph with corners that are more and more off."""
    photo = resampled(np.where(mask, 255, 0).astype(np.uint8), PHOTO, truth.on_plane, fine=3)
    directions = rng.uniform(0, 2 * np.pi, 4)
    rows = []
    for off in OFF:
        shift = off * np.stack([np.cos(directions), np.sin(directions)], axis=1)
        known = replace(truth, corners=tuple((x, y) for x, y in (np.array(truth.corners) + shift).tolist()))
        flat = known.rectified(photo) >= 128
        plan = choose_plan(Part(flat), PaintSettings(brush=BRUSH / SCALE)).plan
        rows.append({"off": off, **errors(mask, flat, plan, known, truth)})
    return rows


def errors(mask: Mask, flat: Mask, plan: PaintPlan, known: Plane, truth: Plane) -> Row:
    """Shares of the object's size: how far the outline that is planned for is from the true one, and how far the
    strokes are from where they should be; and what the plan paints of the true object."""
    size = max(np.ptp(np.nonzero(mask), axis=1)) + 1
    ends = plan.lines.reshape(-1, 2)
    strokes = np.hypot(*(truth.on_plane(known.in_photo(ends)) - ends).T)  # from where the object really is
    outline, painted = apart(mask, flat), painted_by(plan)
    return {
        "outline": float(outline.mean()) / size,
        "outline_95": float(np.quantile(outline, 0.95)) / size,
        "strokes": float(strokes.mean()) / size,
        "strokes_worst": float(strokes.max(initial=0.0)) / size,
        "coverage": float((painted & mask).sum() / mask.sum()),
        "waste": float((painted & ~mask).sum() / max(painted.sum(), 1)),
    }


def painted_by(plan: PaintPlan) -> Mask:
    """The pixels whose middle the brush passes over."""
    painted = np.zeros((plan.height, plan.width), bool)
    for left, top, right, bottom in np.maximum(np.rint(footprints(plan.strokes)), 0).astype(int).tolist():
        painted[top:bottom, left:right] = True
    return painted


def apart(one: Mask, other: Mask) -> np.ndarray:
    """Distances in pixels from the outline of each mask to that of the other."""
    edges = [edge(mask) for mask in (one, other)]
    return np.concatenate([distance_transform_edt(~edges[1])[edges[0]], distance_transform_edt(~edges[0])[edges[1]]])


def edge(mask: Mask) -> Mask:
    """The pixels of a mask beside what it is not."""
    padded = np.pad(mask, 1, mode="edge")
    inner = padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
    return mask & ~inner


# ---- turned ----------------------------------------------------------------------------------------------------------


def seen_turned(mask: Mask) -> Row:
    """One object as it is, turned, and turned with its angle found."""
    askew = Turn(-DEGREES, *mask.shape[::-1]).turned(mask)  # the frame clockwise is the part counter-clockwise
    found = best_angle(askew)
    return {
        "upright": planned(mask, best_angle(mask)),
        "turned, --angle 0": planned(askew, 0.0),
        "turned, --angle auto": planned(askew, found),
    }


def planned(mask: Mask, degrees: float) -> Row:
    """The figures of a plan in a frame turned by so many degrees, against the mask in that frame."""
    turn = Turn(degrees, *mask.shape[::-1]) if degrees else None
    wanted = mask if turn is None else turn.turned(mask)
    metrics = choose_plan(Part(wanted, turn=turn), PaintSettings(brush=BRUSH / SCALE)).plan.metrics(wanted)
    return {name: metrics[name] for name in ("seconds", "strokes", "coverage", "waste")} | {"degrees": abs(degrees)}


# ---- the page --------------------------------------------------------------------------------------------------------


def means(rows: list[Row]) -> Row:
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def summed(rows: list[Row]) -> Row:
    worst = {name: max(row[name] for row in rows) for name in ("outline", "strokes_worst")}
    return {
        **means(rows),
        "outline_worst": worst["outline"],
        "strokes_worst": worst["strokes_worst"],
        "count": len(rows),
    }


def page(result: Row) -> str:
    """The results as a page."""
    machine, settings = result["machine"], result["settings"]
    percent = "{:.2f} %".format
    corners = [
        f"| {one['off']:g} px | {percent(100 * one['outline'])} | {percent(100 * one['outline_worst'])} | "
        f"{percent(100 * one['strokes'])} | {percent(100 * one['strokes_worst'])} | {percent(100 * one['coverage'])} | "
        f"{percent(100 * one['waste'])} |"
        for one in result["corners"]
    ]
    turned = [
        f"| {name} | {one['degrees']:.1f} | {one['seconds']:.1f} | {one['strokes']:.1f} | "
        f"{percent(100 * one['coverage'])} | {percent(100 * one['waste'])} |"
        for name, one in result["turned"].items()
    ]
    return "\n".join([
        "# Perspective and turned parts\n",
        f"{settings['objects']} masks of the built-in generator (seed {settings['seed']}) on a plane of "
        f"{settings['side_mm']:g} x {settings['side_mm']:g} mm; a brush of\n{settings['brush_mm']:g} mm, a pixel of "
        f"{SCALE:g} mm. {machine['cpu']}, {machine['cores']} cores, {machine['system']}; {result['date']}.\n"
        f"Made by `{result['command']}`.\n",
        f"**Seen at up to {TILT:g} degrees** by a camera of {PHOTO[1]} x {PHOTO[0]} pixels, with all four corners off "
        "by so much\nin random directions. Shares of the object's size: how far the outline that is planned for lies "
        "from the true\none, and how far the strokes lie from where they should be. Coverage and waste are those on "
        "the true object.\n",
        "| corners off by | outline | worst object | strokes | worst stroke | coverage | waste |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *corners,
        f"\n**Turned by {DEGREES:g} degrees.** Upright parts are planned with `--angle auto`, too.\n",
        "| part | angle found | time, s | strokes | coverage | waste |",
        "| --- | --- | --- | --- | --- | --- |",
        *turned,
    ]) + "\n"  # fmt: skip


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(str(error))
