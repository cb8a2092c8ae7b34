"""GeoJSON: the tree's nodes and the rectangles as polygons, strokes and travel as lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...grammar import FloatArray, ParseTree, Rule
from ...support.errors import UserError
from ..frames import Frame
from ..georeference import Affine
from ..strokes import footprints

if TYPE_CHECKING:
    from ..plan import PaintPlan

Feature = dict[str, Any]


def check_crs(crs: str) -> None:
    """Refuse what is no code of the EPSG register."""
    if not re.fullmatch(r"EPSG:\d{4,6}", crs):
        raise UserError(f"The coordinate reference system is {ascii(crs)[:40]}; give a code such as EPSG:25832.")


def write(plan: PaintPlan, tree: ParseTree | None, world: Affine | None, crs: str | None) -> str:
    """A FeatureCollection, a feature a line; each has a ``kind``: node, rectangle, stroke, step or travel."""
    frame = Frame.of(plan, plan.settings.length_unit, world)
    head: dict[str, Any] = {"type": "FeatureCollection", "format": "shapeparse-plan", "name": plan.name}
    known = crs if world is not None else None
    if known:  # not part of RFC 7946, but GDAL and QGIS read it
        head["crs"] = {"type": "name", "properties": {"name": f"urn:ogc:def:crs:{known.replace(':', '::')}"}}
    head["frame"] = {"unit": frame.unit, "origin": frame.origin, "crs": known or "unknown"}
    nodes = [] if tree is None else _nodes(plan, tree, frame.of_image(plan))
    features = [*nodes, *_rectangles(plan, frame), *_ways(plan, frame)]
    rows = ",\n".join(json.dumps(feature, allow_nan=False) for feature in features)
    return json.dumps(head)[:-1] + f', "features": [\n{rows}\n]}}\n'


def _nodes(plan: PaintPlan, tree: ParseTree, frame: Frame) -> Iterator[Feature]:
    boxes = np.stack([tree.x, tree.y, tree.w, tree.h], axis=1).astype(np.float64)
    order = _first_strokes(plan, boxes) if plan.turn is None else [None] * len(boxes)
    for node, ring in enumerate(_rings(boxes, frame)):
        rule = Rule(tree.rule[node])
        properties = {
            "kind": "node",
            "id": node,
            "parent": int(tree.parent[node]) if node else None,
            "depth": int(tree.depth[node]),
            "rule": rule.label,
            "label": rule.label if rule >= Rule.PAINT else None,
            "order": order[node] if rule == Rule.PAINT else None,
        }
        yield _feature(f"node-{node}", "Polygon", [ring], properties)


def _rectangles(plan: PaintPlan, frame: Frame) -> Iterator[Feature]:
    order = _first_strokes(plan, plan.rectangles)
    for place, ring in enumerate(_rings(plan.rectangles, frame)):
        properties = {"kind": "rectangle", "id": place, "label": "paint", "order": order[place]}
        yield _feature(f"rectangle-{place}", "Polygon", [ring], properties)


def _ways(plan: PaintPlan, frame: Frame) -> Iterator[Feature]:
    """Strokes, steps and travel, in painting order. A dab is a point: a line needs two."""
    points = frame.points(plan.places).tolist()
    for number, move in enumerate(plan.moves):
        here, there = points[max(number - 1, 0)], points[number]
        if move.way == "stroke":
            stroke = plan.strokes[move.stroke]
            width = round(stroke.width * frame.pixel, frame.decimals)
            facts = {"kind": "stroke", "order": move.stroke, "rectangle": stroke.rectangle, "width": width}
            name = f"stroke-{move.stroke}"
            if here == there:
                yield _feature(name, "Point", there, facts)
            else:
                yield _feature(name, "LineString", [here, there], facts)
        elif here != there:
            kind = "step" if move.way == "step" else "travel"
            yield _feature(f"{kind}-{number}", "LineString", [here, there], {"kind": kind, "order": move.stroke})


def _feature(name: str, kind: str, coordinates: list[Any], properties: dict[str, Any]) -> Feature:
    geometry = {"type": kind, "coordinates": coordinates}
    return {"type": "Feature", "id": name, "properties": properties, "geometry": geometry}


def _rings(boxes: FloatArray, frame: Frame) -> list[list[list[float]]]:
    """Closed rings around boxes (x, y, w, h), counter-clockwise as RFC 7946 wants the outside of a polygon."""
    x, y, w, h = boxes.T
    corners = [(x, y), (x, y + h), (x + w, y + h), (x + w, y), (x, y)]  # counter-clockwise once y points up
    rings = frame.points(np.stack([np.stack(corner, axis=-1) for corner in corners], axis=1))
    rings = rings[:, ::-1] if frame.affine.determinant > 0 else rings
    plain: list[list[list[float]]] = rings.tolist()
    return plain


def _first_strokes(plan: PaintPlan, boxes: FloatArray) -> list[int | None]:
    """For each box (x, y, w, h) the place of the first stroke that paints some of it."""
    prints: npt.NDArray[np.float64] = footprints(plan.strokes)
    found: list[int | None] = []
    for x, y, w, h in boxes.tolist():
        meets = (prints[:, 0] < x + w) & (prints[:, 2] > x) & (prints[:, 1] < y + h) & (prints[:, 3] > y)
        found.append(int(np.argmax(meets)) if meets.any() else None)
    return found
