"""Evaluation: the accuracy of the very trees that are parsed, and regrets that add up to what was lost."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from shapeparse import Limits, igm
from shapeparse.networks.policy import Policy
from shapeparse.parsing.evaluation import accuracy_and_leaves, evaluate
from shapeparse.parsing.trees import parse_images

LIMITS = Limits(depth=4)


@pytest.fixture
def policy(tiny_presets) -> Policy:
    """A network with random weights, which parses every image differently."""
    with torch.random.fork_rng():
        torch.manual_seed(0)  # whatever tests ran before this one
        policy = Policy(tiny_presets["fast"])
    chance = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=chance))
        policy.rule.weight.div_(50)
        policy.rule.weight[2].zero_()  # so that it splits
    return policy


def trees_of(policy: Policy, images: np.ndarray, **settings) -> list:
    return [tree for forest in parse_images(policy, images, LIMITS, **settings) for tree in forest.trees()]


def test_images_are_parsed_alike_together_and_one_by_one(policy, photographs):
    images, _ = photographs(7)
    together = trees_of(policy, images)
    assert together == trees_of(policy, images, batch=3) == trees_of(policy, images, batch=1)
    assert len({tuple(tree.cut) for tree in together}) > 1


def test_accuracy_and_leaves_are_those_of_the_trees(policy, photographs):
    images, masks = photographs(7)
    trees = trees_of(policy, images)
    accuracy, leaves = accuracy_and_leaves(parse_images(policy, images, LIMITS, batch=3), masks)
    np.testing.assert_allclose(accuracy, [tree.accuracy(mask) for tree, mask in zip(trees, masks, strict=True)])
    assert leaves.tolist() == [tree.leaf_count for tree in trees]


def test_trees_can_have_the_images_own_size(policy, photographs):
    images, _ = photographs(2)
    sizes = np.array([[100, 40], [33, 57]])
    trees = trees_of(policy, images, sizes=sizes)
    assert [(tree.width, tree.height) for tree in trees] == [(100, 40), (33, 57)]
    for tree in trees:
        assert sum(segment.w * segment.h for segment in tree.segments()) == tree.width * tree.height


def test_parsing_leaves_the_running_statistics_alone(policy, photographs):
    before = {name: value.clone() for name, value in policy.state_dict().items()}
    policy.train()
    trees_of(policy, photographs(2)[0])
    for name, value in policy.state_dict().items():
        torch.testing.assert_close(value, before[name], rtol=0, atol=0)


def test_scores_are_those_of_the_trees_and_of_the_oracle(policy, photographs):
    images, masks = photographs(7)
    found = evaluate(parse_images(policy, images, LIMITS, batch=3), masks, LIMITS)
    scores = [tree.scores(mask) for tree, mask in zip(trees_of(policy, images), masks, strict=True)]
    for name in ("accuracy", "iou", "coverage", "waste"):
        np.testing.assert_allclose(getattr(found, name), [getattr(score, name) for score in scores])
    oracle = [tree.accuracy(mask) for tree, mask in zip(igm(list(masks), depth=4), masks, strict=True)]
    np.testing.assert_allclose(found.oracle_accuracy, oracle)
    np.testing.assert_allclose(found.majority_accuracy, [max(mask.mean(), 1 - mask.mean()) for mask in masks])


def test_regrets_add_up_to_what_was_lost_against_the_oracle(policy, photographs):
    images, masks = photographs(7)
    found = evaluate(parse_images(policy, images, LIMITS), masks, LIMITS)
    lost = found.oracle_accuracy - found.accuracy
    np.testing.assert_allclose((found.label_regret + found.split_regret).sum(axis=1), lost, atol=1e-9)
    assert found.summary()["regret"] == pytest.approx(lost.mean())


def test_a_tree_cut_off_at_the_root_is_the_majority_and_uncut_has_its_own_accuracy(policy, photographs):
    images, masks = photographs(7)
    found = evaluate(parse_images(policy, images, LIMITS), masks, LIMITS)
    split = np.array([len(tree) > 1 for tree in trees_of(policy, images)])
    np.testing.assert_allclose(found.depth_accuracy[split, 0], found.majority_accuracy[split])
    np.testing.assert_allclose(found.depth_accuracy[:, -1], found.accuracy)


def test_masks_of_one_class_can_be_evaluated(policy, photographs):
    images, masks = photographs(2)
    for mask in (np.zeros_like(masks), np.ones_like(masks)):
        found = evaluate(parse_images(policy, images, LIMITS), mask, LIMITS)
        assert np.isfinite([value for value in found.summary().values() if isinstance(value, float)]).all()
        assert (found.oracle_accuracy == 1).all()
