"""Teachers that know whom they teach: two more ideas beyond the paper, as methods of one's own.

An oracle that sees the mask promises more than a learner can keep that sees pixels. ``drag-after-K`` gives DRAG a
cost-to-go in which the oracle acts for K levels below the action and the learner finishes from there: with 0 it is
DDPG's backup, with more levels than trees have it is AggreVaTe's (compare THOR, Sun et al. 2018).
``aggrevate-advised`` imitates the oracle where the learner can follow it, and lowers the expected cost where it cannot
(compare ADVISOR, Weihs et al. 2021).

shapeparse --import examples/learner_aware.py benchmark --methods drag-after-1 aggrevate-advised --out comparison
"""

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

import shapeparse
from shapeparse.grammar import Actions, Rule, split_children
from shapeparse.learning import losses
from shapeparse.learning.batch import Batch
from shapeparse.learning.critic_losses import CriticFit, CriticInput, CriticLoss, Judgement, learners_values
from shapeparse.learning.policy_losses import Loss, PolicyLoss, mixed_gradient


def learner_finishes(levels: int) -> CriticLoss:
    """A critic of the actions taken, when the oracle acts for some levels below them and the learner from there."""

    def after_some_levels(batch: Batch, given: CriticInput) -> Judgement:
        judged = given.critic(given.seen)
        goal = goals(batch, given, levels)
        return judged, losses.critic_loss(judged.value_of(*batch.taken), goal)

    return after_some_levels


def goals(batch: Batch, given: CriticInput, levels: int) -> Tensor:
    """(nodes,): the return of each action taken, as a share of its node's area."""
    assert batch.oracle is not None and batch.rewards is not None
    nodes, actions, owner = batch.nodes, batch.minibatch.transitions.actions, np.arange(len(batch.nodes))
    pixels = np.zeros(len(nodes))
    area = nodes.area
    for level in range(levels + 1):
        labels = batch.rewards.label_returns(nodes, actions.rule) * nodes.area
        np.add.at(pixels, owner, np.where(actions.rule < Rule.PAINT, 0, labels))
        split = np.flatnonzero(actions.rule < Rule.PAINT)
        nodes = split_children(nodes.take(split), Actions(actions.rule[split], actions.cut[split]))
        owner = owner[split].repeat(2)
        if len(nodes) == 0:
            break
        if level < levels:
            actions = batch.oracle(nodes)
    if len(nodes):
        values = learners_values(batch, given, nodes).double().cpu().numpy()
        np.add.at(pixels, owner, values * nodes.area)
    return torch.from_numpy((pixels / area).astype(np.float32)).to(batch.device)


def imitate_where_it_can(sharpness: float) -> PolicyLoss:
    """Imitation of rule and place, weighed by how likely the learner's own rule is the oracle's; where it is not, the
    exact expected cost of all cuts counts instead."""

    def advised(batch: Batch) -> Loss:
        rule, location = batch.advice
        unlikely = -losses.chosen(batch.output.log_rule, rule)
        follows = torch.exp(-sharpness * unlikely.detach())
        imitation = unlikely + losses.place_loss(batch.output, rule, location)
        worth = losses.expected_worth(batch.output, batch.worth)
        return (follows * imitation - (1 - follows) * worth).mean(), {"follows": follows.mean().item()}

    return advised


for levels in (0, 1, 3):
    shapeparse.register_method(
        f"drag-after-{levels}",
        replace(
            shapeparse.METHODS["drag-anchored"],
            title=f"DRAG, learner after {levels}",
            policy_loss=mixed_gradient(anchor=1),
            critic=CriticFit(learner_finishes(levels), location_noise=True, targets=True),
        ),
    )
shapeparse.register_method(
    "aggrevate-advised",
    replace(
        shapeparse.METHODS["aggrevate-exact"], title="AggreVaTe, advised", policy_loss=imitate_where_it_can(sharpness=2)
    ),
)
