"""A beam over splits: what the critic finds better is done, what it does not is left, and it stays with its policy."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from shapeparse import Actions, Limits, Nodes, Oracle, Rule, igm, load, valid_rules
from shapeparse.beam import Beam
from shapeparse.methods import METHODS
from shapeparse.networks import Critic, CriticOutput, NodeView, Policy, PolicyOutput
from shapeparse.parsing import ParseSettings, parse_images
from shapeparse.rollout import PolicyActor
from shapeparse.runs import RunFolder, read_tensors
from shapeparse.scenes import to_pixels
from shapeparse.train import Trainer, TrainingData, TrainSettings

LIMITS = Limits(depth=3)
PLAIN, BEAM = ParseSettings(lookahead=0), ParseSettings(lookahead=0, beam=7)


# ---- a critic that knows -------------------------------------------------------------------------------------------


class Known(CriticOutput):
    """The exact cost-to-go of every action; of one that is not valid, more than any tree can be worth."""

    def __init__(self, oracle: Oracle, view: NodeView) -> None:
        width, height = oracle.sizes[view.image].T
        sides = (view.x * width, view.y * height, view.w * width, view.h * height, view.depth * oracle.limits.depth)
        self.oracle, self.nodes = oracle, Nodes(view.image, *(np.rint(side).astype(np.int32) for side in sides))

    def q(self, rule: Rule, location: torch.Tensor | float = 0.5) -> torch.Tensor:
        actions = Actions.at_locations(self.nodes, np.full(len(self.nodes), rule), location)
        value, valid = np.full(len(self.nodes), 9.0, np.float32), valid_rules(self.nodes, self.oracle.limits)[:, rule]
        some = self.nodes.take(valid)
        value[valid] = self.oracle.cost_to_go(some, Actions(actions.rule[valid], actions.cut[valid])) / some.area
        return torch.from_numpy(value)

    def split_value(self, location: torch.Tensor) -> torch.Tensor:
        return torch.stack([self.q(Rule(axis), location[:, axis]) for axis in range(2)], dim=1)

    def label_values(self) -> torch.Tensor:
        return torch.stack([self.q(Rule.PAINT), self.q(Rule.SKIP)], dim=1)


class Knowing:
    """A critic that looks at nodes by itself, and sees the mask."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle

    def trunk(self, encoded: None, view: NodeView) -> NodeView:
        return view

    trunk.encode = lambda pixels: None  # type: ignore[attr-defined]

    def __call__(self, view: NodeView) -> Known:
        return Known(self.oracle, view)


class Stubborn:
    """A policy that always wants one rule, and splits at one place."""

    def __init__(self, rule: Rule, location: float) -> None:
        self.rule, self.location = rule, location

    def trunk(self, encoded: None, view: NodeView) -> SimpleNamespace:
        return SimpleNamespace(nodes=len(view))

    def decide(self, features: SimpleNamespace, valid: torch.Tensor) -> PolicyOutput:
        wish = torch.nn.functional.one_hot(torch.tensor(self.rule), len(Rule)) * 9.0
        logit = torch.full((features.nodes, 2), self.location).logit()
        scores = wish.expand(features.nodes, -1).masked_fill(~valid, -1e9)
        return PolicyOutput(scores.log_softmax(dim=1), logit, torch.zeros_like(logit))

    def __call__(self, encoded: None, view: NodeView) -> PolicyOutput:
        return self.decide(self.trunk(encoded, view), view.valid)


def parsed(policy: Stubborn, masks: list[np.ndarray], places: int, limits: Limits = LIMITS) -> np.ndarray:
    """The accuracy of trees by a policy with a critic that knows the masks."""
    oracle = Oracle(masks, limits)
    beam = Beam(policy, Knowing(oracle), torch.zeros(0), None, oracle.sizes, limits, places) if places else None
    forest = PolicyActor(policy, None, oracle.sizes, limits, beam).parse()
    return np.array([tree.accuracy(mask) for tree, mask in zip(forest.trees(), masks, strict=True)])


@pytest.fixture
def masks(photographs) -> list[np.ndarray]:
    return list(photographs(6)[1])


def test_a_beam_finds_the_cut_that_the_policy_misses():
    mask = np.zeros((8, 8), bool)
    mask[:, 6:] = True
    policy = Stubborn(Rule.SPLIT_Y, 0.5)
    assert parsed(policy, [mask], 0, Limits(1)) == [0.25]  # its leaves are paint, if it can split no more
    assert parsed(policy, [mask], 7, Limits(1)) == [1.0]  # places at every pixel, so at the sixth too


