"""Trees that people change: read back as they were, and whole after every change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import ParseTree, UserError
from shapeparse.labelling.surgery import Leaf, Split, changed, from_words, part_of, to_words, tree_of

masks = st.integers(0, 2**24 - 1).map(lambda bits: np.array([bits >> k & 1 for k in range(24)], bool).reshape(4, 6))


def best(mask: np.ndarray) -> ParseTree:
    from shapeparse import decompose

    return decompose(mask, accuracy=1.0)


@given(masks)
def test_a_tree_is_the_same_after_taking_it_apart_and_in_words(mask: np.ndarray) -> None:
    tree = best(mask)
    assert tree_of(part_of(tree), 6, 4) == tree
    assert from_words(to_words(tree), 6, 4) == tree
    assert ParseTree.from_json(tree.to_json()) == tree


def test_a_cut_that_falls_out_of_its_rectangle_is_left_out() -> None:
    tree = tree_of(Split(0, 4, Split(0, 2, Leaf(True), Leaf(False)), Leaf(True)), 6, 4)
    assert to_words(tree) == "x4 x2 paint skip paint"

    def to_two(part: Leaf | Split) -> Split:
        assert isinstance(part, Split)
        return Split(part.axis, 2, part.first, part.second)

    assert to_words(changed(tree, 0, to_two)) == "x2 paint paint"


def test_a_part_is_changed_where_it_is() -> None:
    tree = from_words("x4 x2 paint skip y1 paint skip", 6, 4)
    assert to_words(changed(tree, 4, lambda _: Leaf(False))) == "x4 x2 paint skip skip"
    assert to_words(changed(tree, 3, lambda _: Leaf(True))) == "x4 x2 paint paint y1 paint skip"
    assert to_words(changed(tree, 0, lambda _: Leaf(True))) == "paint"


@pytest.mark.parametrize(
    "words", ["", "x", "x6 paint skip", "x0 paint skip", "x2 paint", "paint skip", "x2 paint skip paint", "z2", "x²"]
)
def test_words_that_are_no_tree_are_refused(words: str) -> None:
    with pytest.raises(UserError, match="has a tree"):
        from_words(words, 6, 4)
