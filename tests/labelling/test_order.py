"""Which photograph comes next."""

from __future__ import annotations

import numpy as np
import pytest

from shapeparse import UserError
from shapeparse.labelling.order import looks, ranked


def plain(value: int) -> np.ndarray:
    return looks(np.full((20, 30, 3), value, np.uint8))


SEEN = [plain(value) for value in (0, 5, 10, 200, 250)]


def test_what_is_unlike_the_labelled_comes_first_and_then_what_is_unlike_that() -> None:
    assert ranked("chosen", SEEN, [0], [1, 2, 3, 4], {}) == [4, 3, 2, 1]
    assert ranked("chosen", SEEN, [0, 4], [1, 2, 3], {})[0] == 3


def test_doubt_counts_too() -> None:
    assert ranked("chosen", SEEN, [0], [1, 2, 3, 4], {1: 0.9, 2: 0.01, 3: 0.01, 4: 0.01})[0] == 1


def test_other_orders() -> None:
    assert ranked("name", SEEN, [], [1, 3, 4], {}) == [1, 3, 4]
    drawn = ranked("random", SEEN, [], [0, 1, 2, 3, 4], {}, seed=1)
    assert sorted(drawn) == [0, 1, 2, 3, 4] and drawn == ranked("random", SEEN, [], [0, 1, 2, 3, 4], {}, seed=1)
    assert ranked("chosen", SEEN, [0], [], {}) == []
    assert ranked("chosen", SEEN, [0], [1, 2, 3, 4], {}, most=2) == [4, 3]
    assert sorted(ranked("chosen", SEEN, [], [0, 1], {})) == [0, 1]
    with pytest.raises(UserError, match="order"):
        ranked("best", SEEN, [], [0], {})  # type: ignore[arg-type]
