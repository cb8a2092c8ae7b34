"""Who acts during an expansion, and what a method keeps of it (Algorithm 1, lines 5 to 8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import torch

from .expand import expand
from .grammar import Actions, Limits, Nodes, Rule
from .losses import action_probability
from .memory import Transitions
from .methods import Method
from .networks import NodeView, Policy, PolicyOutput
from .oracle import Oracle
from .scenes import Rewards, Scenes
from .tree import Forest, depth_first_order

Improve: TypeAlias = Callable[[Nodes, PolicyOutput, Actions], Actions]
"""Takes nodes, what the policy says of them and its most likely actions; answers actions that are as good or better."""


@dataclass(frozen=True)
class Exploration:
    """How a learner strays from its most likely action while it gathers experience."""

    random_rule: float = 1e-3
    """Probability of a rule drawn uniformly from the valid ones."""
    location_noise: float = 0.3
    """Standard deviation of the noise that is added to the split's logit of a deterministic policy, if a critic learns
    from the actions taken."""


class PolicyActor:
    """The learner's most likely action: argmax rule, split at mu; or what improves on it. For parsing and evaluation.

    Notes for every node how likely it finds paint.
    """

    def __init__(
        self,
        policy: Policy,
        encoded: Any,
        sizes: npt.NDArray[np.integer],
        limits: Limits,
        improve: Improve | None = None,
    ) -> None:
        self.policy, self.encoded, self.sizes, self.limits, self.improve = policy, encoded, sizes, limits, improve
        self.likely: list[npt.NDArray[np.float32]] = []

    def __call__(self, nodes: Nodes) -> Actions:
        output = self.output(nodes)
        paint, skip = output.log_rule[:, Rule.PAINT], output.log_rule[:, Rule.SKIP]
        self.likely.append(torch.sigmoid(paint - skip).numpy())
        return self.most_likely(nodes, output)

    def most_likely(self, nodes: Nodes, output: PolicyOutput) -> Actions:
        """The policy's action at every node, improved if that is wanted."""
        rule = output.log_rule.argmax(dim=1).numpy()
        own = Actions.at_locations(nodes, rule, location_for(output.location, rule))
        return own if self.improve is None else self.improve(nodes, output, own)

    def parse(self) -> Forest:
        """The trees of all images."""
        forest = expand(self.sizes, self, self.limits)
        return replace(forest, likely=np.concatenate(self.likely))

    def output(self, nodes: Nodes) -> PolicyOutput:
        """What the policy says of nodes; no gradient is kept."""
        with torch.no_grad():
            output: PolicyOutput = self.policy(self.encoded, NodeView.of(nodes, self.sizes, self.limits))
        return output


