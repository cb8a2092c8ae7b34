"""The explorer's pages as text: all is inside, nothing else may run, and no name can break out of its place."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shapeparse import ParseTree
from shapeparse.explorer import Exploration, Shown, explorer_page, explorer_service_page, page, reduced
from shapeparse.painting import FORMATS, PaintSettings, plan_painting
from shapeparse.pictures.palette import PAINT, SKIP, hexadecimal

SOURCES = Path(page.__file__).parent
Door = tuple[np.ndarray, np.ndarray, ParseTree]


class Parts(HTMLParser):
    """The texts of a page's scripts and styles, its data, and every address in it."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: dict[str, list[str]] = {"script": [], "data": [], "style": [], "title": []}
        self.addresses: list[str] = []
        self.policy = ""
        self._kind = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        assert not any(name.startswith("on") or name == "style" for name in given)
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"] or ""
        self._kind = "data" if given.get("type") == "application/json" else tag
        if self._kind in self.texts:
            self.texts[self._kind].append("")

    def handle_data(self, data: str) -> None:
        if self._kind in self.texts:
            self.texts[self._kind][-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._kind = ""

    @property
    def content(self) -> Any:
        (data,) = self.texts["data"]
        return json.loads(data)


def explored(door: Door, name: str = "door.png", **more: Any) -> str:
    photo, _, tree = door
    return explorer_page([Exploration(name, photo, (Shown("Oracle", tree, **more),))], f"Explore {name}")


def test_one_script_and_one_style_are_allowed_and_nothing_is_loaded(door: Door) -> None:
    for html in (explored(door), explorer_service_page()):
        parts = Parts(html)
        for kind in ("script", "style"):
            (text,) = parts.texts[kind]
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"{kind}-src 'sha256-{digest}'" in parts.policy
        assert parts.policy.startswith("default-src 'none'")
        assert all(address.startswith("data:") for address in parts.addresses)
        assert set(re.findall(r"https?:[^\s\"']*", html)) == {"http://www.w3.org/2000/svg"}  # a name, not a place


def test_the_data_are_the_tree_the_scores_and_the_plan_as_the_service_gives_them(door: Door) -> None:
    _, mask, tree = door
    plan = plan_painting(tree, PaintSettings(brush=9))
    (exploration,) = Parts(explored(door, plan=plan, mask=mask)).content["explorations"]
    assert exploration["image"] | {"source": ""} == {"name": "door.png", "width": 192, "height": 192, "source": ""}
    assert exploration["image"]["source"].startswith("data:image/jpeg;base64,")
    (parse,) = exploration["parses"]
    assert len(parse["tree"]["nodes"]) == len(tree)
    assert parse["scores"]["accuracy"] == tree.accuracy(mask)
    assert parse["plan"] == json.loads(json.dumps(plan.to_json(mask)))
    assert parse["merged_paint"] == sum(segment.paint for segment in tree.segments(merge=True))


@pytest.mark.parametrize(
    "name",
    ["</script><script>alert(1)</script>", "<!-- <script> \"'&", "a\x00\ud800\u2028\u202e", "日本語 🚗", "x" * 999],
)
def test_a_name_stays_text_whatever_it_holds(door: Door, name: str) -> None:
    html = explorer_page([Exploration(name, None, (Shown(name, door[2]),))], name)
    parts = Parts(html.encode().decode())  # it can be written as UTF-8
    assert len(parts.texts["script"]) == len(parts.texts["data"]) == len(parts.texts["title"]) == 1
    image = parts.content["explorations"][0]["image"]
    assert image["source"] is None
    assert image["name"].isprintable()
    assert len(image["name"]) <= 80


def test_large_photographs_are_reduced() -> None:
    assert reduced(np.zeros((3000, 1500, 3), np.uint8)).shape == (1200, 600, 3)
    small = np.zeros((20, 30, 3), np.uint8)
    assert reduced(small) is small


def test_the_service_page_offers_every_format() -> None:
    formats = Parts(explorer_service_page()).content["formats"]
    assert [entry["name"] for entry in formats] == ["tree", "rectangles-svg", *FORMATS]
    assert all(entry["suffix"].startswith(".") and entry["description"] for entry in formats)


def test_every_script_is_joined_and_none_can_end_its_element() -> None:
    assert sorted(f"{name}.js" for name in page.SCRIPTS) == sorted(path.name for path in SOURCES.glob("*.js"))
    for path in SOURCES.glob("*.js"):
        assert not re.search(
            r"</script|<!--|innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", path.read_text()
        )


def test_the_colours_are_those_of_the_pictures() -> None:
    style = (SOURCES / "explorer.css").read_text()
    assert f"--paint: {hexadecimal(PAINT)}" in style
    assert f"--skip: {hexadecimal(SKIP)}" in style
