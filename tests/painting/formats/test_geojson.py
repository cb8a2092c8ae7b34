"""GeoJSON, read back by shapely."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import shape

from shapeparse import ParseTree, Rule
from shapeparse.painting import ExportSettings, PaintPlan, PaintSettings, plan_painting
from shapeparse.painting.georeference import Affine

from ..conftest import NORTH_UP, SOUTH_UP, TURNED, written

any_tree, any_settings = st.from_type(ParseTree), st.from_type(PaintSettings)


def features(text: str, kind: str) -> list[dict]:
    return [one for one in json.loads(text)["features"] if one["properties"]["kind"] == kind]


@given(any_tree, any_settings, st.sampled_from([None, NORTH_UP, TURNED, SOUTH_UP]))
def test_geojson_is_valid_and_holds_nodes_rectangles_strokes_and_travel(
    tree: ParseTree, settings: PaintSettings, world: Affine | None
) -> None:
    plan = plan_painting(tree, settings)
    text = written(plan, tree, "geojson", world=world)
    collection = json.loads(text)
    assert len({one["id"] for one in collection["features"]}) == len(collection["features"])
    assert not {"coordinates", "geometries", "geometry", "properties"} & set(collection)  # RFC 7946, section 7.1
    pixel = settings.length(1) if world is None else 0.5 if world is TURNED else 0.25
    for one in collection["features"]:
        geometry = shape(one["geometry"])
        assert geometry.is_valid
        if geometry.geom_type == "Polygon":
            assert geometry.exterior.is_ccw  # the right-hand rule of RFC 7946
    nodes = features(text, "node")
    assert [shape(one["geometry"]).area for one in nodes] == pytest.approx(tree.w * tree.h * pixel**2, rel=1e-2)
    for node, one in enumerate(nodes):
        facts = one["properties"]
        assert (facts["id"], facts["depth"]) == (node, tree.depth[node])
        assert facts["parent"] == (None if node == 0 else tree.parent[node])
        assert facts["rule"] == Rule(tree.rule[node]).label
        assert facts["label"] == (facts["rule"] if tree.is_leaf[node] else None)
        assert (facts["order"] is not None) == (facts["label"] == "paint")
    assert len(features(text, "rectangle")) == len(plan.rectangles)
    strokes = features(text, "stroke")
    assert [one["properties"]["order"] for one in strokes] == list(range(len(plan.strokes)))
    lengths = [shape(one["geometry"]).length for one in strokes]
    assert lengths == pytest.approx([stroke.length * pixel for stroke in plan.strokes], abs=0.01 * pixel)
    assert all(shape(one["geometry"]).geom_type == "LineString" for one in features(text, "travel"))


def test_geojson_without_a_world_file_begins_at_the_lower_left_corner(plan: PaintPlan, toy: ParseTree) -> None:
    text = written(plan, toy, "geojson", crs="EPSG:25832")
    assert shape(features(text, "node")[0]["geometry"]).bounds == (0, 0, 48, 36)
    body = max(features(text, "rectangle"), key=lambda one: shape(one["geometry"]).area)
    assert shape(body["geometry"]).bounds == (4, 0, 44, 14)  # it stands on the lower edge of the picture
    head = json.loads(text)
    assert "crs" not in head  # the code is that of a world file, and there is none
    assert head["frame"]["unit"] == "mm"
    assert head["frame"]["crs"] == "unknown"


def test_geojson_is_in_the_coordinates_of_the_world_file(plan: PaintPlan, toy: ParseTree) -> None:
    text = written(plan, toy, "geojson", world=NORTH_UP, crs="EPSG:25832")
    assert shape(features(text, "node")[0]["geometry"]).bounds == (500_000, 5_599_982, 500_024, 5_600_000)
    assert json.loads(text)["crs"]["properties"]["name"] == "urn:ogc:def:crs:EPSG::25832"


@pytest.mark.parametrize("crs", ["", "25832", "EPSG:x", "EPSG:25832\n", "urn:ogc:def:crs:EPSG::25832"])
def test_a_crs_that_is_no_code_is_refused(refused: Callable[..., str], crs: str) -> None:
    assert "such as EPSG:25832" in refused(ExportSettings, crs=crs)


def test_shapely_agrees_that_the_strokes_in_the_geojson_paint_the_rectangles(plan: PaintPlan, toy: ParseTree) -> None:
    text = written(plan, toy, "geojson")
    brushes = [
        shape(one["geometry"]).buffer(one["properties"]["width"] / 2, cap_style="square")
        for one in features(text, "stroke")
    ]
    rectangles = [shape(one["geometry"]) for one in features(text, "rectangle")]
    assert shapely.union_all(brushes).symmetric_difference(shapely.union_all(rectangles)).area < 0.05
