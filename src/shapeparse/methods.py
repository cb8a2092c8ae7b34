"""The paper's Table 2 as code: each method is a row of choices. They share network, rollout, memory and trainer.

What a setting forbids is never handed out: RL methods get no oracle, IL methods no returns (see ``rollout.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .errors import UserError


@dataclass(frozen=True)
class Method:
    """One row of Table 2, with the choices that make it an algorithm."""

    title: str
    setting: Literal["RL", "IL", "IL+RL"]
    """What it may use: returns, the oracle's actions, or both."""
    split_policy: Literal["stochastic", "deterministic"]
    """Logit-normal split locations, or mu itself."""
    roll_in: Literal["learner", "oracle", "mixture"]
    """Who acts: the learner, the oracle, or the oracle with probability beta and else the learner."""
    keep: Literal["all", "switch"]
    """Which visited nodes are learned from: all, or those at the random switch to the oracle (Algorithm 1)."""
    returns: Literal["none", "own", "oracle"]
    """G: of the tree as it was parsed, or of the oracle finishing after the action taken (its cost-to-go)."""
    actor: Literal["imitation", "reinforce", "cost-to-go", "critic-weight", "off-policy", "off-policy-critic", "mixed"]
    """Which loss moves the policy."""
    critic: Literal["none", "baseline", "action", "dense", "backup"]
    """What is fitted beside it: V(s), Q(s, a) of the action taken (Eq. 6), Q(s, a) of many actions, or Q by the tree's
    Bellman backup."""
    critic_trunk: Literal["own", "shared"] = "own"
    """Whether the critic looks at the image itself or reads the policy's features, which both then shape."""
    on_policy: bool = False
    """Forget what was stored before each rollout."""
    anchor: float = 0.0
    """Weight of the imitation loss kept beside the actor's own."""
    imitates_until: float = 0.0
    """Share of the training in which the anchor is all there is; the critic and the actor's own loss come after it."""
    price: float = 0.0
    """What a split costs the actor, as a share of the node's area."""
    imitates: Literal["oracle", "taken"] = "oracle"
    """What imitation copies: the oracle's action at every node, or the action that was taken there, whoever took it."""
    credit: Literal["node", "root"] = "node"
    """Whose return a node is credited with: its own, or that of the whole image."""

    @property
    def learns_q(self) -> bool:
        """Whether its critic judges actions, so that it is worth keeping beside the policy."""
        return self.critic in ("action", "dense", "backup")

    @property
    def uses_oracle(self) -> bool:
        """Whether the method may ask the oracle."""
        return self.setting != "RL"

    @property
    def uses_returns(self) -> bool:
        """Whether the method may see returns."""
        return self.setting != "IL"


# fmt: off
METHODS: dict[str, Method] = {
    #                       title                       setting  split policy     roll-in    keep      returns   actor                critic
    "mcpg":          Method("MCPG",                     "RL",    "stochastic",    "learner", "all",    "own",    "reinforce",         "baseline", critic_trunk="shared", on_policy=True),
    "ddpg":          Method("DDPG",                     "RL",    "deterministic", "learner", "all",    "own",    "mixed",             "backup"),
    "bc":            Method("Behaviour cloning",        "IL",    "deterministic", "oracle",  "all",    "none",   "imitation",         "none"),
    "dagger":        Method("DAgger",                   "IL",    "deterministic", "mixture", "all",    "none",   "imitation",         "none"),
    "aggrevated":    Method("AggreVaTeD",               "IL+RL", "stochastic",    "mixture", "switch", "oracle", "cost-to-go",        "none"),
    "ac-aggrevated": Method("AC-AggreVaTeD",            "IL+RL", "stochastic",    "mixture", "switch", "oracle", "critic-weight",     "action"),
    "off-mcpg":      Method("Off-MCPG",                 "IL+RL", "stochastic",    "mixture", "all",    "own",    "off-policy",        "baseline", critic_trunk="shared"),
    "off-acpg":      Method("Off-ACPG",                 "IL+RL", "stochastic",    "mixture", "all",    "oracle", "off-policy-critic", "action"),
    "drag":          Method("DRAG",                     "IL+RL", "deterministic", "mixture", "switch", "oracle", "mixed",             "action"),
    # Beyond the paper: the exact cost-to-go of many actions a state teaches the critic; then imitation kept as an anchor.
    "drag-dense":    Method("DRAG, dense critic",       "IL+RL", "deterministic", "mixture", "all",    "oracle", "mixed",             "dense",    critic_trunk="shared", price=0.02),
    "drag-anchored": Method("DRAG, dense and anchored", "IL+RL", "deterministic", "mixture", "all",    "oracle", "mixed",             "dense",    critic_trunk="shared", anchor=1.0, imitates_until=0.5, price=0.02),
}

# What two rows of the paper's own experiment were by accident (docs/fidelity.md); for comparison only.
ABLATIONS: dict[str, Method] = {
    "dagger-taken":  Method("DAgger, not relabelled",   "IL",    "deterministic", "mixture", "all",    "none",   "imitation",         "none", imitates="taken"),
    "mcpg-root":     Method("MCPG, root's return",      "RL",    "stochastic",    "learner", "all",    "own",    "reinforce",         "baseline", critic_trunk="shared", on_policy=True, credit="root"),
}
# fmt: on


def method_named(name: str) -> Method:
    """The method, or ablation of one, of that name."""
    known = {**METHODS, **ABLATIONS}
    if name not in known:
        raise UserError(f"There is no method {name!r}; choose one of {', '.join(METHODS)}.")
    return known[name]
