"""What losses are given: a minibatch of nodes, what was done there, and what policy and critic say of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..grammar import Actions, Limits, Nodes, location_from_cut
from ..networks.critic import CriticOutput
from ..networks.devices import as_tensor
from ..networks.policy import PolicyOutput
from ..networks.views import NodeView
from .known import KnownWorth
from .memory import Transitions
from .scenes import Scenes
from .settings import LearningSettings

if TYPE_CHECKING:
    from ..oracle.rewards import Rewards
    from ..oracle.teachers import Teacher


@dataclass(frozen=True)
class Minibatch:
    """Pixels of some scenes, and transitions at nodes of them (Algorithm 1, line 9)."""

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
        chosen: npt.NDArray[np.integer],
        pixels: Tensor,
        transitions: Transitions,
        scenes: Scenes,
        limits: Limits,
        masks: Tensor | None = None,
    ) -> Minibatch:
        """The minibatch of ``transitions`` at nodes of the ``chosen`` scenes, whose pixels come in the same order."""
        sizes = scenes.sizes[chosen]
        view = NodeView.of(in_batch(transitions.nodes, chosen), sizes, limits, pixels.device)
        return cls(pixels, chosen, sizes, view, transitions, masks)

    def children_view(self, children: Nodes, limits: Limits) -> NodeView:
        """The view of nodes below those of the minibatch."""
        return NodeView.of(in_batch(children, self.scenes), self.sizes, limits, self.view.device)


@dataclass(frozen=True)
class Batch:
    """One typed thing that every loss takes.

    What a method's setting forbids is None: RL methods get no oracle and no advice, IL methods no returns.
    """

    minibatch: Minibatch
    output: PolicyOutput
    """What the policy says now, with its history: a loss that depends on it moves the policy."""
    judged: CriticOutput | Tensor | None
    """What the critic says, without history: Q of actions, V of nodes, or nothing."""
    oracle: Teacher | None
    rewards: Rewards | None
    limits: Limits
    settings: LearningSettings
    exploring: float
    """Share of its first weight that the entropy still has."""
    rng: np.random.Generator

    @property
    def nodes(self) -> Nodes:
        """The nodes, named by scene."""
        return self.minibatch.transitions.nodes

    @property
    def device(self) -> torch.device:
        """Where the networks compute."""
        return self.output.log_rule.device

    @property
    def taken(self) -> tuple[Tensor, Tensor]:
        """Rule and location of the actions that were taken (r_t, l_t)."""
        return self.as_tensors(self.minibatch.transitions.actions)

    @property
    def advice(self) -> tuple[Tensor, Tensor]:
        """Rule and location of the oracle's actions at the same nodes."""
        return self.as_tensors(self.minibatch.transitions.advice)

    @property
    def returns(self) -> Tensor:
        """G_t of each node as a share of its area, from -1 to 1."""
        returns = self.minibatch.transitions.returns
        assert returns is not None, "this method's setting has no returns"
        return as_tensor(returns, self.device)

    @property
    def behaviour(self) -> Tensor:
        """Probability with which the acting policy chose the action taken."""
        behaviour = self.minibatch.transitions.behaviour
        assert behaviour is not None
        return as_tensor(behaviour, self.device)

    @property
    def q(self) -> CriticOutput:
        """What the critic says of actions."""
        assert isinstance(self.judged, CriticOutput), "this method's critic does not judge actions"
        return self.judged

    @property
    def baseline(self) -> Tensor:
        """What the critic says of the nodes themselves."""
        assert isinstance(self.judged, Tensor), "this method's critic is no baseline"
        return self.judged

    @property
    def worth(self) -> KnownWorth:
        """What every cut and label is worth, for methods that know."""
        kept = self.minibatch.transitions
        columns = (kept.worth_places, kept.worth_values, kept.worth_labels)
        return KnownWorth(*(as_tensor(column, self.device) for column in columns if column is not None))

    def cost_to_go(self, actions: Actions, nodes: Nodes | None = None) -> Tensor:
        """Q* of actions, as a share of the node's area."""
        assert self.oracle is not None, "this method's setting has no oracle"
        nodes = self.nodes if nodes is None else nodes
        return as_tensor((self.oracle.cost_to_go(nodes, actions) / nodes.area).astype(np.float32), self.device)

    def as_tensors(self, actions: Actions, nodes: Nodes | None = None) -> tuple[Tensor, Tensor]:
        """Rule and location of actions at the nodes."""
        location = locations(self.nodes if nodes is None else nodes, actions)
        return as_tensor(actions.rule.astype(np.int64), self.device), as_tensor(location, self.device)

    def cuts_of(self, actions: Actions) -> tuple[Tensor, Tensor, Tensor]:
        """Rule, cut and extent of actions at the nodes, as likelihoods take them."""
        return cut_tensors(self.nodes, actions, self.device)


def locations(nodes: Nodes, actions: Actions) -> npt.NDArray[np.float32]:
    """The location of each cut; 0.5 for assignments, where it counts for nothing."""
    location = location_from_cut(actions.cut, nodes.extent(actions.rule).clip(min=1))
    return np.where(actions.splits, location, 0.5).astype(np.float32)


def cut_tensors(nodes: Nodes, actions: Actions, device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """Rule, cut and extent as likelihoods take them."""
    extent = np.maximum(nodes.extent(actions.rule), 2)
    return (
        as_tensor(actions.rule.astype(np.int64), device),
        as_tensor(actions.cut.astype(np.float32), device),
        as_tensor(extent.astype(np.float32), device),
    )


def in_batch(nodes: Nodes, scenes: npt.NDArray[np.integer]) -> Nodes:
    """Nodes named by scene, named by their place among ``scenes`` instead."""
    place = np.full(int(scenes.max()) + 1, -1, np.int32)
    place[scenes] = np.arange(len(scenes))
    return Nodes(place[nodes.image], nodes.x, nodes.y, nodes.w, nodes.h, nodes.depth)
