"""Experience: images parsed by whoever acts, and what a method keeps of that (Algorithm 1, lines 3 to 8)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch

from ..grammar import Actions, Forest, Limits, Nodes, Rule, expand
from ..networks.devices import device_of
from ..networks.policy import Policy
from ..oracle.optimal import OptimalOracle
from ..oracle.rewards import Rewards
from ..oracle.teachers import Teacher, TeacherName
from ..parsing.actors import PolicyActor
from ..support.errors import UserError
from ..support.limits import TEACHER_PRICE
from .memory import Transitions
from .methods import Method
from .roll_in import Parsed, Seat, every_node
from .scenes import Scenes
from .settings import ExplorationSettings
from .sight import Sight
from .sight.pixels import Pixels


@dataclass(frozen=True)
class Rollout:
    """Gathers a method's experience from scenes, and hands out no more than its setting allows."""

    method: Method
    scenes: Scenes
    limits: Limits
    oracle: Teacher | None
    rewards: Rewards | None
    sight: Sight
    """Shows the scenes to whoever acts, and to updates."""
    switch: Literal["every", "depth", "step"] = "depth"
    below: bool = False
    """Methods that keep the nodes at the switch keep those below it too, where the oracle acts."""
    exploration: ExplorationSettings = field(default_factory=ExplorationSettings)

    @classmethod
    def of(
        cls,
        method: Method,
        scenes: Scenes,
        limits: Limits,
        lookahead: int = 0,
        teacher: TeacherName = "igm",
        price: float = TEACHER_PRICE,
        sight: Sight | None = None,
        **settings: Any,
    ) -> Rollout:
        """With the oracle, as a ``teacher``, and the rewards that the method's setting allows; of pixels, unless
        another ``sight`` is given."""
        if method.knows_worth and teacher != "optimal":
            raise UserError(f"The method {method.title} needs the teacher that knows the best tree; give optimal.")
        oracle = scenes.teacher(limits, teacher, lookahead, price) if method.uses_oracle else None
        rewards = scenes.rewards() if method.uses_returns else None
        return cls(method, scenes, limits, oracle, rewards, sight or Pixels(scenes), **settings)

    def gather(
        self, policy: Policy, chosen: npt.NDArray[np.integer], beta: float, rng: np.random.Generator
    ) -> Transitions:
        """Parse the chosen scenes once and keep what the method learns from; ``nodes.image`` are scenes."""
        sizes = self.scenes.sizes[chosen]
        keeps = every_node if self.switch == "every" else self.method.keeps  # any level may be that of the switch
        by_depth = keeps.switches and self.switch == "depth"
        switch = rng.integers(0, self.limits.depth + 1, len(chosen)) if by_depth else None
        policy.eval()  # what a node is worth must not depend on the other images of the batch
        with torch.no_grad():
            encoded = policy.encode(self.sight(chosen, device_of(policy)))
        actor = RolloutActor(self, policy, encoded, sizes, chosen, beta, switch, rng)
        forest = expand(sizes, actor, self.limits)
        kept = keeps.choose(forest, switch, self.below, rng)
        named = Forest(in_scenes(forest.nodes, chosen), forest.rule, forest.cut, forest.parent, forest.sizes)
        return self._transitions(named, kept, actor)

    def _transitions(self, forest: Forest, kept: npt.NDArray[np.int64], actor: RolloutActor) -> Transitions:
        """What the method's setting allows to know of the kept nodes."""
        returns = None
        if self.method.returns is not None and self.rewards is not None:
            parsed = Parsed(forest, kept, self.oracle, self.rewards)
            returns = self.method.returns(parsed).astype(np.float32)
        advice = actor.all_advice() if self.oracle else None
        nodes = forest.nodes.take(kept)
        worth: dict[str, Any] = {}
        if self.method.knows_worth:
            assert isinstance(self.oracle, OptimalOracle)
            worth = {f"worth_{name}": column for name, column in self.oracle.worth(nodes)._asdict().items()}
        return Transitions(
            nodes,
            forest.rule[kept],
            forest.cut[kept],
            returns=returns,
            behaviour=np.concatenate(actor.behaviour)[kept] if self.method.uses_returns else None,
            oracle_rule=advice.rule[kept] if advice else None,
            oracle_cut=advice.cut[kept] if advice else None,
            **worth,
        )

    def reframe(
        self, scenes: npt.NDArray[np.integer], zoom: float, rng: np.random.Generator, colour: float = 0.0
    ) -> None:
        """Let the scenes show other frames of their images, under another light; what was known of their nodes no
        longer holds."""
        self.scenes.reframe(scenes, zoom, rng, colour)
        if zoom:
            self._see_masks(scenes)

    def set_frames(self, frames: npt.NDArray[np.int32], lights: npt.NDArray[np.float32]) -> None:
        """Let all scenes show given frames under given lights."""
        self.scenes.frames[:], self.scenes.lights[:] = frames, lights
        self._see_masks(np.arange(len(self.scenes)))

    def _see_masks(self, scenes: npt.NDArray[np.integer]) -> None:
        for scene in scenes.tolist():
            mask = self.scenes.mask(scene)
            for judge in (self.oracle, self.rewards):
                if judge is not None:
                    judge.replace(scene, mask)


