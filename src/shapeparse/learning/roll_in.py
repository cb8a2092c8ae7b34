"""Who acts, which nodes are kept, and what return they get: the columns of the table of methods that need no network's
gradient (Algorithm 1, lines 3 to 8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..grammar import Actions, Forest, Nodes
from ..grammar.tree import depth_first_order
from ..networks.devices import as_tensor
from ..networks.policy import PolicyOutput
from ..oracle.rewards import Rewards
from ..oracle.teachers import Teacher
from .batch import cut_tensors
from .divergence import check_output
from .draws import draw_actions
from .losses import action_probability
from .settings import ExplorationSettings

Behaviour: TypeAlias = npt.NDArray[np.float32]
"""Probability with which the acting policy chose each action; 1 where nobody asks."""


@dataclass(frozen=True)
class Seat:
    """What whoever acts at some nodes may know."""

    nodes: Nodes
    advice: Actions | None
    """The oracle's actions there; None if the method's setting has no oracle."""
    ask: Callable[[Nodes], PolicyOutput]
    """The policy as it is."""
    beta: float
    stochastic: bool
    """Whether split locations are drawn from the logit-normal."""
    location_noise: bool
    """Whether deterministic split locations are taken with noise."""
    on_policy: bool
    exploration: ExplorationSettings
    rng: np.random.Generator


Acts: TypeAlias = Callable[[Seat], tuple[Actions, Behaviour]]


def oracle(seat: Seat) -> tuple[Actions, Behaviour]:
    """The oracle acts."""
    assert seat.advice is not None
    return seat.advice, np.ones(len(seat.nodes), np.float32)


def learner(seat: Seat) -> tuple[Actions, Behaviour]:
    """The learner acts, and explores."""
    return mixture(replace(seat, advice=None, beta=0.0))


def mixture(seat: Seat) -> tuple[Actions, Behaviour]:
    """pi_i = beta pi* + (1 - beta) pi_theta: at each node the oracle with probability beta, else the learner."""
    nodes, advice, beta = seat.nodes, seat.advice, seat.beta
    output = seat.ask(nodes)
    check_output(output)
    rules = _rule_probability(seat, output)
    spread = None if seat.stochastic else seat.exploration.location_noise if seat.location_noise else 0.0
    actions = draw_actions(nodes, output, rules, spread, seat.rng)
    follows = seat.rng.random(len(nodes)) < beta
    if advice is not None:
        actions = Actions(np.where(follows, advice.rule, actions.rule), np.where(follows, advice.cut, actions.cut))
    if not seat.stochastic:
        return actions, np.ones(len(nodes), np.float32)  # no importance weights without a density
    device = output.log_rule.device
    acting = replace(output, log_rule=as_tensor(rules, device).log().float())  # what the learner's were drawn from
    behaviour = (1 - beta) * action_probability(acting, *cut_tensors(nodes, actions, device)).cpu().numpy()
    if advice is not None:
        behaviour += beta * ((actions.rule == advice.rule) & (actions.cut == advice.cut))
    return actions, behaviour.astype(np.float32)


def _rule_probability(seat: Seat, output: PolicyOutput) -> npt.NDArray[np.float64]:
    """(nodes, 4): the learner's rules, mixed with random ones unless the method is on-policy."""
    probability: npt.NDArray[np.float64] = output.log_rule.exp().double().cpu().numpy()
    if seat.on_policy:
        return probability
    valid = probability > 0
    uniform = valid / valid.sum(axis=1, keepdims=True)
    return probability + seat.exploration.random_rule * (uniform - probability)


# ---- which nodes are kept ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Keeps:
    """Which nodes of a rollout's trees are learned from."""

    choose: Callable[[Forest, npt.NDArray[np.integer] | None, bool, np.random.Generator], npt.NDArray[np.int64]]
    """Given the trees, the switching depth of each (None if the switch counts steps), and whether what is below it is
    kept too."""
    switches: bool
    """Whether the oracle takes over at a random switch t (Algorithm 1, lines 5 and 6)."""


def _all(
    forest: Forest, switch: npt.NDArray[np.integer] | None, below: bool, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    return np.arange(len(forest))


def _at_switch(
    forest: Forest, switch: npt.NDArray[np.integer] | None, below: bool, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    if switch is not None:
        beyond = forest.nodes.depth - switch[forest.nodes.image]
        return np.flatnonzero(beyond >= 0 if below else beyond == 0)
    order = depth_first_order(forest.parent)
    counts = np.bincount(forest.nodes.image, minlength=len(forest.sizes))
    return order[np.cumsum(counts) - counts + rng.integers(0, counts)]


every_node = Keeps(_all, switches=False)
at_switch = Keeps(_at_switch, switches=True)

# ---- what return they get ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parsed:
    """The trees of a rollout, their nodes named by scene, and those of them that are kept."""

    forest: Forest
    kept: npt.NDArray[np.int64]
    oracle: Teacher | None
    rewards: Rewards

    @property
    def nodes(self) -> Nodes:
        """The kept nodes."""
        return self.forest.nodes.take(self.kept)

    @property
    def actions(self) -> Actions:
        """What was done there."""
        return Actions(self.forest.rule[self.kept], self.forest.cut[self.kept])


Returns: TypeAlias = Callable[[Parsed], npt.NDArray[np.float64]]
"""G of the kept nodes, as a share of the area it is counted over."""


def of_tree(parsed: Parsed) -> npt.NDArray[np.float64]:
    """Eq. 1: the return of the node's own subtree as it was parsed."""
    return _own_returns(parsed)[parsed.kept]


def of_root(parsed: Parsed) -> npt.NDArray[np.float64]:
    """The return of the whole image, credited to each of its nodes."""
    nodes, roots = parsed.forest.nodes, np.flatnonzero(parsed.forest.parent < 0)
    root_of = np.zeros(int(nodes.image.max(initial=0)) + 1, np.int64)
    root_of[nodes.image[roots]] = roots
    return _own_returns(parsed)[root_of[nodes.image[parsed.kept]]]


def of_oracle(parsed: Parsed) -> npt.NDArray[np.float64]:
    """G_t: of the action taken, with the oracle finishing (its cost-to-go, looked up rather than acted out)."""
    assert parsed.oracle is not None
    return parsed.oracle.cost_to_go(parsed.nodes, parsed.actions) / parsed.nodes.area


def _own_returns(parsed: Parsed) -> npt.NDArray[np.float64]:
    return parsed.rewards.returns(parsed.forest).astype(np.float64) / parsed.forest.nodes.area
