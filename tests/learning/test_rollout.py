"""Gathering experience: who acts, what is kept of it, and that nobody is told more than a setting allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
import torch

from shapeparse import Actions, Limits, Nodes, Oracle, Rule, igm
from shapeparse.grammar import Forest, expand, split_children, valid_rules
from shapeparse.learning.memory import Transitions
from shapeparse.learning.methods import ABLATIONS, METHODS, method_named
from shapeparse.learning.rollout import Rollout, in_scenes
from shapeparse.learning.scenes import Scenes
from shapeparse.learning.settings import ExplorationSettings
from shapeparse.networks.policy import Policy

LIMITS = Limits(depth=3)
ALL = np.arange(6)


@pytest.fixture
def scenes(photographs) -> Scenes:
    images, masks = photographs(3)
    return Scenes(images, masks, flips=True)


@pytest.fixture
def policy(table_policy) -> torch.nn.Module:
    return table_policy(LIMITS, seed=1)


@pytest.fixture
def gather(scenes, policy) -> Callable[..., Transitions]:
    def call(method: str, chosen: np.ndarray = ALL, beta: float = 0.5, seed: int = 0, **settings) -> Transitions:
        known = method_named(method)
        settings = {"teacher": "optimal" if known.knows_worth else "igm", **settings}
        rollout = Rollout.of(known, scenes, LIMITS, **settings)
        return rollout.gather(policy, chosen, beta, np.random.default_rng(seed))

    return call


def rows(nodes: Nodes, *more: np.ndarray) -> list[tuple]:
    """Nodes and other columns as sorted tuples, so that their order does not matter."""
    columns = (nodes.image, nodes.x, nodes.y, nodes.w, nodes.h, nodes.depth, *more)
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


def oracle_rows(scenes: Scenes) -> list[tuple]:
    """Nodes and actions of the oracle's own trees."""
    forest = expand(scenes.sizes, scenes.teacher(LIMITS), LIMITS)
    return rows(forest.nodes, forest.rule, forest.cut)


# ---- who acts ------------------------------------------------------------------------------------------------------


def test_behaviour_cloning_visits_exactly_the_oracles_tree(gather, scenes):
    kept = gather("bc")
    assert rows(kept.nodes, kept.rule, kept.cut) == oracle_rows(scenes)
    assert rows(kept.nodes, kept.oracle_rule, kept.oracle_cut) == oracle_rows(scenes)


def test_a_mixture_of_the_oracle_alone_gives_the_oracles_tree(gather, scenes):
    kept = gather("dagger", beta=1.0)
    assert rows(kept.nodes, kept.rule, kept.cut) == oracle_rows(scenes)
    for method in ("off-mcpg", "off-acpg"):
        kept = gather(method, beta=1.0)
        assert rows(kept.nodes, kept.rule, kept.cut) == oracle_rows(scenes)
        assert (kept.behaviour == 1).all()


def test_dagger_is_told_what_the_oracle_would_do_wherever_the_learner_went(gather, scenes):
    """Bug 3 of the authors' code. Also at nodes that no tree of the oracle's has."""
    kept = gather("dagger", beta=0.0)
    advice = Oracle(scenes.all_masks(), LIMITS)(kept.nodes)
    np.testing.assert_array_equal(kept.oracle_rule, advice.rule)
    np.testing.assert_array_equal(kept.oracle_cut, advice.cut)
    assert not set(rows(kept.nodes)) <= {row[:6] for row in oracle_rows(scenes)}


def test_a_learner_without_density_splits_exactly_at_mu_while_an_oracle_guides(gather, policy):
    kept = gather("dagger", beta=0.0)
    split = kept.rule < Rule.PAINT
    table = torch.sigmoid(policy.split).detach().numpy()
    row = 2 * kept.nodes.depth + (kept.nodes.x + kept.nodes.y > 0)
    location = table[row, np.where(split, kept.rule, 0)]
    expected = Actions.at_locations(kept.nodes, kept.rule, location)
    np.testing.assert_array_equal(kept.cut, expected.cut)


def root_cuts(kept: Transitions, rule: Rule) -> set[int]:
    return set(kept.cut[(kept.nodes.depth == 0) & (kept.rule == rule)].tolist())


@pytest.mark.parametrize("method", ["ddpg", "drag"])
def test_methods_whose_critic_learns_from_the_actions_taken_explore_around_mu(gather, method):
    many, settings = np.zeros(1500, np.int64), {"beta": 0.0}
    noisy, still = (
        gather(method, many, exploration=ExplorationSettings(0.0, noise), **settings) for noise in (0.3, 0.0)
    )
    for rule in (Rule.SPLIT_X, Rule.SPLIT_Y):
        assert len(root_cuts(noisy, rule)) > 5
        assert len(root_cuts(still, rule)) == 1


