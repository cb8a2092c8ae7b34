"""Who decides at the nodes of a photograph: the policy alone, or the policy and its evidence map."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..grammar import Actions, Forest, Limits, Nodes, Rule, expand, valid_rules
from ..networks.devices import device_of
from ..networks.policy import Policy, PolicyOutput
from ..networks.views import NodeView
from ..oracle import Oracle
from ..oracle.kernels import EXACT_LEVELS
from ..support.errors import UserError

SPLITS = [Rule.SPLIT_X, Rule.SPLIT_Y]


def check_numbers(*answers: torch.Tensor) -> None:
    """Refuse what no network says whose weights are sound: finite weights may still be far too large."""
    if any(bool(torch.isnan(answer).any()) for answer in answers):
        raise UserError("The parser answers with numbers that are none (NaN): restore its weights, or train again.")


class PolicyActor:
    """The policy's most likely action: argmax rule, split at mu. For parsing and evaluation.

    Notes for every node how likely it finds paint.
    """

    def __init__(self, policy: Policy, encoded: Any, sizes: npt.NDArray[np.integer], limits: Limits) -> None:
        self.policy, self.encoded, self.sizes, self.limits = policy, encoded, sizes, limits
        self.device = device_of(policy)
        self.likely: list[npt.NDArray[np.float32]] = []

    def __call__(self, nodes: Nodes) -> Actions:
        output = self.output(nodes)
        paint, skip = output.log_rule[:, Rule.PAINT], output.log_rule[:, Rule.SKIP]
        self.likely.append(torch.sigmoid(paint - skip).cpu().numpy())
        return most_likely(nodes, output)

    def parse(self) -> Forest:
        """The trees of all images."""
        try:
            forest = expand(self.sizes, self, self.limits)
        except UserError:
            raise
        except ValueError as error:  # weights so large that a rule which cannot be is the likeliest
            raise UserError("The parser decides what cannot be: restore its weights, or train again.") from error
        return replace(forest, likely=np.concatenate(self.likely))

    def output(self, nodes: Nodes) -> PolicyOutput:
        """What the policy says of nodes; no gradient is kept."""
        with torch.no_grad():
            output: PolicyOutput = self.policy(self.encoded, NodeView.of(nodes, self.sizes, self.limits, self.device))
        check_numbers(output.log_rule, output.split_logit)
        return output


class MapActor(PolicyActor):
    """The policy's most likely action with its cut snapped to the evidence, or what lookahead finds to be better.

    Labels are those that the evidence map finds likelier. Where they do not differ within a node, or nothing can be
    split any more, nobody has to be asked; nor is the policy where the search that looks ahead is exact.
    """

    def __init__(
        self,
        policy: Policy,
        encoded: Any,
        sizes: npt.NDArray[np.integer],
        limits: Limits,
        maps: list[npt.NDArray[np.float32]],
        lookahead: int,
    ) -> None:
        super().__init__(policy, encoded, sizes, limits)
        threads = torch.get_num_threads()  # one, where batches are parsed side by side
        self.judge = Oracle(maps, limits, threads=threads)
        # Looking ahead on labels is many times quicker than on the map, where no rectangle is ever pure, and as good.
        self.labels = Oracle([likely >= 0.5 for likely in maps], limits, threads=threads)
        self.searching = self.labels.looking_ahead(lookahead) if lookahead else None
        self.positions = policy.trunk.preset.positions

    def __call__(self, nodes: Nodes) -> Actions:
        likely = self.judge.paint_share(nodes)
        self.likely.append(likely.astype(np.float32))
        rule = np.where(likely >= 0.5, Rule.PAINT, Rule.SKIP).astype(np.int8)
        cut = np.zeros(len(nodes), np.int32)
        labelled = self.labels.paint_share(nodes)
        mixed = np.flatnonzero((labelled > 0) & (labelled < 1) & valid_rules(nodes, self.limits)[:, SPLITS].any(axis=1))
        if len(mixed):
            found = self.split(nodes.take(mixed))
            rule[mixed], cut[mixed] = np.where(found.splits, found.rule, rule[mixed]), found.cut
        return Actions(rule, cut)

    def split(self, nodes: Nodes) -> Actions:
        """How to split nodes, or that they are better left whole."""
        if self.searching is None:
            return self.snapped(nodes)
        levels = self.limits.depth - int(nodes.depth[0])  # of all of them, since trees grow level by level
        return self.searching(nodes, self.snapped(nodes) if levels > EXACT_LEVELS else None)

    def snapped(self, nodes: Nodes) -> Actions:
        """The policy's own actions, their cuts moved to where the map says they gain most."""
        own = most_likely(nodes, self.output(nodes))
        return self.judge.snap(nodes, own, np.maximum(nodes.extent(own.rule) // self.positions, 1))


def most_likely(nodes: Nodes, output: PolicyOutput) -> Actions:
    """The policy's action at every node."""
    rule = output.log_rule.argmax(dim=1).cpu().numpy()
    return Actions.at_locations(nodes, rule, along_split_axis(output.location, rule))


def along_split_axis(pair: torch.Tensor, rule: npt.NDArray) -> npt.NDArray[np.float64]:
    """The entry of the axis that each rule splits (axis 0 where it does not)."""
    axis = np.where(rule == Rule.SPLIT_Y, 1, 0)
    return pair.double().cpu().numpy()[np.arange(len(axis)), axis]
