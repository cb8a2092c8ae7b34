"""A method at work on a batch: its policy, its critic, their optimisers, and one update of each."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from . import losses
from .grammar import Actions, Limits, Nodes, Rule, location_from_cut, split_children, valid_rules
from .memory import Transitions
from .methods import Method
from .networks import Critic, CriticOutput, Features, NodeView, Policy, PolicyOutput, Preset
from .networks.precision import make_quick
from .oracle import Oracle
from .rollout import Rollout, action_tensors, draw_actions
from .scenes import Rewards


@dataclass(frozen=True)
class LearningSettings:
    """How a policy and a critic are moved. The same for every method unless a method's own tuning says otherwise."""

    rate: float = 1.5e-3
    """Highest learning rate of the policy."""
    critic_rate: float = 1.5e-3
    """Highest learning rate of the critic."""
    weight_decay: float = 0.01
    """AdamW's decay; 0 makes it Adam."""
    clip: float = 10.0
    """Largest norm of a gradient."""
    split_weight: float = 10.0
    """Weight of the squared distance of split locations beside the cross-entropy of rules."""
    entropy: float = 0.3
    """Weight of the rules' entropy in all losses without imitation, at first; it falls with the learning rate. Without
    it, rules are settled before values are known."""
    centring: float = 0.3
    """Weight of what pulls split locations to the middle where a critic alone says what they are worth, at first; it
    falls too. Without it, locations run to an edge before the critic knows better, and cannot come back."""
    fresh_actions: int = 4
    """Actions AggreVaTeD draws at each remembered state."""
    most_importance: float = 5.0
    """Where importance weights are cut off."""
    dense_actions: int = 4
    """Random split locations an axis whose cost-to-go teaches a dense critic, beside those of the policy and oracle."""
    target_rate: float = 0.02
    """How fast target networks follow, an update."""
    quick: bool = False
    """Convolve in bfloat16 on processors that have it, and normalise by batches as they are: about half the time, but
    too coarse for methods that weigh the likelihood of actions, on which their rollouts and updates must agree. These
    do not do it in any case."""
    map_weight: float = 1.0
    """Weight of the cross-entropy of the evidence map, if the network has one and the method may ask the oracle."""
    fresh_heads: bool = False
    """Where an evidence map is learned first, let all else begin at its own highest rate when its time comes, and be
    averaged from then on."""
    averaging: float = 0.0
    """How much of the mean of past weights each update keeps; the mean is what is validated, and that of the last epoch
    is kept. 0 for none: then the epoch that is best on validation images is kept."""


@dataclass(frozen=True)
class Batch:
    """A minibatch: pixels of some scenes, and transitions at nodes of them."""

    pixels: Tensor
    scenes: npt.NDArray[np.integer]
    """The scene of each image."""
    sizes: npt.NDArray[np.integer]
    """(width, height) of each image."""
    view: NodeView
    transitions: Transitions
    """``nodes.image`` are scenes."""
    masks: Tensor | None = None
    """(images, side, side): the truth, if a map of it is learned."""

    @classmethod
    def of(
        cls,
        scenes: npt.NDArray[np.integer],
        pixels: Tensor,
        transitions: Transitions,
        rollout: Rollout,
        masks: Tensor | None = None,
    ) -> Batch:
        """The batch of ``transitions`` at nodes of ``scenes``, whose pixels are given in the same order."""
        sizes = rollout.scenes.sizes[scenes]
        view = NodeView.of(in_batch(transitions.nodes, scenes), sizes, rollout.limits)
        return cls(pixels, scenes, sizes, view, transitions, masks)


