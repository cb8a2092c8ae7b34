"""Forms while they arrive: files stay in memory, and of what was meant once there is one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from fastapi import Request

from shapeparse.parsing.settings import ParseSettings
from shapeparse.web.answers import Refusal
from shapeparse.web.forms import PlanForm, read_parse, read_plan

from .conftest import photo, picture

PHOTO = ("image", ("a.png", picture(photo())))


def read(how: Callable[[Request], Any], **sent: Any) -> Any:
    """What is read of a request that a client would send."""
    request = httpx.Request("POST", "http://x/", **sent)
    body = request.read()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    scope = {
        "type": "http",
        "method": "POST",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
    }
    with ThreadPoolExecutor(1) as pool:  # other tests may have left a loop running in this thread
        return pool.submit(lambda: asyncio.run(how(Request(scope, receive)))).result()  # type: ignore[arg-type]


def texts(**fields: str) -> list[tuple[str, Any]]:
    return [PHOTO, *((name, (None, value)) for name, value in fields.items())]


@pytest.mark.parametrize(
    ("fields", "settings"),
    [({}, ParseSettings()), ({"price": "0"}, ParseSettings()), ({"rectangles": "20"}, ParseSettings(rectangles=20)),
     ({"accuracy": "0.95"}, ParseSettings(accuracy=0.95)), ({"depth": "5", "price": "1e-3"},
     ParseSettings(depth=5, price=0.001)), ({"rectangles": "3", "price": "0"}, ParseSettings(rectangles=3))],
    ids=str,
)  # fmt: skip
def test_how_a_photograph_is_parsed_is_what_the_command_would_take(
    fields: dict[str, str], settings: ParseSettings
) -> None:
    form = read(read_parse, files=texts(**fields))
    assert form.settings == settings
    assert form.image is not None
    assert form.image.name == "a.png"


@pytest.mark.parametrize(
    "fields", [{"rectangles": "0"}, {"price": "nan"}, {"accuracy": "inf"}, {"depth": "²"}], ids=str
)
def test_numbers_that_are_none_are_named(fields: dict[str, str], refused: Callable[..., str]) -> None:
    [(name, value)] = fields.items()
    assert refused(read, read_parse, files=texts(**fields)).startswith(f"{name} is '{value}'; give ")


def test_a_plan_is_asked_for_by_json_or_by_a_form_with_a_mask() -> None:
    assert read(read_plan, json={"a": 1}) == PlanForm(b'{"a":1}')
    parts = [("request", ("request.json", b"{}")), ("sample", (None, "window"))]
    assert read(read_plan, files=parts) == PlanForm(b"{}", None, "window")
    with pytest.raises(Refusal, match="Send JSON"):
        read(read_plan, content=b"x")
