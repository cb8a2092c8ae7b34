"""HTTP/1.1 with clients that may be slow, or mean: no connection holds the others up, or stays for ever."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .guard import HEADERS

HEAD_SECONDS = 10.0
"""A client that has not sent the head of a request after this is cut off."""
SLICE = 8_192
"""Bytes that are read of a connection before it is the turn of the next one: milliseconds of work."""
FEW_PIECES, LEAST_PIECE = 128, 64
"""A body may come in so many pieces of any size; if in more, they must have so many bytes on average. Every piece costs
the same work, so a million of one byte would keep the service from everybody else."""
MOST_DECLARED = 2**31 - 1
"""Bytes that the head of a chunk may announce."""


class WatchedConnection(h11.Connection):
    """Takes a request apart, and refuses one that is sent only to keep the service busy."""

    complaint = "The request is not valid HTTP/1.1; send it again, or use another client."
    _pieces = 0
    _bytes = 0

    def next_event(self) -> Any:
        """The next part of a request; ``h11.RemoteProtocolError`` where it is none."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._pieces = self._bytes = 0
        elif isinstance(event, h11.Data):
            self._pieces += 1
            self._bytes += len(event.data)
            if self._pieces > FEW_PIECES and self._bytes < LEAST_PIECE * self._pieces:
                self._refuse("The request arrives in too many small pieces; send it whole, or in larger ones.")
        # h11 reads a size of up to 20 digits and would wait for all the bytes; it has no public name for what it read.
        if getattr(self._reader, "_bytes_in_chunk", 0) > MOST_DECLARED:
            self._refuse("A chunk of the request is larger than any request may be; send a smaller one.")
        return event

    def _refuse(self, complaint: str) -> None:
        self.complaint = complaint
        raise h11.RemoteProtocolError(complaint)


class PatientProtocol(H11Protocol, asyncio.BufferedProtocol):
    """A connection that waits for its turn, and not for ever: the head of a request must arrive in time, too."""

    _timer: asyncio.TimerHandle | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.conn = self._watched = WatchedConnection(h11.SERVER)
        self._slice = bytearray(SLICE)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first request."""
        super().connection_made(transport)
        self._wait()

    def get_buffer(self, sizehint: int) -> bytearray:
        """Where the event loop puts what has arrived: no more than a slice at a time."""
        return self._slice

    def buffer_updated(self, nbytes: int) -> None:
        """Take what was put there; the timer runs while that is part of a head."""
        self.data_received(bytes(self._slice[:nbytes]))
        self._wait()

    def send_400_response(self, msg: str) -> None:
        """Say what is wrong with a request that cannot be taken apart, if it was not answered yet, and hang up."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = json.dumps({"error": self._watched.complaint}).encode()
            own = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
            headers = [(name.encode(), value.encode()) for name, value in (own | HEADERS).items()]
            for event in (h11.Response(status_code=400, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering:
            self._stop_waiting()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self.transport.abort()