@dataclass
class Learner:
    """Policy and critic of one method, and how a batch moves them."""

    method: Method
    preset: Preset
    limits: Limits
    settings: LearningSettings
    seed: int
    policy: Policy = field(init=False)
    critic: Critic | None = field(init=False)

    def __post_init__(self) -> None:
        with torch.random.fork_rng():
            torch.manual_seed(self.seed)
            self.policy = Policy(self.preset)
            shared = self.policy.trunk if self.method.critic_trunk == "shared" else None
            self.critic = Critic(self.preset, shared) if self.method.critic != "none" else None
        self.quick = self.settings.quick and self.method.split_policy == "deterministic"
        for network in filter(None, (self.policy, self.critic)):
            make_quick(network, self.quick)
        self.fresh_heads = self.settings.fresh_heads and self.preset.trunk == "map"
        self.policy_optimiser = self._optimiser(self.policy, self.settings.rate, self.fresh_heads)
        self.critic_optimiser = self._optimiser(self.critic, self.settings.critic_rate) if self.critic else None
        self.exploring, self.only_imitates = 1.0, False
        self.averaged = copy.deepcopy(self.policy).eval() if self.settings.averaging else None
        self.updates, self.node_updates = 0, 0
        self.targets: tuple[Policy, Critic] | None = None
        if self.critic and self.method.critic == "backup":
            self.targets = copy.deepcopy(self.policy).eval(), copy.deepcopy(self.critic).eval()
        # Walking through a network takes as long as a small computation, so it is done once.
        self._parameters = {name: list(network.parameters()) for name, network in self.networks().items()}
        self._tensors = {name: list(tensors(network).values()) for name, network in self.networks().items()}
        self._averages = {late: self._averaged_pair(late) for late in (False, True)} if self.averaged else {}

    def _optimiser(self, network: nn.Module, rate: float, apart: bool = False) -> torch.optim.Optimizer:
        """Of all parameters together, or with those that make the evidence map in a second group."""
        parts: tuple[list[nn.Parameter], list[nn.Parameter]] = [], []
        for name, parameter in network.named_parameters():
            parts[apart and makes_map(name)].append(parameter)
        groups = [{"params": part} for part in parts if part]
        decay = self.settings.weight_decay
        return torch.optim.AdamW(groups, lr=rate, weight_decay=decay, fused=self.quick or None)

    def _averaged_pair(self, late: bool) -> tuple[list[Tensor], list[Tensor]]:
        """The averages, and what they are of: of what begins to learn with nodes only, or of all else."""
        assert self.averaged is not None
        averages, policy = tensors(self.averaged), tensors(self.policy)
        names = [name for name in policy if late == (self.fresh_heads and not makes_map(name))]
        return [averages[name] for name in names], [policy[name] for name in names]

    def networks(self) -> dict[str, nn.Module]:
        """Every network by name, for checkpoints."""
        named: dict[str, nn.Module] = {"policy": self.policy}
        if self.critic is not None:
            named["critic"] = self.critic
        if self.targets is not None:
            named["target_policy"], named["target_critic"] = self.targets
        if self.averaged is not None:
            named["averaged_policy"] = self.averaged
        return named

    @property
    def learned(self) -> Policy:
        """The policy to parse with: the mean of past ones, or as it is."""
        return self.averaged or self.policy

    def optimisers(self) -> dict[str, torch.optim.Optimizer]:
        """Every optimiser by name, for checkpoints."""
        named = {"policy": self.policy_optimiser}
        if self.critic_optimiser is not None:
            named["critic"] = self.critic_optimiser
        return named

    def set_progress(self, progress: float, share: float, map_share: float | None = None) -> None:
        """Set the learning rates, and the weights of what keeps the policy exploring, to a share of their highest.

        ``progress`` is the share of the training that is done; ``map_share`` is for the rate of what makes the evidence
        map, if that is another.
        """
        self.exploring = share
        self.only_imitates = progress < self.method.imitates_until
        shares = (share, share if map_share is None else map_share)
        for group, one in zip(self.policy_optimiser.param_groups, shares, strict=False):
            group["lr"] = one * self.settings.rate
        if self.critic_optimiser is not None:
            self.critic_optimiser.param_groups[0]["lr"] = share * self.settings.critic_rate

    def update(self, batch: Batch, rollout: Rollout, rng: np.random.Generator) -> dict[str, float]:
        """One step of the policy and of the critic on a batch (Algorithm 1, lines 9 to 11); their losses."""
        set_training(self.policy)
        encoded = self.policy.encode(batch.pixels)
        features = self.policy.trunk(encoded, batch.view)
        output = self.policy.decide(features, batch.view.valid)
        report: dict[str, float] = {}
        judged: CriticOutput | Tensor | None = None
        critic_loss: Tensor | None = None
        if self.critic is not None and not self.only_imitates:
            set_training(self.critic)
            seen = self.critic.look(batch.pixels, batch.view, features)
            judged, critic_loss = self._critic_loss(batch, seen, output.detach(), rollout, rng)
            report["critic_loss"] = critic_loss.item()
        policy_loss = self._policy_loss(batch, output, judged, rollout, rng)
        report["policy_loss"] = policy_loss.item()
        if batch.masks is not None:
            map_loss = losses.map_loss(encoded.logits, batch.masks)
            report["map_loss"] = map_loss.item()
            policy_loss = policy_loss + self.settings.map_weight * map_loss
        if self.critic is not None and critic_loss is not None:
            shared = self.critic.trunk is None
            self._set_gradients("critic", critic_loss, retain_graph=shared)
            if shared:  # the trunk serves both, so both move it
                policy_loss = policy_loss + critic_loss
        self._set_gradients("policy", policy_loss)
        for name, optimiser in self.optimisers().items():
            if name == "policy" or critic_loss is not None:
                self._step(name, optimiser)
        self.node_updates += 1
        self._follow()
        return report

    def update_map(self, pixels: Tensor, masks: Tensor) -> float:
        """One step of the evidence map alone, on images (images, 3, side, side) and their masks; its loss."""
        set_training(self.policy)
        loss = losses.map_loss(self.policy.evidence_map(pixels), masks)
        self._set_gradients("policy", self.settings.map_weight * loss)
        self._step("policy", self.policy_optimiser)
        self._follow()
        return loss.item()

    def _follow(self) -> None:
        """Let all networks that drift behind others take a step towards them."""
        self.updates += 1
        if self.targets is not None:
            for name in ("policy", "critic"):
                follow(self._tensors[f"target_{name}"], self._tensors[name], self.settings.target_rate)
        if self.averaged is not None:
            for late, pair in self._averages.items():
                updates = self.node_updates if late else self.updates
                follow(*pair, max(1 - self.settings.averaging, 9 / (updates + 9)))

    def _set_gradients(self, name: str, loss: Tensor, retain_graph: bool = False) -> None:
        """Gradients for the parameters of a network and no others, so that no loss moves what it should not."""
        parameters = self._parameters[name]
        gradients = torch.autograd.grad(loss, parameters, allow_unused=True, retain_graph=retain_graph)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = None if gradient is None else laid_out_like(parameter, gradient)

    def _step(self, name: str, optimiser: torch.optim.Optimizer) -> None:
        norm = nn.utils.clip_grad_norm_(self._parameters[name], self.settings.clip)
        if math.isfinite(float(norm)):
            optimiser.step()
        optimiser.zero_grad(set_to_none=True)

    # ---- the policy ------------------------------------------------------------------------------------------------

    def _policy_loss(
        self,
        batch: Batch,
        output: PolicyOutput,
        judged: CriticOutput | Tensor | None,
        rollout: Rollout,
        rng: np.random.Generator,
    ) -> Tensor:
        kept = batch.transitions
        settings, kind = self.settings, self.method.actor
        if kind == "imitation" or self.only_imitates:
            copied = advice_of(kept) if self.method.imitates == "oracle" else action_of(kept)
            return losses.imitation_loss(output, *copied, settings.split_weight)
        if kind == "mixed":
            assert isinstance(judged, CriticOutput)
            loss = losses.mixed_policy_loss(output, judged, self.method.price)
            if self.method.anchor:
                anchor = losses.imitation_loss(output, *advice_of(kept), settings.split_weight)
                loss = loss + self.method.anchor * anchor
        elif kind in ("cost-to-go", "critic-weight"):
            loss = self._fresh_actions_loss(batch, output, judged, rollout, rng)
        else:
            log_probability = losses.action_log_probability(output, *action_tensors(kept.nodes, kept.actions))
            weight = self._weigh_stored_actions(batch, output.detach(), judged)
            loss = losses.policy_gradient_loss(log_probability, weight)
        if self.method.anchor:  # which keeps rules from being settled too early by itself
            return loss
        loss = loss - self.exploring * settings.entropy * losses.entropy(output)
        if kind in ("mixed", "critic-weight"):
            loss = loss + self.exploring * settings.centring * losses.off_centre(output)
        return loss

    def _weigh_stored_actions(self, batch: Batch, output: PolicyOutput, judged: CriticOutput | Tensor | None) -> Tensor:
        """REINFORCE and the off-policy methods: how much better the stored action did than expected."""
        kept = batch.transitions
        rule, location = action_of(kept)
        if isinstance(judged, CriticOutput):
            advantage = judged.value_of(rule, location) - losses.expected_value(output, judged)
        else:
            assert isinstance(judged, Tensor) and kept.returns is not None
            advantage = torch.from_numpy(kept.returns) - judged
        if self.method.on_policy:
            return advantage
        probability = losses.action_probability(output, *action_tensors(kept.nodes, kept.actions))
        assert kept.behaviour is not None
        behaviour = torch.from_numpy(kept.behaviour)
        return losses.importance_weight(probability, behaviour, self.settings.most_importance) * advantage

    def _fresh_actions_loss(
        self,
        batch: Batch,
        output: PolicyOutput,
        judged: CriticOutput | Tensor | None,
        rollout: Rollout,
        rng: np.random.Generator,
    ) -> Tensor:
        """AggreVaTeD (Eq. 2): actions drawn from the policy as it is now, at remembered states, weighed by their exact
        cost-to-go or by what the critic says of it. Each action's baseline is the mean of the others at its node."""
        nodes = batch.transitions.nodes
        now = output.detach()
        probability = now.log_rule.exp().double().numpy()
        drawn = [draw_actions(nodes, now, probability, None, rng) for _ in range(self.settings.fresh_actions)]
        if isinstance(judged, CriticOutput):
            values = [judged.value_of(rules_of(actions), location_of(nodes, actions)) for actions in drawn]
        else:
            assert rollout.oracle is not None
            returns = [rollout.oracle.cost_to_go(nodes, actions) / nodes.area for actions in drawn]
            values = [torch.from_numpy(value.astype(np.float32)) for value in returns]
        weights = losses.leave_one_out(torch.stack(values))
        log_probability = [losses.action_log_probability(output, *action_tensors(nodes, a)) for a in drawn]
        return losses.policy_gradient_loss(torch.stack(log_probability), weights)

    # ---- the critic ------------------------------------------------------------------------------------------------

    def _critic_loss(
        self, batch: Batch, seen: Features, output: PolicyOutput, rollout: Rollout, rng: np.random.Generator
    ) -> tuple[CriticOutput | Tensor, Tensor]:
        """What the critic says, without history, for the policy; and the critic's own loss."""
        assert self.critic is not None
        kept = batch.transitions
        if self.method.critic == "baseline":
            value = self.critic.state_value(seen)
            assert kept.returns is not None
            return value.detach(), losses.critic_loss(value, torch.from_numpy(kept.returns))
        judged = self.critic(seen)
        if self.method.critic == "dense":
            assert rollout.oracle is not None
            return judged.detach(), self._dense_loss(judged, output, kept, rollout.oracle, rng)
        if self.method.critic == "backup":
            assert rollout.rewards is not None
            goal = self._backup(batch, rollout.rewards)
        else:
            assert kept.returns is not None
            goal = torch.from_numpy(kept.returns)
        return judged.detach(), losses.critic_loss(judged.value_of(*action_of(kept)), goal)

    def _dense_loss(
        self, judged: CriticOutput, output: PolicyOutput, kept: Transitions, oracle: Oracle, rng: np.random.Generator
    ) -> Tensor:
        """Eq. 6 with the exact cost-to-go of several actions a state: labels, the policy's and oracle's cuts, more."""
        nodes = kept.nodes
        assert kept.oracle_rule is not None and kept.oracle_cut is not None
        own = output.location.double().numpy()
        near = np.clip(own + 0.1 * rng.standard_normal(own.shape), 0.01, 0.99)
        advised = location_of(nodes, Actions(kept.oracle_rule, kept.oracle_cut)).double().numpy()[:, None].repeat(2, 1)
        spread = rng.random((self.settings.dense_actions, *own.shape))
        offered = np.concatenate([[own, near, advised], spread])  # (actions, nodes, axes)
        counted = np.tile(valid_rules(nodes, self.limits)[:, : Rule.PAINT], (len(offered), 1, 1))
        counted[2] &= kept.oracle_rule[:, None] == np.arange(2)

        paint = Actions(np.full(len(nodes), Rule.PAINT, np.int8), np.zeros(len(nodes), np.int32))
        goal = torch.from_numpy((oracle.cost_to_go(nodes, paint) / nodes.area).astype(np.float32))
        loss = losses.critic_loss(judged.label_values(), torch.stack([goal, -goal], dim=1))
        place = np.nonzero(counted)
        if len(place[0]):
            some = nodes.take(place[1])
            actions = Actions.at_locations(some, place[2], offered[place])
            offered[place] = location_of(some, actions).numpy()
            goal = torch.from_numpy((oracle.cost_to_go(some, actions) / some.area).astype(np.float32))
            values = torch.stack([judged.split_value(torch.from_numpy(at.astype(np.float32))) for at in offered])
            loss = loss + losses.critic_loss(values[place], goal)
        return loss

    def _backup(self, batch: Batch, rewards: Rewards) -> Tensor:
        """DDPG's goal: the reward of a label, or the children's values by the target networks."""
        assert self.targets is not None
        policy, critic = self.targets
        kept = batch.transitions
        nodes = kept.nodes
        rows = np.stack([nodes.image, nodes.x, nodes.y, nodes.w, nodes.h], axis=1).astype(np.int64)
        goal = torch.from_numpy(rewards.label_returns(rows, kept.rule))
        split = np.flatnonzero(kept.rule < Rule.PAINT)
        if len(split) == 0:
            return goal
        children = split_children(nodes.take(split), Actions(kept.rule[split], kept.cut[split]))
        with torch.no_grad():
            view = NodeView.of(in_batch(children, batch.scenes), batch.sizes, self.limits)
            features = policy.trunk(policy.encode(batch.pixels), view)
            judged = critic(critic.look(batch.pixels, view, features))
            value = losses.expected_value(policy.decide(features, view.valid), judged)
        area = torch.from_numpy(children.area.astype(np.float32))
        goal[torch.from_numpy(split)] = losses.tree_backup(value.view(-1, 2), area.view(-1, 2))
        return goal


