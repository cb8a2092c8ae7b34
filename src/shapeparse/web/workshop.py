"""Where the work is done: a few threads, a short queue in front of them, and a sign on the door when that is full."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

from .answers import busy

T = TypeVar("T")

Stopped = Callable[[], bool]
"""Whether nobody waits for the result any more."""


class Workshop:
    """Runs work in threads, so that the service keeps listening meanwhile."""

    def __init__(self, at_once: int, queue: int) -> None:
        self.limit = at_once + queue
        self._at_once = at_once
        self._threads: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()
        self._admitted = 0

    @property
    def busy(self) -> int:
        """How much runs or waits. Work whose client has left counts for as long as it runs."""
        return self._admitted

    def check(self) -> None:
        """Refuse a request that would not be admitted, before its body is read."""
        if self._admitted >= self.limit:
            raise busy()

    async def do(self, request: Request, work: Callable[[Stopped], T]) -> T:
        """The result of ``work``; if the client leaves, work that waits is dropped, and work that runs is told.

        The request's body must have been read.
        """
        stopped = threading.Event()
        working = asyncio.wrap_future(self._submit(work, stopped))
        leaving = asyncio.ensure_future(_left(request))
        try:
            either: list[asyncio.Future[Any]] = [working, leaving]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                return working.result()
            raise ClientDisconnect
        finally:
            stopped.set()
            working.cancel()  # which takes it out of the queue if it has not begun
            leaving.cancel()

    def close(self) -> None:
        """Finish what runs and drop what waits; the next work opens it again."""
        with self._lock:
            threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=True, cancel_futures=True)

    def _submit(self, work: Callable[[Stopped], T], stopped: threading.Event) -> Future[T]:
        with self._lock:
            self.check()
            if self._threads is None:
                self._threads = ThreadPoolExecutor(self._at_once, thread_name_prefix="shapeparse-work")
            future = self._threads.submit(work, stopped.is_set)
            self._admitted += 1
        future.add_done_callback(self._release)
        return future

    def _release(self, _: Future) -> None:
        with self._lock:
            self._admitted -= 1


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
