"""Plans for clients: kinds, limits, the figures of the alternatives, keep-outs, and a plane in millimetres."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import settings as rounds
from hypothesis import strategies as st

import shapeparse
from shapeparse import UserError
from shapeparse.grammar import ParseTree
from shapeparse.painting import PaintSettings, Part, choose_plan
from shapeparse.painting.plane import Plane
from shapeparse.painting.settings import PLANS
from shapeparse.painting.zones import drawn
from shapeparse.web.answers import Refusal
from shapeparse.web.plans import part_of, plane_of, rectified, zone_of
from shapeparse.web.schemas import PlaneRequest, PlanRequest

from .conftest import TREE, house, photo, picture

BOX = [[10.0, 12.0], [22.0, 12.0], [22.0, 25.0], [10.0, 25.0]]
CORNERS = [[4.0, 3.0], [44.0, 5.0], [46.0, 30.0], [2.0, 28.0]]
PLANE = {"corners": CORNERS, "width": 600, "height": 400}


def tree() -> ParseTree:
    return ParseTree.from_json(json.dumps(TREE))


def plan(client: TestClient, **settings: Any) -> dict[str, Any]:
    answer = client.post("/api/plan", json={"tree": TREE, **settings})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


@pytest.mark.parametrize("kind", ["auto", *PLANS])
def test_the_plan_is_of_the_kind_asked_for_and_stands_beside_all_others(client: TestClient, kind: str) -> None:
    found = plan(client, plan=kind, brush=8)
    assert set(found["ways"]) == {*PLANS, "rows, lifted"}
    assert found["plan"] == kind or kind == "auto"
    assert found["ways"][found["plan"]] == found["metrics"]
    own = shapeparse.paint(tree(), brush=8, plan=kind)
    assert (found["plan"], len(found["strokes"])) == (own.kind, len(own.strokes))
    if kind == "auto":
        assert found["metrics"]["seconds"] == min(way["seconds"] for way in found["ways"].values())
    assert 0 < found["seconds_least"] <= found["metrics"]["seconds"]


def test_a_lower_coverage_may_be_quicker_and_is_reached(client: TestClient) -> None:
    all_of_it, most_of_it = (plan(client, brush=7, coverage=share)["metrics"] for share in (1, 0.8))
    assert all_of_it["coverage"] == 1
    assert most_of_it["coverage"] >= 0.8
    assert most_of_it["seconds"] <= all_of_it["seconds"]


def test_without_a_mask_coverage_is_that_of_the_labels(client: TestClient) -> None:
    assert plan(client)["against"] == "labels"
    files = {"request": ("r.json", json.dumps({"tree": TREE}).encode()), "mask": ("m.png", picture(house(60, 40)))}
    beside = client.post("/api/plan", files=files).json()
    assert beside["against"] == "mask"
    assert beside["ways"]["rows"]["waste"] > plan(client)["ways"]["rows"]["waste"] == 0
    assert beside["merged_paint"] == 1


def test_strokes_keep_out_of_polygons_in_plans_and_in_files(client: TestClient) -> None:
    zone = drawn([[np.array(BOX)]], (40, 60))
    asked = {"tree": TREE, "brush": 6, "coverage": 0.9, "keep_out": [BOX]}
    found = plan(client, **asked)
    file = client.post("/api/export", json={**asked, "format": "json"}).json()
    assert file["strokes"] == found["strokes"]
    for stroke in found["strokes"]:
        (left, right), (top, bottom) = (sorted((stroke[f"{axis}1"], stroke[f"{axis}2"])) for axis in "xy")
        low = np.floor(np.maximum([left - 3, top - 3], 0) + 1e-6).astype(int)
        high = np.ceil(np.array([right, bottom]) + 3 - 1e-6).astype(int)
        assert not zone[low[1] : high[1], low[0] : high[0]].any()
    assert len(found["strokes"]) > len(plan(client, brush=6)["strokes"])


def test_the_part_beside_keep_outs_is_planned_as_the_library_does() -> None:
    request = PlanRequest(tree=TREE, brush=6, coverage=0.9, keep_out=[[(x, y) for x, y in BOX]])
    zone = zone_of(request, tree())
    assert zone is not None
    part = part_of(tree(), zone, request.settings())
    assert part.tree is None
    own = choose_plan(Part(tree().labels() & ~zone, kept_out=zone), PaintSettings(brush=6, coverage=0.9)).plan
    assert choose_plan(part, request.settings()).plan.strokes == own.strokes
    assert part_of(tree(), None, request.settings()).tree is not None


def test_a_plane_is_rectified_parsed_and_planned_in_millimetres(client: TestClient) -> None:
    files = {"image": ("door.png", picture(photo())), "mask": ("mask.png", picture(house()))}
    data = {"model": "oracle", "plane": json.dumps(PLANE)}
    parsed = client.post("/api/parse", files=files, data=data).json()
    plane = Plane(tuple((x, y) for x, y in CORNERS), 600, 400)
    assert (parsed["image"]["height"], parsed["image"]["width"]) == plane.shape
    assert parsed["plane"]["scale"] == plane.scale
    assert parsed["plane"]["sensitivity"] == pytest.approx(plane.sensitivity())
    assert parsed["plane"]["photograph"] == {"name": "door.png", "width": 48, "height": 32}
    assert parsed["plane"]["source"].startswith("data:image/jpeg;base64,")
    [parse] = parsed["parses"]
    found = ParseTree.from_json(json.dumps(parse["tree"]))
    front = rectified(house(), plane)
    assert found.accuracy(front) == parse["scores"]["accuracy"] > 0.95

    asked = json.dumps({"tree": parse["tree"], "brush": 3, "coverage": 0.9, "plane": PLANE}).encode()
    files = {"request": ("r.json", asked), "mask": ("mask.png", picture(house()))}
    planned = client.post("/api/plan", files=files).json()
    assert planned["units"]["length"] == "mm"
    assert planned["settings"]["scale"] == plane.scale
    own = shapeparse.paint(found, brush=3, coverage=0.9, scale=plane.scale).metrics(front)
    assert planned["metrics"] == pytest.approx(own)


def test_a_tree_of_another_picture_than_the_plane_shows_is_refused(client: TestClient) -> None:
    answer = client.post("/api/plan", json={"tree": TREE, "plane": PLANE})
    assert answer.status_code == 422
    assert "The tree is of 60 x 40 pixels but the plane of" in answer.json()["error"]


corner = st.tuples(*(st.floats(-200, 400, allow_nan=False) for _ in "xy"))


@rounds(max_examples=60, deadline=None)
@given(corners=st.tuples(corner, corner, corner, corner), width=st.floats(1, 1e5), height=st.floats(1, 1e5))
def test_any_corners_are_a_picture_within_bounds_or_one_sentence(corners: Any, width: float, height: float) -> None:
    try:
        plane = plane_of(PlaneRequest(corners=corners, width=width, height=height), 250_000)
        plane.sensitivity()
    except (UserError, Refusal):
        return
    rows, columns = rectified(house(), plane).shape
    assert rows * columns <= 250_000