@pytest.mark.parametrize("method", ["dagger", "drag-dense", "drag-anchored"])
def test_methods_that_are_told_of_other_cuts_split_at_mu_alone(gather, method):
    kept = gather(method, np.zeros(300, np.int64), beta=0.0, exploration=ExplorationSettings(0.0, 0.9))
    assert [len(root_cuts(kept, rule)) for rule in (Rule.SPLIT_X, Rule.SPLIT_Y)] == [1, 1]


def test_random_rules_are_drawn_as_often_as_asked(gather, policy):
    with torch.no_grad():
        policy.rule[:] = torch.tensor([-50.0, -50.0, 50.0, -50.0])
    kept = gather("dagger", np.zeros(4000, np.int64), beta=0.0, exploration=ExplorationSettings(random_rule=0.2))
    root = kept.rule[kept.nodes.depth == 0]
    np.testing.assert_allclose(np.bincount(root, minlength=4) / len(root), [0.05, 0.05, 0.85, 0.05], atol=0.02)


def test_a_rollout_judges_images_by_running_statistics(scenes, tiny_presets):
    """Whatever mode the policy was left in, a rollout neither uses nor changes the statistics of its batch."""
    policy = Policy(tiny_presets["fast"]).train()
    before = {name: value.clone() for name, value in policy.state_dict().items()}
    rollout = Rollout.of(METHODS["dagger"], scenes, LIMITS)
    rollout.gather(policy, ALL, 0.0, np.random.default_rng(0))
    for name, value in policy.state_dict().items():
        torch.testing.assert_close(value, before[name], rtol=0, atol=0)


# ---- what is noted of it -------------------------------------------------------------------------------------------


def test_with_the_roots_credit_every_node_of_an_image_has_the_return_of_the_whole(gather):
    own, root = gather("mcpg"), gather("mcpg-root")
    assert rows(own.nodes, own.rule) == rows(root.nodes, root.rule)
    top = np.flatnonzero(own.nodes.depth == 0)
    whole = dict(zip(own.nodes.image[top].tolist(), own.returns[top], strict=True))
    np.testing.assert_array_equal(root.returns, [whole[image] for image in root.nodes.image.tolist()])
    assert not np.array_equal(own.returns, root.returns)


@pytest.mark.parametrize(("method", "beta"), [("mcpg", 0.5), ("off-mcpg", 0.0), ("off-mcpg", 0.4), ("off-acpg", 0.7)])
def test_behaviour_is_how_often_the_action_is_really_taken(scenes, table_policy, method, beta):
    """The root's action over many rollouts of one scene, against the probability noted beside it."""
    many, limits = 40_000, Limits(1)
    small = Scenes(scenes.images[:, ::6, ::6], scenes.masks[:, ::6, ::6], flips=False)
    rollout = Rollout.of(METHODS[method], small, limits, exploration=ExplorationSettings(random_rule=0.1))
    kept = rollout.gather(table_policy(limits, seed=5), np.full(many, 1), beta, np.random.default_rng(0))
    root = kept.nodes.depth == 0
    actions, index, count = np.unique(
        np.stack([kept.rule[root], kept.cut[root]]), axis=1, return_index=True, return_counts=True
    )
    assert actions.shape[1] > 6
    assert kept.behaviour is not None
    noted = kept.behaviour[root][index]
    np.testing.assert_allclose(noted, count / many, atol=0.012)
    assert noted.sum() == pytest.approx(1, abs=0.01)


def brute_force_returns(kept: Transitions, scenes: Scenes, forest: Forest) -> np.ndarray:
    """Eq. 1 on pixels, as a share of the area: paint the leaves, then compare inside every node."""
    truth = [np.where(mask, 1, -1) for mask in scenes.all_masks()]
    painted = [np.zeros_like(one) for one in truth]
    nodes = forest.nodes
    for i in np.flatnonzero(forest.rule >= Rule.PAINT):
        region = np.s_[nodes.y[i] : nodes.y[i] + nodes.h[i], nodes.x[i] : nodes.x[i] + nodes.w[i]]
        painted[nodes.image[i]][region] = 1 if forest.rule[i] == Rule.PAINT else -1
    result = []
    for image, x, y, w, h in zip(*(getattr(kept.nodes, c) for c in ("image", "x", "y", "w", "h")), strict=True):
        region = np.s_[y : y + h, x : x + w]
        result.append((truth[image][region] * painted[image][region]).mean())
    return np.array(result)


@pytest.mark.parametrize("method", ["mcpg", "ddpg", "off-mcpg"])
def test_own_returns_are_eq_1_of_the_parsed_tree(gather, scenes, method):
    order = np.array([4, 1, 2, 0, 5, 3])  # scenes need not come in order
    kept = gather(method, order)
    # With keep = "all" the transitions are the forest, level by level.
    forest = Forest(kept.nodes, kept.rule, kept.cut, np.zeros(len(kept), np.int32), scenes.sizes)
    np.testing.assert_allclose(kept.returns, brute_force_returns(kept, scenes, forest), atol=1e-6)


