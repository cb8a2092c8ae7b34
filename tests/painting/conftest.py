"""Trees and settings to plan with, how shapely sees what is painted, and strokes at random."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from shapely import Geometry, box, union_all

from shapeparse import ParseTree, Rule
from shapeparse.painting import ExportSettings, PaintPlan, PaintSettings, Stroke, export_plan, plan_painting
from shapeparse.painting.georeference import Affine
from shapeparse.pictures import toy_object

NORTH_UP = Affine(0.25, 0, 500_000, 0, -0.25, 5_600_000)
TURNED = Affine(0.3, 0.4, 100, 0.4, -0.3, 200)
SOUTH_UP = Affine(0.25, 0, 0, 0, 0.25, 0)

# Brushes below, at and above the sides of the small random trees.
st.register_type_strategy(
    PaintSettings,
    st.builds(
        PaintSettings,
        brush=st.one_of(st.integers(1, 14), st.floats(0.6, 14)),
        overlap=st.sampled_from([0.0, 0.1, 1 / 3, 0.75]),
        margin=st.just(0.0),
        scale=st.sampled_from([None, 0.5, 1.0, 3.0]),
        unit=st.none(),
        order=st.sampled_from(["route", "nearest", "raster", "tree"]),
        stroke_speed=st.floats(1, 100),
        travel_speed=st.floats(1, 100),
        lift_time=st.floats(0, 2),
        turn_time=st.floats(0, 0.5),
        join=st.booleans(),
        plan=st.just("auto"),
        coverage=st.just(0.99),
        waste=st.just(1.0),
        overrun=st.just(0.0),
        lead_in=st.sampled_from([0.0, 2.0]),
        lead_out=st.sampled_from([0.0, 1.5]),
        smallest=st.just(0.0),
        start=st.none(),
        home=st.none(),
    ),
)


def lone_leaf(width: int, height: int, rule: Rule) -> ParseTree:
    """A picture that is one rectangle."""
    x, y, w, h, depth, parent = (np.array([number], np.int32) for number in (0, 0, width, height, 0, -1))
    return ParseTree(width, height, x, y, w, h, depth, parent, np.array([rule], np.int8), np.zeros(1, np.int32))


def known(number: float | None) -> float:
    """A number of a plan's metrics, where it has it."""
    assert number is not None
    return number


@pytest.fixture(scope="session")
def toy() -> ParseTree:
    """A tree of seven leaves of an image of 96 x 72, with two merged paint rectangles."""
    return toy_object()[2]


@pytest.fixture(scope="session")
def plan(toy: ParseTree) -> PaintPlan:
    """How to paint it with a brush of 9 pixels, each half a millimetre."""
    return plan_painting(toy, PaintSettings(brush=9, scale=0.5))


def written(plan: PaintPlan, tree: ParseTree, name: str, **options: Any) -> str:
    """A plan as the text of a file."""
    return export_plan(plan, tree, name, ExportSettings(**options)).decode()


def flipped(lines: np.ndarray, plan: PaintPlan, size: float = 1.0) -> np.ndarray:
    """Lines as most formats have them: y up from the lower left corner."""
    return (lines * [1, -1, 1, -1] + [0, plan.height, 0, plan.height]) * size


def brush_down(plan: PaintPlan) -> np.ndarray:
    """The ways (x1, y1, x2, y2) with the brush down, in their order, those of no length as well."""
    ways = [(*here[:2], *there[:2]) for here, there in pairwise(plan.moves) if there.down]
    return np.array(ways, float).reshape(-1, 4)


def painted(strokes: Iterable[Stroke]) -> Geometry:
    """What the square brush paints."""
    return union_all([footprint(stroke) for stroke in strokes])


def footprint(stroke: Stroke) -> Geometry:
    """The brush swept along a stroke."""
    half = stroke.width / 2
    left, right = sorted((stroke.x1, stroke.x2))
    top, bottom = sorted((stroke.y1, stroke.y2))
    return box(left - half, top - half, right + half, bottom + half)


def boxes(plan: PaintPlan) -> list[Geometry]:
    """The rectangles of a plan."""
    return [box(x, y, x + w, y + h) for x, y, w, h in plan.rectangles.tolist()]


def skipped(tree: ParseTree) -> Geometry:
    """All that is labelled skip."""
    return union_all([box(x, y, x + w, y + h) for x, y, w, h, paint in tree.segments() if not paint])


def random_lines(count: int, seed: int) -> np.ndarray:
    """Strokes along x or y in a square of 100 pixels."""
    rng = np.random.default_rng(seed)
    start, length = rng.uniform(0, 100, (count, 2)), rng.uniform(0, 30, count)
    along_x = rng.random(count) < 0.5
    return np.concatenate([start, start + np.stack([length * along_x, length * ~along_x], axis=1)], axis=1)


def tour_length(lines: np.ndarray, tour: np.ndarray) -> float:
    """How far a tour goes between its strokes."""
    ends = lines.reshape(-1, 2)[tour]
    return float(np.hypot(*(ends[2::2] - ends[1:-1:2]).T).sum())


def is_tour(tour: np.ndarray) -> bool:
    """Whether it meets both ends of every stroke, one after the other."""
    return sorted(tour.tolist()) == list(range(len(tour))) and bool((tour[0::2] ^ 1 == tour[1::2]).all())
