"""The service as a process: the address it listens at, and how it stops."""

from __future__ import annotations

import errno
import ipaddress
import signal
import socket
import sys
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI

from ..support.errors import UserError
from ..support.text import one_line
from .protocol import PatientProtocol

STOP_SECONDS = 30
"""What still runs so long after the service was told to stop is given up."""
MAX_CONNECTIONS = 200
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def listen(host: str, port: int, public: bool) -> socket.socket:
    """A socket that listens at the address, or one sentence why it cannot be; beyond loopback only if ``public``."""
    if not 0 <= port <= 65535:
        raise UserError(f"There is no port {port}; give one from 0 (a free one) to 65535.")
    family, address = _resolve(host, port)
    if not public and not ipaddress.ip_address(address[0].partition("%")[0]).is_loopback:
        raise UserError(
            f"{one_line(host)} can be reached from other machines, and anybody there could use the service; "
            "add --public if that is meant."
        )
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen()  # whoever reads the address may come before the server is ready, and waits
    except OSError as error:
        bound.close()
        raise UserError(_bind_problem(host, port, error)) from error
    return bound


def address_of(bound: socket.socket) -> str:
    """The URL of a bound socket."""
    host, port = bound.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:  # listening everywhere, so here too
        host = "127.0.0.1" if bound.family == socket.AF_INET else "::1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def host_names(host: str, public: bool) -> tuple[str, ...] | None:
    """The names under which the service may be asked; in public nobody knows what it will be called."""
    if public:
        return None
    given = f"[{host}]" if ":" in host else host
    return tuple(dict.fromkeys([*LOOPBACK, given.lower()]))


def serve(app: FastAPI, bound: socket.socket) -> None:
    """Serve until a signal says stop. Ctrl-C ends in KeyboardInterrupt, a termination signal in a plain return."""
    server = make_server(app)
    server.run(sockets=[bound])
    if server.stopped_by == signal.SIGINT:
        raise KeyboardInterrupt


def make_server(app: FastAPI) -> Server:
    """The server with all its settings; ``run(sockets=[...])`` starts it."""
    config = uvicorn.Config(
        app, http=PatientProtocol, ws="none", loop="asyncio", lifespan="on", log_config=None, access_log=False,
        proxy_headers=False, server_header=False, limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=STOP_SECONDS,
    )  # fmt: skip
    return Server(config)


class Server(uvicorn.Server):
    """Stops without dying of the signal itself, so that the exit code can say that all went well."""

    stopped_by: int | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop when what runs is done; at a second Ctrl-C at once."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit, self.stopped_by = True, sig

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Say so, take no more requests, and finish those under way."""
        if self.server_state.tasks:
            print("shapeparse: finishing what runs; Ctrl-C again stops at once.", file=sys.stderr)
        await super().shutdown(sockets)


def _resolve(host: str, port: int) -> tuple[socket.AddressFamily, tuple[Any, ...]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise UserError(f"There is no address {one_line(host)!r}; give the name or address of this machine.") from error
    # IPv4 first, since "localhost" is expected at 127.0.0.1.
    family, _, _, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
    return family, address


def _bind_problem(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} of {one_line(host)} is taken; stop what uses it, or give another --port (0 takes a free one)."
        )
    if error.errno == errno.EACCES:
        return f"Port {port} needs special rights; give a --port from 1024 on."
    return f"Cannot listen at {one_line(host)}, port {port}: {error.strerror or error}; give another --host or --port."
