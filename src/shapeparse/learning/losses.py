"""One short pure function an equation. Returns are shares of a node's area, in [-1, 1].

``log_rule`` is log pi(rule | node), (nodes, 4); ``location`` is a split location, (nodes,) or an axis each (nodes, 2).
All losses are means over the nodes, to be minimised.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from ..grammar import Rule
from ..networks.critic import CriticOutput
from ..networks.policy import PolicyOutput
from .distributions import logit_normal_cut_log_probability, logit_normal_log_density
from .known import KnownWorth


def map_loss(logits: Tensor, masks: Tensor) -> Tensor:
    """Cross-entropy of an evidence map (images, height, width) and masks of any size, shrunk to it."""
    goal = F.interpolate(masks[:, None], size=logits.shape[1:], mode="area")[:, 0]
    return F.binary_cross_entropy_with_logits(logits, goal)


def imitation_loss(output: PolicyOutput, rule: Tensor, location: Tensor, split_weight: float = 1.0) -> Tensor:
    """Behaviour cloning and DAgger (supplement): cross-entropy of the oracle's rule, L2 of its split location.

    Only where the oracle splits does the location pull, and only on the axis that is split.
    """
    cross_entropy = -chosen(output.log_rule, rule)
    distance = (at_axis(output.location, rule) - location) ** 2
    return (cross_entropy + split_weight * is_split(rule) * distance).mean()


def action_log_density(output: PolicyOutput, rule: Tensor, location: Tensor) -> Tensor:
    """log pi(rule | node), plus the log density of the location where the rule splits."""
    density = logit_normal_log_density(
        location, at_axis(output.split_logit, rule), at_axis(output.split_log_sigma, rule)
    )
    return chosen(output.log_rule, rule) + torch.where(is_split(rule), density, torch.zeros_like(density))


def action_log_probability(output: PolicyOutput, rule: Tensor, cut: Tensor, extent: Tensor) -> Tensor:
    """log pi(rule | node), plus the log probability of the whole-pixel cut where the rule splits.

    What is done at a node is a cut, and many locations round to it. The density at one of them instead would bias the
    policy gradient: without bound in small nodes, where all that the location does is lost in rounding.
    """
    log_cut = logit_normal_cut_log_probability(
        cut, extent, at_axis(output.split_logit, rule), at_axis(output.split_log_sigma, rule)
    )
    return chosen(output.log_rule, rule) + torch.where(is_split(rule), log_cut, torch.zeros_like(log_cut))


def action_probability(output: PolicyOutput, rule: Tensor, cut: Tensor, extent: Tensor) -> Tensor:
    """Probability of a rule with its whole-pixel cut: what importance weights compare."""
    return action_log_probability(output, rule, cut, extent).exp()


def policy_gradient_loss(log_probability: Tensor, weight: Tensor) -> Tensor:
    """The likelihood-ratio gradient (Williams 1992; Sun et al. 2017): make more likely what did well."""
    return -(log_probability * weight.detach()).mean()


def leave_one_out(values: Tensor) -> Tensor:
    """Values of several actions drawn at each node, (actions, nodes), each minus the mean of the others there.

    The others say nothing of how likely this action was, so the gradient stays unbiased and loses most of its noise.
    """
    count = len(values)
    return (values - values.mean(dim=0)) * (count / (count - 1))


def importance_weight(probability: Tensor, behaviour: Tensor, most: float) -> Tensor:
    """pi / b, truncated at ``most``: weights for actions that another policy chose."""
    return (probability.detach() / behaviour.clamp(min=1e-8)).clamp(max=most)


def critic_loss(value: Tensor, returns: Tensor, weight: Tensor | None = None) -> Tensor:
    """Eq. 6: the squared distance of Q(s, a) to the return."""
    squared = (value - returns.detach()) ** 2
    return (squared if weight is None else weight * squared).mean()


def mixed_policy_loss(output: PolicyOutput, critic: CriticOutput, price: float = 0.0) -> Tensor:
    """Eq. 8, the mixed stochastic-deterministic policy gradient, with the expectation over rules taken exactly.

    minus sum over r of pi(r | s) Q(s, r, mu(s)): its gradient is the sum of pi grad log pi Q, for the rules, and
    pi grad_l Q grad mu, for the split location. ``critic`` must be detached, so that only the policy is moved.
    ``price`` is what a split costs, as a share of the node's area.
    """
    values = critic.values(output.location)
    toll = price * (torch.arange(len(Rule), device=values.device) < Rule.PAINT)
    return -(output.log_rule.exp() * (values - toll)).sum(dim=1).mean()


def stored_policy_loss(output: PolicyOutput, critic: CriticOutput, rule: Tensor, weighed: bool = True) -> Tensor:
    """Eq. 8 at the stored rule r, as Algorithm 1 has it: the rule was the oracle's or the learner's.

    minus log pi(r | s) Q(s, r, mu(s)), where Q counts as a number, and minus Q(s, r, l) at l = mu(s), where it moves
    the split location. ``critic`` must be detached. Not ``weighed``, the first Q is 1: imitation of whoever acted.
    """
    value = chosen(critic.values(output.location), rule)
    weight = value.detach() if weighed else torch.ones_like(value)
    return -(chosen(output.log_rule, rule) * weight + is_split(rule) * value).mean()


def place_loss(output: PolicyOutput, rule: Tensor, location: Tensor) -> Tensor:
    """(nodes,): cross-entropy of the two places beside a location, each as much as it is near; 0 for labels."""
    assert output.log_place is not None
    positions = output.log_place.shape[2]
    axis = torch.where(is_split(rule), rule, torch.zeros_like(rule))
    along = output.log_place[torch.arange(len(rule), device=rule.device), axis]
    at = (location * positions - 0.5).clamp(0, positions - 1)
    low = at.floor().clamp(max=positions - 2).long()
    share = at - low
    left, right = (along.gather(1, (low + step)[:, None]).squeeze(1) for step in (0, 1))
    return -(is_split(rule) * ((1 - share) * left + share * right))


def expected_worth(output: PolicyOutput, worth: KnownWorth) -> Tensor:
    """(nodes,): Q* expected of a policy that draws its rule, and the place of a split from a distribution of its own.

    AggreVaTe's objective (Eq. 2) at a node, summed over all actions: nothing is drawn.
    """
    assert output.log_place is not None
    splits = (output.log_place.exp() * worth.at_places(output.log_place.shape[2])).sum(dim=2)
    return (output.log_rule.exp() * torch.cat([splits, worth.label_values()], dim=1)).sum(dim=1)


def entropy(output: PolicyOutput) -> Tensor:
    """Mean entropy of the rule distribution."""
    probability = output.log_rule.exp()
    return -(probability * output.log_rule.clamp(min=-50)).sum(dim=1).mean()


def off_centre(output: PolicyOutput) -> Tensor:
    """Mean squared logit of the split locations: how far they are from the middle."""
    return output.split_logit.square().mean()


def expected_value(output: PolicyOutput, critic: CriticOutput) -> Tensor:
    """(nodes,): sum over r of pi(r | s) Q(s, r, mu(s)), the value of the policy's own action."""
    return (output.log_rule.exp() * critic.values(output.location)).sum(dim=1)


def tree_backup(child_value: Tensor, child_area: Tensor) -> Tensor:
    """DDPG's target at a split, from the (nodes, 2) values and areas of its children.

    A node's return is the sum of its children's, so area Q(N, a) = sum over children c of area(c) V(c).
    """
    return (child_value * child_area).sum(dim=1) / child_area.sum(dim=1)


def chosen(table: Tensor, rule: Tensor) -> Tensor:
    """The entry of each row's rule."""
    return table.gather(1, rule[:, None]).squeeze(1)


def at_axis(pair: Tensor, rule: Tensor) -> Tensor:
    """The entry of the axis that each row's rule splits (axis 0 where it does not)."""
    return pair.gather(1, torch.where(is_split(rule), rule, torch.zeros_like(rule))[:, None]).squeeze(1)


def is_split(rule: Tensor) -> Tensor:
    """Which rules split."""
    return rule < Rule.PAINT
