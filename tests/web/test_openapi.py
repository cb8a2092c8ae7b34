"""The OpenAPI document holds: whatever it allows or forbids, the service answers as it says, and never fails."""

from __future__ import annotations

import json
import re
from typing import Any

import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from shapeparse.explorer.page import DRAWINGS
from shapeparse.painting import FORMATS
from shapeparse.web import ServiceSettings, create_app
from shapeparse.web.pages import page_policy

from .conftest import TREE, sentence

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
]
"""Not ``positive_data_acceptance``: no schema can say that the rectangles of a tree must tile its picture."""


# A test an operation, so the document is needed when tests are collected.
schema = schemathesis.openapi.from_asgi("/openapi.json", create_app(ServiceSettings(max_bytes=1_000_000, at_once=2)))


@schema.parametrize()
@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_answer_is_one_that_the_document_describes(case: schemathesis.Case) -> None:
    case.call_and_validate(checks=CHECKS, timeout=60)  # a machine may be busy with something else


numbers = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([1e-6, 0, 1, 12, 1e9])


@given(
    st.fixed_dictionaries(
        {},
        optional={
            **dict.fromkeys(
                ("brush", "overlap", "margin", "scale", "stroke_speed", "travel_speed", "lift_time"), numbers
            ),
            "order": st.sampled_from(["route", "nearest", "raster", "tree"]),
            "unit": st.sampled_from(["px", "mm", "m", None]),
        },
    ),
    st.sampled_from([*DRAWINGS, *FORMATS]),
)
def test_whatever_the_brush_a_valid_tree_is_exported_or_refused(
    client: TestClient, plan: dict[str, Any], name: str
) -> None:
    answer = client.post("/api/export", json={"tree": TREE, "format": name, **plan})
    if answer.status_code != 200:
        assert sentence(answer, 422)


def test_every_example_of_the_document_is_answered_200(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    posts = {path: methods["post"] for path, methods in document["paths"].items() if "post" in methods}
    assert set(posts) == {"/api/parse", "/api/plan", "/api/export"}
    for path, operation in posts.items():
        for kind, content in operation["requestBody"]["content"].items():
            example = content["example"]
            if kind == "application/json":
                answer = client.post(path, json=example)
            else:
                fields = [(name, value) for name, value in example.items() if isinstance(value, str)]
                fields += [(name, one) for name, value in example.items() if isinstance(value, list) for one in value]
                files = [name for name, one in content["schema"]["properties"].items() if one.get("format") == "binary"]
                parts = [(name, ("file" if name in files else None, value)) for name, value in fields]
                answer = client.post(path, files=parts)
            assert answer.status_code == 200, answer.text


def test_every_error_is_declared_as_one_sentence(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    for methods in document["paths"].values():
        for operation in methods.values():
            assert operation["summary"]
            assert operation["description"]
            for status, answer in operation["responses"].items():
                if status != "200":
                    schema = answer["content"]["application/json"]["schema"]
                    assert schema == {"$ref": "#/components/schemas/Error"}
    assert "HTTPValidationError" not in json.dumps(document)


def test_the_documentation_is_one_page_without_outside_resources(client: TestClient) -> None:
    page = client.get("/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    for path in client.get("/openapi.json").json()["paths"]:
        assert path in page.text
    for name in ("image", "mask", "depth", "rectangles", "price", "accuracy", "brush", "overlap", "format"):
        assert f"<code>{name}</code>" in page.text
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page.text)


def test_the_explorer_is_one_page_whose_policy_knows_its_script_and_style(client: TestClient) -> None:
    page = client.get("/")
    policy = page.headers["content-security-policy"]
    assert policy == page_policy(page.text)
    assert re.search(r"script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+';", policy)
    assert "unsafe" not in policy
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page.text)
    assert not re.search(r"""<[^>]+\sstyle=""", page.text)  # which the policy would not let count
    assert not re.search(r"""<[^>]+\son[a-z]+=""", page.text)


def test_a_policy_names_each_script_and_style_by_its_hash() -> None:
    html = '<style>a{}</style><script type="application/json">{"a": 1}</script><script type="module">a && b</script>'
    policy = page_policy(html)
    assert policy.count("sha256-") == 2
    assert "script-src 'sha256-" in policy
    assert "script-src 'none'; style-src 'none'" in page_policy("<p>nothing</p>")
