"""The policy: pi(rule | node), and for each axis a split location mu, or a logit-normal distribution around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .precision import Convolving
from .presets import Preset
from .trunks import Features, Trunk
from .views import NodeView
from .ways import TRUNKS

IMPOSSIBLE = -1e9
"""Logit of a rule that is not valid: its probability is exactly 0, and no row is all impossible."""


@dataclass(frozen=True)
class PolicyOutput:
    """What the policy says of some nodes."""

    log_rule: Tensor
    """(nodes, 4): log pi(rule | node), over the valid rules."""
    split_logit: Tensor
    """(nodes, 2): logit of the split location for each axis; its logistic is mu."""
    split_log_sigma: Tensor
    """(nodes, 2): log standard deviation of the logit-normal, used by stochastic policies only."""
    log_place: Tensor | None = None
    """(nodes, 2, positions): log probability of each place along the axis, for trunks that keep places."""

    @property
    def location(self) -> Tensor:
        """(nodes, 2): mu(node) for each axis, inside (0, 1)."""
        return torch.sigmoid(self.split_logit)

    def detach(self) -> PolicyOutput:
        """The same numbers without their history."""
        place = None if self.log_place is None else self.log_place.detach()
        return PolicyOutput(self.log_rule.detach(), self.split_logit.detach(), self.split_log_sigma.detach(), place)


class Policy(nn.Module):
    """A trunk with a head for the rule and one for the split."""

    def __init__(self, preset: Preset) -> None:
        super().__init__()
        self.trunk = TRUNKS[preset.trunk](preset)
        if self.trunk.profile_channels:
            self.split: nn.Module = ProfileSplit(self.trunk)
            seen = self.trunk.vector_size + 2 * preset.hidden
        else:
            self.split = DenseSplit(self.trunk.vector_size)
            seen = self.trunk.vector_size
        self.evidence = Evidence(self.trunk)
        self.rule = nn.Linear(seen, 3)  # split-x, split-y, stop
        nn.init.zeros_(self.rule.weight)
        nn.init.zeros_(self.rule.bias)

    def encode(self, images: Tensor) -> Any:
        """Look at images, (images, 3, side, side) with values from 0 to 1."""
        return self.trunk.encode(images)

    def evidence_map(self, images: Tensor) -> Tensor:
        """(images, side / 2, side / 2): logits of paint, for those who need no nodes."""
        return self.trunk.evidence_map(images)

    def forward(self, encoded: Any, view: NodeView) -> PolicyOutput:
        """Decide for nodes of encoded images."""
        return self.decide(self.trunk(encoded, view), view.valid)

    def decide(self, features: Features, valid: Tensor) -> PolicyOutput:
        """Decide for nodes whose features and valid rules are known."""
        logit, log_sigma, summary, log_place = self.split(features)
        split_x, split_y, stop = self.rule(torch.cat([features.vector, summary], dim=1)).unbind(dim=1)
        paint = self.evidence(features)
        scores = torch.stack([split_x, split_y, stop + paint, stop - paint], dim=1)
        log_rule = torch.log_softmax(scores.masked_fill(~valid, IMPOSSIBLE), dim=1)
        return PolicyOutput(log_rule, logit, log_sigma, log_place)


class Evidence(nn.Module):
    """How much a node looks like paint, which alone decides between the two labels.

    It is linear in the mean of the node's features, where the trunk has one, so it is a mean over the node's places:
    what is learned from rectangles of one label holds for mixed ones too, and for other rectangles than were seen.
    """

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        self.weight = nn.Linear(trunk.mean_channels or trunk.vector_size, 1)
        nn.init.zeros_(self.weight.weight)
        nn.init.zeros_(self.weight.bias)

    def forward(self, features: Features) -> Tensor:
        evidence: Tensor = self.weight(features.vector if features.mean is None else features.mean).squeeze(1)
        return evidence


class DenseSplit(nn.Module):
    """The authors' split head: 100 tanh units, then the logit of the location; one output an axis."""

    def __init__(self, vector_size: int) -> None:
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(vector_size, 100), nn.Tanh())
        self.out = nn.Linear(100, 4)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, features: Features) -> tuple[Tensor, Tensor, Tensor, None]:
        logit, log_sigma = self.out(self.hidden(features.vector)).split(2, dim=1)
        return logit, bounded_log_sigma(log_sigma), features.vector[:, :0], None


