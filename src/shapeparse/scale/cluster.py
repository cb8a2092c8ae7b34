"""A Ray cluster: one whose address is given, or a quiet one of this machine."""

from __future__ import annotations

import contextlib
import logging
import socket
from collections.abc import Iterator
from typing import Any

from ..support.errors import UserError
from ..support.text import one_line


@contextlib.contextmanager
def cluster(address: str | None, cores: int | None = None) -> Iterator[Any]:
    """Ray, connected to the cluster at ``address``; without one, to a cluster of this machine that ends with the block.

    ``cores`` is how many such a cluster has; as many as the machine if not given.
    """
    try:
        import ray
    except ImportError as error:
        raise UserError("The engine ray needs Ray; install it with `pip install 'shapeparse[ray]'`.") from error
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        ray.init("local", num_cpus=cores, include_dashboard=False, **quiet)
    else:
        try:
            knock(address)
            ray.init(address, **quiet)
        except (OSError, ValueError) as error:
            why = one_line(str(error).strip().splitlines()[0].rstrip("."))
            raise UserError(f"Cannot use the Ray cluster {one_line(address)} ({why}); check its address.") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def knock(address: str) -> None:
    """Raise OSError unless somebody listens at host:port; Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit() and "/" not in host:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
