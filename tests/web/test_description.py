"""What OpenAPI is told of each path beside what its function says; test_openapi.py holds the service against it."""

from __future__ import annotations

import json

import pytest
from fastapi.testclient import TestClient

from shapeparse.painting import FORMATS
from shapeparse.web.description import REASONS, errors, file, posting
from shapeparse.web.samples import SAMPLES


@pytest.mark.parametrize("name", ["parse", "plan", "export"])
def test_every_path_with_a_body_shows_an_example_and_all_its_refusals(name: str) -> None:
    options = posting(name)
    for content in options["openapi_extra"]["requestBody"]["content"].values():
        json.dumps(content["example"])
    assert f"/api/{name}" in options["openapi_extra"]["x-curl"]
    assert set(REASONS) - {404} <= set(options["responses"])


def test_files_are_binary_unless_they_are_json() -> None:
    content = file("image/png", "application/geo+json")["responses"][200]["content"]
    assert content["image/png"]["schema"] == {"type": "string", "format": "binary"}
    assert content["application/geo+json"]["schema"] == {"type": "object"}
    assert {kind for _, kind, _ in FORMATS.values()} <= set(posting("export")["responses"][200]["content"])


def test_refusals_have_reasons() -> None:
    assert {status: one["description"] for status, one in errors(404, 503).items()} == {
        404: REASONS[404], 503: REASONS[503],
    }  # fmt: skip


def test_the_document_names_the_samples_and_knows_what_a_tree_is(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    [parameter] = document["paths"]["/api/samples/{name}/image"]["get"]["parameters"]
    assert parameter["schema"]["enum"] == list(SAMPLES)
    schemas = document["components"]["schemas"]
    assert schemas["PlanRequest"]["properties"]["tree"] == {"$ref": "#/components/schemas/Tree"}
    assert "nodes" in schemas["Tree"]["properties"]
