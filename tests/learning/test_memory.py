"""The memory: first in, first out, an image apart from the others; what was never stored is never drawn."""

from __future__ import annotations

import numpy as np
import pytest

from shapeparse import Nodes
from shapeparse.learning.memory import Memory, Transitions

NUMBERS = ("rule", "cut", "returns", "behaviour", "oracle_rule", "oracle_cut")


def transitions(image: list[int], first: int = 0, with_oracle: bool = True, with_returns: bool = True) -> Transitions:
    """Transitions numbered from ``first``: the number is in x, and all other columns follow from it."""
    number = np.arange(first, first + len(image), dtype=np.int32)
    nodes = Nodes(np.array(image, np.int32), number, number + 1, number + 2, number + 3, number % 8)
    shares = (number / 1000).astype(np.float32)
    return Transitions(
        nodes,
        (number % 4).astype(np.int8),
        number + 4,
        returns=shares if with_returns else None,
        behaviour=shares + 0.5 if with_returns else None,
        oracle_rule=((number + 1) % 4).astype(np.int8) if with_oracle else None,
        oracle_cut=number + 5 if with_oracle else None,
    )


def all_of(memory: Memory, image: int) -> Transitions:
    return memory.sample(np.array([image]), memory.capacity, np.random.default_rng(0))


def test_what_is_stored_comes_back_unchanged():
    memory = Memory(3, 8)
    stored = transitions([2, 0, 2, 2])
    memory.add(stored)
    back = memory.sample(np.array([0, 2]), 8, np.random.default_rng(0))
    expected = stored.take(np.array([1, 0, 2, 3]))
    for column in ("image", "x", "y", "w", "h", "depth"):
        np.testing.assert_array_equal(getattr(back.nodes, column), getattr(expected.nodes, column))
    for column in NUMBERS:
        np.testing.assert_array_equal(getattr(back, column), getattr(expected, column))
        assert getattr(back, column).dtype == getattr(expected, column).dtype


def test_the_oldest_of_an_image_make_room_and_no_others():
    memory = Memory(2, 3)
    memory.add(transitions([0, 0, 1]))
    memory.add(transitions([0, 0], first=10))
    assert sorted(all_of(memory, 0).nodes.x) == [1, 10, 11]
    assert sorted(all_of(memory, 1).nodes.x) == [2]
    assert len(memory) == 4


def test_more_at_once_than_fits_leaves_the_last():
    memory = Memory(1, 3)
    memory.add(transitions([0] * 10))
    assert sorted(all_of(memory, 0).nodes.x) == [7, 8, 9]


def test_images_of_which_nothing_is_stored_are_left_out():
    memory = Memory(4, 3)
    memory.add(transitions([3, 1]))
    drawn = memory.sample(np.array([0, 1, 2, 3]), 2, np.random.default_rng(0))
    assert drawn.nodes.image.tolist() == [1, 3]


def test_every_stored_transition_is_drawn_equally_often():
    memory = Memory(1, 6)
    memory.add(transitions([0] * 8))
    rng = np.random.default_rng(0)
    drawn = np.concatenate([memory.sample(np.array([0]), 4, rng).nodes.x for _ in range(3000)])
    np.testing.assert_allclose(np.bincount(drawn, minlength=8) / len(drawn), [0, 0, *[1 / 6] * 6], atol=0.01)


@pytest.mark.parametrize(("with_oracle", "with_returns"), [(False, True), (True, False)])
def test_columns_that_were_not_given_stay_none(with_oracle, with_returns):
    memory = Memory(1, 3)
    memory.add(transitions([0], with_oracle=with_oracle, with_returns=with_returns))
    drawn = all_of(memory, 0)
    assert (drawn.oracle_rule is None) == (drawn.oracle_cut is None) == (not with_oracle)
    assert (drawn.returns is None) == (drawn.behaviour is None) == (not with_returns)


def test_clearing_forgets_everything():
    memory = Memory(2, 3)
    memory.add(transitions([0, 1]))
    memory.clear()
    assert len(memory) == 0
    assert len(memory.sample(np.array([0, 1]), 3, np.random.default_rng(0))) == 0


def test_a_million_nodes_take_less_than_100_megabytes():
    assert Memory(1000, 1000).nbytes() < 100e6


def test_the_same_seed_draws_the_same():
    memory = Memory(1, 50)
    memory.add(transitions([0] * 50))
    one, other = (memory.sample(np.array([0]), 7, np.random.default_rng(3)).nodes.x for _ in range(2))
    np.testing.assert_array_equal(one, other)
