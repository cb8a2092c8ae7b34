"""A method at work on a minibatch: its policy, its critic, their optimisers, and one update of each."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor, nn

from ..grammar import Limits
from ..networks.critic import Critic, CriticOutput
from ..networks.devices import CPU
from ..networks.lite import ALL_STAGES, EYES
from ..networks.policy import Policy
from ..networks.precision import make_quick
from ..networks.presets import Preset
from ..networks.trunks import Trunk
from . import losses
from .batch import Batch, Minibatch
from .critic_losses import CriticInput
from .divergence import check_finite, check_output
from .methods import Method
from .policy_losses import PolicyLoss, imitate_oracle, keep_in_the_middle
from .rollout import Rollout
from .settings import LearningSettings


@dataclass
class Learner:
    """Policy and critic of one method, and how a minibatch moves them."""

    method: Method
    preset: Preset
    limits: Limits
    settings: LearningSettings
    seed: int
    device: torch.device = CPU
    policy: Policy = field(init=False)
    critic: Critic | None = field(init=False)

    def __post_init__(self) -> None:
        fit = self.method.critic
        with torch.random.fork_rng(devices=[]), CPU:
            torch.manual_seed(self.seed)  # weights are drawn on the processor, so that they are the same everywhere
            self.policy = Policy(self.preset)
            shared = self.policy.trunk if fit is not None and fit.trunk == "shared" else None
            self.critic = Critic(self.preset, shared) if fit is not None else None
        for network in filter(None, (self.policy, self.critic)):
            if isinstance(network.trunk, Trunk):
                network.trunk.begin()
                network.trunk.freeze(self.settings.frozen_stages if self.settings.encoder_rate else ALL_STAGES)
        self.quick = self.settings.quick and self.method.split_policy != "stochastic"
        for network in filter(None, (self.policy, self.critic)):
            network.to(self.device)
            make_quick(network, self.quick)
        self.fresh_heads = self.settings.fresh_heads and self.preset.trunk == "map"
        self.policy_optimiser = self._optimiser(self.policy, self.settings.rate, self.fresh_heads)
        self.critic_optimiser = self._optimiser(self.critic, self.settings.critic_rate) if self.critic else None
        self.exploring, self.only_imitates = 1.0, False
        self.averaged = copy.deepcopy(self.policy).eval() if self.settings.averaging else None
        self.updates, self.node_updates, self.critic_updates = 0, 0, 0
        self.targets: tuple[Policy, Critic] | None = None
        if self.critic is not None and fit is not None and fit.targets:
            self.targets = copy.deepcopy(self.policy).eval(), copy.deepcopy(self.critic).eval()
        # Walking through a network takes as long as a small computation, so it is done once.
        self._parameters = {
            name: [one for one in network.parameters() if one.requires_grad]
            for name, network in self.networks().items()
        }
        self._tensors = {name: list(tensors(network).values()) for name, network in self.networks().items()}
        self._averages = {late: self._averaged_pair(late) for late in (False, True)} if self.averaged else {}

    def _optimiser(self, network: nn.Module, rate: float, apart: bool = False) -> torch.optim.Optimizer:
        """Of all parameters together, or with those that make the evidence map in a group of their own; what was
        pretrained has one in any case."""
        parts: dict[str, list[nn.Parameter]] = {"heads": [], "map": [], "encoder": []}
        for name, parameter in network.named_parameters():
            if parameter.requires_grad:
                part = "encoder" if is_pretrained(name) else "map" if apart and makes_map(name) else "heads"
                parts[part].append(parameter)
        groups = [{"params": parameters, "part": part} for part, parameters in parts.items() if parameters]
        decay = self.settings.weight_decay
        fused = self.quick or self.preset.trunk == "frozen"  # where all else is quick, the optimiser should be
        return torch.optim.AdamW(groups, lr=rate, weight_decay=decay, fused=fused or None)

    def _averaged_pair(self, late: bool) -> tuple[list[Tensor], list[Tensor]]:
        """EMA weights and live weights: of what begins to learn with nodes only, or of all else."""
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

    def policies(self) -> list[nn.Module]:
        """The policy, its mean and its slow copy, as far as there are any."""
        return [network for network in self.networks().values() if isinstance(network, Policy)]

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
        """Set the learning rates, and the weight of what keeps the policy exploring, to a share of their highest.

        ``progress`` is the share of the training that is done; ``map_share`` is for the rate of what makes the evidence
        map, if that is another.
        """
        self.exploring = share
        self.only_imitates = progress < self.method.imitates_until
        of_map = share if map_share is None else map_share
        for name, optimiser in self.optimisers().items():
            rate = self.settings.rate if name == "policy" else self.settings.critic_rate
            rates = {"heads": share * rate, "map": of_map * rate, "encoder": of_map * self.settings.encoder_rate}
            for group in optimiser.param_groups:
                group["lr"] = rates[group["part"]]

    def update(self, minibatch: Minibatch, rollout: Rollout, rng: np.random.Generator) -> dict[str, float]:
        """One step of the policy and of the critic (Algorithm 1, lines 10 and 11); their losses, and more by name."""
        set_training(self.policy)
        encoded = self.policy.encode(minibatch.pixels)
        features = self.policy.trunk(encoded, minibatch.view)
        output = self.policy.decide(features, minibatch.view.valid)
        check_output(output)
        batch = Batch(
            minibatch, output.detach(), None, rollout.oracle, rollout.rewards, self.limits, self.settings,
            self.exploring, rng,
        )  # fmt: skip
        report: dict[str, float] = {}
        judged: CriticOutput | Tensor | None = None
        critic_loss: Tensor | None = None
        if self.critic is not None and self.method.critic is not None and not self.only_imitates:
            set_training(self.critic)
            seen = self.critic.look(minibatch.pixels, minibatch.view, features)
            said, critic_loss = self.method.critic.loss(batch, CriticInput(self.critic, seen, self.targets))
            judged = said.detach()
            report["critic_loss"] = critic_loss.item()
        policy_loss, metrics = self._policy_loss()(replace(batch, output=output, judged=judged))
        report |= {"policy_loss": policy_loss.item(), **metrics}
        if minibatch.masks is not None:
            map_loss = losses.map_loss(encoded.logits, minibatch.masks)
            report["map_loss"] = map_loss.item()
            policy_loss = policy_loss + self.settings.map_weight * map_loss
        self._move(policy_loss, critic_loss)
        return report

    def _policy_loss(self) -> PolicyLoss:
        """What moves the policy now: imitation alone, nothing until the critic has warmed up, or the method's loss."""
        if self.only_imitates:
            return imitate_oracle
        waits = self.method.critic is not None and self.method.critic.warms_up
        if waits and self.critic_updates < self.settings.warm_up:
            return imitate_oracle if self.method.imitates_until else keep_in_the_middle
        return self.method.policy_loss

    def check_finite(self) -> None:
        """Refuse to go on with networks that are no longer numbers."""
        for network in self.networks().values():
            check_finite(network.parameters())

    def _move(self, policy_loss: Tensor, critic_loss: Tensor | None) -> None:
        """A step of each optimiser, by gradients of its own loss."""
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
        self.critic_updates += critic_loss is not None
        self._follow()

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


def is_pretrained(name: str) -> bool:
    """Whether a tensor of that name belongs to an encoder that a training does not begin with."""
    return name.startswith(EYES)


def makes_map(name: str) -> bool:
    """Whether a tensor of a policy of that name helps to make an evidence map; all else is read from nodes."""
    return name.startswith("trunk.encoder.") and not name.startswith("trunk.encoder.features.")
