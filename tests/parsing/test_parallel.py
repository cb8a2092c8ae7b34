"""Work side by side gives what work in turn gives, and leaves no trace."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator

import pytest
import torch

from shapeparse.parsing.parallel import side_by_side


@pytest.fixture(params=[1, 2, 3])
def threads(request):
    usual = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(usual)


def test_results_come_in_order(threads):
    def slower_at_first(item):
        time.sleep(0.02 if item == 0 else 0)
        return item**2

    assert list(side_by_side(slower_at_first, range(9))) == [item**2 for item in range(9)]
    assert list(side_by_side(slower_at_first, [])) == []


def test_every_worker_computes_alone_and_the_caller_keeps_its_threads(threads):
    found = list(side_by_side(lambda _: (threading.get_ident(), torch.get_num_threads()), range(12)))
    assert {count for _, count in found} == {1}
    assert (threading.get_ident() in {ident for ident, _ in found}) == (threads == 1)
    assert torch.get_num_threads() == threads


def test_an_error_reaches_the_caller_and_stops_what_has_not_begun(threads):
    begun = []

    def fail(item):
        begun.append(item)
        raise ValueError(item)

    with pytest.raises(ValueError, match=r"^0$"):
        list(side_by_side(fail, range(100)))
    assert len(begun) <= 2 * threads + 1
    assert torch.get_num_threads() == threads


def test_little_is_done_ahead_of_who_takes_it(threads):
    begun = []
    results = side_by_side(lambda item: begun.append(item), range(100))
    assert isinstance(results, Generator)
    next(results)
    results.close()
    assert len(begun) <= threads + 1
