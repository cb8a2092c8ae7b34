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


def stored_by_return(batch: Batch) -> Loss:
    """AggreVaTeD (Eq. 2): the stored actions, weighed by the oracle's returns G_t of them."""
    return _stored_actions(batch, batch.returns), {}


def stored_by_critic(batch: Batch) -> Loss:
    """AC-AggreVaTeD: the same, weighed by what the critic says of them."""
    return _stored_actions(batch, batch.q.value_of(*batch.taken)), {}


def fresh_by_return(batch: Batch) -> Loss:
    """AggreVaTeD in expectation: actions drawn anew at remembered nodes, weighed by their exact cost-to-go."""
    return _explored(_fresh_actions(batch, by_critic=False), batch), {}


def fresh_by_critic(batch: Batch) -> Loss:
    """AC-AggreVaTeD in expectation: the same, weighed by what the critic says of them."""
    return _explored(_fresh_actions(batch, by_critic=True), batch), {}


def stored_gradient(weighed: bool = True) -> PolicyLoss:
    """DRAG as published (Eq. 8 in Algorithm 1): the stored rule, weighed by the critic; its split ascends the critic.

    Not ``weighed``, it is the control: the same with 1 in the place of the weight.
    """

    def at_stored_rule(batch: Batch) -> Loss:
        return losses.stored_policy_loss(batch.output, batch.q, batch.taken[0], weighed), {}

    return at_stored_rule


def keep_in_the_middle(batch: Batch) -> Loss:
    """What a policy does while its critic warms up: split in the middle, where the critic then knows the slope."""
    return batch.settings.centring * losses.off_centre(batch.output), {}


def mixed_gradient(price: float = 0.0, anchor: float = 0.0) -> PolicyLoss:
    """Eq. 8 in expectation over the rules: ascend the critic, in the rules' probabilities and in the split locations.

    Args:
        price: what a split costs, as a share of the node's area.
        anchor: weight of the imitation loss kept beside it. It keeps rules from being settled too early by itself, so
            there is no entropy then.
    """

    def ascend_critic(batch: Batch) -> Loss:
        loss = losses.mixed_policy_loss(batch.output, batch.q, price)
        if anchor:
            return loss + anchor * imitate_oracle(batch)[0], {}
        return _explored(loss, batch), {}

    return ascend_critic


def imitate_place(batch: Batch) -> Loss:
    """The oracle's rule, and the place of its cut, for policies that have a distribution over places."""
    rule, location = batch.advice
    cross_entropy = -losses.chosen(batch.output.log_rule, rule)
    return (cross_entropy + losses.place_loss(batch.output, rule, location)).mean(), {}


def exact_gradient(anchor: float = 0.0) -> PolicyLoss:
    """DRAG without a critic (Eq. 5 and 8): ascend Q* itself, the slope of the oracle's table at mu.

    ``anchor`` is the weight of the imitation loss beside it; without it, entropy keeps rules from being settled early.
    """

    def ascend_table(batch: Batch) -> Loss:
        loss = losses.mixed_policy_loss(batch.output, batch.worth)
        return (loss + anchor * imitate_oracle(batch)[0] if anchor else _explored(loss, batch)), {}

    return ascend_table


def exact_regret(anchor: float) -> PolicyLoss:
    """AggreVaTe without sampling: the expected cost of a distribution over all cuts, with imitation as its anchor."""

    def lower_regret(batch: Batch) -> Loss:
        return anchor * imitate_place(batch)[0] - losses.expected_worth(batch.output, batch.worth).mean(), {}

    return lower_regret


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
