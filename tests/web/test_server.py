"""A real service and clients that misbehave: too much, too slow, too many, gone."""

from __future__ import annotations

import builtins
import contextlib
import io
import os
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import SpooledTemporaryFile

import httpx
import pytest

from shapeparse.web import ServiceSettings, protocol
from shapeparse.web.samples import SAMPLES

from .conftest import TREE, Service, SlowModel, eventually, image_and_mask, photo, picture, running

SETTINGS = ServiceSettings(max_bytes=1_000_000, at_once=1, waiting=1, idle_seconds=0.4, upload_seconds=1.2)
HEAD = b"POST /api/parse HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\n"
PART = b"--x\r\nContent-Disposition: form-data; name=image; filename=a.png\r\n\r\n"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with running(SETTINGS) as service:
        yield service


def post(service: Service) -> httpx.Response:
    return httpx.post(f"{service.url}/api/parse", files=image_and_mask(), timeout=20)


def rest(connection: socket.socket) -> bytes:
    """All that the service still sends; it must end the connection."""
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while some := connection.recv(65536):
            received += some
    return received


def test_200_megabytes_are_cut_off_early(service: Service) -> None:
    sent = 0

    def body() -> Iterator[bytes]:
        nonlocal sent
        yield PART
        for _ in range(3200):
            sent += 1 << 16
            yield b"\0" * (1 << 16)

    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = httpx.post(f"{service.url}/api/parse", content=body(), headers=headers, timeout=20)
    assert answer.status_code == 413
    assert sent < 60_000_000
    assert post(service).status_code == 200


def test_a_client_that_stops_sending_is_told_so_and_cut_off(service: Service) -> None:
    with service.connect() as connection:
        connection.sendall(HEAD + b"Content-Length: 5000\r\n\r\n" + PART)
        start = time.monotonic()
        answer = rest(connection)
    assert b" 408 " in answer.split(b"\r\n")[0]
    assert b'{"error":' in answer
    assert time.monotonic() - start < 5


def test_a_client_that_sends_a_byte_now_and_then_is_cut_off_too(service: Service) -> None:
    with service.connect() as connection:
        connection.sendall(HEAD + b"Content-Length: 5000\r\n\r\n" + PART)
        start = time.monotonic()
        with contextlib.suppress(ConnectionError):
            while time.monotonic() - start < 8:
                connection.sendall(b"0")
                time.sleep(0.1)
    assert time.monotonic() - start < 6


def test_a_head_that_never_ends_is_cut_off(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.4)
    with service.connect() as silent, service.connect() as trickling:
        trickling.sendall(b"GET /health HTTP/1.1\r\nX-Slow: ")
        for connection in (silent, trickling):
            assert rest(connection) == b""
    assert httpx.get(f"{service.url}/health").status_code == 200


def test_a_second_request_on_a_connection_must_arrive_in_time_too(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.4)
    with service.connect() as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        while not answer.endswith(b"}"):
            answer += connection.recv(65536)
        connection.sendall(b"GET /hea")
        assert b"HTTP/1.1" not in rest(connection)


def test_a_client_that_leaves_in_the_middle_of_its_upload_leaves_nothing(service: Service) -> None:
    with service.connect() as connection:
        connection.sendall(HEAD + b"Content-Length: 5000\r\n\r\n" + PART)
        time.sleep(0.1)
    eventually(lambda: service.busy() == 0)
    assert httpx.get(f"{service.url}/api/samples/{next(iter(SAMPLES))}/mask").status_code == 200


def parse_request() -> bytes:
    request = httpx.Request("POST", "http://x/api/parse", files=image_and_mask())
    body = request.read()
    head = f"POST /api/parse HTTP/1.1\r\nHost: x\r\nContent-Type: {request.headers['content-type']}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def test_work_of_clients_that_left_does_not_pile_up(slow: SlowModel) -> None:
    with running(SETTINGS) as service:
        with service.connect() as first, service.connect() as second:
            first.sendall(parse_request())
            assert slow.begun.acquire(timeout=10)
            second.sendall(parse_request())
            eventually(lambda: service.busy() == 2)
        eventually(lambda: service.busy() == 1)  # what waited is gone; what runs cannot be interrupted
        slow.go_on.set()
        eventually(lambda: service.busy() == 0)
        assert slow.parses == 1


def test_beyond_the_limit_there_is_503_and_never_an_error(slow: SlowModel) -> None:
    with running(SETTINGS) as service, ThreadPoolExecutor(10) as clients:
        admitted = [clients.submit(post, service) for _ in range(2)]
        assert slow.begun.acquire(timeout=10)
        eventually(lambda: service.busy() == 2)
        refused = [clients.submit(post, service).result() for _ in range(8)]
        assert {answer.status_code for answer in refused} == {503}
        assert {answer.headers["retry-after"] for answer in refused} == {"1"}
        slow.go_on.set()
        assert [answer.result().status_code for answer in admitted] == [200, 200]
        assert post(service).status_code == 200


def test_stopping_finishes_what_runs(slow: SlowModel) -> None:
    with ThreadPoolExecutor(1) as clients:
        with running(SETTINGS) as service:
            under_way = clients.submit(post, service)
            assert slow.begun.acquire(timeout=10)
            threading.Timer(0.3, slow.go_on.set).start()
        assert under_way.result().status_code == 200


def test_no_file_is_opened_once_everything_is_loaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run_folder: Path
) -> None:
    files = {"image": ("../../a.png", picture(photo(900, 900)))}  # more than 1 MB, which others put on disk

    def ask_everything(client: httpx.Client) -> None:
        answers = [
            client.get("/"),
            client.get("/api/samples/window/image"),
            client.post("/api/parse", files=files),
            client.post("/api/parse", files=image_and_mask(), data={"model": "oracle"}),
            client.post("/api/plan", json={"tree": TREE}),
            *(client.post("/api/export", json={"tree": TREE, "format": name}) for name in ("tree", "svg", "gcode")),
        ]
        assert {answer.status_code for answer in answers} == {200}

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a file was opened")

    settings = ServiceSettings(models=(run_folder,), at_once=1)
    with running(settings) as service, httpx.Client(base_url=service.url, timeout=20) as client:
        ask_everything(client)
        with monkeypatch.context() as patch:
            patch.chdir(tmp_path)
            for module, name in ((builtins, "open"), (io, "open"), (os, "open"), (SpooledTemporaryFile, "rollover")):
                patch.setattr(module, name, refuse)
            ask_everything(client)
    assert list(tmp_path.iterdir()) == []
