"""One update of each method: it moves what it should and nothing else, towards what is better."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from shapeparse import Limits, Nodes, Rule
from shapeparse.learning import losses
from shapeparse.learning.batch import Minibatch
from shapeparse.learning.learner import Learner, follow, laid_out_like, makes_map
from shapeparse.learning.memory import Transitions
from shapeparse.learning.methods import ABLATIONS, METHODS, Method, method_named
from shapeparse.learning.policy_losses import imitate_oracle
from shapeparse.learning.rollout import Rollout
from shapeparse.learning.scenes import Scenes
from shapeparse.learning.settings import LearningSettings, TrainSettings
from shapeparse.networks.presets import Preset
from shapeparse.oracle.optimal import OptimalOracle

LIMITS = Limits(depth=3)
SMALLEST = Preset("shared", side=32, widths=(4, 4), channels=4, positions=4, dense=(8,))
Lesson = tuple[Learner, Minibatch, Rollout]


def weights(network: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: parameter.detach().clone() for name, parameter in network.named_parameters()}


def moved(network: torch.nn.Module, before: dict[str, torch.Tensor]) -> bool:
    return any(not torch.equal(parameter, before[name]) for name, parameter in network.named_parameters())


def update(lesson: Lesson, times: int = 1) -> dict[str, float]:
    learner, batch, rollout = lesson
    for number in range(times):
        report = learner.update(batch, rollout, np.random.default_rng(number))
    return report


def every_method_with(*presets: str) -> list[tuple[str, str]]:
    """All that go together: a distribution over places needs a network that keeps them."""
    return [
        (name, preset)
        for name, method in METHODS.items()
        for preset in presets
        if preset in ("fast", "best") or method.split_policy != "categorical"
    ]


@pytest.mark.parametrize(("method", "preset"), every_method_with("fast", "paper", "crop"))
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


def test_only_methods_with_a_critic_have_one():
    for method in METHODS.values():
        learner = Learner(method, SMALLEST, LIMITS, LearningSettings(), 0)
        assert (learner.critic is None) == (method.critic is None)
        assert (learner.targets is None) == (method.critic is None or not method.critic.targets)
        if learner.critic is not None:
            assert method.critic is not None
            assert (learner.critic.trunk is None) == (method.critic.trunk == "shared")


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
    given = learner, *_ = lesson("dagger")
    before = weights(learner.policy)
    learner.method = replace(learner.method, policy_loss=lambda batch: (imitate_oracle(batch)[0] * float("nan"), {}))
    update(given)
    assert not moved(learner.policy, before)


def test_a_policy_that_answers_no_numbers_ends_the_training(lesson, refused):
    given = learner, batch, _ = lesson("dagger")
    before = weights(learner.policy)
    batch.pixels[:] = float("nan")
    assert "diverged" in refused(update, given)
    assert not moved(learner.policy, before)


def test_a_fused_optimiser_moves_each_weight_by_its_own_gradient(lesson):
    """Gradients of convolutions may lie in memory otherwise than their weights."""
    learner, batch, _ = lesson("dagger", "scratch", quick=True)
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
    learner, _, _ = lesson("dagger", "scratch", rate=0.4, fresh_heads=True)
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
    given = learner, batch, _ = lesson("dagger", "scratch", averaging=0.9, fresh_heads=fresh)
    for _ in range(200):
        learner.update_map(batch.pixels, torch.zeros(len(batch.pixels), *batch.pixels.shape[2:]))
    seen, expected = [], learner.policy.rule.weight.detach().clone()
    for count in range(1, 6):
        update(given)
        seen.append(learner.policy.rule.weight.detach().clone())
        expected = expected.lerp(seen[-1], max(0.1, 9 / (count + 9)) if fresh else 0.1)
    torch.testing.assert_close(learner.averaged.rule.weight, expected)
    assert moved(learner.averaged, weights(learner.policy))


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
        learner.method = replace(learner.method, policy_loss=lambda batch: (0.0 * batch.output.log_rule.sum(), {}))
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


# ---- which way it moves --------------------------------------------------------------------------------------------

SIDE, GOAL = 32, 8
ROOTS = 24


def paint_on_the_left() -> Scenes:
    """One picture whose first quarter, left of pixel 8, is paint: best cut there, and worth -0.5 if all is painted."""
    mask = np.zeros((1, SIDE, SIDE), bool)
    mask[:, :, :GOAL] = True
    images = np.where(mask[..., None], 200, 60).astype(np.uint8).repeat(3, axis=3)
    return Scenes(images, mask, flips=False)


def good_and_bad() -> dict[str, np.ndarray]:
    """Three actions at the root, over and over: a good cut, a poor one, paint; their returns; advice for the good."""
    rule = np.tile(np.array([Rule.SPLIT_X, Rule.SPLIT_X, Rule.PAINT], np.int8), ROOTS // 3)
    cut = np.tile(np.array([GOAL, SIDE - GOAL, 0], np.int32), ROOTS // 3)
    returns = np.tile(np.array([0.9, 0.0, -0.9], np.float32), ROOTS // 3)
    behaviour = np.full(ROOTS, 0.1, np.float32)
    advice: dict[str, np.ndarray] = {
        "oracle_rule": np.full(ROOTS, Rule.SPLIT_X, np.int8),
        "oracle_cut": np.full(ROOTS, GOAL, np.int32),
    }
    return {"rule": rule, "cut": cut, "returns": returns, "behaviour": behaviour, **advice}


def told(method: Method, known_critic: type) -> Method:
    """The method with a critic that knows: cuts along x are best at a quarter, and better than anything else."""
    fit = method.critic
    if fit is None:
        return method

    def knows(batch: Any, given: Any) -> tuple[Any, torch.Tensor]:
        nothing = 0.0 * (given.critic.state_value(given.seen).sum() + given.critic(given.seen).label_values().sum())
        is_baseline = fit.loss.__name__ == "baseline"
        return (torch.zeros(ROOTS) if is_baseline else known_critic(ROOTS)), nothing

    return replace(method, critic=replace(fit, loss=knows))


@pytest.fixture
def taught(known_critic) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    """Rule probabilities (4) and split locations (2) at the root, before and after some updates of a method."""

    def teach(name: str, times: int = 12, progress: float = 0.9, settings: dict[str, float] | None = None, **changes):
        given = {"rate": 5e-3, "entropy": 0.0, "warm_up": 0, "weight_decay": 0.0, **(settings or {})}
        method = told(method_named(name), known_critic)
        learner = Learner(method, SMALLEST, Limits(1), LearningSettings(**given), seed=1)
        learner.set_progress(progress, 1.0)
        scenes, chosen = paint_on_the_left(), np.array([0])
        rollout = Rollout.of(method, scenes, Limits(1), teacher=TrainSettings(name).teacher)
        kept = Transitions(Nodes.roots([(SIDE, SIDE)] * ROOTS), **{**good_and_bad(), **changes})
        kept = replace(kept, nodes=replace(kept.nodes, image=np.zeros(ROOTS, np.int32)))
        if method.knows_worth:
            assert isinstance(rollout.oracle, OptimalOracle)
            worth = rollout.oracle.worth(kept.nodes)
            kept = replace(kept, **{f"worth_{part}": column for part, column in worth._asdict().items()})
        minibatch = Minibatch.of(chosen, scenes.pixels(chosen), kept, scenes, Limits(1))

        def says() -> tuple[np.ndarray, np.ndarray]:
            with torch.no_grad():
                output = learner.policy.eval()(learner.policy.encode(minibatch.pixels), minibatch.view)
            return output.log_rule[0].exp().numpy(), output.location[0].numpy()

        before = says()
        for number in range(times):
            learner.update(minibatch, rollout, np.random.default_rng(number))
        return before, says()

    return teach


@pytest.mark.parametrize("name", [*METHODS, *ABLATIONS])
def test_every_method_moves_towards_the_better_rule_and_the_better_cut(taught, name):
    """By what its setting lets it know: returns, the oracle's actions, the oracle's cost-to-go, or a critic."""
    changes = {}
    if name in ("dagger-taken", "drag-control"):  # which copy whatever was done
        changes = {"rule": np.full(ROOTS, Rule.SPLIT_X, np.int8), "cut": np.full(ROOTS, GOAL, np.int32)}
    (rules, location), (new_rules, new_location) = taught(name, **changes)
    assert new_rules[Rule.SPLIT_X] > rules[Rule.SPLIT_X] + 0.05
    assert location[0] > GOAL / SIDE + 0.1
    assert new_location[0] < location[0] - 0.01


@pytest.mark.parametrize("name", ["bc", "dagger"])
def test_imitators_take_the_oracles_word_over_what_was_done(taught, name):
    (rules, _), (new_rules, _) = taught(name, oracle_rule=np.full(ROOTS, Rule.SKIP, np.int8))
    assert new_rules[Rule.SKIP] > rules[Rule.SKIP] + 0.05


def test_an_anchored_method_hears_the_oracle_of_rules_and_the_critic_of_cuts(taught):
    (rules, location), (new_rules, new_location) = taught(
        "drag-anchored", oracle_rule=np.full(ROOTS, Rule.SKIP, np.int8)
    )
    assert new_rules[Rule.SKIP] > rules[Rule.SKIP] + 0.05
    assert new_location[0] < location[0] - 0.01


def test_before_its_time_an_anchored_method_hears_the_oracle_alone(taught):
    """The oracle advises a cut at three quarters, the critic one at a quarter."""
    (_, location), (_, new_location) = taught(
        "drag-anchored", progress=0.1, oracle_cut=np.full(ROOTS, SIDE - GOAL, np.int32)
    )
    assert new_location[0] > location[0] + 0.01


@pytest.mark.parametrize("name", ["drag", "ddpg", "off-acpg", "drag-expected", "drag-dense"])
def test_a_policy_waits_in_the_middle_until_its_critic_has_warmed_up(taught, name):
    settings = {"warm_up": 100, "centring": 3.0}
    (rules, location), (new_rules, new_location) = taught(name, settings=settings, times=40)
    assert abs(new_location[0] - 0.5) < 0.5 * abs(location[0] - 0.5)
    assert abs(new_rules[Rule.SPLIT_X] - rules[Rule.SPLIT_X]) < 0.05


def test_an_anchored_method_imitates_while_its_critic_warms_up(taught):
    (_, location), (_, new_location) = taught(
        "drag-anchored", settings={"warm_up": 100}, oracle_cut=np.full(ROOTS, SIDE - GOAL, np.int32)
    )
    assert new_location[0] > location[0] + 0.01


def test_a_policy_is_not_moved_by_what_the_critic_says_alone(lesson):
    """With a shared trunk, a critic that was not detached would change the policy's features to say otherwise."""
    for name in ("drag-dense", "off-mcpg"):
        given = learner, _, _ = lesson(name, weight_decay=0.0)
        fit = learner.method.critic
        losses_seen: list[bool] = []

        def silent(batch: Any, heard: Any, fit=fit) -> tuple[Any, torch.Tensor]:
            said, loss = fit.loss(batch, heard)
            return said, 0.0 * loss

        def flatter(batch: Any, seen=losses_seen) -> tuple[torch.Tensor, dict]:
            said = batch.judged if isinstance(batch.judged, torch.Tensor) else batch.q.label_values()[:, 0]
            seen.append(said.requires_grad)
            return said.sum() + 0.0 * batch.output.log_rule.sum(), {}

        learner.method = replace(learner.method, critic=replace(fit, loss=silent), policy_loss=flatter)
        before = weights(learner.policy)
        update(given)
        assert losses_seen == [False]
        assert not moved(learner.policy, before)


