"""Where the nodes of a drawn tree stand."""

from __future__ import annotations

import numpy as np
import pytest

from shapeparse.pictures import toy_object
from shapeparse.pictures.layout import lay_out, neighbour_gap, split_lines


@pytest.mark.parametrize("depth", [0, 1, 4, 7])
def test_leaves_stand_at_equal_distances_and_parents_between_their_children(random_tree, depth):
    tree = random_tree(64, 64, depth)
    layout = lay_out(tree)
    assert layout.drawn.all()
    assert not layout.collapsed.any()
    assert layout.slot[tree.is_leaf].tolist() == list(range(tree.leaf_count)) == list(range(layout.slots))
    for node, (first, second) in enumerate(tree.children):
        if first >= 0:
            assert layout.slot[first] < layout.slot[node] < layout.slot[second]


@pytest.mark.parametrize("max_depth", [0, 2, 5, 99])
def test_collapsed_subtrees_stand_for_all_their_leaves(random_tree, max_depth):
    tree = random_tree(64, 64, 6)
    layout = lay_out(tree, max_depth)
    assert tree.depth[layout.drawn].max() == min(max_depth, 6)
    ends = layout.drawn & (layout.collapsed | tree.is_leaf)
    assert layout.leaves_below[ends].sum() == tree.leaf_count
    assert np.isnan(layout.slot).sum() == (~layout.drawn).sum()
    assert layout.slots == ends.sum()


def test_the_share_of_paint_is_that_of_the_node_s_own_pixels(random_tree):
    tree = random_tree(50, 30, 5)
    labels, share = tree.labels(), lay_out(tree).paint_share
    for node in range(len(tree)):
        x, y, w, h = tree.x[node], tree.y[node], tree.w[node], tree.h[node]
        assert share[node] == pytest.approx(labels[y : y + h, x : x + w].mean())


def test_nodes_of_one_depth_never_meet(random_tree):
    tree = random_tree(64, 64, 7)
    layout = lay_out(tree)
    assert neighbour_gap(tree, layout, 0) == np.inf
    assert all(neighbour_gap(tree, layout, depth) >= 1 for depth in range(8))


def test_split_lines_draw_every_border_between_leaves():
    _, _, tree = toy_object()
    lines = [line[1:] for line in split_lines(tree)]
    assert lines == [
        (0, 44, 96, 44),
        (30, 0, 30, 44),
        (68, 0, 68, 44),
        (30, 16, 68, 16),
        (8, 44, 8, 72),
        (88, 44, 88, 72),
    ]