class RolloutActor(PolicyActor):
    """Gathers experience: oracle with probability beta, else the learner; below the switch nobody, or the oracle.

    Notes for every node what the behaviour policy's probability of the action was and what the oracle would do.
    """

    def __init__(
        self,
        policy: Policy,
        encoded: Any,
        sizes: npt.NDArray[np.integer],
        limits: Limits,
        scenes: npt.NDArray[np.integer],
        method: Method,
        oracle: Oracle | None,
        beta: float,
        switch_depth: npt.NDArray[np.integer] | None,
        below: bool,
        exploration: Exploration,
        rng: np.random.Generator,
    ) -> None:
        super().__init__(policy, encoded, sizes, limits)
        self.scenes, self.method, self.oracle, self.beta = scenes, method, oracle, beta
        self.switch_depth, self.below, self.exploration, self.rng = switch_depth, below, exploration, rng
        self.behaviour: list[npt.NDArray[np.float32]] = []
        self.oracle_actions: list[Actions] = []

    def __call__(self, nodes: Nodes) -> Actions:
        advice = self.oracle(in_scenes(nodes, self.scenes)) if self.oracle else None
        # Below the switch the oracle finishes. Its return is looked up (cost-to-go), so nobody needs to act there,
        # unless these nodes are kept too.
        done = np.zeros(len(nodes), bool)
        if self.switch_depth is not None:
            done = nodes.depth > self.switch_depth[nodes.image]
        rule, cut = np.full(len(nodes), Rule.SKIP, np.int8), np.zeros(len(nodes), np.int32)
        behaviour = np.ones(len(nodes), np.float32)
        if advice is not None and (self.below or self.method.roll_in == "oracle"):
            rule, cut = advice.rule.copy(), advice.cut.copy()
        active = np.flatnonzero(~done)
        if len(active) and self.method.roll_in != "oracle":
            some = None if advice is None else Actions(advice.rule[active], advice.cut[active])
            acted, behaviour[active] = self._mix(nodes.take(active), some)
            rule[active], cut[active] = acted.rule, acted.cut
        self.behaviour.append(behaviour)
        self.oracle_actions.append(advice or Actions(np.zeros(0, np.int8), np.zeros(0, np.int32)))
        return Actions(rule, cut)

    def _mix(self, nodes: Nodes, advice: Actions | None) -> tuple[Actions, npt.NDArray[np.float32]]:
        output = self.output(nodes)
        own = self._explore(nodes, output)
        beta = self.beta if advice is not None else 0.0
        follows = self.rng.random(len(nodes)) < beta
        actions = own
        if advice is not None:
            actions = Actions(np.where(follows, advice.rule, own.rule), np.where(follows, advice.cut, own.cut))
        if self.method.split_policy == "deterministic":
            return actions, np.ones(len(nodes), np.float32)  # no importance weights without a density
        explored = torch.from_numpy(self._rule_probability(output)).log().float()  # what ``own`` was drawn from
        acting = replace(output, log_rule=explored)
        behaviour = (1 - beta) * action_probability(acting, *action_tensors(nodes, actions)).numpy()
        if advice is not None:
            behaviour += beta * ((actions.rule == advice.rule) & (actions.cut == advice.cut))
        return actions, behaviour.astype(np.float32)

    def _explore(self, nodes: Nodes, output: PolicyOutput) -> Actions:
        """Rules are always sampled; locations if the policy is stochastic, with noise if a critic has to know them."""
        spread = None if self.method.split_policy == "stochastic" else 0.0
        if spread is not None and self.method.critic in ("action", "backup"):
            spread = self.exploration.location_noise
        return draw_actions(nodes, output, self._rule_probability(output), spread, self.rng)

    def _rule_probability(self, output: PolicyOutput) -> npt.NDArray[np.float64]:
        """(nodes, 4): the learner's rules, mixed with random ones unless the method is on-policy."""
        probability = output.log_rule.exp().double().numpy()
        if self.method.on_policy:
            return probability
        valid = probability > 0
        uniform = valid / valid.sum(axis=1, keepdims=True)
        return probability + self.exploration.random_rule * (uniform - probability)


