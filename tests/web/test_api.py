"""What the API answers to people who ask nicely."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

import shapeparse
from shapeparse.explorer.page import DRAWINGS
from shapeparse.grammar import ParseTree
from shapeparse.painting import FORMATS
from shapeparse.web.endpoints import download_name
from shapeparse.web.samples import SAMPLES

from .conftest import TREE, house, image_and_mask, photo, picture


def test_health_says_how_it_is(client: TestClient) -> None:
    answer = client.get("/health").json()
    known = {"version": shapeparse.__version__, "models": 4, "first": "my-run"}
    assert answer == {"status": "ok", **known, "busy": 0, "limit": 6}


def test_head_is_answered_like_get_without_the_body(client: TestClient) -> None:
    answer = client.head("/health")
    assert (answer.status_code, answer.content) == (200, b"")


def test_models_are_the_trained_ones_then_the_oracles(client: TestClient) -> None:
    models = client.get("/api/models").json()
    assert [(one["name"], one["kind"], one["needs_mask"]) for one in models] == [
        ("my-run", "model", False),
        ("best-tree", "oracle", True),
        ("oracle", "oracle", True),
        ("oracle-lookahead", "oracle", True),
    ]
    assert models[0]["facts"] == {
        "depth": 4, "settings": ["depth", "price"], "epoch": 3, "validation_accuracy": 0.5,
        "method": "dagger", "title": "DAgger",
    }  # fmt: skip
    assert models[1]["facts"] == {"depth": None, "settings": ["rectangles", "price", "accuracy"]}
    assert models[0]["title"] == "DAgger: my-run"


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_has_a_photograph_and_a_mask_of_one_size(client: TestClient, name: str) -> None:
    listed = {one["name"]: one["title"] for one in client.get("/api/samples").json()}
    assert listed[name]
    parts = {part: client.get(f"/api/samples/{name}/{part}") for part in ("image", "mask")}
    assert {answer.headers["content-type"] for answer in parts.values()} == {"image/png"}
    files = {part: (f"{part}.png", answer.content) for part, answer in parts.items()}
    uploaded = client.post("/api/parse", files=files, data={"model": "oracle"}).json()
    chosen = client.post("/api/parse", files={"sample": (None, name), "model": (None, "oracle")}).json()
    trees = [answer["parses"][0]["tree"] for answer in (uploaded, chosen)]
    assert trees[0]["nodes"] == trees[1]["nodes"]
    assert chosen["image"] == {"name": f"{name}.png", "width": 512, "height": 512}


def test_an_oracle_parses_a_photograph_with_its_mask(client: TestClient) -> None:
    answer = client.post("/api/parse", files=image_and_mask(), data={"model": "oracle", "depth": "6"})
    content = answer.json()
    assert content["image"] == {"name": "door.png", "width": 48, "height": 32}
    [parse] = content["parses"]
    tree = ParseTree.from_json(json.dumps(parse["tree"]))
    expected = shapeparse.igm(house(), depth=6)
    assert (tree.name, len(tree)) == ("door.png", len(expected))
    assert parse["scores"] == {"accuracy": 1.0, "iou": 1.0, "coverage": 1.0, "waste": 0.0}
    assert parse["merged_paint"] == sum(segment.paint for segment in tree.segments(merge=True))
    assert (parse["model"], parse["title"]) == ("oracle", "Oracle")
    assert parse["milliseconds"] > 0


def test_a_trained_model_needs_no_mask_and_is_the_default(client: TestClient, run_folder: Path) -> None:
    pixels = photo(301, 20)
    [parse] = client.post("/api/parse", files={"image": ("a.png", picture(pixels))}).json()["parses"]
    tree = ParseTree.from_json(json.dumps(parse["tree"]))
    assert parse["scores"] is None
    assert parse["model"] == "my-run"
    own = shapeparse.load(run_folder).parse(pixels)
    assert np.array_equal(tree.labels(), own.labels())
    assert (tree.width, tree.height) == (301, 20)


def test_models_are_compared_in_the_order_asked(client: TestClient) -> None:
    names = ["oracle-lookahead", "my-run", "oracle"]
    answer = client.post("/api/parse", files=image_and_mask(), data={"model": names, "depth": "3"}).json()
    assert [parse["model"] for parse in answer["parses"]] == names
    assert all(parse["scores"]["accuracy"] > 0 for parse in answer["parses"])
    assert all(max(node["depth"] for node in parse["tree"]["nodes"]) <= 3 for parse in answer["parses"])


def test_as_many_rectangles_as_are_asked_for(client: TestClient) -> None:
    for count in (1, 2, 4):
        data = {"model": "best-tree", "rectangles": str(count)}
        [parse] = client.post("/api/parse", files=image_and_mask(), data=data).json()["parses"]
        best = shapeparse.decompose(house(), rectangles=count)
        assert sum(node["cut"] is None for node in parse["tree"]["nodes"]) == best.leaf_count <= count
        assert parse["scores"]["accuracy"] == best.accuracy(house())


def test_a_plan_is_held_against_the_mask_that_comes_with_it(client: TestClient) -> None:
    asked = json.dumps({"tree": TREE, "brush": 20}).encode()
    files = {"request": ("request.json", asked), "mask": ("mask.png", picture(house(60, 40)))}
    found = client.post("/api/plan", files=files).json()["metrics"]
    assert found == shapeparse.paint(ParseTree.from_json(json.dumps(TREE)), brush=20).metrics(house(60, 40))


def test_a_price_leaves_fewer_rectangles(client: TestClient) -> None:
    def nodes(price: float) -> int:
        data = {"model": "oracle", "price": str(price)}
        return len(client.post("/api/parse", files=image_and_mask(), data=data).json()["parses"][0]["tree"]["nodes"])

    assert nodes(0.5) == 1 < nodes(0.05) < nodes(0)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF"])
def test_photographs_of_every_format(client: TestClient, kind: str) -> None:
    answer = client.post("/api/parse", files={"image": ("a", picture(photo(40, 30), kind))})
    assert answer.json()["image"] == {"name": "a", "width": 40, "height": 30}


def test_a_browser_that_sends_an_empty_mask_field_sends_no_mask(client: TestClient) -> None:
    boundary = "x"
    parts = [("image", "a.png", picture(photo())), ("mask", "", b"")]
    body = b"".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{file}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n".encode()
        + content
        + b"\r\n"
        for name, file, content in parts
    )
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    answer = client.post("/api/parse", content=body + f"--{boundary}--\r\n".encode(), headers=headers)
    assert answer.json()["parses"][0]["scores"] is None


def test_a_plan_of_strokes(client: TestClient) -> None:
    plan = client.post("/api/plan", json={"tree": TREE, "brush": 10, "overlap": 0}).json()
    assert (plan["format"], plan["version"]) == ("shapeparse-plan", 1)
    assert plan["metrics"]["strokes"] == len(plan["strokes"]) == 4
    assert {stroke["width"] for stroke in plan["strokes"]} == {10}


def test_finer_brushes_take_more_strokes_and_a_scale_changes_the_unit(client: TestClient) -> None:
    def plan(**settings: object) -> dict:
        return client.post("/api/plan", json={"tree": TREE, **settings}).json()

    assert len(plan(brush=3)["strokes"]) > len(plan(brush=12)["strokes"])
    assert plan(scale=2.0)["units"]["length"] == "mm"
    assert plan(order="raster")["settings"]["order"] == "raster"


@pytest.mark.parametrize("name", [*DRAWINGS, *FORMATS])
def test_every_format_can_be_downloaded(client: TestClient, name: str) -> None:
    media_type = {**DRAWINGS, **FORMATS}[name][1]
    answer = client.post("/api/export", json={"tree": TREE, "format": name})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].partition(";")[0] == media_type
    assert answer.headers["content-disposition"] == f'attachment; filename="{download_name("door.png", name)}"'
    assert answer.content


def test_a_tree_survives_the_round_trip(client: TestClient) -> None:
    answer = client.post("/api/export", json={"tree": TREE, "format": "tree"})
    assert answer.json() == TREE


def test_nothing_is_kept_between_requests(client: TestClient) -> None:
    first = client.post("/api/parse", files=image_and_mask(), data={"model": "oracle"}).json()
    client.post("/api/parse", files={"image": ("b.png", picture(photo(20, 20)))})
    second = client.post("/api/parse", files=image_and_mask(), data={"model": "oracle"}).json()
    for answer in (first, second):
        del answer["parses"][0]["milliseconds"]
    assert first == second
