"""The critic: Q(node, rule, l), the return a node is expected to get, as a share of its area, from -1 to 1."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..grammar import Rule
from .policy import Evidence, ProfileEncoder
from .presets import Preset
from .trunks import Features, Trunk
from .views import NodeView
from .ways import TRUNKS


class CriticOutput:
    """The critic at some nodes: ask it for the value of actions."""

    def split_value(self, location: Tensor) -> Tensor:
        """(nodes, 2): Q of a split at ``location`` (nodes, 2) for each axis, differentiable in the location."""
        raise NotImplementedError

    def label_values(self) -> Tensor:
        """(nodes, 2): Q of paint and of skip."""
        raise NotImplementedError

    def detach(self) -> CriticOutput:
        """The same values without their history: a policy that asks them does not move the critic."""
        raise NotImplementedError

    def values(self, location: Tensor) -> Tensor:
        """(nodes, 4): Q of every rule, the splits at ``location`` (nodes, 2)."""
        return torch.cat([self.split_value(location), self.label_values()], dim=1)

    def value_of(self, rule: Tensor, location: Tensor) -> Tensor:
        """(nodes,): Q of one action a node; ``location`` (nodes,) counts for splits only."""
        return self.values(location[:, None].expand(-1, 2)).gather(1, rule[:, None]).squeeze(1)


class Critic(nn.Module):
    """A head for Q, and one for V, the baseline of the methods that weigh returns.

    It has a trunk of its own, or reads the features of the policy's, ``shared``.
    """

    def __init__(self, preset: Preset, shared: Trunk | None = None) -> None:
        super().__init__()
        trunk = shared or TRUNKS[preset.trunk](preset)
        self.trunk = None if shared else trunk
        if trunk.profile_channels:
            self.head: nn.Module = ProfileHead(trunk)
        else:
            self.head = DenseHead(trunk.vector_size)
        self.baseline = nn.Linear(trunk.vector_size, 1)

    def look(self, pixels: Tensor, view: NodeView, policy: Features) -> Features:
        """The features it judges by, given those of the policy."""
        if self.trunk is None:
            return policy
        features: Features = self.trunk(self.trunk.encode(pixels), view)
        return features

    def forward(self, features: Features) -> CriticOutput:
        """Judge nodes by their features."""
        output: CriticOutput = self.head(features)
        return output

    def state_value(self, features: Features) -> Tensor:
        """(nodes,): V(node), the baseline."""
        value: Tensor = self.baseline(features.vector).squeeze(1)
        return value


@dataclass(frozen=True)
class ProfileOutput(CriticOutput):
    """Q of a split is read off a curve over places along the axis, interpolated linearly between them."""

    curve: Tensor
    """(nodes, 2, positions)."""
    paint: Tensor
    """(nodes,): Q of paint; Eq. 1 makes that of skip its negative."""

    def split_value(self, location: Tensor) -> Tensor:
        positions = self.curve.shape[2]
        place = (location * positions - 0.5).clamp(0, positions - 1)
        low = place.detach().floor().clamp(max=positions - 2).long()
        share = place - low
        left, right = (self.curve.gather(2, (low + step).unsqueeze(2)).squeeze(2) for step in (0, 1))
        return left * (1 - share) + right * share

    def label_values(self) -> Tensor:
        return torch.stack([self.paint, -self.paint], dim=1)

    def detach(self) -> ProfileOutput:
        return ProfileOutput(self.curve.detach(), self.paint.detach())


class ProfileHead(nn.Module):
    """For trunks that keep places: a value for every place along each axis."""

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        self.profile = ProfileEncoder(trunk)
        self.curve = nn.Linear(trunk.preset.hidden, 1)
        self.evidence = Evidence(trunk)

    def forward(self, features: Features) -> ProfileOutput:
        curve = torch.tanh(self.curve(self.profile(features)).view(len(features.vector), 2, -1))
        return ProfileOutput(curve, torch.tanh(self.evidence(features)))


@dataclass(frozen=True)
class DenseOutput(CriticOutput):
    """The authors' critic: features beside the location and the rule, through one small layer."""

    head: DenseHead
    seen: Tensor

    def split_value(self, location: Tensor) -> Tensor:
        rules = (Rule.SPLIT_X, Rule.SPLIT_Y)
        return torch.stack([self.head.q(self.seen, rule, location[:, axis]) for axis, rule in enumerate(rules)], dim=1)

    def label_values(self) -> Tensor:
        nowhere = torch.zeros(len(self.seen), device=self.seen.device)
        return torch.stack([self.head.q(self.seen, rule, nowhere) for rule in (Rule.PAINT, Rule.SKIP)], dim=1)

    def detach(self) -> DenseOutput:
        return DenseOutput(self.head, self.seen.detach())


class DenseHead(nn.Module):
    """Dense 40, then l and the rule as one-hot beside it, dense 50 with tanh, Q."""

    def __init__(self, vector_size: int) -> None:
        super().__init__()
        self.narrow = nn.Sequential(nn.Linear(vector_size, 40), nn.ReLU())
        self.hidden = nn.Sequential(nn.Linear(40 + 1 + len(Rule), 50), nn.Tanh())
        self.out = nn.Linear(50, 1)

    def forward(self, features: Features) -> DenseOutput:
        return DenseOutput(self, self.narrow(features.vector))

    def q(self, seen: Tensor, rule: Rule, location: Tensor) -> Tensor:
        """Q of one rule at every node."""
        one_hot = torch.zeros(len(seen), len(Rule), device=seen.device)
        one_hot[:, rule] = 1
        value: Tensor = self.out(self.hidden(torch.cat([seen, location[:, None], one_hot], dim=1))).squeeze(1)
        return value
