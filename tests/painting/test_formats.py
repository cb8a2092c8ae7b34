"""Every format, read back by a reader that is not ours."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from xml.etree import ElementTree

import numpy as np
import pytest
import shapely
from gcodeparser import parse_gcode_lines
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import shape

from shapeparse import ParseTree, Rule
from shapeparse.painting import FORMATS, ExportSettings, PaintPlan, PaintSettings, export_plan, plan_painting
from shapeparse.painting.formats.gcode import Commands
from shapeparse.painting.georeference import Affine

any_tree, any_settings = st.from_type(ParseTree), st.from_type(PaintSettings)
NORTH_UP = Affine(0.25, 0, 500_000, 0, -0.25, 5_600_000)
TURNED = Affine(0.3, 0.4, 100, 0.4, -0.3, 200)
SOUTH_UP = Affine(0.25, 0, 0, 0, 0.25, 0)


def written(plan: PaintPlan, tree: ParseTree, name: str, **options: object) -> str:
    return export_plan(plan, tree, name, ExportSettings(**options)).decode()


def flipped(plan: PaintPlan, size: float = 1.0) -> np.ndarray:
    """The strokes as most formats have them: y up from the lower left corner."""
    return (plan.lines * [1, -1, 1, -1] + [0, plan.height, 0, plan.height]) * size


@pytest.fixture(scope="session")
def plan(toy: ParseTree) -> PaintPlan:
    return plan_painting(toy, PaintSettings(brush=9, scale=0.5, time_limit=0))


@given(any_tree, any_settings)
def test_json_holds_the_plan(tree: ParseTree, settings: PaintSettings) -> None:
    plan = plan_painting(tree, settings)
    content = json.loads(written(plan, tree, "json"))
    assert (content["format"], content["version"]) == ("shapeparse-plan", 1)
    assert content["image"] == {"name": tree.name, "width": tree.width, "height": tree.height}
    read = [[stroke[name] for name in ("x1", "y1", "x2", "y2")] for stroke in content["strokes"]]
    assert np.allclose(np.array(read).reshape(-1, 4), plan.lines, atol=1e-5)
    assert [[one[side] for side in "xywh"] for one in content["rectangles"]] == plan.rectangles.tolist()
    assert content["metrics"] == plan.metrics()
    assert content["settings"]["brush"] == settings.brush


# ---- GeoJSON, by shapely ---------------------------------------------------------------------------------------------


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


# ---- SVG, by an XML parser -------------------------------------------------------------------------------------------


@given(any_tree, any_settings)
def test_svg_is_xml_and_draws_every_stroke_as_wide_as_the_brush(tree: ParseTree, settings: PaintSettings) -> None:
    plan = plan_painting(tree, settings)
    root = ElementTree.fromstring(written(plan, tree, "svg"))
    space = {"svg": "http://www.w3.org/2000/svg"}
    drawn = root.findall(".//svg:line[@class='brush']", space)
    read = [[float(line.attrib[name]) for name in ("x1", "y1", "x2", "y2")] for line in drawn]
    assert np.allclose(np.array(read).reshape(-1, 4), plan.lines, atol=1e-5)
    group = root.find(".//svg:g[@class='strokes']", space)
    assert group is not None
    assert float(group.attrib["stroke-width"]) == pytest.approx(settings.brush, abs=1e-5)
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    assert left <= 0
    assert top <= 0
    assert (width, height) >= (tree.width, tree.height)


def test_svg_is_as_large_as_the_object(plan: PaintPlan, toy: ParseTree) -> None:
    root = ElementTree.fromstring(written(plan, toy, "svg"))
    assert (root.attrib["width"], root.attrib["height"]) == ("48mm", "36mm")


def test_svg_shows_the_photograph_and_survives_any_name(plan: PaintPlan, toy: ParseTree) -> None:
    photo = np.zeros((72, 96, 3), np.uint8)
    named = PaintPlan(
        "<b>&\x00\ud800", *(getattr(plan, name) for name in ("width", "height", "settings", "rectangles", "strokes"))
    )
    text = written(named, toy, "svg", image=photo)
    root = ElementTree.fromstring(text)
    assert "data:image/jpeg" in text
    assert (root[0].text or "").startswith("<b>&")


# ---- G-code, by gcodeparser ------------------------------------------------------------------------------------------


def brush_ways(text: str, down: str = "G1 Z0") -> list[tuple[float, ...]]:
    """Act the program out: x1, y1, x2, y2 of every move with the brush down."""
    lowered, here, ways = False, (0.0, 0.0), []
    for line in parse_gcode_lines(text):
        if "Z" in line.params:
            lowered = line.params["Z"] == 0
        if "X" in line.params:
            there = (float(line.params["X"]), float(line.params["Y"]))
            assert (line.command == ("G", 1)) == lowered
            if lowered:
                ways.append((*here, *there))
            here = there
    assert not lowered
    return ways


@given(any_tree, any_settings)
def test_gcode_acted_out_paints_the_strokes(tree: ParseTree, settings: PaintSettings) -> None:
    plan = plan_painting(tree, settings)
    text = written(plan, tree, "gcode")
    commands = [line.command for line in parse_gcode_lines(text)]
    assert commands[:2] == [("G", 21), ("G", 90)]  # millimetres, absolute
    assert commands[-1] == ("M", 2)
    ways = np.array(brush_ways(text)).reshape(-1, 4)
    assert np.allclose(ways, flipped(plan, settings.scale or 1), atol=2e-3 * (settings.scale or 1))


def test_gcode_feeds_are_in_millimetres_a_minute(toy: ParseTree) -> None:
    settings = PaintSettings(brush=30, scale=0.5, stroke_speed=20, travel_speed=90, time_limit=0)
    text = written(plan_painting(toy, settings), toy, "gcode")
    feeds = {line.command: line.params["F"] for line in parse_gcode_lines(text) if "X" in line.params}
    assert feeds == {("G", 0): 5400, ("G", 1): 1200}


def test_gcode_lifts_and_lowers_the_brush_as_it_is_told(plan: PaintPlan, toy: ParseTree) -> None:
    text = written(plan, toy, "gcode", commands=Commands(up=("M5",), down=("M3 S90", "G4 P0.2")))
    commands = [line.command_str for line in parse_gcode_lines(text)]
    assert commands == ["G21", "G90", "M5", *["G0", "M3", "G4", "G1", "M5"] * len(plan.strokes), "M2"]


@pytest.mark.parametrize("lines", [(), ("",), ("M5\nM112",), ("M5", " "), ("Größe",)])
def test_commands_that_are_no_lines_are_refused(refused: Callable[..., str], lines: tuple[str, ...]) -> None:
    assert refused(Commands, up=lines).startswith("Brush up")
    assert refused(Commands, down=lines).startswith("Brush down")


def test_a_name_cannot_smuggle_a_command_into_the_gcode(plan: PaintPlan, toy: ParseTree) -> None:
    named = PaintPlan(
        "x\nG0 X999 Y999\r\nö",
        *(getattr(plan, name) for name in ("width", "height", "settings", "rectangles", "strokes")),
    )
    text = written(named, toy, "gcode")
    assert text.isascii()
    assert brush_ways(text) == brush_ways(written(plan, toy, "gcode"))
    assert all(float(line.params.get("X", 0)) < 100 for line in parse_gcode_lines(text))


# ---- CSV poses -------------------------------------------------------------------------------------------------------


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


# ---- Fields2Cover ----------------------------------------------------------------------------------------------------


def load_path(text: str) -> np.ndarray:
    """As Path::loadFile does: eight numbers again and again until there are none."""
    numbers = [float(word) for word in text.split()]
    assert len(numbers) % 8 == 0
    return np.array(numbers).reshape(-1, 8)


@given(any_tree, any_settings)
def test_a_fields2cover_path_leads_from_state_to_state(tree: ParseTree, settings: PaintSettings) -> None:
    plan = plan_painting(tree, settings)
    path = load_path(written(plan, tree, "fields2cover"))
    size = settings.pixel_in("m")
    swaths = path[path[:, 7] == 1]
    ends = swaths[:, :2] + swaths[:, 5:6] * np.stack([np.cos(swaths[:, 3]), np.sin(swaths[:, 3])], axis=1)
    near = 3e-3 * size
    assert np.allclose(np.concatenate([swaths[:, :2], ends], axis=1), flipped(plan, size), atol=near)
    assert set(path[:, 7]) <= {1, 2}
    assert (path[:, 6] == 1).all()
    assert (path[:, 2] == 0).all()
    assert ((path[:, 3] >= 0) & (path[:, 3] < 2 * math.pi)).all()
    here = path[:, :2] + path[:, 5:6] * np.stack([np.cos(path[:, 3]), np.sin(path[:, 3])], axis=1)
    assert np.allclose(here[:-1], path[1:, :2], atol=near)  # each state ends where the next one begins
    task_time = (path[:, 5] / path[:, 4]).sum()
    expected = plan.metrics()["seconds"] - settings.lift_time * len(plan.strokes)
    assert task_time == pytest.approx(expected, rel=1e-2, abs=1e-2)


# ---- all -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_written_of_a_plan_without_strokes(toy: ParseTree, name: str) -> None:
    plan = plan_painting(toy, PaintSettings(margin=500))
    content = export_plan(plan, toy, name)
    assert content.decode().strip() or name == "fields2cover"


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_written_of_dabs(name: str) -> None:
    (one,) = (np.array([[1]], np.int32) for _ in "x")
    tree = ParseTree(1, 1, *(one[0] * n for n in (0, 0, 1, 1, 0, -1)), np.array([2], np.int8), np.zeros(1, np.int32))
    plan = plan_painting(tree, PaintSettings(brush=40))
    assert len(plan.strokes) == 1
    assert export_plan(plan, tree, name)


def test_an_unknown_format_and_another_tree_are_refused(
    refused: Callable[..., str], plan: PaintPlan, toy: ParseTree
) -> None:
    assert "json, geojson, svg, gcode, csv, fields2cover" in refused(export_plan, plan, toy, "dxf")
    other = ParseTree(
        1, 1, *(np.array([n], np.int32) for n in (0, 0, 1, 1, 0, -1)), np.array([2], np.int8), np.zeros(1, np.int32)
    )
    assert "96 x 72" in refused(export_plan, plan, other, "json")


def test_world_coordinates_keep_a_thousandth_of_a_pixel_even_in_degrees(plan: PaintPlan, toy: ParseTree) -> None:
    degrees = Affine(2e-6, 0, 11.5, 0, -2e-6, 48.1)
    for name in ("csv", "fields2cover", "geojson"):
        assert written(plan, toy, name, world=degrees)
    rows = list(csv.DictReader(written(plan, toy, "csv", world=degrees).splitlines()))
    x = (np.array([float(row["x"]) for row in rows]).reshape(-1, 2) - 11.5) / 2e-6
    assert np.allclose(x, plan.lines[:, [0, 2]], atol=1e-3)


def test_shapely_agrees_that_the_strokes_in_the_geojson_paint_the_rectangles(plan: PaintPlan, toy: ParseTree) -> None:
    text = written(plan, toy, "geojson")
    brushes = [
        shape(one["geometry"]).buffer(one["properties"]["width"] / 2, cap_style="square")
        for one in features(text, "stroke")
    ]
    rectangles = [shape(one["geometry"]) for one in features(text, "rectangle")]
    assert shapely.union_all(brushes).symmetric_difference(shapely.union_all(rectangles)).area < 0.05
