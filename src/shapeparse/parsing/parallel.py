"""Many computations at once, each in a thread of its own.

Networks that take turns on all cores leave them idle between their small steps; side by side, each on one core, they do
not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import torch

Item = TypeVar("Item")
Found = TypeVar("Found")


def side_by_side(work: Callable[[Item], Found], items: Sequence[Item]) -> Iterator[Found]:
    """``map``, with as many items at work as PyTorch has threads; results come in order and none waits for long."""
    threads = min(torch.get_num_threads(), len(items))
    if threads <= 1:
        yield from map(work, items)
        return
    usual = torch.get_num_threads()
    waiting: deque[Future[Found]] = deque()
    pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(usual)  # which the workers changed for threads to come
