"""Connections that hold the others up: bodies in crumbs, chunks without end, and what is no HTTP at all."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection

import h11
import pytest

from shapeparse.web import ServiceSettings
from shapeparse.web.protocol import FEW_PIECES, LEAST_PIECE, SLICE, PatientProtocol, WatchedConnection

from .conftest import Service, running

HEAD = b"POST /api/plan HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with running(ServiceSettings(at_once=1)) as service:
        yield service


def chunks(size: int, count: int) -> bytes:
    return b"%x\r\n%s\r\n" % (size, b" " * size) * count


def answer_to(service: Service, sent: bytes) -> tuple[int, str]:
    """Status and sentence of the answer, after which the service must hang up at once."""
    start = time.monotonic()
    received = b""
    with service.connect() as connection:
        connection.sendall(sent)
        with suppress(ConnectionResetError):
            while some := connection.recv(65536):
                received += some
    assert time.monotonic() - start < 5  # seconds before the patience with silent clients ends
    head, _, body = received.partition(b"\r\n\r\n")
    assert b"nosniff" in head
    return int(head.split()[1]), json.loads(body)["error"]


def test_a_body_in_crumbs_is_refused_and_one_in_pieces_is_not(service: Service) -> None:
    status, said = answer_to(service, HEAD + chunks(1, FEW_PIECES + 1))
    assert (status, "too many small pieces" in said) == (400, True)
    for size, count in ((1, FEW_PIECES - 1), (2 * LEAST_PIECE, 4 * FEW_PIECES)):
        body = HEAD.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") + chunks(size, count) + b"0\r\n\r\n"
        status, said = answer_to(service, body)
        assert (status, "not JSON" in said) == (400, True)


@pytest.mark.parametrize("size", [b"800000FF", b"FFFFFFFFFFFFFFFF", b"F" * 20, b"F" * 21, b"F" * 500, b"-1", b"0x2"])
def test_a_chunk_that_cannot_be_is_answered_and_the_connection_closed(service: Service, size: bytes) -> None:
    for more in (b"", b"{}"):
        status, said = answer_to(service, HEAD + size + b"\r\n" + more)
        assert status == 400
        assert said.endswith(".")


def test_what_is_no_http_is_told_so_in_one_sentence(service: Service) -> None:
    assert answer_to(service, b"\x16\x03\x01 hello\r\n\r\n")[0] == 400


def test_after_an_answer_crumbs_only_end_the_connection(service: Service) -> None:
    with service.connect() as connection, suppress(ConnectionError):
        connection.sendall(HEAD.replace(b"/api/plan", b"/nothing") + chunks(1, 2))
        received = connection.recv(65536)
        assert b" 404 " in received.split(b"\r\n")[0]
        connection.sendall(chunks(1, 10 * FEW_PIECES))
        while some := connection.recv(65536):
            received += some
        assert received.count(b"HTTP/1.1") == 1


def test_the_count_of_pieces_begins_anew_with_every_request() -> None:
    connection = WatchedConnection(h11.SERVER)
    for _ in range(3):
        connection.receive_data(HEAD + chunks(1, FEW_PIECES - 1) + b"0\r\n\r\n")
        while not isinstance(connection.next_event(), h11.EndOfMessage):
            pass
        connection.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
        connection.send(h11.EndOfMessage())
        connection.start_next_cycle()


def test_of_a_connection_a_slice_is_read_at_a_time() -> None:
    assert issubclass(PatientProtocol, asyncio.BufferedProtocol)  # which tells the loop to ask for the buffer
    assert SLICE <= 2 * FEW_PIECES * LEAST_PIECE  # about the work of a body that is refused


def flood(service: Service, piece: bytes, until: threading.Event) -> None:
    while not until.is_set():
        with suppress(OSError), socket.create_connection(("127.0.0.1", service.port), 5) as connection:
            connection.sendall(HEAD)
            while not until.is_set():
                connection.sendall(piece)


@pytest.mark.parametrize("size", [1, LEAST_PIECE])
def test_health_is_answered_while_ten_clients_send_crumbs(service: Service, size: int) -> None:
    until = threading.Event()
    piece = chunks(size, 100_000 // (size + 5))
    clients = [threading.Thread(target=flood, args=(service, piece, until), daemon=True) for _ in range(10)]
    for client in clients:
        client.start()
    try:
        time.sleep(0.5)
        waited = []
        for _ in range(5):
            start = time.monotonic()
            health = HTTPConnection("127.0.0.1", service.port, timeout=20)
            health.request("GET", "/health")
            assert health.getresponse().status == 200
            waited.append(time.monotonic() - start)
            health.close()
        assert sorted(waited)[2] < 4  # without the limits half a minute; the clients are in this process too
    finally:
        until.set()
        for client in clients:
            client.join(10)
