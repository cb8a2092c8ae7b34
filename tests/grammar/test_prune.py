"""Pruning by a price a rectangle, against every possible pruning of small trees."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shapeparse import ParseTree, Rule, igm
from shapeparse.grammar import prune
from shapeparse.grammar.tree import positives

from ..conftest import one

trees = st.from_type(ParseTree)
seeds = st.integers(0, 999)


def mask_for(tree: ParseTree, seed: int) -> np.ndarray:
    """A mask that the tree's labels fit for the most part."""
    return tree.labels() ^ (np.random.default_rng(seed).random((tree.height, tree.width)) < 0.3)


def prunings(tree: ParseTree, positive: np.ndarray, node: int = 0) -> list[tuple[int, int]]:
    """(wrong pixels, leaves) of every way to undo splits below a node."""
    area, wrong_if_painted = int(tree.w[node]) * int(tree.h[node]), int(tree.w[node] * tree.h[node] - positive[node])
    if tree.rule[node] == Rule.PAINT:
        return [(wrong_if_painted, 1)]
    if tree.rule[node] == Rule.SKIP:
        return [(area - wrong_if_painted, 1)]
    below = [prunings(tree, positive, child) for child in tree.children[node]]
    undone = (min(wrong_if_painted, area - wrong_if_painted), 1)
    return [undone, *((a + c, b + d) for (a, b), (c, d) in product(*below))]


@given(trees, seeds, st.sampled_from([0.0, 0.003, 0.01, 0.03, 0.1, 0.5]))
def test_no_other_pruning_has_a_greater_accuracy_minus_price_times_leaves(tree, seed, price):
    assume(tree.leaf_count <= 12)
    mask = mask_for(tree, seed)
    positive = positives(tree.nodes, [mask])
    pruned = prune(tree, positive, price)
    value = pruned.accuracy(mask) - price * pruned.leaf_count
    best = max(1 - wrong / mask.size - price * leaves for wrong, leaves in prunings(tree, positive))
    assert value == pytest.approx(best, abs=1e-9)


@given(trees, seeds, st.floats(0, 0.2))
def test_a_pruned_tree_is_a_tree_that_tiles_the_image_with_nodes_of_the_old_one(tree, seed, price):
    mask = mask_for(tree, seed)
    pruned = prune(tree, positives(tree.nodes, [mask]), price)
    covered = np.zeros(mask.shape, int)
    for x, y, w, h, _ in pruned.segments():
        covered[y : y + h, x : x + w] += 1
    assert (covered == 1).all()
    assert np.array_equal(pruned.children >= 0, np.stack([~pruned.is_leaf] * 2, axis=1))
    rows = [set(zip(t.x, t.y, t.w, t.h, t.depth, strict=True)) for t in (pruned, tree)]
    assert rows[0] <= rows[1]
    assert (pruned.cut[pruned.is_leaf] == 0).all()


@given(st.integers(0, 99))
def test_without_a_price_the_oracles_tree_stays_as_it_is(seed):
    mask = np.random.default_rng(seed).random((9, 8)) < 0.4
    tree = one(igm(mask, depth=4))
    assert prune(tree, positives(tree.nodes, [mask]), 0.0) == tree
    assert one(igm(mask, depth=4, price=0.0)) == tree


@given(st.integers(0, 99))
def test_a_higher_price_never_buys_more_rectangles(seed):
    mask = np.random.default_rng(seed).random((12, 12)) < 0.4
    leaves = [one(igm(mask, price=price)).leaf_count for price in (0, 0.005, 0.01, 0.02, 0.05, 1)]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[-1] == 1


def test_a_rectangle_must_earn_its_price():
    mask = np.zeros((10, 10), bool)
    mask[:2] = True  # a split pays 0.2 of the accuracy for one more rectangle
    assert one(igm(mask, price=0.19)).leaf_count == 2
    assert one(igm(mask, price=0.21)).leaf_count == 1


def test_a_soft_mask_is_pruned_by_its_expected_pixels():
    mask = np.full((10, 10), 0.1)
    mask[:2] = 0.7  # expected: 14 of 20 pixels there, 2 of 20 as many if it were a label
    assert one(igm(mask, price=0.07)).leaf_count == 2
    assert one(igm(mask, price=0.09)).leaf_count == 1


def test_ties_of_an_undone_split_go_to_paint():
    mask = np.repeat([[True, False]], 2, axis=1)
    assert one(igm(mask, price=0.9)).rule.tolist() == [Rule.PAINT]
