"""The paper's Table 2 as code: each method is a row of functions. They share network, rollout, memory and trainer.

What a setting forbids is never handed out: RL methods get no oracle, IL methods no returns (see ``rollout.py``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from .critic_losses import CriticFit, action_taken, baseline, many_actions, tree_backup
from .names import REGISTERED, check_method_name
from .policy_losses import (
    PolicyLoss,
    exact_gradient,
    exact_regret,
    fresh_by_critic,
    fresh_by_return,
    imitate_oracle,
    imitate_place,
    imitate_taken,
    mixed_gradient,
    off_policy_critic,
    off_policy_returns,
    reinforce,
    stored_by_critic,
    stored_by_return,
    stored_gradient,
)
from .roll_in import (
    Acts,
    Keeps,
    Returns,
    at_switch,
    every_node,
    learner,
    mixture,
    of_oracle,
    of_root,
    of_tree,
    oracle,
)


@dataclass(frozen=True)
class Method:
    """One row of Table 2, with the functions that make it an algorithm. Rows of one's own are made with
    ``dataclasses.replace`` or from scratch, and handed to ``shapeparse.train``.

    >>> METHODS["drag"].critic.loss.__name__
    'action_taken'
    """

    title: str
    setting: Literal["RL", "IL", "IL+RL"]
    """What it may use: returns, the oracle's actions, or both."""
    split_policy: Literal["stochastic", "deterministic", "categorical"]
    """Logit-normal split locations, mu itself, or a distribution over places, of which the likeliest is taken."""
    acts: Acts
    """Who acts (Algorithm 1, line 3): the learner, the oracle, or the oracle with probability beta, else the learner."""
    keeps: Keeps
    """Which visited nodes are learned from: all, or those at the random switch to the oracle (lines 5 and 8)."""
    returns: Returns | None
    """G: of the tree as it was parsed, or of the oracle finishing after the action taken (line 7)."""
    policy_loss: PolicyLoss
    """What moves the policy (line 10)."""
    critic: CriticFit | None = None
    """How the critic is fitted (line 11), if there is one."""
    on_policy: bool = False
    """Forget what was stored before each rollout."""
    knows_worth: bool = False
    """Whether each node comes with the worth of all its cuts, which the optimal teacher knows."""
    imitates_until: float = 0.0
    """Share of the training in which the oracle is imitated and nothing else; critic and policy loss come after it."""

    @property
    def uses_oracle(self) -> bool:
        """Whether the method may ask the oracle."""
        return self.setting != "RL"

    @property
    def uses_returns(self) -> bool:
        """Whether the method may see returns."""
        return self.setting != "IL"


BASELINE = CriticFit(baseline, trunk="shared", warms_up=False)
TAKEN = CriticFit(action_taken, location_noise=True)
BACKUP = CriticFit(tree_backup, location_noise=True, targets=True)
DENSE = CriticFit(many_actions, trunk="shared")

