"""The one expansion loop. Oracle, learner and mixture are actors; all share this.

What happens in one child never changes its sibling, so expanding all open nodes of all images level by level gives
exactly the trees of the paper's depth-first derivation, in depth + 1 calls of the actor instead of one a node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from .rules import Actions, Limits, Nodes, Rule, split_children, valid_rules
from .tree import Forest


class Actor(Protocol):
    """Chooses an action for every node of a batch: nodes of any images, all of one depth.

    >>> def painter(nodes: Nodes) -> Actions:
    ...     return Actions.at_locations(nodes, np.full(len(nodes), Rule.PAINT), 0.5)
    >>> actor: Actor = painter
    """

    def __call__(self, nodes: Nodes) -> Actions: ...


def expand(
    sizes: Sequence[tuple[int, int]] | npt.NDArray[np.integer], actor: Actor, limits: Limits | None = None
) -> Forest:
    """Parse images of the given (width, height) by asking ``actor`` level by level until every node is a leaf.

    >>> def halves(nodes: Nodes) -> Actions:
    ...     return Actions.at_locations(nodes, np.where(nodes.depth < 2, Rule.SPLIT_X, Rule.PAINT), 0.5)
    >>> expand([(8, 8)], halves).trees()[0].leaf_count
    4
    """
    limits = limits or Limits()
    sizes = np.asarray(sizes, np.int32).reshape(-1, 2)
    level = Nodes.roots(sizes)
    parent = np.full(len(level), -1, np.int32)
    levels: list[tuple[Nodes, Actions, npt.NDArray[np.int32]]] = []
    expanded = 0
    while len(level):
        actions = actor(level)
        check_actions(level, actions, limits)
        levels.append((level, actions, parent))
        split = np.flatnonzero(actions.splits)
        parent = np.repeat(expanded + split, 2).astype(np.int32)
        expanded += len(level)
        level = split_children(level.take(split), Actions(actions.rule[split], actions.cut[split]))
    return Forest(
        nodes=Nodes.concatenate([nodes for nodes, _, _ in levels] or [level]),
        rule=np.concatenate([actions.rule for _, actions, _ in levels] or [np.zeros(0, np.int8)]),
        cut=np.concatenate([actions.cut for _, actions, _ in levels] or [np.zeros(0, np.int32)]),
        parent=np.concatenate([parents for _, _, parents in levels] or [parent]),
        sizes=sizes,
    )


def check_actions(nodes: Nodes, actions: Actions, limits: Limits) -> None:
    """Refuse an actor's invalid action, before it can make a tree that does not tile its image."""
    unknown = (actions.rule < 0) | (actions.rule >= len(Rule))
    if unknown.any():
        bad = int(np.flatnonzero(unknown)[0])
        raise ValueError(f"rule {actions.rule[bad]} of node {bad} of the batch is none of the {len(Rule)} rules")
    valid = valid_rules(nodes, limits)[np.arange(len(nodes)), actions.rule]
    if not valid.all():
        bad = int(np.flatnonzero(~valid)[0])
        raise ValueError(f"rule {Rule(actions.rule[bad]).label} is not valid for node {bad} of the batch")
    outside = actions.splits & ((actions.cut < 1) | (actions.cut >= nodes.extent(actions.rule)))
    if outside.any():
        bad = int(np.flatnonzero(outside)[0])
        raise ValueError(f"cut {actions.cut[bad]} is outside node {bad} of the batch")
