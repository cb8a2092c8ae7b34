"""The workshop: a few things at once, a few that wait, and nothing is done for those who have left."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.requests import ClientDisconnect

from shapeparse.web.answers import Refusal
from shapeparse.web.workshop import Workshop

from .conftest import eventually


class Client:
    """Stands in for a request whose body was read; it may leave."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()

    async def receive(self) -> dict[str, str]:
        await self.gone.wait()
        return {"type": "http.disconnect"}


def in_a_loop(story: Callable[[], Awaitable[Any]]) -> Any:
    with ThreadPoolExecutor(1) as pool:  # other tests may have left a loop running in this thread
        return pool.submit(lambda: asyncio.run(story())).result(timeout=20)


def test_work_is_done_in_another_thread_and_its_errors_come_back() -> None:
    workshop = Workshop(1, 0)

    async def story() -> None:
        here = threading.get_ident()
        assert await workshop.do(Client(), lambda stopped: (threading.get_ident() != here, stopped())) == (True, False)
        with pytest.raises(ZeroDivisionError):
            await workshop.do(Client(), lambda stopped: 1 / 0)
        assert workshop.busy == 0

    in_a_loop(story)
    workshop.close()


def test_when_the_queue_is_full_the_next_one_is_refused_unread() -> None:
    workshop, go_on = Workshop(1, 1), threading.Event()

    async def story() -> list[bool]:
        admitted = [asyncio.ensure_future(workshop.do(Client(), lambda _: go_on.wait(10))) for _ in range(2)]
        await asyncio.sleep(0)
        assert workshop.busy == workshop.limit == 2
        for refused in (workshop.check, lambda: workshop._submit(lambda _: None, threading.Event())):
            with pytest.raises(Refusal, match="busy"):
                refused()
        go_on.set()
        return list(await asyncio.gather(*admitted))

    assert in_a_loop(story) == [True, True]
    workshop.check()
    workshop.close()


def test_who_leaves_stops_what_runs_and_drops_what_waits() -> None:
    workshop, begun, told, waited = Workshop(1, 1), threading.Event(), threading.Event(), threading.Event()

    def long(stopped: Callable[[], bool]) -> None:
        begun.set()
        eventually(stopped)
        told.set()

    async def story() -> None:
        clients = [Client(), Client()]
        works = [long, lambda _: waited.set()]
        both = [asyncio.ensure_future(workshop.do(*pair)) for pair in zip(clients, works, strict=True)]
        while not begun.is_set():
            await asyncio.sleep(0.01)
        for client in reversed(clients):
            client.gone.set()
        for one in await asyncio.gather(*both, return_exceptions=True):
            assert isinstance(one, ClientDisconnect)

    in_a_loop(story)
    assert told.wait(5)
    eventually(lambda: workshop.busy == 0)
    assert not waited.is_set()
    workshop.close()


def test_a_closed_workshop_opens_again_for_the_next_work() -> None:
    workshop = Workshop(1, 0)

    async def story() -> int:
        return await workshop.do(Client(), lambda _: 7)

    for _ in range(2):
        assert in_a_loop(story) == 7
        workshop.close()
