"""One update of each method: it moves what it should and nothing else, towards the goals the paper names."""

from __future__ import annotations

import copy
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import pytest
import torch

from shapeparse import Actions, Limits, Nodes, Oracle, Rule
from shapeparse.grammar import location_from_cut, split_children
from shapeparse.learning import losses
from shapeparse.learning.batch import Minibatch, cut_tensors, in_batch
from shapeparse.learning.learner import Learner, laid_out_like, location_of
from shapeparse.learning.memory import Transitions
from shapeparse.learning.methods import METHODS, method_named
from shapeparse.learning.rollout import Rollout
from shapeparse.learning.scenes import Scenes
from shapeparse.learning.settings import LearningSettings
from shapeparse.networks.critic import CriticOutput
from shapeparse.networks.policy import PolicyOutput
from shapeparse.networks.presets import Preset
from shapeparse.networks.views import NodeView
from shapeparse.oracle.rewards import Rewards

LIMITS = Limits(depth=3)
SMALLEST = Preset("shared", side=32, widths=(4, 4), channels=4, positions=4, dense=(8,))
Lesson = tuple[Learner, Minibatch, Rollout]


@pytest.fixture
def lesson(tiny_presets, photographs) -> Callable[..., Lesson]:
    """A learner of some method with a batch that its own rollout gathered."""

    def prepare(method: str, preset: str = "fast", seed: int = 0, **settings: float) -> Lesson:
        shape = tiny_presets[preset]
        scenes = Scenes(*photographs(3, shape.side), flips=True)
        learner = Learner(method_named(method), shape, LIMITS, LearningSettings(**settings), seed)
        rollout = Rollout.of(method_named(method), scenes, LIMITS)
        chosen = np.array([5, 0, 2])
        kept = rollout.gather(learner.policy, chosen, 0.5, np.random.default_rng(seed))
        kept = kept.take(np.arange(min(len(kept), 30)))
        return learner, Minibatch.of(chosen, scenes.pixels(chosen), kept, rollout), rollout

    return prepare


def weights(network: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: parameter.detach().clone() for name, parameter in network.named_parameters()}


def moved(network: torch.nn.Module, before: dict[str, torch.Tensor]) -> bool:
    return any(not torch.equal(parameter, before[name]) for name, parameter in network.named_parameters())


def update(lesson: Lesson, times: int = 1) -> dict[str, float]:
    learner, batch, rollout = lesson
    for number in range(times):
        report = learner.update(batch, rollout, np.random.default_rng(number))
    return report


# ---- who moves -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["fast", "paper", "crop"])
@pytest.mark.parametrize("method", METHODS)
def test_policy_and_critic_do_not_leak_into_each_other(lesson, method, preset):
    for rate, critic_rate in ((1e-2, 0.0), (0.0, 1e-2)):
        given = lesson(method, preset, rate=rate, critic_rate=critic_rate, weight_decay=0.0)
        learner = given[0]
        policy, critic = weights(learner.policy), weights(learner.critic) if learner.critic else {}
        report = update(given, times=2)
        assert moved(learner.policy, policy) == (rate > 0)
        if learner.critic:
            assert moved(learner.critic, critic) == (critic_rate > 0)
        assert all(np.isfinite(value) for value in report.values())
        assert set(report) == ({"policy_loss", "critic_loss"} if learner.critic else {"policy_loss"})


@pytest.mark.parametrize(("method", "copied"), [("dagger", "oracle"), ("dagger-taken", "taken")])
def test_imitation_copies_the_oracle_or_what_was_done(lesson, method, copied):
    learner, batch, rollout = lesson(method)
    kept = batch.transitions
    actions = Actions(kept.oracle_rule, kept.oracle_cut) if copied == "oracle" else kept.actions
    assert not np.array_equal(kept.oracle_rule, kept.rule)
    learner.policy.train()
    output = learner.policy(learner.policy.encode(batch.pixels), batch.view)
    rule = torch.from_numpy(actions.rule.astype(np.int64))
    expected = losses.imitation_loss(output, rule, location_of(kept.nodes, actions), learner.settings.split_weight)
    report = learner.update(batch, rollout, np.random.default_rng(0))
    assert report["policy_loss"] == pytest.approx(expected.item(), rel=1e-3)


def test_only_methods_with_a_critic_have_one():
    for method in METHODS.values():
        learner = Learner(method, SMALLEST, LIMITS, LearningSettings(), 0)
        assert (learner.critic is None) == (method.critic == "none")
        assert (learner.targets is None) == (method.critic != "backup")


