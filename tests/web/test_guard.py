"""What surrounds every request: ids, headers, limits while it arrives, and a line in the log."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from shapeparse.web import ServiceSettings, create_app, guard
from shapeparse.web.endpoints import Endpoints

from .conftest import image_and_mask, photo, picture, sentence

SETTINGS = ServiceSettings(max_bytes=100_000, max_pixels=10_000, at_once=1)


@pytest.fixture(scope="module")
def small() -> Iterator[TestClient]:
    """A client of a service that takes 100 kB."""
    with TestClient(create_app(SETTINGS), raise_server_exceptions=False) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/docs", "/health", "/openapi.json", "/nothing", "/api/samples/window/mask"])
def test_every_answer_has_an_id_and_safe_headers(small: TestClient, path: str) -> None:
    headers = small.get(path).headers
    assert re.fullmatch(r"[0-9a-f]{16}", headers["x-request-id"])
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert "access-control-allow-origin" not in headers
    assert "set-cookie" not in headers


@pytest.mark.parametrize(("sent", "kept"), [("abc-1._Z", True), ("x" * 65, False), ("a b", False), ("é", False)])
def test_a_well_formed_id_of_the_client_is_kept(small: TestClient, sent: str, kept: bool) -> None:
    answered = small.get("/health", headers={"X-Request-Id": sent.encode()}).headers["x-request-id"]
    assert (answered == sent) == kept


def test_one_line_a_request_without_control_characters(small: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="shapeparse.web"):
        small.post("/api/parse", files=image_and_mask(), data={"model": "oracle"}, headers={"X-Request-Id": "mine"})
        small.get("/a%0Ab%1b[31m?secret=1")
    first, second = [record.getMessage() for record in caplog.records if record.name == "shapeparse.web"]
    assert re.fullmatch(r"mine POST /api/parse 200 \d+ms \d{3,}B \d{3,}B", first)
    assert re.fullmatch(r"[0-9a-f]{16} GET \S+ 404 \d+ms 0B \d+B", second)
    assert "secret" not in second
    assert second.isprintable()


def post_pieces(app: FastAPI, path: str, kind: str, declared: str | None, piece: bytes) -> tuple[int, dict, int]:
    """Send pieces without end straight to the application: status and headers of the answer, and pieces it took."""
    taken, answer = 0, {}
    headers = {"content-type": kind, "content-length": declared} if declared else {"content-type": kind}

    async def receive() -> dict[str, Any]:
        nonlocal taken
        taken += 1
        assert taken < 2000
        return {"type": "http.request", "body": piece, "more_body": True}

    async def send(message: dict[str, Any]) -> None:
        answer.update(message)

    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    with ThreadPoolExecutor(1) as pool:  # other tests may have left a loop running in this thread
        pool.submit(asyncio.run, app(scope, receive, send)).result()  # type: ignore[arg-type]
    return answer["status"], {name.decode(): value.decode() for name, value in answer["headers"]}, taken


def test_a_declared_length_that_is_too_large_is_refused_unread(small: TestClient) -> None:
    answer = small.post("/api/parse", content=b"", headers={"Content-Length": "200000000"})
    assert "100,000 bytes" in sentence(answer, 413)
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize(
    ("path", "kind"), [("/api/parse", "multipart/form-data; boundary=x"), ("/api/plan", "application/json")]
)
@pytest.mark.parametrize("declared", [None, "10", "0"])
def test_a_body_longer_than_allowed_is_cut_off_whatever_was_declared(
    small: TestClient, path: str, kind: str, declared: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "LINGER_BYTES", 0)
    piece = b"--x\r\nContent-Disposition: form-data; name=image; filename=a\r\n\r\n" + b"0" * 10_000
    status, headers, taken = post_pieces(small.app, path, kind, declared, piece)  # type: ignore[arg-type]
    assert (status, headers["connection"]) == (413, "close")
    assert taken == 10


def test_after_an_early_answer_only_so_much_is_still_read(small: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "LINGER_BYTES", 1_000_000)
    status, headers, taken = post_pieces(small.app, "/nothing", "x/y", "99999", b"0" * 10_000)  # type: ignore[arg-type]
    assert (status, headers["connection"], taken) == (404, "close", 100)


def test_json_has_a_limit_of_its_own() -> None:
    app = create_app(replace(SETTINGS, max_bytes=50_000_000))
    with TestClient(app) as client:
        answer = client.post("/api/plan", content=b" " * 5_000_000, headers={"Content-Type": "application/json"})
    assert "4,000,000 bytes" in sentence(answer, 413)


def test_all_uploads_together_have_a_limit(slow: Any) -> None:
    app = create_app(replace(SETTINGS, waiting=0))
    with TestClient(app) as client:
        surrounding = app.middleware_stack
        while not isinstance(surrounding, guard.Guard):
            surrounding = surrounding.app  # type: ignore[union-attr]
        surrounding.buffered = 90_000  # of somebody else
        answer = client.post("/api/parse", files={"image": ("a.bmp", picture(photo(80, 80), "BMP"))})
        assert "Too much is being uploaded" in sentence(answer, 503)
        assert answer.headers["retry-after"] == "1"
        assert surrounding.buffered == 90_000


@pytest.mark.parametrize(
    ("host", "answered"),
    [("localhost", 200), ("LOCALHOST:8000", 200), ("127.0.0.1:9", 200), ("[::1]:80", 200), ("evil.example:80", 403)],
)
def test_on_loopback_only_its_own_names_are_answered(host: str, answered: int) -> None:
    app = create_app(replace(SETTINGS, hosts=("localhost", "127.0.0.1", "[::1]")))
    with TestClient(app) as client:
        assert client.get("/health", headers={"Host": host}).status_code == answered


@pytest.mark.parametrize(("site", "answered"), [("cross-site", 403), ("same-site", 403), ("same-origin", 415)])
def test_pages_of_other_sites_cannot_use_the_service(small: TestClient, site: str, answered: int) -> None:
    assert sentence(small.post("/api/plan", headers={"Sec-Fetch-Site": site}), answered)


@pytest.mark.parametrize("site", ["Cross-Site", "cross-site ", "cross_site", "CROSS-SITE", "", "same-origin, none"])
def test_what_no_browser_says_of_its_own_page_is_refused(small: TestClient, site: str) -> None:
    assert sentence(small.post("/api/plan", headers={"Sec-Fetch-Site": site}), 403)


@pytest.mark.parametrize(
    ("origin", "answered"),
    [
        ("http://testserver", 415), ("https://testserver", 415), ("HTTP://TestServer", 415),
        ("http://evil.example", 403), ("null", 403), ("", 403), ("http://testserver:81", 403),
        ("http://testserver.evil.example", 403), ("http://evil.example/testserver", 403), ("file://testserver", 403),
        ("http://testserver http://evil.example", 403),
    ],
)  # fmt: skip
def test_a_page_of_another_origin_is_refused_where_the_browser_says_no_site(
    small: TestClient, origin: str, answered: int
) -> None:
    assert sentence(small.post("/api/plan", headers={"Origin": origin}), answered)


def test_one_of_two_origins_that_is_foreign_is_enough(small: TestClient) -> None:
    headers = [("Origin", "http://testserver"), ("Origin", "http://evil.example")]
    assert sentence(small.post("/api/plan", headers=headers), 403)
    assert sentence(small.get("/health", headers=headers), 403)


def test_a_link_on_another_site_may_be_followed(small: TestClient) -> None:
    assert small.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


def test_two_lengths_of_one_request_are_refused(small: TestClient) -> None:
    headers = {"Content-Length": "2", "Transfer-Encoding": "chunked", "Content-Type": "application/json"}
    answer = small.post("/api/plan", content=b"{}", headers=headers)
    assert "two lengths" in sentence(answer, 400)
    assert answer.headers["connection"] == "close"


def test_a_mistake_of_ours_is_one_sentence_and_a_traceback_in_the_log(
    small: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a secret detail")

    monkeypatch.setattr(Endpoints, "_plan", fail)
    answer = small.post("/api/plan", json={"tree": {}})
    assert "secret" not in sentence(answer, 500)
    assert answer.headers["x-request-id"] in answer.json()["error"]
    assert "a secret detail" in caplog.text


def test_the_loop_listens_while_work_is_done(slow: Any) -> None:
    import threading

    with TestClient(create_app(SETTINGS)) as client:
        upload = threading.Thread(target=client.post, args=("/api/parse",), kwargs={"files": image_and_mask()})
        upload.start()
        assert slow.begun.acquire(timeout=10)
        start = time.monotonic()
        assert client.get("/health").json()["busy"] == 1
        assert time.monotonic() - start < 1
        slow.go_on.set()
        upload.join(10)
        assert client.get("/health").json()["busy"] == 0
