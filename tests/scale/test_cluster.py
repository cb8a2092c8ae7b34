"""Ray, found or refused in one sentence; benchmarks/engines/test_ray.py and test_ray_stream.py really start one."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable

import pytest

from shapeparse.scale.cluster import cluster, knock


def entered(address: str | None) -> None:
    with cluster(address):
        raise AssertionError("there is a cluster")


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def test_without_ray_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "pip install 'shapeparse[ray]'" in refused(entered, None)


def test_where_nobody_listens_the_address_is_named(refused: Callable[..., str]) -> None:
    pytest.importorskip("ray")
    address = f"127.0.0.1:{free_port()}"
    assert f"Cannot use the Ray cluster {address}" in refused(entered, address)


def test_knocking_finds_who_listens_and_leaves_other_addresses_to_ray() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        knock(f"127.0.0.1:{server.getsockname()[1]}")
    with pytest.raises(OSError, match="refused"):
        knock(f"127.0.0.1:{free_port()}")
    for other in ("auto", "ray://127.0.0.1:1", "local"):
        knock(other)