TRUST = 10.0
"""How much more likely, as a logit, the place of greatest gain by the evidence map is at first than one of no gain."""
NO_GAIN = 1e-4
"""Less than this, in nats a pixel, is no gain worth following."""


class ProfileSplit(nn.Module):
    """Scores places along each axis; the location is their mean, so it can follow an edge wherever it lies, or the most
    likely of them with its neighbours, as the preset has it."""

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        hidden = trunk.preset.hidden
        self.profile, self.mode = ProfileEncoder(trunk), trunk.preset.location == "mode"
        self.score = nn.Linear(hidden, 1)
        self.trust = nn.Parameter(torch.tensor(TRUST)) if trunk.sees_gain else None
        self.log_sigma = nn.Linear(hidden, 1)
        nn.init.zeros_(self.log_sigma.weight)
        nn.init.zeros_(self.log_sigma.bias)

    def forward(self, features: Features) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        seen = self.profile(features)  # (nodes * 2, positions, hidden)
        score = self.score(seen).squeeze(2)
        if self.trust is not None and features.gain is not None:
            gain = features.gain.flatten(0, 1)
            score = score + self.trust * gain / gain.amax(dim=1, keepdim=True).clamp(min=NO_GAIN)
        weight = torch.softmax(score, dim=1)
        positions = weight.shape[1]
        if self.mode:
            away = torch.arange(positions, device=weight.device) - weight.argmax(dim=1, keepdim=True)
            near = weight * (away.abs() <= 1)
            weight = near / near.sum(dim=1, keepdim=True)
        place = (torch.arange(positions, device=weight.device) + 0.5) / positions
        location = (weight * place).sum(dim=1).view(-1, 2)
        summary = seen.amax(dim=1)
        log_sigma = self.log_sigma(summary).view(-1, 2)
        log_place = torch.log_softmax(score, dim=1).view(-1, 2, positions)
        return torch.logit(location), bounded_log_sigma(log_sigma), summary.view(-1, 2 * summary.shape[1]), log_place


class ProfileEncoder(Convolving):
    """Convolutions along an axis, told what the rest of the node looks like; both axes share them."""

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        hidden = trunk.preset.hidden
        self.axis = nn.Parameter(torch.zeros(2, hidden))
        self.context = nn.Linear(trunk.vector_size, hidden)
        self.first = nn.Linear(trunk.profile_channels, hidden)
        self.second = nn.Conv1d(hidden, hidden, 5, padding=2)
        self.third = nn.Conv1d(hidden, hidden, 5, padding=4, dilation=2)

    def forward(self, features: Features) -> Tensor:
        """(nodes * 2, positions, hidden)."""
        assert features.profiles is not None
        context = (self.context(features.vector)[:, None, :] + self.axis).flatten(0, 1)
        with self.convolving(context.device):
            x = torch.relu(self.first(features.profiles.flatten(0, 1)) + context[:, None, :])
            x = x + torch.relu(along(self.second, x))
            x = x + torch.relu(along(self.third, x))
        return x.float()


def along(convolution: nn.Conv1d, x: Tensor) -> Tensor:
    """A convolution along the middle axis of (rows, positions, channels).

    As one of images of a single row, because PyTorch can take these as they lie in memory.
    """
    image = x.transpose(1, 2).unsqueeze(2)
    padding, dilation = (0, int(convolution.padding[0])), (1, convolution.dilation[0])
    found = F.conv2d(image, convolution.weight.unsqueeze(2), convolution.bias, 1, padding, dilation)
    return found.squeeze(2).transpose(1, 2)


def bounded_log_sigma(raw: Tensor) -> Tensor:
    """Between log 0.05 and log 1.5, starting at about 0.5: wide enough to explore, narrow enough to learn."""
    low, high = -3.0, 0.4
    return low + (high - low) * torch.sigmoid(raw + 1.0)
