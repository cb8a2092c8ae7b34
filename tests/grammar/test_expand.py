"""The one expansion loop: any actor's trees tile their images, and are those of a depth-first derivation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import Actions, Limits, Nodes, Rule
from shapeparse.grammar import expand

sizes = st.lists(st.tuples(st.integers(1, 14), st.integers(1, 14)), min_size=1, max_size=4)
seeds = st.integers(0, 999)


def derive(actor, image: int, box: tuple[int, int, int, int], depth: int = 0) -> list[tuple]:
    """The derivation as the paper writes it: one node at a time, its first child's whole subtree first."""
    node = Nodes(*(np.array([value], np.int32) for value in (image, *box, depth)))
    actions = actor(node)
    rule, cut = int(actions.rule[0]), int(actions.cut[0])
    x, y, w, h = box
    if rule == Rule.SPLIT_X:
        children = [(x, y, cut, h), (x + cut, y, w - cut, h)]
    elif rule == Rule.SPLIT_Y:
        children = [(x, y, w, cut), (x, y + cut, w, h - cut)]
    else:
        children = []
    return [(*box, depth, rule, cut), *(row for child in children for row in derive(actor, image, child, depth + 1))]


@given(sizes, st.from_type(Limits), seeds)
def test_level_by_level_gives_the_trees_of_a_depth_first_derivation(random_actor, sizes, limits, seed):
    actor = random_actor(seed, limits)
    trees = expand(sizes, actor, limits).trees()
    for image, ((width, height), tree) in enumerate(zip(sizes, trees, strict=True)):
        columns = (tree.x, tree.y, tree.w, tree.h, tree.depth, tree.rule, tree.cut)
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        assert rows == derive(actor, image, (0, 0, width, height))
        assert (tree.width, tree.height) == (width, height)


@given(sizes, st.from_type(Limits), seeds)
def test_the_leaves_tile_every_image_whatever_the_actor_does(random_actor, sizes, limits, seed):
    for tree in expand(sizes, random_actor(seed, limits), limits).trees():
        covered = np.zeros((tree.height, tree.width), int)
        for x, y, w, h, _ in tree.segments():
            assert min(x, y) >= 0
            assert min(w, h) >= 1
            assert x + w <= tree.width
            assert y + h <= tree.height
            covered[y : y + h, x : x + w] += 1
        assert (covered == 1).all()
        assert tree.depth.max() <= limits.depth


@given(sizes, st.from_type(Limits), seeds)
def test_a_parent_stands_before_its_children_in_a_forest(random_actor, sizes, limits, seed):
    forest = expand(sizes, random_actor(seed, limits), limits)
    assert (forest.parent < np.arange(len(forest))).all()
    assert len(forest) == sum(len(tree) for tree in forest.trees())


def test_an_actor_is_asked_once_a_level():
    asked = []

    def halve(nodes: Nodes) -> Actions:
        asked.append(len(nodes))
        return Actions.at_locations(
            nodes, np.where(nodes.depth < 3, Rule.SPLIT_X, Rule.PAINT), np.full(len(nodes), 0.5)
        )

    expand([(16, 1), (32, 5)], halve)
    assert asked == [2, 4, 8, 16]


def test_no_images_give_an_empty_forest(random_actor):
    forest = expand([], random_actor(0, Limits()))
    assert len(forest) == 0
    assert forest.trees() == []


@pytest.mark.parametrize(
    ("rule", "cut", "complaint"),
    [
        (Rule.SPLIT_X, 0, "cut 0 is outside"),
        (Rule.SPLIT_X, 4, "cut 4 is outside"),
        (Rule.SPLIT_Y, -1, "cut -1 is outside"),
        (Rule.SPLIT_Y, 3, "cut 3 is outside"),
        (-1, 1, "rule -1"),
        (4, 0, "rule 4"),
    ],
)
def test_an_invalid_action_is_refused_before_it_makes_a_tree(rule, cut, complaint):
    with pytest.raises(ValueError, match=complaint):
        expand([(4, 3)], lambda _: Actions(np.array([rule], np.int8), np.array([cut], np.int32)), Limits(3, 1))


@pytest.mark.parametrize("limits", [Limits(0, 1), Limits(3, 4)])
def test_a_split_beyond_the_limits_is_refused(limits):
    with pytest.raises(ValueError, match="rule split-x is not valid"):
        expand([(4, 4)], lambda _: Actions(np.array([0], np.int8), np.array([2], np.int32)), limits)
