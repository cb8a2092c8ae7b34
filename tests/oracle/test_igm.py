"""IGM on whole masks: greedy, with lookahead, hard and soft, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from shapeparse import Limits, Nodes, Oracle, ParseTree, Rule, igm
from shapeparse.grammar import expand
from shapeparse.oracle import twins
from shapeparse.oracle.kernels import LEAF

from ..conftest import many, one

masks = arrays(bool, array_shapes(min_dims=2, max_dims=2, max_side=9))
seeds = st.integers(0, 999)


def blobs(seed: int, side: int = 48) -> np.ndarray:
    """Smooth random shapes."""
    rng = np.random.default_rng(seed)
    waves = np.fft.fft2(rng.normal(size=(side, side)))
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(side), np.fft.fftfreq(side)))
    return np.fft.ifft2(waves * (frequency < 0.1)).real > 0


def derive(mask: np.ndarray, box: tuple[int, int, int, int], levels: int, min_extent: int) -> list[tuple[int, ...]]:
    """Section 3.1 as it is written, with the twins: (x, y, w, h, rule, cut) depth-first."""
    axis, cut = twins.best_cut(mask, box, min_extent) if levels else (LEAF, 0)
    if axis == LEAF:
        painted = 2 * twins.positives(mask, box) >= box[2] * box[3]
        return [(*box, int(Rule.PAINT if painted else Rule.SKIP), 0)]
    below = (derive(mask, half, levels - 1, min_extent) for half in twins.halves(box, axis, cut))
    return [(*box, axis, cut), *(row for rows in below for row in rows)]


def rows_of(tree: ParseTree) -> list[tuple[int, ...]]:
    columns = (tree.x, tree.y, tree.w, tree.h, tree.rule, tree.cut)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(masks, st.from_type(Limits))
def test_the_tree_is_that_of_the_definition(mask, limits):
    tree = one(igm(mask, limits.depth, limits.min_extent))
    whole = (0, 0, mask.shape[1], mask.shape[0])
    assert rows_of(tree) == derive(mask, whole, limits.depth, limits.min_extent)


@given(st.lists(masks, min_size=1, max_size=4), st.from_type(Limits), st.sampled_from([0, 1, 3]))
def test_igm_gives_the_trees_that_expanding_with_the_oracle_gives(several, limits, lookahead):
    oracle = Oracle(several, limits, lookahead)
    expanded = expand(oracle.sizes, oracle, oracle.limits).trees()
    assert igm(several, limits.depth, limits.min_extent, lookahead) == expanded


@given(masks, st.from_type(Limits), st.sampled_from([0, 2]))
def test_trees_tile_the_image_within_their_limits(mask, limits, lookahead):
    tree = one(igm(mask, limits.depth, limits.min_extent, lookahead))
    covered = np.zeros(mask.shape, int)
    for x, y, w, h, _ in tree.segments():
        covered[y : y + h, x : x + w] += 1
    assert (covered == 1).all()
    assert tree.depth.max() <= limits.depth
    inner = ~tree.is_leaf
    assert (tree.nodes.extent(tree.rule)[inner] > limits.min_extent).all()


@pytest.mark.parametrize("paint", [False, True])
@pytest.mark.parametrize("lookahead", [0, 4])
def test_a_pure_mask_is_one_leaf(paint, lookahead):
    tree = igm(np.full((5, 9), paint), lookahead=lookahead)
    assert rows_of(tree) == [(0, 0, 9, 5, Rule.PAINT if paint else Rule.SKIP, 0)]


def test_depth_0_is_one_leaf_of_the_majority_and_ties_go_to_paint():
    assert one(igm(np.array([[1, 0, 0]]), depth=0)).rule.tolist() == [Rule.SKIP]
    assert one(igm(np.array([[1, 0]]), depth=0)).rule.tolist() == [Rule.PAINT]


@pytest.mark.parametrize("times", [1, 3, 16])
def test_hopeless_patterns_stop_at_the_root(times):
    """No cut of a checkerboard of two by two fields gains: gains of 1e-16 are rounding, not a reason to split."""
    checkerboard = np.kron([[1, 0], [0, 1]], np.ones((times, times), int))
    assert len(igm(checkerboard)) == 1
    assert len(igm(np.eye(7, dtype=bool))) == 1


def test_lookahead_sees_through_a_hopeless_pattern():
    checkerboard = np.kron([[1, 0], [0, 1]], np.ones((5, 5), int))
    tree = one(igm(checkerboard, lookahead=4))
    assert tree.accuracy(checkerboard) == 1
    assert tree.leaf_count == 4


def test_ties_go_to_the_first_axis_and_then_to_the_smallest_cut():
    ring = np.pad(np.ones((4, 4), bool), 2)  # the same from all four sides
    tree = one(igm(ring, depth=1))
    assert (tree.rule[0], tree.cut[0]) == (Rule.SPLIT_X, 2)
    assert igm(ring.T) == igm(ring) == igm(ring[::-1, ::-1])


def test_a_stair_is_cut_as_by_hand():
    tree = one(igm(np.array([[1, 1, 1, 0], [1, 0, 0, 0]]), depth=2))
    assert rows_of(tree)[0] == (0, 0, 4, 2, Rule.SPLIT_X, 1)
    assert [segment for segment in tree.segments() if segment.paint] == [(0, 0, 1, 2, True), (1, 0, 3, 1, True)]


@given(masks, st.integers(0, 3), st.integers(1, 3))
def test_lookahead_is_exact_up_to_three_levels(mask, depth, min_extent):
    tree = one(igm(mask, depth, min_extent, lookahead=1))
    whole = (0, 0, mask.shape[1], mask.shape[0])
    fewest = twins.optimal_errors(mask, whole, depth, min_extent)
    assert (tree.labels() != mask).sum() == fewest


def test_lookahead_is_more_accurate_than_greed_and_needs_no_more_depth():
    shapes = [blobs(seed) for seed in range(20)]
    for depth in (2, 4, 5, 7):
        greedy, ahead = igm(shapes, depth), igm(shapes, depth, lookahead=8)
        accuracy = [
            [tree.accuracy(mask) for tree, mask in zip(trees, shapes, strict=True)] for trees in (greedy, ahead)
        ]
        assert np.mean(accuracy[1]) > np.mean(accuracy[0])
        assert max(tree.depth.max() for tree in many(ahead)) <= depth


@given(masks, st.from_type(Limits), st.sampled_from([0, 3]))
def test_probabilities_of_0_and_1_give_the_tree_of_the_labels(mask, limits, lookahead):
    tree = one(igm(mask, limits.depth, limits.min_extent, lookahead))
    for kind in (np.float64, np.float32, np.float16):
        assert igm(mask.astype(kind), limits.depth, limits.min_extent, lookahead) == tree


@given(masks)
def test_bool_0_1_and_0_255_masks_are_the_same(mask):
    tree = one(igm(mask))
    for other in (mask.astype(np.uint8), mask.astype(np.int64), mask * np.uint8(255), mask * np.int16(255)):
        assert igm(other) == tree
    assert igm(np.asfortranarray(mask)) == tree
    assert igm(np.repeat(mask, 2, axis=1)[:, ::2]) == tree


def test_a_soft_mask_is_painted_where_its_pixels_are_likely():
    mask = np.full((16, 16), 0.3)
    mask[4:12, 4:12] = 0.6
    assert np.array_equal(one(igm(mask)).labels(), mask > 0.5)


def test_a_stack_and_a_list_give_a_tree_a_mask():
    stack = np.stack([blobs(seed, 16) for seed in range(5)])
    one_by_one = [igm(mask) for mask in stack]
    assert igm(stack) == igm(list(stack)) == igm(tuple(stack)) == one_by_one
    assert igm([]) == igm(np.zeros((0, 4, 4), bool)) == []
    odd = [blobs(1, 5), blobs(2, 8)[:, :3], blobs(3, 12).astype(float)]
    assert igm(odd) == [igm(mask) for mask in odd]


def test_threads_share_the_masks_and_keep_their_order():
    stack = np.stack([blobs(seed, 24) for seed in range(150)])
    one_by_one = [igm(mask) for mask in stack]
    for threads in (None, 1, 2, 5):
        assert igm(stack, threads=threads) == one_by_one
    assert igm(stack[:9], lookahead=2, threads=2) == [igm(mask, lookahead=2) for mask in stack[:9]]


good = np.eye(3, dtype=bool)


@pytest.mark.parametrize(
    ("mask", "options", "complaint"),
    [
        (good, {"depth": -1}, "depth is -1"),
        (good, {"depth": 65}, "depth is 65"),
        (good, {"depth": 3.5}, "depth is 3.5"),
        (good, {"min_extent": 0}, "min_extent is 0"),
        (good, {"price": float("nan")}, "price is nan"),
        (good, {"price": float("inf")}, "price is inf"),
        (good, {"price": -0.1}, "price is -0.1"),
        (good, {"lookahead": -1}, "lookahead is -1"),
        (good, {"lookahead": 5000}, "lookahead is 5000"),
        (good, {"lookahead": 1.5}, "lookahead is 1.5"),
        (good, {"threads": 0}, "threads is 0"),
        (good, {"threads": -2}, "threads is -2"),
        (np.arange(8).reshape(2, 4), {}, "from 0 to 7"),
        (np.array([[0, 1, 255]]), {}, "from 0 to 255"),
        (np.array([[-1, 1]]), {}, "from -1 to 1"),
        (np.array([[-1, 0]]), {}, "from -1 to 0"),
        (np.array([[0.0, 1.5]]), {}, "from 0.0 to 1.5"),
        (np.array([[0.0, -0.5]]), {}, "from -0.5 to 0.0"),
        (np.array([[0.0, float("nan")]]), {}, "from nan"),
        (np.array([[0.0, float("inf")]]), {}, "to inf"),
        (np.array([["a", "b"]]), {}, "type"),
        (np.array([[1j, 0]]), {}, "type"),
        (np.array([[None, 0]]), {}, "type"),
        (np.zeros((0, 3), bool), {}, "shape (0, 3)"),
        (np.zeros(5, bool), {}, "shape (5,)"),
        (np.zeros((2, 2, 2, 2), bool), {}, "shape (2, 2, 2, 2)"),
        ([np.zeros((2, 2, 3), bool)], {}, "shape (2, 2, 3)"),
        ([[0, 1], [1, 0]], {}, "shape (2,)"),
        (np.zeros((8, 9, 3), bool), {}, "looks like a picture with 3 channels"),
        ([good, np.zeros((3, 0))], {}, "shape (3, 0)"),
    ],
)
def test_bad_masks_and_settings_are_refused_in_one_sentence(refused, mask, options, complaint):
    assert complaint in refused(igm, mask, **options)


def test_a_mask_can_be_replaced_by_one_of_the_same_size_and_kind() -> None:
    rng = np.random.default_rng(0)
    masks = [rng.random((5, 8)) < 0.5 for _ in range(3)]
    other = rng.random((5, 8)) < 0.5
    oracle = Oracle(masks, Limits(3))
    oracle.replace(1, other[:, ::-1])
    fresh = Oracle([masks[0], other[:, ::-1], masks[2]], Limits(3))
    roots = Nodes.roots([(8, 5)] * 3)
    np.testing.assert_array_equal(oracle.cost_to_go(roots, oracle(roots)), fresh.cost_to_go(roots, fresh(roots)))
    for wrong in (rng.random((8, 5)) < 0.5, rng.random((5, 8))):
        with pytest.raises(ValueError, match="same size and kind"):
            oracle.replace(1, wrong)