@pytest.mark.parametrize("rule", Rule)
def test_with_a_critic_that_knows_trees_are_as_good_as_the_oracles(masks, rule):
    policy = Stubborn(rule, 0.3)
    oracle = [igm(mask, LIMITS.depth).accuracy(mask) for mask in masks]
    found = parsed(policy, masks, 31)  # places at every pixel
    assert (found >= np.array(oracle) - 1e-6).all()
    assert found.mean() > parsed(policy, masks, 0).mean()


def test_children_decide_between_splits_that_the_critic_takes_for_equal():
    """A critic that knows no more than that split-y is better, and what the labels of children are worth."""

    class Short(Known):
        def split_value(self, location: torch.Tensor) -> torch.Tensor:
            return torch.tensor([0.1, 0.9]).expand_as(location)

    class Shortsighted(Knowing):
        def __call__(self, view: NodeView) -> Known:
            return Short(self.oracle, view)

    mask = np.zeros((8, 8), bool)
    mask[2:] = True
    limits = Limits(1)
    oracle = Oracle([mask], limits)
    policy = Stubborn(Rule.SPLIT_Y, 0.5)
    beam = Beam(policy, Shortsighted(oracle), torch.zeros(0), None, oracle.sizes, limits, 3)
    roots = Nodes.roots(oracle.sizes)
    for cut, worth in ((2, 1.0), (4, 0.5), (6, 0.5)):  # half of the upper half is labelled wrong, or a third of six
        assert beam.after(roots, Actions(np.array([Rule.SPLIT_Y], np.int8), np.array([cut], np.int32))) == [worth]
    forest = PolicyActor(policy, None, oracle.sizes, limits, beam).parse()
    assert (forest.rule[0], forest.cut[0]) == (Rule.SPLIT_Y, 2)


# ---- any critic ----------------------------------------------------------------------------------------------------


@pytest.fixture
def networks(tiny_presets) -> Callable[..., tuple[Policy, Critic]]:
    """A policy and a critic with random weights."""

    def make(preset: str = "fast", shared: bool = True) -> tuple[Policy, Critic]:
        torch.manual_seed(5)
        policy = Policy(tiny_presets[preset])
        critic = Critic(tiny_presets[preset], policy.trunk if shared else None)
        for parameter in [*policy.parameters(), *critic.parameters()]:
            torch.nn.init.normal_(parameter, std=0.5)
        return policy.eval(), critic.eval()

    return make


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("preset", ["fast", "best", "crop", "paper"])
def test_every_network_parses_any_size_with_a_beam_and_without_one_as_before(networks, photographs, preset, shared):
    policy, critic = networks(preset, shared)
    images = photographs(3, policy.trunk.preset.side)[0]
    sizes = np.array([[90, 7], [32, 32], [1, 1]], np.int32)
    (plain,), (idle,), (forest,) = (
        list(parse_images(policy, images, LIMITS, sizes, settings=how, critic=judge))
        for how, judge in ((PLAIN, None), (PLAIN, critic), (BEAM, critic))
    )
    assert np.array_equal(plain.rule, idle.rule) and np.array_equal(plain.cut, idle.cut)
    assert not (np.array_equal(plain.rule, forest.rule) and np.array_equal(plain.cut, forest.cut))
    assert len(forest.likely) == len(forest)
    for tree, (width, height) in zip(forest.trees(), sizes, strict=True):
        assert sum(leaf.w * leaf.h for leaf in tree.segments()) == width * height


@pytest.mark.parametrize("most", [9, 4096])
def test_what_is_chosen_is_valid_and_by_the_critics_word_never_worse(networks, photographs, most):
    policy, critic = networks()
    images = photographs(4)[0]
    sizes = np.array([[32, 32], [32, 1], [1, 9], [5, 2]], np.int32)
    changed = 0
    with torch.no_grad():
        pixels = to_pixels(images)
        beam = Beam(policy, critic, pixels, policy.encode(pixels), sizes, LIMITS, 5)
    beam.most = most

    def worth(nodes: Nodes, actions: Actions) -> np.ndarray:
        _, _, labels = beam.judge(nodes)
        found = labels[np.arange(len(nodes)), np.maximum(actions.rule - Rule.PAINT, 0)]
        split = np.flatnonzero(actions.splits)
        if len(split):
            found[split] = beam.after(nodes.take(split), Actions(actions.rule[split], actions.cut[split]))
        return found

    def watched(nodes: Nodes, output: PolicyOutput, own: Actions) -> Actions:
        nonlocal changed
        chosen = beam(nodes, output, own)
        assert valid_rules(nodes, LIMITS)[np.arange(len(nodes)), chosen.rule].all()
        assert (worth(nodes, chosen) >= worth(nodes, own) - 1e-5).all()
        changed += int(((chosen.rule != own.rule) | (chosen.cut != own.cut)).sum())
        return chosen

    PolicyActor(policy, beam.encoded, sizes, LIMITS, watched).parse()
    assert changed


