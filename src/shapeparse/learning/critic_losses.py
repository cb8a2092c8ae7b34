"""How each method's critic is fitted: what stands in the column *critic* of the table of methods.

A critic loss takes a ``Batch``, whose policy output has no history, and what the critic sees of its nodes; it answers
with what the critic says, which the policy loss may ask, and the loss that moves the critic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor

from ..grammar import Actions, Nodes, Rule, split_children, valid_rules
from ..networks.critic import Critic, CriticOutput
from ..networks.devices import as_tensor
from ..networks.policy import Policy
from ..networks.trunks import Features
from . import losses
from .batch import Batch, locations


@dataclass(frozen=True)
class CriticInput:
    """The critic, what it sees of the batch's nodes, and the slow copies of policy and critic if there are any."""

    critic: Critic
    seen: Features
    targets: tuple[Policy, Critic] | None = None


Judgement: TypeAlias = tuple[CriticOutput | Tensor, Tensor]
"""What the critic says, with its history, and its loss."""
CriticLoss: TypeAlias = Callable[[Batch, CriticInput], Judgement]


@dataclass(frozen=True)
class CriticFit:
    """How a critic is fitted, and what that needs."""

    loss: CriticLoss
    trunk: Literal["own", "shared"] = "own"
    """Whether the critic looks at the image itself or reads the policy's features, which both then shape."""
    location_noise: bool = False
    """Whether deterministic split locations are taken with noise, because it learns only from the actions taken."""
    warms_up: bool = True
    """Whether the policy waits until it has learned for a while, because it follows what the critic says of actions."""
    targets: bool = False
    """Whether slow copies of policy and critic are kept for it (Lillicrap et al. 2015)."""


def baseline(batch: Batch, given: CriticInput) -> Judgement:
    """V(s): the return to expect of a node, which REINFORCE compares with."""
    value = given.critic.state_value(given.seen)
    return value, losses.critic_loss(value, batch.returns)


def action_taken(batch: Batch, given: CriticInput) -> Judgement:
    """Eq. 6: Q(s, a) of the action that was taken, towards its return G_t with the oracle finishing."""
    judged = given.critic(given.seen)
    return judged, losses.critic_loss(judged.value_of(*batch.taken), batch.returns)


def tree_backup(batch: Batch, given: CriticInput) -> Judgement:
    """DDPG: towards the reward of a label, or the children's values by the target networks."""
    judged = given.critic(given.seen)
    return judged, losses.critic_loss(judged.value_of(*batch.taken), _bootstrapped(batch, given))


def many_actions(batch: Batch, given: CriticInput) -> Judgement:
    """Eq. 6 with the exact cost-to-go of several actions per node: labels, the policy's and oracle's cuts, more."""
    judged = given.critic(given.seen)
    nodes = batch.nodes
    goal = batch.cost_to_go(Actions(np.full(len(nodes), Rule.PAINT, np.int8), np.zeros(len(nodes), np.int32)))
    loss = losses.critic_loss(judged.label_values(), torch.stack([goal, -goal], dim=1))
    offered, counted = _offered_locations(batch)
    place = np.nonzero(counted)
    if len(place[0]):
        some = nodes.take(place[1])
        actions = Actions.at_locations(some, place[2], offered[place])
        offered[place] = locations(some, actions)
        goal = batch.cost_to_go(actions, some)
        values = torch.stack([judged.split_value(as_tensor(at.astype(np.float32), batch.device)) for at in offered])
        loss = loss + losses.critic_loss(values[place], goal)
    return judged, loss


def _offered_locations(batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    """(actions, nodes, axes): split locations to ask the oracle about, and which of them are valid splits."""
    nodes, advice = batch.nodes, batch.minibatch.transitions.advice
    own = batch.output.location.double().cpu().numpy()
    near = np.clip(own + 0.1 * batch.rng.standard_normal(own.shape), 0.01, 0.99)
    advised = locations(nodes, advice).astype(np.float64)[:, None].repeat(2, 1)
    spread = batch.rng.random((batch.settings.dense_actions, *own.shape))
    offered = np.concatenate([[own, near, advised], spread])
    counted = np.tile(valid_rules(nodes, batch.limits)[:, : Rule.PAINT], (len(offered), 1, 1))
    counted[2] &= advice.rule[:, None] == np.arange(2)
    return offered, counted


@torch.no_grad()
def learners_values(batch: Batch, given: CriticInput, children: Nodes) -> Tensor:
    """(children,): what the slow copies of policy and critic expect of nodes below the batch's if the learner acts."""
    assert given.targets is not None
    policy, critic = given.targets
    pixels, view = batch.minibatch.pixels, batch.minibatch.children_view(children, batch.limits)
    features = policy.trunk(policy.encode(pixels), view)
    judged = critic(critic.look(pixels, view, features))
    return losses.expected_value(policy.decide(features, view.valid), judged)


def _bootstrapped(batch: Batch, given: CriticInput) -> Tensor:
    """(nodes,): the reward of labels; of splits, what the target networks expect of both children."""
    assert batch.rewards is not None
    kept, nodes = batch.minibatch.transitions, batch.nodes
    goal = as_tensor(batch.rewards.label_returns(nodes, kept.rule), batch.device)
    split = np.flatnonzero(kept.rule < Rule.PAINT)
    if len(split) == 0:
        return goal
    children = split_children(nodes.take(split), Actions(kept.rule[split], kept.cut[split]))
    value = learners_values(batch, given, children)
    area = as_tensor(children.area.astype(np.float32), batch.device)
    goal[as_tensor(split, batch.device)] = losses.tree_backup(value.view(-1, 2), area.view(-1, 2))
    return goal