@pytest.mark.parametrize(
    ("method", "quick"), [("dagger", True), ("drag", True), ("mcpg", False), ("aggrevated", False)]
)
def test_methods_that_weigh_likelihoods_are_never_quick(method, quick):
    learner = Learner(METHODS[method], SMALLEST, LIMITS, LearningSettings(quick=True), 0)
    for network in filter(None, (learner.policy, learner.critic)):
        assert {module.quick for module in network.modules() if hasattr(module, "quick")} == {quick}


def test_the_seed_decides_the_weights_and_nothing_global_does():
    torch.manual_seed(1)
    one = Learner(METHODS["drag"], SMALLEST, LIMITS, LearningSettings(), 5)
    torch.manual_seed(2)
    state = torch.random.get_rng_state()
    same = Learner(METHODS["drag"], SMALLEST, LIMITS, LearningSettings(), 5)
    other = Learner(METHODS["drag"], SMALLEST, LIMITS, LearningSettings(), 6)
    assert torch.equal(state, torch.random.get_rng_state())
    assert not moved(same.policy, weights(one.policy))
    assert moved(other.policy, weights(one.policy))


def test_a_gradient_that_is_not_finite_moves_nothing(lesson):
    given = learner, batch, _ = lesson("dagger")
    before = weights(learner.policy)
    batch.pixels[:] = float("nan")
    update(given)
    assert not moved(learner.policy, before)


def test_a_fused_optimiser_moves_each_weight_by_its_own_gradient(lesson):
    """Gradients of convolutions may lie in memory otherwise than their weights."""
    learner, batch, _ = lesson("dagger", "best", quick=True)
    assert learner.policy_optimiser.defaults["fused"]
    masks = torch.rand(len(batch.pixels), 32, 32, generator=torch.Generator().manual_seed(0))
    twin = copy.deepcopy(learner.policy).train()
    loss = losses.map_loss(twin.encode(batch.pixels).logits, masks)
    gradients = torch.autograd.grad(loss, list(twin.parameters()), allow_unused=True)
    learner.update_map(batch.pixels, masks)
    rate, seen = learner.settings.rate, 0
    for old, new, gradient in zip(twin.parameters(), learner.policy.parameters(), gradients, strict=True):
        if gradient is not None and gradient.ndim == 4:
            clear = gradient.abs() > 0.01 * gradient.abs().max()
            step = (new - old * (1 - rate * learner.settings.weight_decay))[clear]
            torch.testing.assert_close(step, -rate * gradient[clear].sign(), rtol=0.02, atol=1e-6)  # Adam's first step
            seen += int(clear.sum())
    assert seen > 100


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_gradients_take_the_layout_of_their_weights(layout):
    weight = torch.zeros(4, 3, 2, 2).to(memory_format=layout)
    gradient = torch.randn(4, 3, 2, 2).to(memory_format=torch.channels_last)
    found = laid_out_like(weight, gradient)
    assert found.stride() == weight.stride()
    assert torch.equal(found, gradient)


def test_gradients_are_clipped(lesson):
    learner, _, _ = lesson("dagger", clip=1e-3)
    parameter = next(learner.policy.parameters())
    seen = []
    learner.policy_optimiser.step = lambda: seen.append(float(parameter.grad.norm()))  # type: ignore[method-assign]
    learner._set_gradients("policy", 1e6 * (parameter**2).sum())
    learner._step("policy", learner.policy_optimiser)
    assert seen == [pytest.approx(1e-3, rel=1e-3)]


def test_rates_follow_the_schedule_for_policy_and_critic(lesson):
    learner, _, _ = lesson("drag", rate=0.4, critic_rate=0.2)
    learner.set_progress(0.5, 0.5)
    rates = {name: optimiser.param_groups[0]["lr"] for name, optimiser in learner.optimisers().items()}
    assert rates == {"policy": 0.2, "critic": 0.1}


def test_fresh_heads_have_rates_of_their_own(lesson):
    learner, _, _ = lesson("dagger", "best", rate=0.4, fresh_heads=True)
    learner.set_progress(0.5, 0.5, 0.25)
    rates = {
        id(parameter): group["lr"] for group in learner.policy_optimiser.param_groups for parameter in group["params"]
    }
    trunk = learner.policy.trunk
    assert {rates[id(parameter)] for parameter in trunk.encoder.evidence.parameters()} == {0.1}
    for later in (trunk.encoder.features, trunk.dense, learner.policy.rule, learner.policy.split):
        assert {rates[id(parameter)] for parameter in later.parameters()} == {0.2}
    assert len(rates) == len(list(learner.policy.parameters()))