def test_a_critic_that_finds_all_alike_changes_nothing(networks, photographs):
    policy, critic = networks()
    for parameter in critic.parameters():
        torch.nn.init.zeros_(parameter)
    images = photographs(3)[0]
    plain, forest = (next(parse_images(policy, images, LIMITS, settings=how, critic=critic)) for how in (PLAIN, BEAM))
    assert np.array_equal(plain.rule, forest.rule) and np.array_equal(plain.cut, forest.cut)


@pytest.mark.parametrize("beam", [-1, 1.5, True, 65])
def test_a_beam_that_makes_no_sense_is_named(refused, beam):
    assert f"beam is {beam}" in refused(ParseSettings, beam=beam)


# ---- the critic in the run folder ----------------------------------------------------------------------------------


@pytest.fixture
def train(tiny_presets, photographs, tmp_path) -> Callable[..., Trainer]:
    """A method trained for a moment, into the folder ``run``."""

    def train(method: str, epochs: int = 1) -> Trainer:
        images, masks = photographs(6)
        settings = TrainSettings(method=method, epochs=epochs, depth=3, batch_nodes=12, updates=2, threads=1)
        trainer = Trainer(settings, TrainingData(images[:4], masks[:4], images[4:], masks[4:]), tmp_path / "run")
        trainer.run()
        return trainer

    return train


@pytest.mark.parametrize("method", ["drag", "drag-dense", "ddpg"])
def test_the_critic_comes_back_as_it_was(train, photographs, tmp_path, method):
    trainer = train(method)
    parser = load(tmp_path / "run")
    assert parser.critic is not None and not parser.critic.training
    assert (parser.critic.trunk is None) == (METHODS[method].critic_trunk == "shared")
    ours, theirs = trainer.learner.critic.state_dict(), parser.critic.state_dict()
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    image = photographs(1)[0][0]
    tree = parser.parse(image, how=BEAM)
    (forest,) = parse_images(parser.policy, image[None], parser.limits, settings=BEAM, critic=trainer.learner.critic)
    assert np.array_equal(tree.cut, forest.trees()[0].cut)


@pytest.mark.parametrize("method", ["dagger", "mcpg"])
def test_a_parser_without_a_critic_says_how_to_get_one(train, photographs, refused, tmp_path, method):
    train(method)
    parser = load(tmp_path / "run")
    assert parser.critic is None
    message = refused(parser.parse, photographs(1)[0][0], how=BEAM)
    assert "drag-dense" in message and message == refused(parser.check, BEAM)
    parser.check(PLAIN)


def test_a_critic_that_has_not_learned_yet_is_not_kept(train, tmp_path):
    trainer = train("drag-anchored", epochs=2)  # it only imitates in the first half
    assert RunFolder(tmp_path / "run").critic_path.exists() == (trainer.best_epoch == 2)
    trainer.rows = trainer.rows[:1]
    assert trainer.critic() is None


def test_a_critic_is_only_used_with_the_policy_of_its_epoch(train, photographs, refused, tmp_path, monkeypatch):
    trainer = train("drag-dense")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(trainer.folder, "write_model", killed)
    trainer.epoch = 2
    with pytest.raises(KeyboardInterrupt):
        trainer._keep_best({"validation_accuracy": 2.0})
    parser = load(tmp_path / "run")  # which still parses without a beam
    assert parser.parse(photographs(1)[0][0]).leaf_count
    assert "not of the same epoch as model.safetensors" in refused(parser.parse, photographs(1)[0][0], how=BEAM)


@pytest.mark.parametrize("damage", ["cut short", "garbage", "empty", "other network", "no notes", "hostile notes"])
def test_a_damaged_critic_is_one_sentence(train, refused, tmp_path, damage):
    train("drag-dense")
    path: Path = RunFolder(tmp_path / "run").critic_path
    content = path.read_bytes()
    if damage == "other network":
        shutil.copy(RunFolder(tmp_path / "run").model_path, path)
    elif damage.endswith("notes"):
        save_file(load_file(path), path, {"facts": "[" * 100_000} if damage == "hostile notes" else {})
    else:
        path.write_bytes({"cut short": content[: len(content) // 2], "garbage": b"\xff" * 1000, "empty": b""}[damage])
    assert "critic.safetensors" in refused(load(tmp_path / "run").check, BEAM)


def test_both_files_say_the_same_of_their_epoch(train, tmp_path):
    train("drag-dense")
    folder = RunFolder(tmp_path / "run")
    critic, model = (json.loads(read_tensors(path)[1]["facts"]) for path in (folder.critic_path, folder.model_path))
    assert critic == model
    assert model["epoch"] == 1
