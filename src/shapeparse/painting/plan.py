"""A plan of painting: the strokes in their order, what they paint, and how long it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ..grammar import BoolArray, FloatArray, ParseTree
from ..support import files
from ..support.errors import UserError
from .areas import partitions
from .formats import ExportSettings, export_plan, format_of
from .joins import Steps
from .measure import Areas, measure
from .moves import Move, Way, moves_of
from .plane import Turn
from .route import step_seconds, tour_of, ways_between
from .settings import Kind, Order, PaintSettings
from .strokes import Stroke, around, cover, footprints, rounded, stroke_count
from .tours import Tour

FORMAT, VERSION = "shapeparse-plan", 1
Metrics = dict[str, float | int | None]


@dataclass(frozen=True, eq=False)
class PaintPlan:
    """Strokes over one image, in the order in which they are painted. Coordinates are pixels, y down.

    >>> from shapeparse.pictures import toy_object
    >>> photo, mask, tree = toy_object()
    >>> plan = plan_painting(tree, PaintSettings(brush=2))
    >>> plan.metrics(mask)["coverage"]
    1.0
    """

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
    kind: Kind = "rectangles"
    turn: Turn | None = None
    """How the frame of the plan is turned against the image; all coordinates are in the turned frame."""

    @property
    def image_size(self) -> tuple[int, int]:
        """Width and height of the image, whose frame may be another than that of the plan."""
        return (self.width, self.height) if self.turn is None else (self.turn.width, self.turn.height)

    @cached_property
    def lines(self) -> FloatArray:
        """(strokes, 4): x1, y1, x2, y2."""
        return np.array([stroke[:4] for stroke in self.strokes], np.float64).reshape(-1, 4)

    @cached_property
    def joined(self) -> BoolArray:
        """(strokes,): whether the brush stays down between the stroke before and this one."""
        return np.array([stroke.via is not None for stroke in self.strokes], bool)

    @cached_property
    def moves(self) -> list[Move]:
        """The plan as the machine runs it."""
        return moves_of(self)

    @property
    def places(self) -> FloatArray:
        """(moves, 2): where the moves go to."""
        return np.array([move[:2] for move in self.moves], np.float64).reshape(-1, 2)

    @property
    def travels(self) -> FloatArray:
        """(n, 4): the ways with the brush up, in their order."""
        return self._ways("travel", "lead")

    @property
    def steps(self) -> FloatArray:
        """(n, 4): the ways between strokes with the brush down, one or two for each stroke that is joined."""
        return self._ways("step")

    def _ways(self, *kinds: Way) -> FloatArray:
        found = [(*move[:2], *after[:2]) for move, after in pairwise(self.moves) if after.way in kinds]
        return np.array(found, np.float64).reshape(-1, 4)

    def at(self, place: tuple[float, float]) -> tuple[float, float]:
        """A place given from the lower left corner, in pixels, y up, as the plan counts: y down."""
        if self.turn is None:
            return place[0], self.height - place[1]
        x, y = self.turn.to_image.inverse.at(place[0], self.turn.height - place[1])
        return x, y

    def reordered(self, order: Order) -> PaintPlan:
        """The same strokes in another order."""
        settings = replace(self.settings, order=order)
        return replace(self, settings=settings, strokes=ordered(self.strokes, settings))

    def lengths(self) -> Metrics:
        """The part of the metrics that the order of the strokes decides."""
        turns = int(self.joined.sum())
        return {
            "lifts": len(self.strokes) - turns,
            "turns": turns,
            "painted_length": self.settings.length(_length(self.lines) + _length(self.steps)),
            "travel_length": self.settings.length(_length(self.travels)),
            "seconds": self.moves[-1].seconds if self.moves else 0.0,
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
            "overspill": areas.beyond * share if self.kind == "rectangles" else None,
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
        prints = np.concatenate([footprints(self.strokes), rounded(around(self.steps, self.settings.brush))])
        return measure(prints, rounded(rectangles), mask)

    def save(self, path: str | Path, settings: ExportSettings | None = None) -> None:
        """Write the plan, atomically, in the format that the file's name ends in: .json, .geojson, .svg, .gcode, .csv
        or .txt (Fields2Cover)."""
        files.write_bytes(path, export_plan(self, self.tree, format_of(path), settings))

    def to_json(self, mask: BoolArray | None = None) -> dict[str, Any]:
        """The plan as JSON can hold it; see docs/painting.md."""
        settings = self.settings
        return {
            "format": FORMAT,
            "version": VERSION,
            "plan": self.kind,
            "image": {"name": self.name, "width": self.image_size[0], "height": self.image_size[1]},
            **({} if self.turn is None else {"turned": {"degrees": self.turn.degrees, "to_image": self.turn.to_image}}),
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
                | {"rectangle": stroke.rectangle, "via": None if stroke.via is None else _plain(stroke.via)}
                for stroke in self.strokes
            ],
            "metrics": self.metrics(mask),
        }


def plan_painting(tree: ParseTree, settings: PaintSettings | None = None) -> PaintPlan:
    """Plan how to paint all that a tree labels paint, by its own rectangles.

    The paint leaves are merged into the fewest rectangles, each is covered with parallel strokes, and the strokes are
    ordered. UserError says what cannot be planned, such as a brush that would need too many strokes.
    """
    settings = settings or PaintSettings()
    rectangles = rectangles_of(tree, settings)
    strokes = ordered(cover(rectangles, settings), settings)
    return PaintPlan(tree.name, tree.width, tree.height, settings, rectangles, strokes, tree)


def rectangles_of(tree: ParseTree, settings: PaintSettings) -> FloatArray:
    """The rectangles (x, y, w, h) to paint of a tree: the partition that takes the fewest strokes."""
    return min(partitions(tree, settings.margin), key=lambda found: stroke_count(found, settings))


def ordered(strokes: Sequence[Stroke], settings: PaintSettings) -> tuple[Stroke, ...]:
    """Strokes in the order of the settings, joined; it does not depend on the order in which they are given."""
    table = np.array([stroke[:6] for stroke in strokes], np.float64).reshape(-1, 6)
    low, high = np.minimum(table[:, :2], table[:, 2:4]), np.maximum(table[:, :2], table[:, 2:4])
    upright = (low[:, 1] < high[:, 1]).astype(np.int64)
    beside, along = (np.take_along_axis(low, axis[:, None], 1)[:, 0] for axis in (1 - upright, upright))
    place = np.lexsort((along, beside, upright, table[:, 5]))
    lines, rest = np.concatenate([low, high], axis=1)[place], table[place, 4:]
    steps = Steps(lines, settings.brush) if settings.join and len(lines) > 1 else None
    tour = tour_of(ways_between(lines, settings, steps), rest[:, 1].astype(np.int64), settings.order)
    ends = lines.reshape(-1, 2)[tour].reshape(-1, 4).tolist()
    width_and_owner = rest[tour[0::2] // 2].tolist()
    corners = [None, *_corners(tour, steps, settings)] if steps is not None else [None] * len(ends)
    return tuple(
        Stroke(x1, y1, x2, y2, width, int(owner), via)
        for (x1, y1, x2, y2), (width, owner), via in zip(ends, width_and_owner, corners, strict=True)
    )


def _corners(tour: Tour, steps: Steps, settings: PaintSettings) -> list[tuple[float, float] | None]:
    """For every stroke of a tour but the first, the corner of the step to it where that is quicker than a lift."""
    first, second = tour[1:-1:2], tour[2::2]
    away = np.hypot(*(steps.ends[second] - steps.ends[first]).T)
    lifted = settings.lift_time + away / settings.pixels_a_second(False)
    quicker = step_seconds(steps.ends, first, second, steps, settings) < lifted  # never for NaN
    corners = steps.between(first, second).tolist()
    return [(x, y) if down else None for (x, y), down in zip(corners, quicker.tolist(), strict=True)]


def _length(lines: FloatArray) -> float:
    return float(np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]).sum())


def _plain(numbers: Sequence[float]) -> list[float | int]:
    """Numbers as files show them: whole ones as such."""
    return [int(number) if number == int(number) else round(number, 6) for number in numbers]