# fmt: off
METHODS: dict[str, Method] = {
    #                              title                       setting  split policy     acts     keeps       returns    policy loss                     critic
    "mcpg":                 Method("MCPG",                     "RL",    "stochastic",    learner, every_node, of_tree,   reinforce,                      BASELINE, on_policy=True),
    "ddpg":                 Method("DDPG",                     "RL",    "deterministic", learner, every_node, of_tree,   mixed_gradient(),               BACKUP),
    "bc":                   Method("Behaviour cloning",        "IL",    "deterministic", oracle,  every_node, None,      imitate_oracle),
    "dagger":               Method("DAgger",                   "IL",    "deterministic", mixture, every_node, None,      imitate_oracle),
    "aggrevated":           Method("AggreVaTeD",               "IL+RL", "stochastic",    mixture, at_switch,  of_oracle, stored_by_return),
    "ac-aggrevated":        Method("AC-AggreVaTeD",            "IL+RL", "stochastic",    mixture, at_switch,  of_oracle, stored_by_critic,               TAKEN),
    "off-mcpg":             Method("Off-MCPG",                 "IL+RL", "stochastic",    mixture, every_node, of_tree,   off_policy_returns,             BASELINE),
    "off-acpg":             Method("Off-ACPG",                 "IL+RL", "stochastic",    mixture, every_node, of_oracle, off_policy_critic,              TAKEN),
    "drag":                 Method("DRAG",                     "IL+RL", "deterministic", mixture, at_switch,  of_oracle, stored_gradient(),              TAKEN),
    # DRAG with 1 in the place of its value weight: what is left is imitation, and the critic's slope for the splits.
    "drag-control":         Method("DRAG, weight 1",           "IL+RL", "deterministic", mixture, at_switch,  of_oracle, stored_gradient(weighed=False), TAKEN),
    # The other reading of the same equations: the expectation over the actions of the policy as it is now.
    "aggrevated-expected":  Method("AggreVaTeD, expected",     "IL+RL", "stochastic",    mixture, at_switch,  of_oracle, fresh_by_return),
    "ac-aggrevated-expected": Method("AC-AggreVaTeD, expected", "IL+RL", "stochastic",   mixture, at_switch,  of_oracle, fresh_by_critic,                TAKEN),
    "drag-expected":        Method("DRAG, expected",           "IL+RL", "deterministic", mixture, at_switch,  of_oracle, mixed_gradient(),               TAKEN),
    # Beyond the paper: the exact cost-to-go of many actions per node teaches the critic; then imitation as an anchor.
    "drag-dense":           Method("DRAG, dense critic",       "IL+RL", "deterministic", mixture, every_node, of_oracle, mixed_gradient(price=0.02),     DENSE),
    "drag-anchored":        Method("DRAG, dense and anchored", "IL+RL", "deterministic", mixture, every_node, of_oracle, mixed_gradient(0.02, anchor=1), DENSE, imitates_until=0.5),
    # The best tree at a price as the teacher, and its table in the place of a critic.
    "dagger-optimal":       Method("DAgger, best tree",        "IL",    "deterministic", mixture, every_node, None,      imitate_oracle),
    "dagger-places":        Method("DAgger, best tree, places", "IL",   "categorical",   mixture, every_node, None,      imitate_place),
    "drag-exact":           Method("DRAG, exact",              "IL+RL", "deterministic", mixture, at_switch,  of_oracle, exact_gradient(),               knows_worth=True),
    "drag-exact-anchored":  Method("DRAG, exact and anchored", "IL+RL", "deterministic", mixture, at_switch,  of_oracle, exact_gradient(anchor=1),       knows_worth=True),
    "aggrevate-exact":      Method("AggreVaTe, exact and anchored", "IL+RL", "categorical", mixture, at_switch, of_oracle, exact_regret(anchor=1),      knows_worth=True),
}

ABLATIONS: dict[str, Method] = {
    # What two rows of the paper's own experiment were by accident (docs/fidelity.md); for comparison only.
    "dagger-taken":         Method("DAgger, not relabelled",   "IL",    "deterministic", mixture, every_node, None,      imitate_taken),
    "mcpg-root":            Method("MCPG, root's return",      "RL",    "stochastic",    learner, every_node, of_root,   reinforce,                      BASELINE, on_policy=True),
    # One change each of those that make drag-dense of drag-expected.
    "drag-expected-many":   Method("DRAG, expected, many actions", "IL+RL", "deterministic", mixture, at_switch, of_oracle, mixed_gradient(),           replace(TAKEN, loss=many_actions)),
    "drag-expected-shared": Method("DRAG, expected, shared trunk", "IL+RL", "deterministic", mixture, at_switch, of_oracle, mixed_gradient(),           replace(TAKEN, trunk="shared")),
    "drag-expected-still":  Method("DRAG, expected, no noise", "IL+RL", "deterministic", mixture, at_switch,  of_oracle, mixed_gradient(),               replace(TAKEN, location_noise=False)),
    "drag-expected-priced": Method("DRAG, expected, priced",   "IL+RL", "deterministic", mixture, at_switch,  of_oracle, mixed_gradient(price=0.02),     TAKEN),
    "drag-expected-entropy": Method("DRAG, expected, entropy x 3", "IL+RL", "deterministic", mixture, at_switch, of_oracle, mixed_gradient(),           TAKEN),
}
# fmt: on


def method_named(name: str) -> Method:
    """The method, ablation of one, or method from outside, of that name."""
    check_method_name(name)
    return {**METHODS, **ABLATIONS, **REGISTERED}[name]