def action_of(kept: Transitions) -> tuple[Tensor, Tensor]:
    """Rule and location of the stored actions."""
    return rules_of(kept.actions), location_of(kept.nodes, kept.actions)


def advice_of(kept: Transitions) -> tuple[Tensor, Tensor]:
    """Rule and location of the oracle's actions at the stored nodes."""
    assert kept.oracle_rule is not None and kept.oracle_cut is not None
    advice = Actions(kept.oracle_rule, kept.oracle_cut)
    return rules_of(advice), location_of(kept.nodes, advice)


def rules_of(actions: Actions) -> Tensor:
    """The rules as the losses take them."""
    return torch.from_numpy(actions.rule.astype(np.int64))


def location_of(nodes: Nodes, actions: Actions) -> Tensor:
    """The location of each cut; 0.5 for assignments, where it counts for nothing."""
    location = location_from_cut(actions.cut, nodes.extent(actions.rule).clip(min=1))
    return torch.from_numpy(np.where(actions.splits, location, 0.5).astype(np.float32))


def in_batch(nodes: Nodes, scenes: npt.NDArray[np.integer]) -> Nodes:
    """Nodes named by scene, named by their place among ``scenes`` instead."""
    place = np.full(int(scenes.max()) + 1, -1, np.int32)
    place[scenes] = np.arange(len(scenes))
    return Nodes(place[nodes.image], nodes.x, nodes.y, nodes.w, nodes.h, nodes.depth)