@pytest.mark.parametrize("fresh", [False, True])
def test_fresh_heads_are_averaged_from_their_first_update_on(lesson, fresh):
    """Before it, they have not learned anything worth keeping in a mean."""
    given = learner, batch, _ = lesson("dagger", "best", averaging=0.9, fresh_heads=fresh)
    for _ in range(200):
        learner.update_map(batch.pixels, torch.zeros(len(batch.pixels), *batch.pixels.shape[2:]))
    seen, expected = [], learner.policy.rule.weight.detach().clone()
    for count in range(1, 6):
        update(given)
        seen.append(learner.policy.rule.weight.detach().clone())
        expected = expected.lerp(seen[-1], max(0.1, 9 / (count + 9)) if fresh else 0.1)
    torch.testing.assert_close(learner.averaged.rule.weight, expected)
    assert moved(learner.averaged, weights(learner.policy))


# ---- what is learned -----------------------------------------------------------------------------------------------


def test_until_its_time_has_come_an_anchored_method_only_imitates(lesson):
    given = learner, _, _ = lesson("drag-anchored")
    before = weights(learner.critic)
    learner.set_progress(0.49, 1.0)
    early = update(given)
    assert "critic_loss" not in early
    assert not moved(learner.critic, before)
    learner.set_progress(0.5, 1.0)
    assert "critic_loss" in update(given)
    assert moved(learner.critic, before)


def test_a_shared_trunk_is_moved_by_the_critic_too_and_an_own_one_is_not(lesson):
    """With a policy loss of zero, only what the critic reaches moves."""
    for method, moves in (("drag-dense", True), ("drag", False)):
        given = learner, _, _ = lesson(method)
        learner._policy_loss = lambda batch, output, *rest: 0.0 * output.log_rule.sum()  # type: ignore[method-assign]
        learner.policy_optimiser.param_groups[0]["weight_decay"] = 0.0
        before = weights(learner.policy)
        update(given)
        assert bool(moved(learner.policy, before)) == moves
        assert (learner.critic.trunk is None) == moves


@pytest.mark.parametrize("method", ["bc", "dagger", "drag", "drag-dense", "off-acpg", "ac-aggrevated", "mcpg", "ddpg"])
def test_repeating_a_batch_brings_its_losses_down(lesson, method):
    given = lesson(method, rate=5e-3, critic_rate=5e-3, entropy=0.0, target_rate=0.0)
    name = "critic_loss" if given[0].critic else "policy_loss"
    first = update(given)[name]
    assert update(given, times=30)[name] < 0.7 * first


def test_the_critic_is_fitted_on_the_action_that_was_taken(lesson):
    """Bugs 5 and 6 of the authors' code: not on the actor's own split, and the split as a location in (0, 1)."""
    learner, batch, rollout = lesson("drag")
    kept = batch.transitions
    asked: list[tuple[torch.Tensor, torch.Tensor]] = []

    class Listening(CriticOutput):
        def value_of(self, rule: torch.Tensor, location: torch.Tensor) -> torch.Tensor:
            asked.append((rule, location))
            return torch.zeros(len(rule), requires_grad=True)

        def detach(self) -> CriticOutput:
            return self

    learner.critic.forward = lambda features: Listening()
    _, loss, _ = judge(learner, batch, rollout)
    ((rule, location),) = asked
    assert rule.tolist() == kept.rule.tolist()
    split = kept.rule < Rule.PAINT
    expected = location_from_cut(kept.cut, kept.nodes.extent(kept.rule))
    np.testing.assert_allclose(location[split], expected[split], rtol=1e-6)
    assert loss.item() == pytest.approx(float((kept.returns**2).mean()))


def judge(learner: Learner, batch: Minibatch, rollout: Rollout):
    """What the critic says, its loss, and what the policy says."""
    features = learner.policy.trunk(learner.policy.encode(batch.pixels), batch.view)
    output = learner.policy.decide(features, batch.view.valid).detach()
    seen = learner.critic.look(batch.pixels, batch.view, features)
    return *learner._critic_loss(batch, seen, output, rollout, np.random.default_rng(0)), output


