"""What the page may ask, and what is refused."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

from shapeparse.labelling.app import create_app
from shapeparse.labelling.learner import Learner
from shapeparse.labelling.store import Store
from shapeparse.labelling.teaching import Teaching
from shapeparse.web import ServiceSettings

from .conftest import HEIGHT, WIDTH

PAINT = {"tool": "rectangle", "x": 2, "y": 2, "w": 5, "h": 5, "paint": True}


@pytest.fixture
def client(photos: Path) -> Iterator[TestClient]:
    store = Store(photos)
    app = create_app(store, Learner(store, Teaching()), ServiceSettings(hosts=("testserver",)))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client
    store.close()


def post(client: TestClient, path: str, **content: Any) -> httpx.Response:
    return client.post(f"/api/{path}", json=content)


def test_the_page_and_the_list(client: TestClient) -> None:
    assert "shapeparse-label" in client.get("/").text
    sitting = client.get("/api/sitting").json()
    assert [one["state"] for one in sitting["photographs"]] == ["new"] * 3
    assert sorted(sitting["next"]) == [0, 1, 2] and "broken.jpg" in sitting["problems"][0]["reason"]
    assert sitting["learner"]["ready"] == -1


def test_an_edit_is_seen_in_the_tree_and_the_mask(client: TestClient) -> None:
    answer = post(client, "photographs/1/edit", step=0, edit=PAINT).json()
    assert (answer["state"], answer["undo"], answer["redo"], answer["step"]) == ("corrected", 1, 0, 2)
    assert sum(node["rule"] == "paint" for node in answer["tree"]["nodes"]) == 1
    mask = np.array(Image.open(io.BytesIO(client.get("/api/photographs/1/mask").content)).convert("RGBA"))
    assert mask.shape == (HEIGHT, WIDTH, 4) and (mask[2:7, 2:7, 3] > 0).all() and (mask[:, :, 3] > 0).sum() == 25
    assert post(client, "photographs/1/undo", step=2).json()["redo"] == 1
    assert post(client, "photographs/1/redo").json()["undo"] == 1
    assert post(client, "photographs/1/accept").json()["state"] == "accepted"
    assert post(client, "photographs/1/withdraw").json()["state"] == "corrected"


def test_pictures(client: TestClient) -> None:
    for name, size in (("image", (WIDTH, HEIGHT)), ("thumbnail", (WIDTH, HEIGHT))):
        answer = client.get(f"/api/photographs/0/{name}")
        assert answer.headers["content-type"] == "image/jpeg"
        assert Image.open(io.BytesIO(answer.content)).size == size


def test_a_tab_that_is_behind_is_told(client: TestClient) -> None:
    post(client, "photographs/1/edit", step=0, edit=PAINT)
    late = post(client, "photographs/1/edit", step=0, edit=PAINT)
    assert late.status_code == 409 and "another tab" in late.json()["error"]


@pytest.mark.parametrize(
    ("path", "content", "status"),
    [
        ("photographs/9/edit", {"edit": PAINT}, 404), ("photographs/-1/undo", {}, 404),
        ("photographs/1/dance", {}, 404), ("photographs/1/edit", {}, 422), ("photographs/x/edit", {}, 422),
        ("photographs/1/edit", {"edit": {"tool": "flip", "node": 7}}, 422), ("photographs/1/undo", {"step": "1"}, 422),
        ("learner/dance", {}, 404), ("learner/learn", {}, 422), ("learner/finish", {}, 422),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_in_one_sentence(
    client: TestClient, path: str, content: dict[str, Any], status: int
) -> None:
    answer = client.post(f"/api/{path}", json=content)
    assert answer.status_code == status and list(answer.json()) == ["error"]


def test_other_web_pages_cannot_post(client: TestClient) -> None:
    path, body = "/api/photographs/1/undo", "{}"
    headers = {"Content-Type": "application/json", "Sec-Fetch-Site": "cross-site"}
    assert client.post(path, content=body, headers=headers).status_code == 403
    assert client.post(path, content=body, headers={"Content-Type": "text/plain"}).status_code == 415
    assert client.post(path, content=body, headers={"Host": "evil.example"}).status_code == 403
    assert client.post(path, content="[" * 5000, headers={"Content-Type": "application/json"}).status_code == 400


@pytest.mark.parametrize(
    "path", ["/api/photographs/../secret", "/api/photographs/..%2f..%2fsecret/image", "/etc/passwd"]
)
def test_no_path_leads_to_a_file(client: TestClient, path: str) -> None:
    assert client.get(path).status_code in (404, 422)