class RolloutActor(PolicyActor):
    """Acts as the method says until the switch; after it nobody acts, or the oracle.

    Notes for every node what the behaviour policy's probability of the action was and what the oracle would do.
    """

    def __init__(
        self,
        rollout: Rollout,
        policy: Policy,
        encoded: Any,
        sizes: npt.NDArray[np.integer],
        scenes: npt.NDArray[np.integer],
        beta: float,
        switch: npt.NDArray[np.integer] | None,
        rng: np.random.Generator,
    ) -> None:
        super().__init__(policy, encoded, sizes, rollout.limits)
        self.rollout, self.scenes, self.beta, self.switch, self.rng = rollout, scenes, beta, switch, rng
        self.behaviour: list[npt.NDArray[np.float32]] = []
        self.advice: list[Actions] = []

    def __call__(self, nodes: Nodes) -> Actions:
        oracle = self.rollout.oracle
        advice = oracle(in_scenes(nodes, self.scenes)) if oracle else None
        # After the switch the oracle finishes. Its return is looked up (cost-to-go), so nobody needs to act there,
        # unless these nodes are kept too.
        rule, cut = np.full(len(nodes), Rule.SKIP, np.int8), np.zeros(len(nodes), np.int32)
        if advice is not None and self.rollout.below:
            rule, cut = advice.rule.copy(), advice.cut.copy()
        behaviour = np.ones(len(nodes), np.float32)
        finished = np.zeros(len(nodes), bool) if self.switch is None else nodes.depth > self.switch[nodes.image]
        active = np.flatnonzero(~finished)
        if len(active):
            acted, behaviour[active] = self.rollout.method.acts(self._seat(nodes, advice, active))
            rule[active], cut[active] = acted.rule, acted.cut
        self.behaviour.append(behaviour)
        if advice is not None:
            self.advice.append(advice)
        return Actions(rule, cut)

    def all_advice(self) -> Actions:
        """The oracle's actions at all nodes, in the order of the forest."""
        return Actions(*(np.concatenate([getattr(one, name) for one in self.advice]) for name in ("rule", "cut")))

    def _seat(self, nodes: Nodes, advice: Actions | None, active: npt.NDArray[np.int64]) -> Seat:
        method = self.rollout.method
        return Seat(
            nodes=nodes.take(active),
            advice=None if advice is None else Actions(advice.rule[active], advice.cut[active]),
            ask=self.output,
            beta=self.beta if advice is not None else 0.0,
            stochastic=method.split_policy == "stochastic",
            location_noise=method.critic is not None and method.critic.location_noise,
            on_policy=method.on_policy,
            exploration=self.rollout.exploration,
            rng=self.rng,
        )


def in_scenes(nodes: Nodes, scenes: npt.NDArray[np.integer]) -> Nodes:
    """The same nodes, named by scene instead of by place in the batch."""
    return Nodes(np.asarray(scenes, np.int32)[nodes.image], nodes.x, nodes.y, nodes.w, nodes.h, nodes.depth)
