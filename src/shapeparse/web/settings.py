"""What the service allows its clients."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from ..data.images import MAX_PIXELS
from ..support.errors import UserError

MAX_DEPTH = 10
"""Deeper trees than this are not made for clients: 2^10 rectangles are more than anybody looks at."""
MAX_RECTANGLES = 100
"""Larger trees than this are not searched for: the time grows with them, and nobody looks at so many."""
LEAST_PRICE = 0.0001
"""The least that a rectangle must bring in the search for the best tree, for the same reason."""
MAX_SIDE = 16_384
"""Pixels of the longer side of a picture. A line of millions is no photograph, and every row and column costs work."""
MAX_STROKES = 1_500
"""Of a plan: several plans are made of every request, and their order is searched for."""
MAX_KEEP_OUTS, MAX_CORNERS = 20, 100
"""Keep-outs of a plan, and corners of one."""
MAX_MILLIMETRES = 100_000
"""Of a side of the plane that a photograph is rectified to."""
MAX_PARSES = 4
"""Models that one request may ask."""
MAX_JSON_BYTES = 4_000_000
"""Of a request that brings a tree: several times what a tree of `MAX_NODES` needs."""
MAX_NODES = 8_192
"""Of a tree that a client brings."""
MOST_BYTES, MOST_AT_ONCE = 1_000_000_000, 256
"""What the limits of a request, and of requests worked on at the same time, may be."""


def cores() -> int:
    """How many parses run at once if nobody says: one a core, but few, as each has a whole photograph in memory."""
    return min(os.cpu_count() or 1, 4)


@dataclass(frozen=True)
class ServiceSettings:
    """How the service is run; whatever it cannot be run with is refused in one sentence."""

    models: tuple[Path, ...] = ()
    """Run folders of trained parsers; the oracles are always offered."""
    max_bytes: int = 25_000_000
    """Of one request."""
    max_pixels: int = 24_000_000
    """Of one photograph, and of the picture a tree is of."""
    at_once: int = field(default_factory=cores)
    """Parses and plans that run at the same time."""
    waiting: int | None = None
    """Requests that may wait for their turn; the next one is answered 503. Twice ``at_once`` if not given."""
    idle_seconds: float = 15.0
    """A client that sends nothing of its request for so long is answered 408."""
    upload_seconds: float = 120.0
    """A client that has not sent its whole request after so long is answered 408."""
    hosts: tuple[str, ...] | None = None
    """Names under which the service may be asked (the Host header); any if not given. On loopback this keeps out web
    pages whose own name was made to lead here."""
    device: str = "auto"
    """Where parsers compute: auto, cpu, cuda or mps."""

    def __post_init__(self) -> None:
        if not 1000 <= self.max_bytes <= MOST_BYTES:
            raise UserError(f"The limit of {self.max_bytes:,} bytes must be from 1,000 to {MOST_BYTES:,}.")
        if not 1 <= self.max_pixels <= MAX_PIXELS:
            raise UserError(f"The limit of {self.max_pixels:,} pixels must be from 1 to {MAX_PIXELS:,}.")
        if not 1 <= self.at_once <= MOST_AT_ONCE:
            raise UserError(f"{self.at_once} parses at once cannot be; give from 1 to {MOST_AT_ONCE}.")
        if self.queue < 0 or min(self.idle_seconds, self.upload_seconds) <= 0:
            raise UserError("Places to wait in must be 0 or more, and time to upload more than 0 seconds.")

    @property
    def queue(self) -> int:
        """Requests that may wait for their turn."""
        return 2 * self.at_once if self.waiting is None else self.waiting

    @property
    def max_buffered(self) -> int:
        """Bytes of all requests together that are in memory: a full load of uploads, each as large as may be."""
        return (self.at_once + self.queue) * self.max_bytes
