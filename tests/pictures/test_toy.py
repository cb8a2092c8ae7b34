"""The toy: a tree of seven leaves that fits its mask exactly."""

from __future__ import annotations

import numpy as np

from shapeparse.pictures import toy_object


def test_the_tree_of_the_toy_is_its_mask() -> None:
    photograph, mask, tree = toy_object()
    assert photograph.shape == (*mask.shape, 3)
    assert np.array_equal(tree.labels(), mask)
    assert (tree.name, tree.leaf_count) == ("toy", 7)


def test_the_toy_is_darker_than_what_is_behind_it() -> None:
    photograph, mask, _ = toy_object()
    assert photograph[mask].mean() < photograph[~mask].mean() - 50