def finish_with_oracle(oracle: Oracle, node: Nodes, action: Actions, mask: np.ndarray) -> float:
    """The return of an action when the oracle really parses what is left, as a share of the node's area."""
    image, x, y, w, h, depth = (int(column[0]) for column in vars(node).values())

    def act(below: Nodes) -> Actions:
        """``expand`` takes the node for an image of its own, so what it asks about is moved to where it lies."""
        if below.depth[0] == 0:
            return action
        return oracle(Nodes(below.image + image, below.x + x, below.y + y, below.w, below.h, below.depth + depth))

    (tree,) = expand([(w, h)], act, Limits(LIMITS.depth - depth)).trees()
    return tree.returns(mask[y : y + h, x : x + w])[0] / (w * h)


@pytest.mark.parametrize("method", ["drag", "aggrevated", "off-acpg", "drag-dense"])
def test_the_oracles_returns_are_those_of_really_letting_it_finish(gather, scenes, method):
    kept = gather(method, beta=0.7)
    oracle, masks = Oracle(scenes.all_masks(), LIMITS), scenes.all_masks()
    assert len(kept) >= 6
    for i in range(0, len(kept), max(1, len(kept) // 40)):
        one = kept.take(np.array([i]))
        true = finish_with_oracle(oracle, one.nodes, Actions(one.rule, one.cut), masks[one.nodes.image[0]])
        assert one.returns[0] == pytest.approx(true, abs=1e-6)


# ---- what is kept --------------------------------------------------------------------------------------------------


def test_at_a_switch_of_depth_all_nodes_of_one_level_of_an_image_are_kept(gather, scenes, policy):
    with torch.no_grad():
        policy.rule[:, 2:] -= 50  # it always splits, so every level is there
    kept = gather("drag", beta=0.0)
    for scene in ALL:
        depth = kept.nodes.depth[kept.nodes.image == scene]
        assert len(set(depth.tolist())) == 1
        assert len(depth) == 2 ** depth[0]
        area = kept.nodes.area[kept.nodes.image == scene].sum()
        assert area == scenes.masks[0].size  # the level tiles the image


def test_the_switch_falls_on_every_level_equally_often(gather, policy):
    """The levels at which something is decided are 0 to depth: labels at the limit must be learned as well."""
    with torch.no_grad():
        policy.rule[:, 2:] -= 50
    kept = gather("aggrevated", np.zeros(4000, np.int64), beta=0.0)
    images = np.bincount(kept.nodes.depth, minlength=4) / 2.0 ** np.arange(4)
    np.testing.assert_allclose(images / 4000, [0.25] * 4, atol=0.03)


def test_a_switch_of_steps_keeps_one_node_an_image_equally_often_each(gather, scenes):
    kept = gather("drag", switch="step")
    assert kept.nodes.image.tolist() == ALL.tolist()
    many = gather("drag", np.full(6000, 2), beta=1.0, switch="step")
    trees = igm([scenes.all_masks()[2]], depth=3)
    assert isinstance(trees, list)
    (tree,) = trees
    visits = np.unique(np.array(rows(many.nodes)), axis=0, return_counts=True)
    assert visits[0].tolist() == [list(row) for row in rows(replace(tree.nodes, image=tree.nodes.image + 2))]
    np.testing.assert_allclose(visits[1] / 6000, 1 / len(tree), atol=0.02)


def test_what_is_kept_at_the_switch_was_reached_by_the_mixture(gather, scenes):
    """With the oracle alone, the states at the switch are states of the oracle's tree, and so are the actions."""
    kept = gather("drag", beta=1.0)
    assert set(rows(kept.nodes, kept.rule, kept.cut)) <= set(oracle_rows(scenes))


def test_a_tree_that_ends_above_its_switch_leaves_nothing(scenes, policy):
    plain = Scenes(scenes.images[:1], np.ones_like(scenes.masks[:1]), flips=False)
    rollout = Rollout.of(METHODS["drag"], plain, LIMITS)
    kept = rollout.gather(policy, np.zeros(2000, np.int64), 1.0, np.random.default_rng(0))
    assert (kept.nodes.depth == 0).all()
    assert len(kept) == pytest.approx(500, abs=80)


# ---- what is allowed -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if method.setting == "RL"])
def test_reinforcement_learners_are_told_nothing_by_the_oracle(gather, scenes, monkeypatch, method):
    def refuse(*_: object) -> None:
        raise AssertionError("a reinforcement learner asked for the oracle")

    monkeypatch.setattr("shapeparse.oracle.teachers.Oracle", refuse)
    assert Rollout.of(METHODS[method], scenes, LIMITS).oracle is None
    kept = gather(method)
    assert kept.oracle_rule is None
    assert kept.oracle_cut is None
    assert kept.returns is not None


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if method.setting == "IL"])
def test_imitation_learners_are_told_no_returns(gather, scenes, monkeypatch, method):
    def refuse(*_: object) -> None:
        raise AssertionError("an imitation learner asked for rewards")

    monkeypatch.setattr("shapeparse.learning.scenes.Rewards", refuse)
    assert Rollout.of(METHODS[method], scenes, LIMITS).rewards is None
    kept = gather(method)
    assert kept.returns is None
    assert kept.behaviour is None
    assert kept.oracle_rule is not None


