"""The service under load: clients that ask without pause, how long they wait, and whether its memory stays flat.

    python benchmarks/service.py [--clients 16] [--seconds 60]

Starts `shapeparse serve` on loopback with an untrained network that splits as much as a trained one. Every client
uploads the service's samples, by turns for the oracle and the network, and has the strokes of each tree planned. Others
beside them misbehave: they send slowly, in one-byte chunks, or from pages of other sites. One more asks for /health all
the time. All run on the same machine. Writes results/service/service.json and service.md, and the figures in
docs/service.md.
"""

from __future__ import annotations

import json
import re
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import torch
import tyro
from machine import REPOSITORY, facts
from parsing import LIMITS, splitting_policy

from shapeparse.networks.presets import PRESETS
from shapeparse.parsing.runs import RunFolder
from shapeparse.support.errors import UserError
from shapeparse.support.files import make_folder, write_json, write_text

RESULTS = REPOSITORY / "results" / "service"
PAGE = REPOSITORY / "docs" / "service.md"
FIRST = "<!-- figures: written by benchmarks/service.py; do not edit by hand -->"
LAST = "<!-- end of figures -->"
KINDS = ("parse by the oracle", "parse by a network", "plan of strokes")
ABUSES = {"slow bodies": 4, "one-byte chunks": 10, "foreign origins": 2}
"""Clients that misbehave, by how."""
HEAD = b"POST /api/plan HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
WARM_UP = 3.0
"""Seconds before anything is measured: threads begin, caches fill."""


@dataclass
class Tally:
    """What one client has seen."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    refused: int = 0
    """Answers 503."""
    errors: list[str] = field(default_factory=list)
    """Anything but 200 and 503."""


def main(clients: int = 16, seconds: float = 60.0, at_once: int | None = None, out: Path = RESULTS) -> int:
    """Put the service under load.

    Args:
        clients: how many ask at the same time, each one request after the other.
        seconds: how long.
        at_once: how many requests the service works on at the same time; its own default if not given.
        out: where the results go.
    """
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), at_once) as (process, port):
        limit = json.loads(get(port, "/health"))["limit"]
        samples = {one["name"]: read_sample(port, one["name"]) for one in json.loads(get(port, "/api/samples"))}
        load(port, samples, clients, WARM_UP)
        memory, stop = watch_memory(process.pid)
        start = time.monotonic()
        with abused(port) as abuse:
            tallies = load(port, samples, clients, seconds)
        lasted = time.monotonic() - start
        stop.set()
    result = {
        "clients": clients, "limit": limit, "samples": len(samples), **summary(tallies, lasted), **abuse.summary(),
        "memory_megabytes": memory_summary(memory), **facts("fastapi", "uvicorn"),
    }  # fmt: skip
    text = figures(result)
    write_json(make_folder(out) / "service.json", result)
    write_text(out / "service.md", f"# The service under load\n\n{text}")
    if out == RESULTS:  # a trial elsewhere leaves the documentation alone
        write_text(PAGE, with_figures(PAGE.read_text(encoding="utf-8"), text))
    print(text)
    for error in result["errors"][:10]:
        print(error, file=sys.stderr)
    return 1 if result["errors"] else 0


@contextmanager
def serving(folder: Path, at_once: int | None) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A service with a network, as a process of its own, and its port."""
    torch.manual_seed(0)
    run = RunFolder(folder / "untrained")
    run.write_config(
        {"network": asdict(PRESETS["fast"]), "limits": asdict(LIMITS), "settings": {"method": "drag-anchored"}}
    )
    run.write_model(splitting_policy("fast"), {})
    words = ["serve", "--port", "0", "--model", str(run.path)] + (["--at-once", str(at_once)] if at_once else [])
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "shapeparse", *words], stdout=subprocess.PIPE, stderr=log, text=True
        )
        try:
            assert process.stdout is not None
            address = re.search(r"http://127\.0\.0\.1:(\d+)/", process.stdout.readline())
            if not address:
                raise UserError(f"The service did not start: {(folder / 'log').read_text()}")
            yield process, int(address[1])
        finally:
            process.terminate()
            if process.wait(60) != 0:
                print("The service did not stop by itself.", file=sys.stderr)