def test_aggrevateds_gradient_averages_to_that_of_the_expected_cost_to_go(lesson):
    """Eq. 2 at one node: actions drawn many times over, against the sum over all actions of pi(a) Q*(a)."""
    learner, _, _ = lesson("aggrevated")
    mask = np.array([[1, 1, 0, 0, 1], [1, 0, 0, 1, 1], [1, 1, 0, 1, 0]], bool)
    scenes, many, limits = Scenes(np.zeros((1, 3, 5, 3), np.uint8), mask[None], flips=False), 20_000, Limits(1)
    rollout = Rollout.of(METHODS["aggrevated"], scenes, limits)
    parameters = torch.tensor([0.5, 0.3, -0.2, 0.1, 0.6, -0.4, -0.5, -0.7], requires_grad=True)
    scores, logit, log_sigma = parameters.split([4, 2, 2])

    def output(nodes: int) -> PolicyOutput:
        parts = (torch.log_softmax(scores, dim=0), logit, log_sigma)
        return PolicyOutput(*(part.expand(nodes, -1) for part in parts))

    root = Nodes.roots([(5, 3)])
    actions = [
        (Rule.PAINT, 0),
        (Rule.SKIP, 0),
        *((Rule.SPLIT_X, c) for c in (1, 2, 3, 4)),
        (Rule.SPLIT_Y, 1),
        (Rule.SPLIT_Y, 2),
    ]
    every = Actions(
        *(np.array(column, kind) for column, kind in zip(zip(*actions, strict=True), (np.int8, np.int32), strict=True))
    )
    each = root.take(np.zeros(len(actions), int))
    value = torch.from_numpy(rollout.oracle.cost_to_go(each, every) / mask.size).float()
    expected = (losses.action_probability(output(len(actions)), *cut_tensors(each, every)) * value).sum()
    (true,) = torch.autograd.grad(expected, parameters)

    copies = root.take(np.zeros(many, int))
    batch = Minibatch(None, None, None, None, Transitions(copies, np.zeros(many, np.int8), np.zeros(many, np.int32)))
    loss = learner._fresh_actions_loss(batch, output(many), None, rollout, np.random.default_rng(0))
    (found,) = torch.autograd.grad(-loss, parameters)
    torch.testing.assert_close(found, true, rtol=0, atol=0.005)
    assert true.abs().max() > 0.05


def test_off_policy_weights_are_importance_times_advantage(lesson):
    """Bug 9 of the authors' code, and bug 2: every weight belongs to its own node."""
    for method in ("off-acpg", "off-mcpg"):
        learner, batch, rollout = lesson(method, most_importance=3.0)
        kept = batch.transitions
        judged, _, output = judge(learner, batch, rollout)
        weight = learner._weigh_stored_actions(batch, output, judged)
        ratios, advantages = [], []
        for i in range(len(kept)):
            rule, cut = int(kept.rule[i]), int(kept.cut[i])
            probability = float(output.log_rule[i, rule].exp())
            if rule < Rule.PAINT:
                extent = int(kept.nodes.w[i] if rule == Rule.SPLIT_X else kept.nodes.h[i])
                probability *= cut_probability(cut, extent, output, i, rule)
            ratios.append(min(probability / float(kept.behaviour[i]), 3.0))
            if method == "off-mcpg":
                advantages.append(float(kept.returns[i] - judged[i]))
            else:
                values = judged.values(output.location)[i]
                where = torch.full((len(kept), 2), cut / extent if rule < Rule.PAINT else 0.5)
                advantages.append(float(judged.values(where)[i, rule] - (output.log_rule[i].exp() * values).sum()))
        np.testing.assert_allclose(weight, np.array(ratios) * advantages, rtol=2e-3, atol=1e-3)


def cut_probability(cut: int, extent: int, output: PolicyOutput, node: int, axis: int) -> float:
    """By the normal distribution of the standard library."""
    normal = NormalDist(float(output.split_logit[node, axis]), float(output.split_log_sigma[node, axis].exp()))

    def below(pixel: float) -> float:
        return normal.cdf(float(np.log(pixel / (extent - pixel))))

    return (1.0 if cut == extent - 1 else below(cut + 0.5)) - (0.0 if cut == 1 else below(cut - 0.5))


def test_reinforce_weighs_by_return_minus_baseline(lesson):
    learner, batch, rollout = lesson("mcpg")
    judged, _, output = judge(learner, batch, rollout)
    weight = learner._weigh_stored_actions(batch, output, judged)
    torch.testing.assert_close(weight, torch.from_numpy(batch.transitions.returns) - judged)
    assert not weight.requires_grad


