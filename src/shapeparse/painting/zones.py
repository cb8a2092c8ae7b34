"""What is not to be painted after all: keep-out zones, all outside a region, small islands, and a border.

Zones come as masks (PNG), or as polygons in GeoJSON or SVG, in the frames in which plans are written in these formats.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from ..data.images import read_mask
from ..grammar import BoolArray, FloatArray
from ..support.errors import UserError
from ..support.files import check_file
from ..support.text import one_line
from .cells import sweep
from .georeference import Affine

MOST_BYTES = 1 << 24
FARTHEST = 1e12
"""Coordinates of a file, in any unit of length."""
FINE = 4
"""Polygons are seen at this many places of a pixel along each axis: what touches it by less is not seen."""

Ring = FloatArray
"""(points, 2): x and y in pixels, y down."""


def read_zone(path: str | Path, shape: tuple[int, int], to_file: Affine) -> BoolArray:
    """The pixels that a zone touches; ``to_file`` is the frame of GeoJSON files, seen from pixels."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in (".geojson", ".json", ".svg"):
        mask = read_mask(path)
        if mask.shape != shape:
            raise UserError(
                f"The zone {one_line(path)} has {mask.shape[1]} x {mask.shape[0]} pixels but the image {shape[1]} x "
                f"{shape[0]}; give one of the same size."
            )
        return mask
    check_file(path, MOST_BYTES)
    try:
        text = path.read_text(encoding="utf-8-sig")
        polygons = svg_polygons(text) if suffix == ".svg" else geojson_polygons(text, to_file)
    except OSError as error:
        raise UserError(f"Cannot read {one_line(path)}: {error.strerror or error}; check its permissions.") from error
    except (ValueError, KeyError, TypeError, IndexError, RecursionError, ElementTree.ParseError) as error:
        kind = (
            "SVG with polygons, rectangles or paths of straight lines" if suffix == ".svg" else "GeoJSON with polygons"
        )
        raise UserError(f"{one_line(path)} is not {kind} ({one_line(error)[:80]}); write it again.") from error
    if not polygons:
        raise UserError(f"{one_line(path)} has no polygons; draw at least one.")
    return drawn(polygons, shape)


def geojson_polygons(text: str, to_file: Affine) -> list[list[Ring]]:
    """The polygons of a GeoJSON file, each the outer ring and its holes, in pixels."""
    found: list[list[Ring]] = []
    a, b, c, d, e, f = to_file
    back = np.linalg.inv(np.array([[a, b], [d, e]]))
    pending = [json.loads(text)]
    while pending:
        one = pending.pop()
        kind = one["type"]
        if kind == "FeatureCollection":
            pending += one["features"]
        elif kind == "Feature":
            pending += [one["geometry"]] if one["geometry"] else []
        elif kind == "GeometryCollection":
            pending += one["geometries"]
        elif kind in ("Polygon", "MultiPolygon"):
            polygons = [one["coordinates"]] if kind == "Polygon" else one["coordinates"]
            found += [[_ring([point[:2] for point in ring], back, (c, f)) for ring in rings] for rings in polygons]
    return found


def _ring(points: list[list[float]], back: FloatArray, origin: tuple[float, float]) -> Ring:
    given = np.array(points, np.float64)
    if not (np.abs(given) <= FARTHEST).all():  # NaN is not, either
        raise ValueError("a polygon has a point that is nowhere on Earth")
    return _checked((given - origin) @ back.T)


def _checked(ring: Ring) -> Ring:
    if ring.ndim != 2 or len(ring) < 3 or not np.isfinite(ring).all():
        raise ValueError("a polygon needs three points or more")
    return np.clip(ring, -1e6, 1e6)


def svg_polygons(text: str) -> list[list[Ring]]:
    """The polygons, rectangles and paths of straight lines of an SVG file; one user unit is a pixel."""
    if "<!ENTITY" in text:
        raise ValueError("it has entities")
    found: list[list[Ring]] = []
    for element in ElementTree.fromstring(text).iter():
        name = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
        if element.get("transform"):
            raise ValueError("it has a transform; flatten it")
        if name == "polygon":
            numbers = [float(word) for word in re.split(r"[\s,]+", (element.get("points") or "").strip())]
            found.append([_checked(np.array(numbers).reshape(-1, 2))])
        elif name == "rect":
            x, y, w, h = (float(element.get(side, "0").removesuffix("px")) for side in ("x", "y", "width", "height"))
            found.append([_checked(np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]]))])
        elif name == "path":
            found.append([_checked(np.array(ring)) for ring in _path_rings(element.get("d") or "")])
    return found


