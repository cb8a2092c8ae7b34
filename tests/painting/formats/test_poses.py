"""CSV poses, read back by the csv module."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import ParseTree
from shapeparse.painting import PaintPlan, PaintSettings, plan_painting
from shapeparse.painting.georeference import Affine

from ..conftest import brush_down, flipped, written

any_tree, any_settings = st.from_type(ParseTree), st.from_type(PaintSettings)


@given(any_tree, any_settings)
def test_poses_follow_the_moves(tree: ParseTree, settings: PaintSettings) -> None:
    plan = plan_painting(tree, settings)
    rows = list(csv.DictReader(written(plan, tree, "csv").splitlines()))
    assert len(rows) == len(plan.moves)
    points = np.array([[float(row["x"]), float(row["y"])] for row in rows]).reshape(-1, 2)
    ways = np.concatenate([points[:-1], points[1:]], axis=1)
    down = np.array([row["brush"] == "1" for row in rows], bool)
    expected = flipped(brush_down(plan), plan, settings.length(1))
    assert np.allclose(ways[down[1:]], expected, atol=2e-3 * settings.length(1))
    assert {int(row["stroke"]) for row in rows} == set(range(len(plan.strokes)))
    if rows:
        assert float(rows[-1]["seconds"]) == pytest.approx(plan.metrics()["seconds"], abs=1e-3)
    for row, (x1, y1, x2, y2) in zip(rows[1:], ways, strict=True):
        if row["brush"] == "1" and math.hypot(x2 - x1, y2 - y1) > 0.2 * settings.length(1):
            apart = float(row["heading"]) - math.degrees(math.atan2(y2 - y1, x2 - x1))
            assert (apart + 180) % 360 - 180 == pytest.approx(0, abs=1)


def test_world_coordinates_keep_a_thousandth_of_a_pixel_even_in_degrees(plan: PaintPlan, toy: ParseTree) -> None:
    degrees = Affine(2e-6, 0, 11.5, 0, -2e-6, 48.1)
    for name in ("csv", "fields2cover", "geojson"):
        assert written(plan, toy, name, world=degrees)
    rows = list(csv.DictReader(written(plan, toy, "csv", world=degrees).splitlines()))
    x = (np.array([float(row["x"]) for row in rows]) - 11.5) / 2e-6
    assert np.allclose(x, plan.places[:, 0], atol=1e-3)
