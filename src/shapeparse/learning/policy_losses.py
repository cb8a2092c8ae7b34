"""The loss that moves each method's policy: what stands in the column *policy loss* of the table of methods.

A policy loss takes one ``Batch`` and answers with a tensor to be minimised and metrics by name, which become columns of
``metrics.csv``. The equations themselves are in ``losses.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import torch
from torch import Tensor

from . import losses
from .batch import Batch
from .draws import draw_actions

Loss: TypeAlias = tuple[Tensor, dict[str, float]]
PolicyLoss: TypeAlias = Callable[[Batch], Loss]


def imitate_oracle(batch: Batch) -> Loss:
    """Behaviour cloning and DAgger: the oracle's action at every node, whoever acted there."""
    return losses.imitation_loss(batch.output, *batch.advice, batch.settings.split_weight), {}


def imitate_taken(batch: Batch) -> Loss:
    """The action that was taken, whoever took it: what the authors' DAgger did by default."""
    return losses.imitation_loss(batch.output, *batch.taken, batch.settings.split_weight), {}


def reinforce(batch: Batch) -> Loss:
    """MCPG: how much better the action taken did than the baseline expected (Williams 1992)."""
    return _explored(_stored_actions(batch, batch.returns - batch.baseline), batch), {}


def off_policy_returns(batch: Batch) -> Loss:
    """Off-MCPG: the same for actions of the mixture, with truncated importance weights."""
    advantage = batch.returns - batch.baseline
    return _explored(_stored_actions(batch, _importance(batch) * advantage), batch), {}


def off_policy_critic(batch: Batch) -> Loss:
    """Off-ACPG: the critic says how much better an action of the mixture is than the policy's own."""
    now = batch.output.detach()
    advantage = batch.q.value_of(*batch.taken) - losses.expected_value(now, batch.q)
    return _explored(_stored_actions(batch, _importance(batch) * advantage), batch), {}


def aggrevated(batch: Batch) -> Loss:
    """AggreVaTeD (Eq. 2): actions drawn anew at remembered nodes, weighed by their exact cost-to-go."""
    return _explored(_fresh_actions(batch, by_critic=False), batch), {}


def ac_aggrevated(batch: Batch) -> Loss:
    """AC-AggreVaTeD: the same, weighed by what the critic says of them."""
    return _centred(_explored(_fresh_actions(batch, by_critic=True), batch), batch), {}


def mixed_gradient(price: float = 0.0, anchor: float = 0.0) -> PolicyLoss:
    """DRAG and DDPG (Eq. 8): ascend the critic, in the rules' probabilities and in the split locations.

    Args:
        price: what a split costs, as a share of the node's area.
        anchor: weight of the imitation loss kept beside it. It keeps rules from being settled too early by itself, so
            there is no entropy and no pull to the middle then.
    """

    def ascend_critic(batch: Batch) -> Loss:
        loss = losses.mixed_policy_loss(batch.output, batch.q, price)
        if anchor:
            return loss + anchor * imitate_oracle(batch)[0], {}
        return _centred(_explored(loss, batch), batch), {}

    return ascend_critic


def _stored_actions(batch: Batch, weight: Tensor) -> Tensor:
    cuts = batch.cuts_of(batch.minibatch.transitions.actions)
    return losses.policy_gradient_loss(losses.action_log_probability(batch.output, *cuts), weight)


def _importance(batch: Batch) -> Tensor:
    """pi / b of the stored actions, truncated."""
    cuts = batch.cuts_of(batch.minibatch.transitions.actions)
    probability = losses.action_probability(batch.output.detach(), *cuts)
    return losses.importance_weight(probability, batch.behaviour, batch.settings.most_importance)


def _fresh_actions(batch: Batch, by_critic: bool) -> Tensor:
    """Actions drawn from the policy as it is now; each one's baseline is the mean of the others at its node."""
    now = batch.output.detach()
    probability = now.log_rule.exp().double().cpu().numpy()
    drawn = [draw_actions(batch.nodes, now, probability, None, batch.rng) for _ in range(batch.settings.fresh_actions)]
    if by_critic:
        values = [batch.q.value_of(*batch.as_tensors(actions)) for actions in drawn]
    else:
        values = [batch.cost_to_go(actions) for actions in drawn]
    weights = losses.leave_one_out(torch.stack(values))
    log_probability = [losses.action_log_probability(batch.output, *batch.cuts_of(actions)) for actions in drawn]
    return losses.policy_gradient_loss(torch.stack(log_probability), weights)


def _explored(loss: Tensor, batch: Batch) -> Tensor:
    """Rules are kept from being settled before values are known."""
    return loss - batch.exploring * batch.settings.entropy * losses.entropy(batch.output)


def _centred(loss: Tensor, batch: Batch) -> Tensor:
    """Split locations are kept from running to an edge before the critic knows better."""
    return loss + batch.exploring * batch.settings.centring * losses.off_centre(batch.output)
