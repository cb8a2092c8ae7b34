"""A beam over splits: what a critic can add to a policy's own action when it parses.

The critic says what an action is worth, Q(node, rule, location). Of several splits of a node, those of greatest Q are
made for a trial, and judged anew by the best that the critic expects of their two children; the best of these and of
the labels wins.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from .grammar import Actions, Limits, Nodes, Rule, cut_from_location, location_from_cut, split_children
from .losses import tree_backup
from .networks import Critic, NodeView, Policy, PolicyOutput
from .networks.trunks import SharedTrunk

WIDTH = 4
"""Splits of a node that are made for a trial: the policy's own, if it splits, and the best of the others."""
TOGETHER, ALONE = 4096, 256
"""Nodes that are looked at together; fewer where the network looks at every node anew, which takes far more memory."""
DIGITS = 3
"""Behind the point of every Q. Critics are often all but certain of several actions; what then differs is how a network
rounds, which depends on the other nodes of a batch, and trees must not."""
SPLITS = np.array([Rule.SPLIT_X, Rule.SPLIT_Y], np.int8)

Floats = npt.NDArray[np.float32]


class Beam:
    """Replaces the policy's actions at nodes of some images by those that the critic finds better."""

    def __init__(
        self,
        policy: Policy,
        critic: Critic,
        pixels: Tensor,
        encoded: Any,
        sizes: npt.NDArray[np.integer],
        limits: Limits,
        places: int,
    ) -> None:
        self.policy, self.critic, self.encoded, self.sizes, self.limits = policy, critic, encoded, sizes, limits
        self.spread = torch.arange(1, places + 1) / (places + 1)
        self.most = TOGETHER if isinstance(policy.trunk, SharedTrunk) else ALONE
        with torch.no_grad():
            self.looked = None if critic.trunk is None else critic.trunk.encode(pixels)

    def __call__(self, nodes: Nodes, output: PolicyOutput, own: Actions) -> Actions:
        """For each node the best action, which is the policy's ``own`` unless another is better."""
        cuts, values, labels = self.judge(nodes, output.location)
        each, places = np.arange(len(nodes)), values.shape[2]
        ranked = values.copy()
        ranked[each[own.splits], own.rule[own.splits], 0] = np.inf
        kept = np.argsort(-ranked.reshape(len(nodes), -1), axis=1, kind="stable")[:, :WIDTH]
        rule, cut = SPLITS[kept // places], np.take_along_axis(cuts.reshape(len(nodes), -1), kept, axis=1)
        value = np.take_along_axis(values.reshape(len(nodes), -1), kept, axis=1)
        node, place = np.nonzero(np.isfinite(value))
        if len(node):
            value[node, place] = self.after(nodes.take(node), Actions(rule[node, place], cut[node, place]))

        rule = np.concatenate([rule, np.tile(np.array([Rule.PAINT, Rule.SKIP], np.int8), (len(nodes), 1))], axis=1)
        cut = np.concatenate([cut, np.zeros((len(nodes), 2), np.int32)], axis=1)
        value = np.concatenate([value, labels], axis=1)
        mine = np.where(own.splits, 0, value.shape[1] - len(Rule) + own.rule)  # a split of its own is the first kept
        best = value.argmax(axis=1)
        best = np.where(value[each, best] > value[each, mine], best, mine)
        return Actions(rule[each, best], cut[each, best])

    def after(self, nodes: Nodes, splits: Actions) -> Floats:
        """(nodes,): what a split is worth by the best that the critic expects of its children."""
        children = split_children(nodes, splits)
        _, values, labels = self.judge(children)
        best = np.maximum(values.max(axis=(1, 2)), labels.max(axis=1))
        pairs = [torch.from_numpy(column.astype(np.float32)).view(-1, 2) for column in (best, children.area)]
        return tree_backup(*pairs).numpy().round(DIGITS)

    def judge(self, nodes: Nodes, location: Tensor | None = None) -> tuple[npt.NDArray[np.int32], Floats, Floats]:
        """Cuts and their Q, (nodes, 2, places), minus infinity where a split is not valid; Q of labels, (nodes, 2).

        The first place of each axis is the policy's own ``location``, (nodes, 2), which is asked for if not given.
        """
        parts = []
        for first in range(0, len(nodes), self.most):
            some = np.arange(first, min(first + self.most, len(nodes)))
            with torch.no_grad():
                parts.append(self._judge_some(nodes.take(some), None if location is None else location[some]))
        cuts, values, labels = (np.concatenate(column) for column in zip(*parts, strict=True))
        return cuts, values, labels

    def _judge_some(self, nodes: Nodes, location: Tensor | None) -> tuple[npt.NDArray[np.int32], Floats, Floats]:
        view = NodeView.of(nodes, self.sizes, self.limits)
        features = self.policy.trunk(self.encoded, view)
        if location is None:
            location = self.policy.decide(features, view.valid).location
        trunk = self.critic.trunk
        judged = self.critic(features if trunk is None else trunk(self.looked, view))
        offered = torch.cat([location[:, :, None], self.spread.expand(len(nodes), 2, -1)], dim=2)
        extent = np.maximum(np.stack([nodes.w, nodes.h], axis=1), 2)[:, :, None]
        cuts = cut_from_location(offered.double().numpy(), extent)
        at = torch.from_numpy(location_from_cut(cuts, extent).astype(np.float32))
        values = torch.stack([judged.split_value(place) for place in at.unbind(dim=2)], dim=2)
        values = values.masked_fill(~view.valid[:, : Rule.PAINT, None], -torch.inf)
        return cuts, values.numpy().round(DIGITS), judged.label_values().numpy().round(DIGITS)