# ---- DDPG ----------------------------------------------------------------------------------------------------------


class ExactPolicy:
    """A target policy that paints everything that it may not split, and else splits along x in the middle."""

    def encode(self, pixels: torch.Tensor) -> None:
        return None

    def trunk(self, encoded: None, view: NodeView) -> NodeView:
        return view

    def decide(self, view: NodeView, valid: torch.Tensor) -> PolicyOutput:
        splits = valid[:, Rule.SPLIT_X]
        rule = torch.where(splits, int(Rule.SPLIT_X), int(Rule.PAINT))
        log_rule = torch.full((len(view), 4), -1e9)
        log_rule[torch.arange(len(view)), rule] = 0.0
        return PolicyOutput(log_rule, torch.zeros(len(view), 2), torch.zeros(len(view), 2))


class ExactCritic:
    """A target critic that knows the mask: the return of painting a node is the same however it is split."""

    def __init__(self, mask: np.ndarray) -> None:
        self.truth = np.where(mask, 1.0, -1.0)

    def look(self, pixels: torch.Tensor, view: NodeView, policy: NodeView) -> NodeView:
        return view

    def __call__(self, view: NodeView) -> CriticOutput:
        height, width = self.truth.shape
        paint = []
        for x, y, w, h in zip(view.x, view.y, view.w, view.h, strict=True):
            left, top = round(x * width), round(y * height)
            paint.append(self.truth[top : top + round(h * height), left : left + round(w * width)].mean())
        values = torch.tensor(paint, dtype=torch.float32)

        class Exact(CriticOutput):
            def split_value(self, location: torch.Tensor) -> torch.Tensor:
                return values[:, None].expand(-1, 2)

            def label_values(self) -> torch.Tensor:
                return torch.stack([values, -values], dim=1)

        return Exact()


def test_the_backup_is_the_true_return_when_the_targets_know_it(tiny_presets):
    """Two levels of a tiny mask: splits return what their children do, labels what Eq. 1 says."""
    mask = np.random.default_rng(0).random((4, 6)) < 0.5
    truth = np.where(mask, 1.0, -1.0)
    learner = Learner(METHODS["ddpg"], tiny_presets["fast"], Limits(2), LearningSettings(), 0)
    learner.targets = ExactPolicy(), ExactCritic(mask)
    scenes = Scenes(np.zeros((2, 4, 6, 3), np.uint8), np.stack([~mask, mask]), flips=False)
    rollout = Rollout.of(METHODS["ddpg"], scenes, Limits(2))
    root = Nodes(*(np.array([value], np.int32) for value in (1, 0, 0, 6, 4, 0)))
    halves = split_children(root, Actions(np.array([1], np.int8), np.array([3], np.int32)))
    kept = Transitions(
        Nodes.concatenate([root, root, halves, root]),
        rule=np.array([Rule.SPLIT_X, Rule.SPLIT_Y, Rule.PAINT, Rule.SPLIT_X, Rule.SKIP], np.int8),
        cut=np.array([2, 3, 0, 4, 0], np.int32),
    )
    scene = np.array([1])
    batch = Minibatch.of(scene, scenes.pixels(scene), kept, rollout)
    whole, top, bottom = truth.mean(), truth[:3].mean(), truth[3:].mean()
    goal = learner._backup(batch, rollout.rewards)
    assert goal.tolist() == pytest.approx([whole, whole, top, bottom, -whole], abs=1e-6)


def test_the_backup_follows_the_target_policy_not_the_learned_one(tiny_presets):
    """If the target policy labels the left child paint and the right one skip, the goal is the return of that."""
    mask = np.zeros((2, 4), bool)
    mask[:, :2] = True
    learner = Learner(METHODS["ddpg"], tiny_presets["fast"], Limits(1), LearningSettings(), 0)

    class LeftPaints(ExactPolicy):
        def decide(self, view: NodeView, valid: torch.Tensor) -> PolicyOutput:
            chance = torch.tensor(np.where(view.x == 0, 0.75, 0.0), dtype=torch.float32)
            log_rule = torch.full((len(view), 4), -1e9)
            log_rule[:, Rule.PAINT], log_rule[:, Rule.SKIP] = chance.log().clamp(min=-1e9), (1 - chance).log()
            return PolicyOutput(log_rule, torch.zeros(len(view), 2), torch.zeros(len(view), 2))

    learner.targets = LeftPaints(), ExactCritic(mask)
    scenes = Scenes(np.zeros((1, 2, 4, 3), np.uint8), mask[None], flips=False)
    rollout = Rollout.of(METHODS["ddpg"], scenes, Limits(1))
    kept = Transitions(Nodes.roots([(4, 2)]), np.array([0], np.int8), np.array([1], np.int32))
    batch = Minibatch.of(np.array([0]), scenes.pixels(np.array([0])), kept, rollout)
    # Left, 2 of 8 pixels: 0.75 * 1 + 0.25 * -1. Right, 6 of 8: skip returns minus its mean of (2 - 4) / 6.
    expected = (2 * 0.5 + 6 * (1 / 3)) / 8
    assert learner._backup(batch, rollout.rewards).tolist() == pytest.approx([expected])


