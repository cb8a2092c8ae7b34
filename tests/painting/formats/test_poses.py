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

from ..conftest import flipped, written

any_tree, any_settings = st.from_type(ParseTree), st.from_type(PaintSettings)


@given(any_tree, any_settings)
def test_poses_go_to_both_ends_of_every_stroke(tree: ParseTree, settings: PaintSettings) -> None:
    plan = plan_painting(tree, settings)
    rows = list(csv.DictReader(written(plan, tree, "csv").splitlines()))
    assert [row["brush"] for row in rows] == ["0", "1"] * len(plan.strokes)
    assert [int(row["stroke"]) for row in rows] == [place // 2 for place in range(len(rows))]
    points = np.array([[float(row["x"]), float(row["y"])] for row in rows]).reshape(-1, 4)
    assert np.allclose(points, flipped(plan, settings.length(1)), atol=2e-3 * settings.length(1))
    if rows:
        assert float(rows[-1]["seconds"]) == pytest.approx(plan.metrics()["seconds"], abs=1e-3)
    for row, stroke in zip(rows[::2], plan.strokes, strict=True):
        if stroke.length > 0.1:
            expected = math.degrees(math.atan2(stroke.y1 - stroke.y2, stroke.x2 - stroke.x1)) % 360
            assert float(row["heading"]) == pytest.approx(expected, abs=0.5)


def test_world_coordinates_keep_a_thousandth_of_a_pixel_even_in_degrees(plan: PaintPlan, toy: ParseTree) -> None:
    degrees = Affine(2e-6, 0, 11.5, 0, -2e-6, 48.1)
    for name in ("csv", "fields2cover", "geojson"):
        assert written(plan, toy, name, world=degrees)
    rows = list(csv.DictReader(written(plan, toy, "csv", world=degrees).splitlines()))
    x = (np.array([float(row["x"]) for row in rows]).reshape(-1, 2) - 11.5) / 2e-6
    assert np.allclose(x, plan.lines[:, [0, 2]], atol=1e-3)
