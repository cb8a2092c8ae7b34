"""What is planned for a client: the quickest plan, or the kind that was asked for, beside the figures of the others."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from ..grammar import BoolArray, ParseTree
from ..painting import Choice, PaintSettings, Part, choose_plan
from ..painting.choose import least_seconds
from ..painting.plane import Plane
from ..painting.zones import drawn, eroded, reachable
from ..support.errors import UserError
from .answers import Refusal
from .schemas import PlaneRequest, PlanRequest
from .settings import MAX_SIDE, MAX_STROKES


def plan_answer(request: PlanRequest, tree: ParseTree, mask: BoolArray | None) -> dict[str, Any]:
    """The chosen plan as JSON, with the figures of every kind of plan; ``mask`` is of the tree's picture."""
    settings, zone = request.settings(), zone_of(request, tree)
    part = part_of(tree, zone, settings)
    choice = _chosen(part, settings, compare=True)
    truth = part.wanted if mask is None else mask if zone is None else mask & ~zone
    return {
        **choice.plan.to_json(truth),
        "ways": {kind: plan.metrics(truth) for kind, plan in choice.plans.items()},
        "seconds_least": least_seconds(part, settings),
        "against": "labels" if mask is None else "mask",
        "merged_paint": sum(segment.paint for segment in tree.segments(merge=True)),
        "scores": None if mask is None else asdict(tree.scores(mask)),
    }


def chosen_plan(request: PlanRequest, tree: ParseTree) -> Choice:
    """The same plan, for a file."""
    settings = request.settings()
    return _chosen(part_of(tree, zone_of(request, tree), settings), settings)


def _chosen(part: Part, settings: PaintSettings, compare: bool = False) -> Choice:
    return choose_plan(part, settings, compare, MAX_STROKES)


def part_of(tree: ParseTree, zone: BoolArray | None, settings: PaintSettings) -> Part:
    """What is to be painted of a tree beside the keep-outs."""
    labels = tree.labels()
    wanted = eroded(labels if zone is None else labels & ~zone, settings.margin)
    if zone is None:
        return Part(wanted, tree.name, tree)
    if labels.any() and not wanted.any():
        raise UserError("The keep-outs leave nothing to paint; make them smaller, or clear them.")
    if wanted.any() and not (wanted & reachable(zone, settings.brush)).any():
        raise UserError(
            f"A brush of {settings.told(settings.brush)} fits nowhere beside the keep-outs; give a narrower brush."
        )
    return Part(wanted, tree.name, tree if np.array_equal(wanted, labels) else None, zone)


def zone_of(request: PlanRequest, tree: ParseTree) -> BoolArray | None:
    """The pixels that the keep-outs of a request touch."""
    if not request.keep_out:
        return None
    return drawn([[np.array(ring, np.float64)] for ring in request.keep_out], (tree.height, tree.width))


def plane_of(asked: PlaneRequest, max_pixels: int) -> Plane:
    """The plane that a client means, if its picture is not too large."""
    plane = asked.plane()
    rows, columns = plane.shape
    if rows * columns > max_pixels or max(rows, columns) > MAX_SIDE:
        raise Refusal(
            413, f"Seen from the front, the plane has {columns} x {rows} pixels, more than the {max_pixels:,} that are "
            "taken; give corners closer together, or a smaller photograph."
        )  # fmt: skip
    return plane


def rectified(mask: BoolArray, plane: Plane | None) -> BoolArray:
    """A mask as the plane shows it from the front."""
    return mask if plane is None else plane.rectified(np.where(mask, 255, 0).astype(np.uint8)) >= 128
