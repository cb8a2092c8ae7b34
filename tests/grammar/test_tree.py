"""Trees and forests: labels, segments, Eq. 1 and the scores, against plain loops over pixels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import Limits, ParseTree, Rule, Scores, igm
from shapeparse.grammar import Forest, expand

from ..conftest import one

trees = st.from_type(ParseTree)
seeds = st.integers(0, 999)


def mask_for(tree: ParseTree, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.random((tree.height, tree.width)) < rng.random()


def painted_everywhere(width: int, height: int, paint: bool) -> ParseTree:
    return one(igm(np.full((height, width), paint), depth=0))


def pixel_labels(tree: ParseTree) -> np.ndarray:
    """+1 where the leaf over a pixel says paint, -1 where it says skip."""
    labels = np.zeros((tree.height, tree.width), int)
    for i in range(len(tree)):
        if tree.rule[i] in (Rule.PAINT, Rule.SKIP):
            for y in range(tree.y[i], tree.y[i] + tree.h[i]):
                for x in range(tree.x[i], tree.x[i] + tree.w[i]):
                    labels[y, x] += 1 if tree.rule[i] == Rule.PAINT else -1
    return labels


@given(trees)
def test_labels_are_those_of_the_leaves(tree):
    assert np.array_equal(tree.labels(), pixel_labels(tree) == 1)


@given(trees, seeds)
def test_returns_are_the_sums_of_label_times_prediction_over_a_nodes_pixels(tree, seed):
    mask = mask_for(tree, seed)
    agreement = np.where(mask, 1, -1) * pixel_labels(tree)
    expected = [
        agreement[y : y + h, x : x + w].sum() for x, y, w, h in zip(tree.x, tree.y, tree.w, tree.h, strict=True)
    ]
    assert tree.returns(mask).tolist() == expected
    assert tree.returns(mask.astype(np.uint8) * 255).tolist() == expected


@given(trees, seeds)
def test_accuracy_is_the_roots_return_over_area_plus_one_over_two(tree, seed):
    mask = mask_for(tree, seed)
    assert tree.accuracy(mask) == pytest.approx((tree.returns(mask)[0] / mask.size + 1) / 2, abs=1e-12)
    assert tree.accuracy(mask) == pytest.approx((tree.labels() == mask).mean(), abs=1e-12)


@given(trees, seeds)
def test_the_scores_are_shares_of_the_right_pixels(tree, seed):
    mask, painted = mask_for(tree, seed), tree.labels()
    scores = tree.scores(mask)
    assert all(0 <= share <= 1 for share in vars(scores).values())
    if mask.any() and painted.any():
        assert scores.iou == (mask & painted).sum() / (mask | painted).sum()
        assert scores.coverage == painted[mask].mean()
        assert scores.waste == pytest.approx((~mask)[painted].mean())


@pytest.mark.parametrize(
    ("object_there", "painted", "expected"),
    [
        (False, False, Scores(accuracy=1, iou=1, coverage=1, waste=0)),
        (False, True, Scores(accuracy=0, iou=0, coverage=1, waste=1)),
        (True, False, Scores(accuracy=0, iou=0, coverage=0, waste=0)),
        (True, True, Scores(accuracy=1, iou=1, coverage=1, waste=0)),
    ],
)
def test_the_scores_of_empty_masks_and_empty_labellings_are_conventions(object_there, painted, expected):
    assert painted_everywhere(4, 3, painted).scores(np.full((3, 4), object_there)) == expected


@given(trees)
def test_the_table_of_children_is_the_table_of_parents_turned_round(tree):
    children = tree.children
    assert children.shape == (len(tree), 2)
    for node, (first, second) in enumerate(children):
        assert np.flatnonzero(tree.parent == node).tolist() == [child for child in (first, second) if child >= 0]
        assert (first < 0) == (second < 0) == bool(tree.is_leaf[node])
    assert tree.leaf_count == (children[:, 0] < 0).sum() == (len(tree) + 1) // 2


@given(trees)
def test_merged_segments_label_the_same_pixels_with_no_more_rectangles(tree):
    segments = tree.segments(merge=True)
    labels = np.full((tree.height, tree.width), -1)
    for x, y, w, h, paint in segments:
        assert (labels[y : y + h, x : x + w] == -1).all()
        labels[y : y + h, x : x + w] = paint
    assert np.array_equal(labels, tree.labels())
    assert len(segments) <= tree.leaf_count


def test_leaves_of_one_label_merge_into_one_segment(random_actor):
    tree = expand([(8, 8)], random_actor(1, Limits(3)), Limits(3)).trees()[0]
    everywhere = ParseTree(**{**vars(tree), "rule": np.where(tree.is_leaf, Rule.PAINT, tree.rule).astype(np.int8)})
    assert everywhere.leaf_count > 1
    assert everywhere.segments(merge=True) == [(0, 0, 8, 8, True)]


@given(trees)
def test_nodes_follow_depth_first_with_the_first_child_right_behind_its_parent(tree):
    inner = np.flatnonzero(~tree.is_leaf)
    assert (tree.children[inner, 0] == inner + 1).all()
    assert tree.parent[0] == -1
    assert (tree.depth[1:] == tree.depth[tree.parent[1:]] + 1).all()


@given(st.integers(0, 99))
def test_a_forests_returns_are_those_of_its_trees(random_actor, seed):
    sizes, limits = [(5, 4), (1, 7), (9, 9)], Limits(4)
    forest = expand(sizes, random_actor(seed, limits), limits)
    masks = [np.random.default_rng(seed + w).random((h, w)) < 0.5 for w, h in sizes]
    roots = forest.returns(masks)[: len(sizes)]
    trees = forest.trees(["a", "b", "c"])
    assert [tree.name for tree in trees] == ["a", "b", "c"]
    assert roots.tolist() == [tree.returns(mask)[0] for tree, mask in zip(trees, masks, strict=True)]


@given(st.lists(trees, min_size=1, max_size=4))
def test_a_forest_of_trees_gives_the_trees_back(several):
    assert Forest.of(several).trees() == several
    names = [f"photo {place}" for place in range(len(several))]
    assert [tree.name for tree in Forest.of(several).trees(names)] == names


@given(st.lists(trees, min_size=1, max_size=4))
def test_a_forest_of_trees_has_roots_first_and_parents_before_their_children(several):
    forest = Forest.of(several)
    assert len(forest) == sum(len(tree) for tree in several)
    assert forest.nodes.image[: len(several)].tolist() == list(range(len(several)))
    assert (forest.parent[: len(several)] == -1).all()
    for node in range(len(several), len(forest)):
        parent = forest.parent[node]
        assert 0 <= parent < node
        assert forest.nodes.image[parent] == forest.nodes.image[node]
        assert forest.nodes.depth[parent] == forest.nodes.depth[node] - 1


@given(st.integers(0, 99))
def test_a_forest_of_an_expansions_trees_is_the_expansion(random_actor, seed):
    limits = Limits(4)
    forest = expand([(5, 4), (1, 7), (9, 9)], random_actor(seed, limits), limits)
    again = Forest.of(forest.trees())
    for column in ("rule", "cut", "parent", "sizes"):
        assert np.array_equal(getattr(again, column), getattr(forest, column))
    for column in ("image", "x", "y", "w", "h", "depth"):
        assert np.array_equal(getattr(again.nodes, column), getattr(forest.nodes, column))


@pytest.mark.parametrize("shape", [(4, 3), (3,), (3, 4, 1)])
def test_the_mask_of_another_image_is_refused(refused, shape):
    tree = painted_everywhere(4, 3, True)
    for method in (tree.returns, tree.scores, tree.accuracy):
        assert "4x3 pixels" in refused(method, np.zeros(shape, bool))


def test_trees_are_equal_if_all_their_columns_are():
    stairs = np.tri(4, dtype=bool)
    tree, other = one(igm(stairs, depth=2)), igm(stairs, depth=3)
    assert tree == igm(stairs, depth=2)
    assert tree != other
    assert tree != ParseTree(**{**vars(tree), "name": "another"})
    assert tree != "a tree"
    assert repr(tree) == f"<ParseTree: 4x4, {len(tree)} nodes, {tree.leaf_count} leaves>"


def test_scaled_trees_keep_their_rules_and_tile_the_larger_image(random_actor):
    forest = expand([(16, 16)], random_actor(1, Limits(5)), Limits(5))
    scaled = forest.scaled(np.array([[37, 50]], np.int32))
    assert np.array_equal(scaled.rule, forest.rule)
    (tree,) = scaled.trees()
    again = ParseTree.from_json(tree.to_json())  # which checks that every child is what its parent's cut makes
    assert again == tree
