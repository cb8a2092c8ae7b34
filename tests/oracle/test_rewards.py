"""Rewards: Eq. 1 for labels and for trees, without an oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from shapeparse import Limits, Nodes, Rule
from shapeparse.grammar import expand
from shapeparse.oracle.rewards import Rewards

masks = arrays(bool, array_shapes(min_dims=2, max_dims=2, max_side=9))


def test_the_reward_of_labels_is_eq_1():
    mask = np.array([[1, 1, 0], [0, 0, 0]], bool)
    nodes = Nodes(*np.array([[0, 0, 0, 3, 2, 0], [0, 0, 0, 2, 1, 0]], np.int32).T)
    found = Rewards([mask]).label_returns(nodes, np.array([Rule.PAINT, Rule.SKIP]))
    assert found.tolist() == pytest.approx([(2 - 4) / 6, -1.0])


def test_the_reward_of_a_label_is_eq_1_pixel_by_pixel():
    mask = np.random.default_rng(0).random((5, 7)) < 0.4
    other = ~mask[:3]  # masks may differ in size
    rows = np.array([[0, 1, 2, 4, 3], [1, 0, 0, 7, 3], [0, 6, 4, 1, 1]])
    image, x, y, w, h = rows.T.astype(np.int32)
    nodes = Nodes(image, x, y, w, h, np.zeros(3, np.int32))
    truth = np.where(mask, 1, -1), np.where(other, 1, -1)
    expected = [truth[image][y : y + h, x : x + w].mean() for image, x, y, w, h in rows]
    for rule, sign in ((Rule.PAINT, 1), (Rule.SKIP, -1)):
        found = Rewards([mask, other]).label_returns(nodes, np.full(3, rule))
        np.testing.assert_allclose(found, sign * np.array(expected), atol=1e-6)


@given(st.lists(masks, min_size=1, max_size=3), st.from_type(Limits), st.integers(0, 999))
def test_the_returns_of_trees_are_those_of_their_pixels(random_actor, several, limits, seed):
    rewards = Rewards(several)
    forest = expand(rewards.sizes, random_actor(seed, limits), limits)
    painted = [np.where(tree.labels(), 1, -1) for tree in forest.trees()]
    nodes = forest.nodes
    columns = (nodes.image, nodes.x, nodes.y, nodes.w, nodes.h)
    expected = [
        (painted[i] * np.where(several[i], 1, -1))[y : y + h, x : x + w].sum()
        for i, x, y, w, h in zip(*columns, strict=True)
    ]
    assert rewards.returns(forest).tolist() == expected
    leaves = forest.rule >= Rule.PAINT
    labels = rewards.label_returns(nodes, forest.rule)
    np.testing.assert_allclose(labels[leaves], (np.array(expected) / nodes.area)[leaves], atol=1e-6)


@given(masks, masks)
def test_positives_are_the_object_pixels_of_a_node(one, other):
    rewards = Rewards([one, other])
    assert rewards.positives(Nodes.roots(rewards.sizes)).tolist() == [one.sum(), other.sum()]


def test_a_mask_in_the_place_of_another_changes_its_rewards_alone():
    rng = np.random.default_rng(0)
    several, other = [rng.random((5, 8)) < 0.5 for _ in range(3)], rng.random((5, 8)) < 0.5
    rewards = Rewards(several)
    rewards.replace(1, other[:, ::-1])
    roots = Nodes.roots(rewards.sizes)
    assert rewards.positives(roots).tolist() == [several[0].sum(), other.sum(), several[2].sum()]
    left = Nodes(*np.array([[1, 0, 0, 3, 5, 0]], np.int32).T)
    assert rewards.positives(left).tolist() == [other[:, ::-1][:, :3].sum()]
