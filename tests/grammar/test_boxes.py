"""Positive pixels of any box by four look-ups, against counting them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from shapeparse import Limits, Nodes
from shapeparse.grammar import expand
from shapeparse.grammar.boxes import BoxSums, integrate
from shapeparse.oracle import kernels
from shapeparse.oracle.igm import integrate_labels

masks = arrays(np.uint8, array_shapes(min_dims=2, max_dims=2, max_side=9), elements=st.integers(0, 255))
several_masks = st.lists(masks, min_size=1, max_size=4)


def every_box(several: list[np.ndarray]) -> Nodes:
    rows = [
        (image, x, y, w, h, 0)
        for image, mask in enumerate(several)
        for x in range(mask.shape[1])
        for y in range(mask.shape[0])
        for w in range(1, mask.shape[1] - x + 1)
        for h in range(1, mask.shape[0] - y + 1)
    ]
    return Nodes(*np.array(rows, np.int32).T)


def counted(several: list[np.ndarray], nodes: Nodes) -> list[int]:
    columns = (nodes.image, nodes.x, nodes.y, nodes.w, nodes.h)
    return [int(several[i][y : y + h, x : x + w].sum(dtype=int)) for i, x, y, w, h in zip(*columns, strict=True)]


@given(st.lists(arrays(np.uint8, array_shapes(min_dims=2, max_dims=2, max_side=5)), min_size=1, max_size=3))
def test_every_box_of_masks_of_any_sizes_is_counted(several):
    boxes = every_box(several)
    assert BoxSums.of(several).count(boxes).tolist() == counted(several, boxes)


@given(several_masks, st.from_type(Limits), st.integers(0, 999))
def test_the_nodes_of_trees_are_counted_whatever_their_order(random_actor, several, limits, seed):
    sums = BoxSums.of(several)
    assert sums.sizes.tolist() == [[mask.shape[1], mask.shape[0]] for mask in several]
    nodes = expand(sums.sizes, random_actor(seed, limits), limits).nodes
    nodes = nodes.take(np.random.default_rng(seed).permutation(len(nodes)))
    assert sums.count(nodes).tolist() == counted(several, nodes)


@given(several_masks)
def test_the_kernels_of_the_oracle_fill_the_same_array(several):
    slow = BoxSums.of(several, np.int64)
    quick = BoxSums.of(several, np.int64, kernels.integrate)
    assert np.array_equal(slow.sums, quick.sums)
    labels = [np.ascontiguousarray(mask > 127).view(np.uint8) for mask in several]
    assert np.array_equal(BoxSums.of(labels).sums, BoxSums.of(labels, integrate=integrate_labels).sums)


def test_an_integral_image_is_written_where_it_belongs_and_nowhere_else():
    sums = np.full(20, -1, np.int32)
    integrate(np.array([[1, 2], [3, 4]], np.uint8), sums, 5)
    assert sums.tolist() == [-1] * 5 + [0, 0, 0, 0, 1, 3, 0, 4, 10] + [-1] * 6


@pytest.mark.parametrize(("kind", "side"), [(np.int64, 3000), (np.int32, 1000)])
def test_large_sums_fit_into_their_kind(kind, side):
    sums = BoxSums.of([np.full((side, side), 255, np.uint8)], kind)
    assert sums.sums.dtype == kind
    assert sums.count(Nodes.roots(sums.sizes)).tolist() == [255 * side * side]


def test_no_masks_have_no_sums():
    sums = BoxSums.of([])
    assert sums.count(Nodes.roots(sums.sizes)).tolist() == []
