"""A plan of painting: the strokes in their order, what they paint, and how long it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..grammar import BoolArray, FloatArray, ParseTree
from ..support import files
from ..support.errors import UserError
from .areas import partitions
from .formats import ExportSettings, export_plan, format_of
from .measure import Areas, measure
from .route import tour_of
from .settings import Order, PaintSettings
from .strokes import Stroke, cover, footprints, rounded, stroke_count

FORMAT, VERSION = "shapeparse-plan", 1
Metrics = dict[str, float | int | None]


@dataclass(frozen=True, eq=False)
class PaintPlan:
    """Strokes over one image, in the order in which they are painted. Coordinates are pixels, y down."""

    name: str
    """What the image is called."""
    width: int
    height: int
    settings: PaintSettings
    rectangles: FloatArray
    """(n, 4): x, y, w, h of the rectangles to paint, in the order of the derivation; whole pixels unless the margin
    is not."""
    strokes: tuple[Stroke, ...]
    tree: ParseTree | None = None
    """What it was made from; some formats show it."""

    @cached_property
    def lines(self) -> FloatArray:
        """(strokes, 4): x1, y1, x2, y2."""
        return np.array([stroke[:4] for stroke in self.strokes], np.float64).reshape(-1, 4)

    @property
    def travels(self) -> FloatArray:
        """(strokes - 1, 4): the ways with the brush up, from the end of each stroke to the beginning of the next."""
        return np.concatenate([self.lines[:-1, 2:], self.lines[1:, :2]], axis=1)

    def reordered(self, order: Order) -> PaintPlan:
        """The same strokes in another order."""
        settings = replace(self.settings, order=order)
        return replace(self, settings=settings, strokes=_ordered(self.strokes, settings))

    def lengths(self) -> Metrics:
        """The part of the metrics that the order of the strokes decides."""
        painted, travel = _length(self.lines), _length(self.travels)
        down, up = (self.settings.pixels_a_second(down) for down in (True, False))
        return {
            "painted_length": self.settings.length(painted),
            "travel_length": self.settings.length(travel),
            "seconds": painted / down + travel / up + self.settings.lift_time * len(self.strokes),
        }

    def metrics(self, mask: BoolArray | None = None) -> Metrics:
        """What it takes and what it paints, as numbers; those that need a mask are None without one.

        Lengths are in ``settings.length_unit``, ``seconds`` follow from the speeds, and ``painted_area`` is in square
        pixels. ``overlap`` (painted more than once) and ``overspill`` (painted outside the rectangles) are shares of
        it, and so is ``waste`` (painted, but not wanted by the mask); ``coverage`` is the share of the mask that is
        painted.
        """
        areas = self._areas(mask)
        share = 1 / areas.painted if areas.painted else 0.0
        wanted = None if mask is None else int(np.count_nonzero(mask))
        return {
            "strokes": len(self.strokes),
            "rectangles": len(self.rectangles),
            "narrow": int((self.rectangles[:, 2:].min(axis=1, initial=np.inf) < self.settings.brush).sum()),
            **self.lengths(),
            "painted_area": areas.painted,
            "overlap": areas.twice * share,
            "overspill": areas.beyond * share,
            "coverage": None if wanted is None else min(areas.wanted / wanted, 1.0) if wanted else 1.0,
            "waste": None if wanted is None else max(0.0, (areas.painted - areas.wanted) * share),
        }

    def _areas(self, mask: BoolArray | None) -> Areas:
        if mask is not None and mask.shape != (self.height, self.width):
            raise UserError(
                f"The mask is {mask.shape[-1]} x {mask.shape[0]} pixels but the plan is of an image of {self.width} x "
                f"{self.height}; give the mask of that image."
            )
        rectangles = np.concatenate([self.rectangles[:, :2], self.rectangles[:, :2] + self.rectangles[:, 2:]], axis=1)
        return measure(footprints(self.strokes), rounded(rectangles), mask)

    def save(self, path: str | Path, settings: ExportSettings | None = None) -> None:
        """Write the plan, atomically, in the format that the file's name ends in: .json, .geojson, .svg, .gcode, .csv
        or .txt (Fields2Cover)."""
        if self.tree is None:
            raise UserError("The plan does not know the tree it was made from; make it with `shapeparse.paint(tree)`.")
        files.write_bytes(path, export_plan(self, self.tree, format_of(path), settings))

    def to_json(self, mask: BoolArray | None = None) -> dict[str, Any]:
        """The plan as JSON can hold it; see docs/painting.md."""
        settings = self.settings
        return {
            "format": FORMAT,
            "version": VERSION,
            "image": {"name": self.name, "width": self.width, "height": self.height},
            "settings": asdict(settings) | {"unit": settings.length_unit},
            "units": {
                "coordinates": "px",
                "origin": "upper left",
                "y": "down",
                "length": settings.length_unit,
                "speed": "px/s" if settings.scale is None else "mm/s",
                "area": "px^2",
            },
            "rectangles": [dict(zip("xywh", _plain(box), strict=True)) for box in self.rectangles.tolist()],
            "strokes": [
                dict(zip(("x1", "y1", "x2", "y2", "width"), _plain(stroke[:5]), strict=True))
                | {"rectangle": stroke.rectangle}
                for stroke in self.strokes
            ],
            "metrics": self.metrics(mask),
        }


def plan_painting(tree: ParseTree, settings: PaintSettings | None = None) -> PaintPlan:
    """Plan how to paint all that a tree labels paint.

    The paint leaves are merged into the fewest rectangles, each is covered with parallel strokes, and the strokes are
    ordered. UserError says what cannot be planned, such as a brush that would need too many strokes.
    """
    settings = settings or PaintSettings()
    rectangles = min(partitions(tree, settings.margin), key=lambda found: stroke_count(found, settings))
    strokes = _ordered(cover(rectangles, settings), settings)
    return PaintPlan(tree.name, tree.width, tree.height, settings, rectangles, strokes, tree)


def _ordered(strokes: Sequence[Stroke], settings: PaintSettings) -> tuple[Stroke, ...]:
    """Strokes in the order of the settings; it does not depend on the order in which they are given."""
    table = np.array(strokes, np.float64).reshape(-1, 6)
    low, high = np.minimum(table[:, :2], table[:, 2:4]), np.maximum(table[:, :2], table[:, 2:4])
    place = np.lexsort((low[:, 0], low[:, 1], table[:, 5]))
    lines, rest = np.concatenate([low, high], axis=1)[place], table[place, 4:]
    tour = tour_of(lines, rest[:, 1].astype(np.int64), settings.order)
    ends = lines.reshape(-1, 2)[tour].reshape(-1, 4).tolist()
    width_and_owner = rest[tour[0::2] // 2].tolist()
    return tuple(
        Stroke(x1, y1, x2, y2, width, int(owner))
        for (x1, y1, x2, y2), (width, owner) in zip(ends, width_and_owner, strict=True)
    )


def _length(lines: FloatArray) -> float:
    return float(np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]).sum())


def _plain(numbers: Sequence[float]) -> list[float | int]:
    """Numbers as files show them: whole ones as such."""
    return [int(number) if number == int(number) else round(number, 6) for number in numbers]