@pytest.mark.parametrize("method", METHODS)
def test_every_kept_action_is_valid_and_named_by_its_scene(gather, method):
    chosen = np.array([5, 0, 3])
    kept = gather(method, chosen)
    assert set(kept.nodes.image.tolist()) <= set(chosen.tolist())
    valid = valid_rules(kept.nodes, LIMITS)[np.arange(len(kept)), kept.rule]
    assert valid.all()
    split = kept.rule < Rule.PAINT
    some = kept.nodes.take(split)
    children = split_children(some, Actions(kept.rule[split], kept.cut[split]))
    assert (children.area > 0).all()
    assert children.area.sum() == some.area.sum()


def test_nodes_are_renamed_from_places_in_a_batch_to_scenes():
    named = in_scenes(Nodes.roots([(2, 3), (4, 5)]), np.array([7, 3]))
    assert named.image.tolist() == [7, 3]
    assert named.w.tolist() == [2, 4]


def test_nodes_below_the_switch_are_kept_on_request_and_the_oracle_acts_there(scenes, tiny_presets) -> None:
    limits, policy = Limits(4), Policy(tiny_presets["fast"])
    rollout = Rollout.of(METHODS["drag"], scenes, limits, below=True)
    kept = rollout.gather(policy, np.arange(len(scenes)), 0.7, np.random.default_rng(0))
    shallowest = np.full(len(scenes), 99)
    np.minimum.at(shallowest, kept.nodes.image, kept.nodes.depth)
    below = kept.nodes.depth > shallowest[kept.nodes.image]
    assert below.any()
    assert kept.oracle_rule is not None and kept.oracle_cut is not None
    assert (kept.rule[below] == kept.oracle_rule[below]).all()
    assert (kept.cut[below] == kept.oracle_cut[below]).all()


# ---- where it computes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["fast", "best", "scratch", "crop", "paper"])
@pytest.mark.parametrize("method", [*METHODS, *ABLATIONS])
def test_no_rollout_makes_a_tensor_on_the_default_device(photographs, tiny_presets, method, preset):
    """Any tensor that is made without saying where would be on a device that holds no numbers."""
    shape = tiny_presets[preset]
    policy = Policy(shape)
    images, masks = photographs(2, shape.side)
    known = method_named(method)
    teacher: Literal["optimal", "igm"] = "optimal" if known.knows_worth else "igm"
    rollout = Rollout.of(known, Scenes(images, masks, flips=True), LIMITS, teacher=teacher)
    with torch.device("meta"):
        inside = rollout.gather(policy, np.array([3, 0]), 0.5, np.random.default_rng(0))
    outside = rollout.gather(policy, np.array([3, 0]), 0.5, np.random.default_rng(0))
    assert rows(inside.nodes, inside.rule, inside.cut) == rows(outside.nodes, outside.rule, outside.cut)


def test_scenes_that_show_other_frames_are_judged_by_other_masks(scenes, policy):
    rollout = Rollout.of(METHODS["drag"], scenes, LIMITS)
    rollout.reframe(np.array([1, 4]), 0.5, np.random.default_rng(0))
    fresh = Rollout.of(METHODS["drag"], scenes, LIMITS)  # which sees the frames as they are now
    roots = Nodes.roots(scenes.sizes)
    assert isinstance(rollout.oracle, Oracle) and isinstance(fresh.oracle, Oracle)
    assert rollout.rewards is not None and fresh.rewards is not None
    np.testing.assert_array_equal(rollout.oracle.paint_share(roots), fresh.oracle.paint_share(roots))
    np.testing.assert_array_equal(rollout.rewards.positives(roots), fresh.rewards.positives(roots))
    whole = np.tile(np.array([[0, 0, 32, 32]], np.int32), (6, 1))
    assert (scenes.frames[[1, 4]] != whole[[1, 4]]).any()
    rollout.set_frames(whole, scenes.lights)
    shares = [scenes.mask(scene).mean() for scene in range(6)]
    np.testing.assert_allclose(rollout.oracle.paint_share(roots), shares)