def test_metrics_of_a_loss_are_reported_beside_it(lesson):
    given = learner, _, _ = lesson("dagger")
    learner.method = replace(learner.method, policy_loss=lambda batch: (batch.output.log_rule.sum(), {"mine": 7.0}))
    assert update(given)["mine"] == 7.0


# ---- small parts ---------------------------------------------------------------------------------------------------


def test_followers_take_their_share_of_the_way_and_counters_are_copied():
    slow, counter = torch.zeros(3), torch.tensor(1)
    follow([slow, counter], [torch.full((3,), 4.0), torch.tensor(9)], 0.25)
    assert slow.tolist() == [1.0, 1.0, 1.0]
    assert counter.item() == 9


def test_the_encoder_makes_the_map_but_for_the_features_of_nodes():
    assert makes_map("trunk.encoder.stem.0.weight")
    assert makes_map("trunk.encoder.evidence.bias")
    for name in ("trunk.encoder.features.weight", "trunk.dense.0.weight", "rule.weight", "split.trust"):
        assert not makes_map(name)


# ---- where it computes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "preset"), every_method_with("fast", "best", "scratch", "crop", "paper"))
def test_no_update_makes_a_tensor_on_the_default_device(lesson, method, preset):
    """Any tensor that is made without saying where would be on a device that holds no numbers."""
    learner, minibatch, rollout = lesson(method, preset)
    update((learner, minibatch, rollout))  # PyTorch's optimisers make their own counters, once
    before = weights(learner.policy)
    with torch.device("meta"):
        report = learner.update(minibatch, rollout, np.random.default_rng(1))
    assert all(np.isfinite(value) for value in report.values())
    assert {
        tensor.device.type for network in learner.networks().values() for tensor in network.state_dict().values()
    } == {"cpu"}
    assert moved(learner.policy, before)


def test_no_update_of_the_map_makes_a_tensor_on_the_default_device(lesson):
    learner, minibatch, rollout = lesson("dagger", "scratch", averaging=0.9)
    masks = rollout.scenes.masks_of(minibatch.scenes)
    learner.update_map(minibatch.pixels, masks)
    with torch.device("meta"):
        assert np.isfinite(learner.update_map(minibatch.pixels, masks))
        assert np.isfinite(
            learner.update(replace(minibatch, masks=masks), rollout, np.random.default_rng(0))["map_loss"]
        )
