"""``shapeparse serve``: where it listens, what it refuses, and how it stops."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from shapeparse.web.server import address_of, host_names, listen

from .conftest import Result

Cli = Callable[..., Result]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_addresses_beyond_loopback_need_a_flag(cli: Cli, host: str) -> None:
    result = cli("serve", "--host", host, "--port", 0)
    assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
    assert "--public" in result.err


def test_a_port_that_is_taken(cli: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = cli("serve", "--port", port)
    assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
    assert f"Port {port} of 127.0.0.1 is taken" in result.err


@pytest.mark.parametrize(
    "words",
    [
        ["--port", "70000"],
        ["--port", "0", "--host", "no.such.name.invalid"],
        ["--port", "0", "--model", "nowhere"],
        ["--port", "0", "--max-megabytes", "0"],
        ["--port", "0", "--max-megabytes", "nan"],
        ["--port", "0", "--max-megapixels", "inf"],
        ["--port", "0", "--max-megapixels", "1000"],
        ["--port", "0", "--at-once", "0"],
    ],
    ids=" ".join,
)
def test_what_it_cannot_be_run_with_is_one_sentence(cli: Cli, words: list[str]) -> None:
    result = cli("serve", *words)
    assert (result.code, result.out, len(result.sentences)) == (2, "", 1)


def test_names_it_answers_to() -> None:
    assert host_names("127.0.0.1", public=False) == ("localhost", "127.0.0.1", "[::1]")
    assert host_names("::1", public=False) == ("localhost", "127.0.0.1", "[::1]")
    assert host_names("0.0.0.0", public=True) is None


def test_with_the_flag_it_listens_everywhere_and_says_where_it_can_be_found() -> None:
    with listen("0.0.0.0", 0, public=True) as bound:
        assert address_of(bound) == f"http://127.0.0.1:{bound.getsockname()[1]}/"


def test_clients_may_come_as_soon_as_the_address_is_known() -> None:
    with listen("127.0.0.1", 0, public=False) as bound, socket.create_connection(bound.getsockname(), 5) as client:
        assert client.getpeername() == bound.getsockname()


@contextmanager
def started(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A service as its own process in an empty folder, and its address."""
    for name in ("here", "temporary"):
        (folder / name).mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "shapeparse", "serve", "--port", "0"],
        cwd=folder / "here",
        env={**os.environ, "TMPDIR": str(folder / "temporary"), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/", line)
        assert address, line
        yield process, address[0]
    finally:
        process.kill()
        process.communicate()


def test_a_termination_signal_finishes_what_is_under_way_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with started(tmp_path) as (process, address):
        status = []

        def body() -> Iterator[bytes]:
            yield b'--x\r\nContent-Disposition: form-data; name="sample"\r\n\r\nwindow\r\n'
            process.send_signal(signal.SIGTERM)
            time.sleep(0.7)
            yield b'--x\r\nContent-Disposition: form-data; name="model"\r\n\r\noracle\r\n--x--\r\n'

        def ask() -> None:
            headers = {"Content-Type": "multipart/form-data; boundary=x"}
            status.append(httpx.post(f"{address}api/parse", content=body(), headers=headers, timeout=30).status_code)

        client = threading.Thread(target=ask)
        client.start()
        client.join(40)
        output, errors = process.communicate(timeout=20)
        assert status == [200]
        assert (process.returncode, output) == (0, "")
    assert re.search(r"^\S+Z [0-9a-f]{16} POST /api/parse 200 \d+ms \d+B \d+B$", errors, re.MULTILINE)
    assert "Traceback" not in errors
    assert list((tmp_path / "here").iterdir()) == []
    assert list((tmp_path / "temporary").iterdir()) == []


def test_ctrl_c_stops_it_like_every_command(tmp_path: Path) -> None:
    with started(tmp_path) as (process, address):
        assert httpx.get(f"{address}health").json()["status"] == "ok"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == 130
    assert errors.splitlines()[-1] == "shapeparse: stopped."
    assert "Traceback" not in errors