def _path_rings(data: str) -> list[list[tuple[float, float]]]:
    words = re.findall(r"[A-Za-z]|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", data)
    rings: list[list[tuple[float, float]]] = []
    x = y = 0.0
    command, place = "", 0
    while place < len(words):
        if words[place].isalpha():
            command, place = words[place], place + 1
            if command in "Zz":
                x, y = rings[-1][0]
                continue
        relative, kind = command.islower(), command.upper()
        if kind not in ("M", "L", "H", "V"):
            raise ValueError(f"its path has {command[:1] or 'no command'}, and only M, L, H, V and Z are straight")
        if kind == "V":
            y, place = float(words[place]) + (y if relative else 0), place + 1
        else:
            x, place = float(words[place]) + (x if relative else 0), place + 1
            if kind != "H":
                y, place = float(words[place]) + (y if relative else 0), place + 1
        if kind == "M":
            rings.append([])
            command = "l" if relative else "L"
        rings[-1].append((x, y))
    return rings


def drawn(polygons: list[list[Ring]], shape: tuple[int, int]) -> BoolArray:
    """The pixels that polygons touch; a point is inside a polygon if a line from it crosses the rings an odd number of
    times, so rings inside the first one are holes."""
    found = np.zeros(shape, bool)
    for rings in polygons:
        edges = np.concatenate([np.concatenate([ring, np.roll(ring, -1, axis=0)], axis=1) for ring in rings]) * FINE
        low, high = np.minimum(edges[:, 1], edges[:, 3]), np.maximum(edges[:, 1], edges[:, 3])
        first, last = max(int(low.min()), 0), min(int(np.ceil(high.max())), shape[0] * FINE)
        for row in range(first, last):
            x1, y1, x2, y2 = edges[(low <= row + 0.5) & (row + 0.5 < high)].T
            crossings = np.sort(x1 + (row + 0.5 - y1) / (y2 - y1) * (x2 - x1))
            for begin, end in zip(crossings[0::2].tolist(), crossings[1::2].tolist(), strict=True):
                left, right = max(int(np.ceil(begin - 0.5)), 0), int(np.floor(end - 0.5))
                if right >= left:
                    found[row // FINE, left // FINE : right // FINE + 1] = True
    return found


def without_islands(wanted: BoolArray, area: float) -> BoolArray:
    """The mask without connected pieces of less than so many pixels."""
    if area <= 0:
        return wanted
    cells, touching = sweep(wanted)
    kept = np.zeros_like(wanted)
    left = set(cells)
    while left:
        island, pending = set(), [left.pop()]
        while pending:
            cell = pending.pop()
            island.add(cell)
            fresh = set(touching[cell]) & left
            left -= fresh
            pending += fresh
        runs = [run for cell in island for run in cells[cell]]
        if sum(end - start for _, start, end in runs) >= area:
            for row, start, end in runs:
                kept[row, start:end] = True
    return kept


def eroded(wanted: BoolArray, distance: float) -> BoolArray:
    """What is at least ``distance``, rounded up to pixels, along x or y away from everything that is not wanted.

    The edge of the image is no border.
    """
    side = int(np.ceil(distance - 1e-9))
    return wanted if side <= 0 else ~dilated(~wanted, side)


def dilated(mask: BoolArray, side: int) -> BoolArray:
    """All that is at most ``side`` pixels, along x and along y, away from a mask."""
    for axis in (0, 1):
        sums = np.cumsum(np.insert(mask, 0, 0, axis=axis), axis=axis, dtype=np.int32)
        count = mask.shape[axis]
        places = np.arange(count)
        first, last = np.maximum(places - side, 0), np.minimum(places + side + 1, count)
        mask = np.take(sums, last, axis=axis) > np.take(sums, first, axis=axis)
    return mask


def reachable(kept_out: BoolArray, brush: float) -> BoolArray:
    """What a brush can paint without entering the zone; beyond the edge of the image nothing is kept out."""
    side = int(np.ceil(brush - 1e-9))
    padded = np.pad(kept_out, side).astype(np.int32)
    sums = np.pad(padded.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    free = sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side] == 0
    # A free place paints the square right of and below it: the pixels with a free place in the square before them.
    sums = np.pad(free.astype(np.int32).cumsum(axis=0).cumsum(axis=1), ((side, side), (side, side)), mode="edge")
    sums[:side] = sums[:, :side] = 0
    rows, columns = padded.shape
    reached = (
        sums[side : side + rows, side : side + columns] - sums[:rows, side : side + columns]
        - sums[side : side + rows, :columns] + sums[:rows, :columns]
    ) > 0  # fmt: skip
    height, width = kept_out.shape
    return np.asarray(reached[side : side + height, side : side + width])
