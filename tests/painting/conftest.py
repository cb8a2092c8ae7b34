"""Settings to plan with, and how shapely sees what is painted."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import strategies as st
from shapely import Geometry, box, union_all

from shapeparse import ParseTree
from shapeparse.painting import PaintPlan, PaintSettings, Stroke
from shapeparse.pictures import toy_object

# Brushes below, at and above the sides of the small random trees; no search by OR-tools, which has tests of its own.
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
        time_limit=st.just(0.0),
    ),
)


@pytest.fixture(scope="session")
def toy() -> ParseTree:
    """A tree of seven leaves of an image of 96 x 72, with two merged paint rectangles."""
    return toy_object()[2]


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
