"""The service put together: every path of the API, two pages, and nothing besides."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from shapeparse import UserError
from shapeparse.web import ServiceSettings, create_app

from .conftest import sentence


def test_it_has_the_paths_of_the_api_and_two_pages(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert {(method, path) for path, methods in paths.items() for method in methods} == {
        ("get", "/health"), ("get", "/api/models"), ("get", "/api/samples"), ("get", "/api/samples/{name}/image"),
        ("get", "/api/samples/{name}/mask"), ("post", "/api/parse"), ("post", "/api/plan"), ("post", "/api/export"),
    }  # fmt: skip
    for page in ("/", "/docs"):
        assert client.get(page).headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("path", ["/redoc", "/docs/oauth2-redirect", "/api", "/health/"])
def test_what_is_not_there_is_said_in_one_sentence(client: TestClient, path: str) -> None:
    assert path in sentence(client.get(path), 404)


def test_a_wrong_method_is_said_in_one_sentence(client: TestClient) -> None:
    assert "GET cannot be used" in sentence(client.get("/api/plan"), 405)


def test_a_model_that_cannot_be_loaded_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere"):
        create_app(ServiceSettings(models=(tmp_path / "nowhere",)))