@dataclass(frozen=True)
class Rollout:
    """Gathers a method's experience from scenes, and hands out no more than its setting allows."""

    method: Method
    scenes: Scenes
    limits: Limits
    oracle: Oracle | None
    rewards: Rewards | None
    switch: Literal["depth", "step"] = "depth"
    below: bool = False
    """Methods that keep the nodes at the switch keep those below it too, where the oracle acts."""
    exploration: Exploration = Exploration()

    @classmethod
    def of(cls, method: Method, scenes: Scenes, limits: Limits, lookahead: int = 0, **settings: Any) -> Rollout:
        """With the oracle and the rewards that the method's setting allows."""
        oracle = scenes.oracle(limits, lookahead) if method.uses_oracle else None
        rewards = scenes.rewards() if method.uses_returns else None
        return cls(method, scenes, limits, oracle, rewards, **settings)

    def reframe(self, scenes: npt.NDArray[np.integer], zoom: float, rng: np.random.Generator) -> None:
        """Let the scenes show other frames of their images; what was known of their nodes no longer holds."""
        self.scenes.reframe(scenes, zoom, rng)
        self._see_masks(scenes)

    def set_frames(self, frames: npt.NDArray[np.int32]) -> None:
        """Let all scenes show given frames."""
        self.scenes.frames[:] = frames
        self._see_masks(np.arange(len(self.scenes)))

    def _see_masks(self, scenes: npt.NDArray[np.integer]) -> None:
        for scene in scenes.tolist():
            mask = self.scenes.mask(scene)
            for judge in (self.oracle, self.rewards):
                if judge is not None:
                    judge.replace(scene, mask)

    def gather(
        self, policy: Policy, chosen: npt.NDArray[np.integer], beta: float, rng: np.random.Generator
    ) -> Transitions:
        """Parse the chosen scenes once and keep what the method learns from; ``nodes.image`` are scenes."""
        sizes = self.scenes.sizes[chosen]
        by_depth = self.method.keep == "switch" and self.switch == "depth"
        switch_depth = rng.integers(0, self.limits.depth + 1, len(chosen)) if by_depth else None
        policy.eval()  # what a node is worth must not depend on the other images of the batch
        with torch.no_grad():
            encoded = policy.encode(self.scenes.pixels(chosen))
        actor = RolloutActor(
            policy, encoded, sizes, self.limits, chosen, self.method, self.oracle, beta, switch_depth, self.below,
            self.exploration, rng,
        )  # fmt: skip
        forest = expand(sizes, actor, self.limits)
        kept = self._kept(forest, switch_depth, rng)
        nodes = in_scenes(forest.nodes.take(kept), chosen)
        actions = Actions(forest.rule[kept], forest.cut[kept])
        advice = [np.concatenate([getattr(a, name) for a in actor.oracle_actions]) for name in ("rule", "cut")]
        return Transitions(
            nodes,
            actions.rule,
            actions.cut,
            returns=self._returns(forest, kept, nodes, actions, chosen),
            behaviour=np.concatenate(actor.behaviour)[kept] if self.method.uses_returns else None,
            oracle_rule=advice[0][kept] if self.oracle else None,
            oracle_cut=advice[1][kept] if self.oracle else None,
        )

    def _kept(
        self, forest: Forest, switch_depth: npt.NDArray[np.integer] | None, rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        if self.method.keep == "all":
            return np.arange(len(forest))
        if switch_depth is not None:
            beyond = forest.nodes.depth - switch_depth[forest.nodes.image]
            return np.flatnonzero(beyond >= 0 if self.below else beyond == 0)
        order = depth_first_order(forest.parent)
        counts = np.bincount(forest.nodes.image, minlength=len(forest.sizes))
        return order[np.cumsum(counts) - counts + rng.integers(0, counts)]

    def _returns(
        self,
        forest: Forest,
        kept: npt.NDArray[np.int64],
        nodes: Nodes,
        actions: Actions,
        chosen: npt.NDArray[np.integer],
    ) -> npt.NDArray[np.float32] | None:
        """G of the kept nodes as a share of their area; of the tree as parsed, or of the oracle finishing it."""
        if self.rewards is None:
            return None
        if self.method.returns == "own":
            whole = Forest(in_scenes(forest.nodes, chosen), forest.rule, forest.cut, forest.parent, forest.sizes)
            every = self.rewards.returns(whole).astype(np.float64) / forest.nodes.area
            credited = forest.nodes.image[kept] if self.method.credit == "root" else kept  # roots stand first
            return every[credited].astype(np.float32)
        assert self.oracle is not None
        return (self.oracle.cost_to_go(nodes, actions) / nodes.area).astype(np.float32)


def in_scenes(nodes: Nodes, scenes: npt.NDArray[np.integer]) -> Nodes:
    """The same nodes, named by scene instead of by place in the batch."""
    return Nodes(np.asarray(scenes, np.int32)[nodes.image], nodes.x, nodes.y, nodes.w, nodes.h, nodes.depth)


def draw_rules(probability: npt.NDArray[np.float64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """A rule for each row of (nodes, 4) probabilities; one of probability 0 is never drawn, not even by a draw of 0.

    Rounding may let a row sum to a little less than 1; what is missing goes to the last rule, which is always valid.
    """
    drawn = (probability.cumsum(axis=1) <= rng.random((len(probability), 1))).sum(axis=1)
    return np.minimum(drawn, len(Rule) - 1)


def draw_actions(
    nodes: Nodes,
    output: PolicyOutput,
    probability: npt.NDArray[np.float64],
    spread: float | None,
    rng: np.random.Generator,
) -> Actions:
    """An action at each node: a rule of these probabilities, and a location whose logit strays by ``spread``.

    Without a ``spread`` it is the policy's own, that of the logit-normal.
    """
    rule = draw_rules(probability, rng)
    sigma = np.exp(location_for(output.split_log_sigma, rule)) if spread is None else spread
    logit = location_for(output.split_logit, rule) + rng.standard_normal(len(nodes)) * sigma
    return Actions.at_locations(nodes, rule, 1 / (1 + np.exp(-logit)))


def location_for(pair: torch.Tensor, rule: npt.NDArray) -> npt.NDArray[np.float64]:
    """The entry of the axis that each rule splits (axis 0 where it does not)."""
    axis = np.where(rule == Rule.SPLIT_Y, 1, 0)
    return pair.double().numpy()[np.arange(len(axis)), axis]


def action_tensors(nodes: Nodes, actions: Actions) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Rule, cut and extent as the losses take them."""
    extent = np.maximum(nodes.extent(actions.rule), 2)
    return (
        torch.from_numpy(actions.rule.astype(np.int64)),
        torch.from_numpy(actions.cut.astype(np.float32)),
        torch.from_numpy(extent.astype(np.float32)),
    )