def laid_out_like(parameter: Tensor, gradient: Tensor) -> Tensor:
    """A gradient in the memory layout of its parameter.

    Those of convolutions may come with their channels last, and PyTorch's fused optimisers go through both as they lie
    in memory: weights would be moved by the gradients of others.
    """
    same = gradient.stride() == parameter.stride()
    return gradient if same else torch.empty_like(parameter).copy_(gradient)


def set_training(network: nn.Module) -> None:
    """Switch a network to training, unless it is."""
    if not network.training:
        network.train()


def follow(slow: list[Tensor], quick: list[Tensor], rate: float) -> None:
    """Let the weights of one network drift towards those of another (Lillicrap et al. 2015, for target networks)."""
    for behind, ahead in zip(slow, quick, strict=True):
        if behind.is_floating_point():
            behind.lerp_(ahead, rate)
        else:
            behind.copy_(ahead)


def tensors(network: nn.Module) -> dict[str, Tensor]:
    """Parameters and buffers by name, without history."""
    parameters = {name: parameter.data for name, parameter in network.named_parameters()}
    return parameters | dict(network.named_buffers())


def makes_map(name: str) -> bool:
    """Whether a tensor of a policy of that name helps to make an evidence map; all else is read from nodes."""
    return name.startswith("trunk.encoder.") and not name.startswith("trunk.encoder.features.")