def load(port: int, samples: dict[str, dict[str, bytes]], clients: int, seconds: float) -> list[Tally]:
    """Let all clients ask for so long; what each has seen."""
    tallies = [Tally() for _ in range(clients)]
    end = time.monotonic() + seconds
    threads = [
        threading.Thread(target=ask, args=(port, list(samples.values()), tally, end, place))
        for place, tally in enumerate(tallies)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tallies


class Abuse:
    """Clients that misbehave, each again and again, and one that looks how the service is meanwhile."""

    def __init__(self, port: int) -> None:
        self.port, self.over = port, threading.Event()
        self.tries = dict.fromkeys(ABUSES, 0)
        self.answers: dict[str, set[int]] = {name: set() for name in ABUSES}
        self.health: list[float] = []

    def summary(self) -> dict[str, Any]:
        """How often each was tried, with which answers, and how long /health took at most."""
        abuses = {
            name: {"clients": clients, "tries": self.tries[name], "answers": sorted(self.answers[name])}
            for name, clients in ABUSES.items()
        }
        longest = {"asked": len(self.health), "median_ms": round(1000 * statistics.median(self.health), 1),
                   "longest_ms": round(1000 * max(self.health), 1)}  # fmt: skip
        return {"abuses": abuses, "health": longest}

    def look(self) -> None:
        """Ask for /health, over and over."""
        while not self.over.is_set():
            start = time.monotonic()
            get(self.port, "/health")
            self.health.append(time.monotonic() - start)
            self.over.wait(0.1)

    def misbehave(self, name: str) -> None:
        """Be one of the clients that misbehave in a way."""
        sends = {
            "slow bodies": (b"Content-Length: 5000\r\n\r\n", b" ", 1.0),
            "one-byte chunks": (b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n" * 20_000, 0.0),
            "foreign origins": (b"Origin: http://other.example\r\nContent-Length: 2\r\n\r\n{}", b"", 0.2),
        }
        head, piece, pause = sends[name]
        while not self.over.is_set():
            self.tries[name] += 1
            try:
                with socket.create_connection(("127.0.0.1", self.port), 30) as connection:
                    connection.sendall(HEAD + head)
                    while not self.over.wait(pause) and not select.select([connection], [], [], 0)[0]:
                        connection.sendall(piece)
                    answer = b"" if self.over.is_set() else connection.recv(4096)
            except OSError:  # the service hung up
                continue
            if answer:
                self.answers[name].add(int(answer.split()[1]))


@contextmanager
def abused(port: int) -> Iterator[Abuse]:
    """Let clients misbehave meanwhile."""
    abuse = Abuse(port)
    threads = [threading.Thread(target=abuse.look)]
    threads += [
        threading.Thread(target=abuse.misbehave, args=(name,)) for name, count in ABUSES.items() for _ in range(count)
    ]
    for thread in threads:
        thread.start()
    try:
        yield abuse
    finally:
        abuse.over.set()
        for thread in threads:
            thread.join()


def ask(port: int, samples: list[dict[str, bytes]], tally: Tally, end: float, turn: int) -> None:
    """One client: a parse, the plan of its tree, the next parse, without pause until the end."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    while time.monotonic() < end:
        by_oracle = turn % 2 == 0
        files = samples[turn % len(samples)]
        model = "oracle" if by_oracle else "untrained"
        parsed = timed(connection, tally, KINDS[0 if by_oracle else 1], "/api/parse", *form(files, model))
        if parsed is not None:
            tree = json.loads(parsed)["parses"][0]["tree"]
            body = json.dumps({"tree": tree, "brush": 24}).encode()
            timed(connection, tally, KINDS[2], "/api/plan", body, "application/json")
        turn += 1
    connection.close()


def timed(
    connection: HTTPConnection, tally: Tally, kind: str, path: str, body: bytes, content_type: str
) -> bytes | None:
    """Ask once and note how long it took; the answer if there was one."""
    start = time.monotonic()
    try:
        connection.request("POST", path, body, {"Content-Type": content_type})
        answer = connection.getresponse()
        content = answer.read()
    except OSError as error:
        tally.errors.append(f"{kind}: {error!r}")
        connection.close()
        return None
    if answer.status == 200:
        tally.seconds[kind].append(time.monotonic() - start)
        return content
    if answer.status == 503:
        tally.refused += 1
        time.sleep(float(answer.headers["Retry-After"]))
    else:
        tally.errors.append(f"{kind}: {answer.status} {content[:200]!r}")
    return None


def form(files: dict[str, bytes], model: str) -> tuple[bytes, str]:
    """A form with files and the name of a model, and its content type."""
    parts = [b'--x-x\r\nContent-Disposition: form-data; name="model"\r\n\r\n' + model.encode()]
    for name, content in files.items():
        head = f'--x-x\r\nContent-Disposition: form-data; name="{name}"; filename="{name}.png"\r\n\r\n'
        parts.append(head.encode() + content)
    return b"\r\n".join([*parts, b"--x-x--\r\n"]), "multipart/form-data; boundary=x-x"


def get(port: int, path: str) -> bytes:
    """What the service has at a path."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    content = connection.getresponse().read()
    connection.close()
    return content


def read_sample(port: int, name: str) -> dict[str, bytes]:
    """A sample's photograph and mask."""
    return {part: get(port, f"/api/samples/{name}/{part}") for part in ("image", "mask")}


def watch_memory(process: int) -> tuple[list[float], threading.Event]:
    """Resident megabytes of a process, once a second until the event is set."""
    found: list[float] = []
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set():
            listed = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True, text=True)
            found.append(int(listed.stdout) / 1024)
            stop.wait(1)

    threading.Thread(target=watch, daemon=True).start()
    return found, stop


def memory_summary(found: list[float]) -> dict[str, float]:
    """Medians over a tenth of the time at the start, in the middle and at the end, and the most there was."""
    tenth = max(1, len(found) // 10)
    middle = (len(found) - tenth) // 2
    parts = {"start": found[:tenth], "middle": found[middle : middle + tenth], "end": found[-tenth:]}
    return {name: statistics.median(part) for name, part in parts.items()} | {"most": max(found)}


def summary(tallies: list[Tally], lasted: float) -> dict[str, Any]:
    """Requests a second, waiting times, refusals and errors of all clients together."""
    rows: list[dict[str, Any]] = []
    for kind in KINDS:
        waited = sorted(second for tally in tallies for second in tally.seconds[kind])
        if waited:
            spots = {"median": 0.5, "p95": 0.95, "longest": 1.0}
            places = {name: round(1000 * waited[round(share * (len(waited) - 1))], 1) for name, share in spots.items()}
            rows.append({"kind": kind, "count": len(waited), **{f"{name}_ms": ms for name, ms in places.items()}})
    answered = sum(row["count"] for row in rows)
    return {
        "seconds": round(lasted, 1),
        "answered": answered,
        "answered_a_second": round(answered / lasted, 1),
        "refused": sum(tally.refused for tally in tallies),
        "errors": [error for tally in tallies for error in tally.errors],
        "rows": rows,
    }


def figures(result: dict[str, Any]) -> str:
    """The results in words and a table."""
    memory, machine = result["memory_megabytes"], result["machine"]
    lines = [
        f"| {row['kind']} | {row['count']} | {row['median_ms']:.0f} | {row['p95_ms']:.0f} | {row['longest_ms']:.0f} |"
        for row in result["rows"]
    ]
    health = result["health"]
    abuses = [
        f"| {name} | {one['clients']} | {one['tries']} | {', '.join(map(str, one['answers'])) or 'none'} |"
        for name, one in result["abuses"].items()
    ]
    return f"""\
{result["clients"]} clients for {result["seconds"]:.0f} s on loopback, on the same machine ({machine["cores"]} cores of
{machine["cpu"]}); photographs of 512x512 pixels with their masks, a network of the preset fast, depth 7. At most
{result["limit"]} requests were worked on or waiting at a time. {result["date"]}, `python benchmarks/service.py`.

| request | answered | median ms | 95 % within ms | longest ms |
| --- | ---: | ---: | ---: | ---: |
{chr(10).join(lines)}

{result["answered_a_second"]:.1f} requests a second were answered, {result["refused"]} were told to come again (503),
and {len(result["errors"])} failed. The service had {memory["start"]:.0f} MB of memory at the start,
{memory["middle"]:.0f} MB in the middle and {memory["end"]:.0f} MB at the end.

Meanwhile others misbehaved, each again and again:

| client | clients | tries | answers |
| --- | ---: | ---: | --- |
{chr(10).join(abuses)}

`/health` was asked {health["asked"]} times meanwhile and answered within {health["median_ms"]:.0f} ms in the median,
{health["longest_ms"]:.0f} ms at most.
"""


def with_figures(page: str, text: str) -> str:
    """The page with the figures between its two marks."""
    before, begin, rest = page.partition(FIRST)
    _, end, after = rest.partition(LAST)
    if not begin or not end:
        raise UserError("docs/service.md lacks the marks of the figures; put them back.")
    return f"{before}{FIRST}\n{text}{LAST}{after}"


if __name__ == "__main__":
    sys.exit(tyro.cli(main))
