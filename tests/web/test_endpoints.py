"""The functions behind the paths; what clients are answered is in test_api.py and test_refusals.py."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from shapeparse import ParseTree, paint
from shapeparse.explorer.page import DRAWINGS
from shapeparse.painting import FORMATS
from shapeparse.parsing.settings import ParseSettings
from shapeparse.web import ServiceSettings
from shapeparse.web.endpoints import Endpoints, download_name, safe_stem
from shapeparse.web.forms import ParseForm, PlanForm
from shapeparse.web.parsers import list_models
from shapeparse.web.uploads import File
from shapeparse.web.workshop import Workshop

from .conftest import TREE, house, photo, picture

FORM = ParseForm(File("door.png", picture(photo())), None, File("mask.png", picture(house())), (), ParseSettings())


@pytest.fixture
def endpoints() -> Endpoints:
    return Endpoints(ServiceSettings(), list_models([]), Workshop(1, 0))


@pytest.mark.parametrize(
    ("name", "stem"),
    [("door.png", "door"), ("a.b.png", "a.b"), ("Tür 7.jpg", "T-r-7"), ("../..", "shapeparse"), ("", "shapeparse"),
     ('x";\r\nSet-Cookie: y.png', "x-Set-Cookie-y"), ("z" * 200, "z" * 60)],
)  # fmt: skip
def test_downloads_have_names_that_are_names_everywhere(name: str, stem: str) -> None:
    assert safe_stem(name) == stem


def test_models_that_are_left_are_not_asked_when_nobody_waits_any_more(endpoints: Endpoints) -> None:
    form = ParseForm(FORM.image, None, FORM.mask, ("oracle", "best-tree"), ParseSettings())
    for stopped, count in ((lambda: False, 2), (lambda: True, 0)):
        assert len(json.loads(endpoints._parse(form, stopped).body)["parses"]) == count


def test_the_first_model_parses_if_none_is_named(endpoints: Endpoints, refused: Callable[..., str]) -> None:
    [parse] = json.loads(endpoints._parse(FORM, lambda: False).body)["parses"]
    assert parse["model"] == "best-tree"
    assert parse["tree"]["image"]["name"] == "door.png"
    assert "the models are best-tree, oracle, oracle-lookahead" in refused(endpoints._chosen, ("oracel",))


def test_a_mask_of_another_size_is_refused(endpoints: Endpoints, refused: Callable[..., str]) -> None:
    form = ParseForm(FORM.image, None, File("mask.png", picture(house(20, 10))), (), ParseSettings())
    assert "20 x 10" in refused(endpoints._parse, form, lambda: False)


def test_an_export_is_a_file_of_its_format(endpoints: Endpoints, refused: Callable[..., str]) -> None:
    answer = endpoints._export(json.dumps({"tree": TREE, "format": "gcode"}).encode())
    assert answer.headers["content-disposition"] == 'attachment; filename="door-plan.gcode"'
    assert b"G21" in answer.body
    assert "rectangles-svg" in refused(endpoints._export, json.dumps({"tree": TREE, "format": "dxf"}).encode())


def test_no_two_kinds_of_downloads_have_the_same_name() -> None:
    names = [download_name("door.png", format) for format in [*DRAWINGS, *FORMATS]]
    assert len(set(names)) == len(names)
    assert names[:3] == ["door-tree.json", "door-rectangles.svg", "door-plan.json"]


def test_beside_a_mask_a_plan_says_what_its_strokes_cover_and_waste(endpoints: Endpoints) -> None:
    body = json.dumps({"tree": TREE, "brush": 20}).encode()
    mask = File("mask.png", picture(house(60, 40)))
    found = json.loads(endpoints._plan(PlanForm(body, mask)).body)["metrics"]
    plan = paint(ParseTree.from_json(json.dumps(TREE)), brush=20)
    assert found == plan.metrics(house(60, 40))
    assert 0.3 < found["waste"] < 1
    assert json.loads(endpoints._plan(PlanForm(body)).body)["metrics"]["waste"] == 0
