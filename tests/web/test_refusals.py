"""What cannot be done is said in one sentence, with the status that fits."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from shapeparse.web import ServiceSettings, create_app
from shapeparse.web.endpoints import safe_stem
from shapeparse.web.uploads import clean_name

from .conftest import TREE, house, image_and_mask, photo, picture, sentence

PHOTO = {"image": ("a.png", picture(photo()))}
REQUEST = ("request.json", json.dumps({"tree": TREE}).encode())


@pytest.fixture(scope="module")
def wide() -> Iterator[TestClient]:
    """A client of a service that takes more than the JSON of a tree may have."""
    with TestClient(create_app(ServiceSettings(at_once=1)), raise_server_exceptions=False) as client:
        yield client


def bomb(width: int, height: int) -> bytes:
    """A PNG file of a few bytes that says it has that many pixels."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\0" * 1_000_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("files", "data", "status", "words"),
    [
        ({"depth": (None, "3")}, {}, 422, "`image`"),
        (PHOTO, {"sample": "window"}, 422, "one of the two"),
        ({"sample": (None, "nothing")}, {}, 422, "the samples are"),
        ({"image": (None, "text")}, {}, 422, "must be a file"),
        (PHOTO, {"model": "none"}, 422, "the models are"),
        (PHOTO, {"model": "oracle"}, 422, "needs a mask"),
        (PHOTO, {"model": ["a", "b", "c", "d", "e"]}, 422, "at most 4"),
        (PHOTO, {"depth": "-1"}, 422, "from 0 to 10"),
        (PHOTO, {"depth": "11"}, 422, "from 0 to 10"),
        (PHOTO, {"depth": "1.5"}, 422, "whole number"),
        (PHOTO, {"depth": "٣"}, 422, "whole number"),
        (PHOTO, {"depth": ["1", "2"]}, 422, "2 times"),
        (PHOTO, {"price": "nan"}, 422, "price"),
        (PHOTO, {"price": "-1"}, 422, "price"),
        (PHOTO, {"rectangles": "0"}, 422, "rectangles is '0'; give a whole number from 1 to 100"),
        (PHOTO, {"rectangles": "nan"}, 422, "from 1 to 100"),
        (PHOTO, {"rectangles": "101"}, 422, "from 1 to 100"),
        (PHOTO, {"rectangles": "5", "price": "0.01"}, 422, "Both rectangles and price"),
        (PHOTO, {"rectangles": "5", "accuracy": "0.9"}, 422, "Both rectangles and accuracy"),
        (PHOTO, {"rectangles": "5"}, 422, "no evidence map"),
        (PHOTO, {"accuracy": "nan"}, 422, "accuracy is 'nan'"),
        (PHOTO, {"accuracy": "0"}, 422, "accuracy is 0"),
        (PHOTO, {"accuracy": "1.01"}, 422, "at most 1"),
        (image_and_mask(), {"model": "oracle", "rectangles": "5"}, 422, "knows no rectangles"),
        (image_and_mask(), {"model": "best-tree", "depth": "5"}, 422, "knows no depth"),
        (PHOTO, {"colour": "red"}, 422, "the fields are"),
        (PHOTO, {"plane": "corners"}, 400, "not JSON"),
        (PHOTO, {"plane": '{"corners": [[0, 0], [9, 0], [9, 9]], "width": 9, "height": 9}'}, 422, "corners"),
        (PHOTO, {"plane": '{"corners": [[0, 0], [9, 9], [9, 0], [0, 9]], "width": 9, "height": 9}'}, 422, "cross"),
        (PHOTO, {"plane": '{"corners": [[0, 0], [9, 0], [9, 9], [0, 9]], "width": 0, "height": 9}'}, 422, "width"),
        (PHOTO, {"plane": '{"corners": [[0, 0], [NaN, 0], [9, 9], [0, 9]], "width": 9, "height": 9}'}, 422, "corners"),
        (
            PHOTO, {"plane": '{"corners": [[0, 0], [9e3, 0], [9e3, 9e3], [0, 9e3]], "width": 9, "height": 9}'}, 413,
            "1,000,000",
        ),
        ({"image": ("line.png", bomb(1, 24_000_000))}, {}, 413, "1,000,000 pixels (1 x 24000000)"),
        ({"image": ("line.png", bomb(1, 20_000))}, {}, 413, "16,384 pixels (1 x 20000)"),
        (PHOTO, {"depth": "1" * 2000}, 400, "form"),
        (
            {"image": ("a.png", picture(photo(1025, 8))), "mask": ("m.png", picture(house(1025, 8)))},
            {"model": "oracle-lookahead"},
            422,
            "1024 pixels a side",
        ),
        ({**PHOTO, "depth": ("depth.txt", b"3")}, {}, 422, "not a file"),
        ({**PHOTO, "mask": ("m.png", picture(house(20, 20)))}, {"model": "oracle"}, 422, "20 x 20"),
        ({"sample": (None, "window"), "mask": ("m.png", picture(house()))}, {}, 422, "of its own"),
        ({"image": ("a.png", b"")}, {}, 422, "empty"),
        ({"image": ("a.txt", b"no image")}, {}, 422, "not a JPEG"),
        ({"image": ("a.eps", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")}, {}, 422, "not a JPEG"),
        ({"image": ("a.jpg", picture(photo(400, 300), "JPEG")[:9000])}, {}, 422, "damaged or cut short"),
        ({"image": ("a.png", bomb(1001, 1000))}, {}, 413, "1,000,000 pixels (1001 x 1000)"),
        ({"image": ("a.png", bomb(100_000, 100_000))}, {}, 413, "1,000,000 pixels"),
        ({"image": ("a.png", bomb(0, 10))}, {}, 422, "a.png"),
        ({**PHOTO, "mask": ("m.png", bomb(30_000, 30_000))}, {"model": "oracle"}, 413, "m.png"),
    ],
    ids=str,
)  # fmt: skip
def test_a_parse_that_cannot_be_done(
    client: TestClient, files: dict[str, Any], data: dict[str, Any], status: int, words: str
) -> None:
    answer = client.post("/api/parse", files=files, data=data)
    assert words in sentence(answer, status)


BOX = [[10, 10], [20, 10], [20, 20], [10, 20]]
GAP = [[[left, 0], [right, 0], [right, 40], [left, 40]] for left, right in ((0, 20), (26, 60))]
SQUARE = [[0, 0], [60, 0], [60, 40], [0, 40]]
PLANE = {"corners": SQUARE, "width": 60, "height": 40}


def tree(**changes: Any) -> dict[str, Any]:
    return {**TREE, **changes}


@pytest.mark.parametrize(
    ("content", "status", "words"),
    [
        ({}, 422, "tree: "),
        ({"tree": []}, 422, "tree: "),
        ({"tree": {}}, 422, "The tree is not valid"),
        ({"tree": tree(version=2)}, 422, "version 1"),
        ({"tree": tree(nodes=TREE["nodes"][:1])}, 422, "exactly two children"),
        ({"tree": tree(nodes=TREE["nodes"] * 5000)}, 422, "The tree is not valid"),
        ({"tree": tree(image={"width": 10**6, "height": 1000})}, 422, "root"),
        ({"tree": tree(image={"width": 10**400, "height": 1000})}, 422, "width"),
        ({"tree": TREE, "brush": 0}, 422, "brush: "),
        ({"tree": TREE, "brush": "12"}, 422, "brush: "),
        ({"tree": TREE, "brush": True}, 422, "brush: "),
        ({"tree": TREE, "brush": 0.0001}, 422, "wider brush"),
        ({"tree": TREE, "overlap": 1}, 422, "overlap: "),
        ({"tree": TREE, "overlap": 0.999999999}, 422, "wider brush"),
        ({"tree": TREE, "margin": -1}, 422, "margin: "),
        ({"tree": TREE, "order": "best"}, 422, "order: "),
        ({"tree": TREE, "unit": "mm"}, 422, "scale"),
        ({"tree": TREE, "time_limit": 1000}, 422, "time_limit: "),
        ({"tree": TREE, "plan": "best"}, 422, "plan"),
        ({"tree": TREE, "brush": 50}, 422, "larger than the part, 45 px x 40 px"),
        ({"tree": TREE, "brush": 0.025}, 422, "1,500 strokes"),
        ({"tree": TREE, "waste": 1.5}, 422, "waste"),
        ({"tree": TREE, "coverage": 0}, 422, "coverage: "),
        ({"tree": TREE, "keep_out": BOX}, 422, "keep_out"),
        ({"tree": TREE, "keep_out": [BOX] * 21}, 422, "keep_out: "),
        ({"tree": TREE, "keep_out": [BOX * 26]}, 422, "keep_out.0: "),
        ({"tree": TREE, "keep_out": [[[0, 0], [1, 1]]]}, 422, "keep_out.0: "),
        ({"tree": TREE, "keep_out": [[[0, 0], [10**9, 1], [2, 2]]]}, 422, "keep_out.0.1"),
        ({"tree": TREE, "keep_out": [[[-1, -1], [61, -1], [61, 41], [-1, 41]]]}, 422, "leave nothing to paint"),
        ({"tree": TREE, "keep_out": GAP}, 422, "A brush of 12 px fits nowhere beside the keep-outs"),
        ({"tree": TREE, "coverage": 1, "keep_out": [[[20, 20], [25, 20], [25, 25]]]}, 422, "cannot be reached"),
        ({"tree": TREE, "plane": {"corners": SQUARE, "width": 60, "height": 0}}, 422, "plane.height"),
        ({"tree": TREE, "plane": {"corners": SQUARE[:3], "width": 60, "height": 40}}, 422, "plane.corners"),
        ({"tree": TREE, "plane": {"corners": SQUARE[::-1], "width": 60, "height": 40}}, 422, "wrong way"),
        ({"tree": TREE, "scale": 2, "plane": PLANE}, 422, "Both scale and plane"),
    ],
    ids=lambda value: str(value)[:40],
)
@pytest.mark.parametrize("path", ["plan", "export"])
def test_a_plan_that_cannot_be_made(
    client: TestClient, path: str, content: dict[str, Any], status: int, words: str
) -> None:
    content = {**content, "format": "gcode"} if path == "export" else content
    body = json.dumps(content).replace(str(10**400), "9" * 401)
    answer = client.post(f"/api/{path}", content=body, headers={"Content-Type": "application/json"})
    assert words in sentence(answer, status)


@pytest.mark.parametrize(
    ("files", "status", "words"),
    [
        ({"mask": ("m.png", picture(house(60, 40)))}, 422, "no `request`"),
        ({"request": (None, "{}")}, 422, "must be a file"),
        ({"request": ("r.json", b"{")}, 400, "not JSON"),
        ({"request": ("r.json", b" " * 4_000_001)}, 413, "4,000,000 bytes"),
        ({"request": REQUEST, "mask": ("m.png", picture(house(20, 20)))}, 422, "20 x 20"),
        ({"request": REQUEST, "mask": ("m.png", b"no image")}, 422, "m.png is not a JPEG"),
        ({"request": REQUEST, "sample": (None, "nothing")}, 422, "the samples are"),
        ({"request": REQUEST, "sample": (None, "window")}, 422, "512 x 512"),
        ({"request": REQUEST, "sample": (None, "window"), "mask": ("m.png", b"x")}, 422, "one of `mask` and `sample`"),
        ({"request": REQUEST, "image": ("a.png", b"x")}, 422, "the fields are request, mask, sample"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_plan_that_cannot_be_held_against_a_mask(
    wide: TestClient, files: dict[str, Any], status: int, words: str
) -> None:
    assert words in sentence(wide.post("/api/plan", files=files), status)


def test_numbers_of_thousands_of_digits_are_no_failure(client: TestClient) -> None:
    body = json.dumps({"tree": tree(version=7)}).replace("7", "9" * 5000)
    answer = client.post("/api/plan", content=body, headers={"Content-Type": "application/json"})
    assert sentence(answer, answer.status_code)
    assert answer.status_code in (400, 422)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"tree": "\\ud800"}', b"null"], ids=repr)
def test_what_is_not_json_or_not_an_object(client: TestClient, body: bytes) -> None:
    answer = client.post("/api/plan", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert sentence(answer, answer.status_code)


def test_a_tree_of_a_picture_too_large_or_with_too_many_nodes(client: TestClient) -> None:
    large = tree(
        image={"name": "", "width": 2000, "height": 1000},
        nodes=[{**TREE["nodes"][1], "w": 2000, "h": 1000, "depth": 0, "parent": None}],
    )
    assert "1,000,000 pixels" in sentence(client.post("/api/plan", json={"tree": large}), 413)
    assert "8192" in sentence(client.post("/api/plan", json={"tree": comb(100, 60)}), 422)


def comb(width: int, height: int) -> dict[str, Any]:
    """A tree of rows, each cut into single pixels."""
    rows: list[tuple[int, int, int, int, int, int | None]] = [(0, 0, width, height, 0, None)]
    nodes: list[dict[str, Any]] = []
    while rows:
        x, y, w, h, depth, parent = rows.pop()
        place = len(nodes)
        rule = "split-y" if h > 1 else "split-x" if w > 1 else "paint"
        cut = h // 2 if h > 1 else w // 2
        at = {"cut": cut if rule != "paint" else None}
        nodes.append({"x": x, "y": y, "w": w, "h": h, "depth": depth, "parent": parent, "rule": rule, **at})
        if rule == "split-y":
            rows += [(x, y + cut, w, h - cut, depth + 1, place), (x, y, w, cut, depth + 1, place)]
        elif rule == "split-x":
            rows += [(x + cut, y, w - cut, h, depth + 1, place), (x, y, cut, h, depth + 1, place)]
    return tree(image={"name": "", "width": width, "height": height}, nodes=nodes)


def test_a_format_that_is_none(client: TestClient) -> None:
    answer = client.post("/api/export", json={"tree": TREE, "format": "pdf"})
    assert "the formats are tree" in sentence(answer, 422)


@pytest.mark.parametrize(("path", "kind"), [("parse", "application/json"), ("plan", "text/plain"), ("export", "")])
def test_the_wrong_kind_of_content(client: TestClient, path: str, kind: str) -> None:
    assert "Send" in sentence(client.post(f"/api/{path}", content=b"{}", headers={"Content-Type": kind}), 415)


@pytest.mark.parametrize(
    "kind", ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=" + "x" * 999]
)
@pytest.mark.parametrize("body", [b"", b"--x\r\n", b"rubbish", b"--\r\n" * 9, b"\r\n" * 1000], ids=repr)
def test_a_damaged_form(client: TestClient, kind: str, body: bytes) -> None:
    answer = client.post("/api/parse", content=body, headers={"Content-Type": kind})
    assert answer.status_code in (400, 422)
    assert sentence(answer, answer.status_code)


def test_a_path_that_is_not_there_and_a_method_that_is_not_allowed(client: TestClient) -> None:
    assert "/docs" in sentence(client.get("/nothing%1b[31m"), 404)
    assert "the samples are" in sentence(client.get("/api/samples/no/image"), 404)
    answer = client.get("/api/parse")
    assert "GET" in sentence(answer, 405)
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\door.png", "door.png"),
        ("/", "image"),
        ("a\x00b\x1b[31m\r\n.png", "ab[31m.png"),
        ("\u202egnp.exe", "gnp.exe"),
        ("Tür 3.png", "Tür 3.png"),
        ("x" * 5000, "x" * 100),
        ("", "image"),
    ],
)
def test_names_are_shown_but_never_paths(sent: str, name: str) -> None:
    assert clean_name(sent) == name


@pytest.mark.parametrize("sent", ["../../etc/passwd", "a\r\nX-Evil: 1.png", '"; filename=evil', "Tür\U0001f600.png"])
def test_odd_names_go_through_the_whole_service(client: TestClient, sent: str) -> None:
    files = {part: (sent, content) for part, (_, content) in image_and_mask().items()}
    content = client.post("/api/parse", files=files, data={"model": "oracle"}).json()
    name, tree = content["image"]["name"], content["parses"][0]["tree"]
    assert name.isprintable()
    assert "/" not in name
    answer = client.post("/api/export", json={"tree": tree, "format": "rectangles-svg"})
    assert answer.status_code == 200
    assert "x-evil" not in answer.headers


@given(st.text())
def test_file_names_of_downloads_are_harmless(name: str) -> None:
    stem = safe_stem(name)
    assert stem
    assert len(stem) <= 60
    assert set(stem) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
    assert not stem.startswith(".")