def test_target_networks_follow_at_their_rate(lesson):
    given = learner, _, _ = lesson("ddpg", target_rate=0.25)
    before = [weights(network) for network in learner.targets]
    update(given)
    for target, network, old in zip(learner.targets, (learner.policy, learner.critic), before, strict=True):
        assert moved(target, old)
        for name, parameter in target.named_parameters():
            new = dict(network.named_parameters())[name]
            torch.testing.assert_close(parameter.data, 0.75 * old[name] + 0.25 * new, rtol=1e-4, atol=1e-6)
        assert not target.training


def test_the_reward_of_labels_is_eq_1():
    mask = np.array([[1, 1, 0], [0, 0, 0]], bool)
    found = Rewards([mask]).label_returns(
        np.array([[0, 0, 0, 3, 2], [0, 0, 0, 2, 1]]), np.array([Rule.PAINT, Rule.SKIP])
    )
    assert found.tolist() == pytest.approx([(2 - 4) / 6, -1.0])


# ---- the dense critic ----------------------------------------------------------------------------------------------


def test_a_dense_critic_that_knows_the_cost_to_go_has_no_loss(lesson):
    """Asked wherever it likes, it is compared with the exact cost-to-go of the cut that the location rounds to."""
    learner, batch, rollout = lesson("drag-dense")
    oracle, nodes = rollout.oracle, batch.transitions.nodes
    output = learner.policy(learner.policy.encode(batch.pixels), batch.view).detach()
    judged = Knowing(oracle, nodes)
    loss = learner._dense_loss(judged, output, batch.transitions, oracle, np.random.default_rng(0))
    assert loss.item() == pytest.approx(0, abs=1e-10)
    assert judged.asked >= 6  # mu, near it, the oracle's and four at random


class Knowing(CriticOutput):
    """The oracle's cost-to-go itself, as a critic."""

    def __init__(self, oracle: Oracle, nodes: Nodes) -> None:
        self.oracle, self.nodes, self.asked = oracle, nodes, 0

    def _exact(self, rule: int, location: np.ndarray) -> torch.Tensor:
        extent = self.nodes.extent(np.full(len(self.nodes), rule))
        able = (self.nodes.depth < LIMITS.depth) & (extent > 1) if rule < Rule.PAINT else np.ones(len(self.nodes), bool)
        some = self.nodes.take(able)
        actions = Actions.at_locations(some, np.full(len(some), rule), location[able])
        value = np.zeros(len(self.nodes))
        value[able] = self.oracle.cost_to_go(some, actions) / some.area
        return torch.from_numpy(value.astype(np.float32))

    def split_value(self, location: torch.Tensor) -> torch.Tensor:
        self.asked += 1
        return torch.stack([self._exact(axis, location[:, axis].double().numpy()) for axis in (0, 1)], dim=1)

    def label_values(self) -> torch.Tensor:
        return torch.stack([self._exact(rule, np.full(len(self.nodes), 0.5)) for rule in (2, 3)], dim=1)


# ---- small parts ---------------------------------------------------------------------------------------------------


def test_nodes_are_named_by_their_place_among_the_batchs_scenes():
    nodes = Nodes.roots([(1, 1)] * 9).take(np.array([8, 2, 8, 5]))
    assert in_batch(nodes, np.array([5, 8, 2])).image.tolist() == [1, 2, 1, 0]


def test_the_location_of_a_cut_is_its_share_of_the_extent_and_of_a_label_the_middle():
    nodes = Nodes.roots([(10, 4)] * 3)
    actions = Actions(np.array([0, 1, 2], np.int8), np.array([3, 3, 0], np.int32))
    assert location_of(nodes, actions).tolist() == pytest.approx([0.3, 0.75, 0.5])
