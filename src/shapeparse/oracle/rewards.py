"""Eq. 1 for trees of known masks: all that a method without an oracle learns of the truth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..grammar import Forest, Nodes, Rule
from ..grammar.boxes import BoxSums
from ..grammar.tree import returns
from .igm import integrate_labels


class Rewards:
    """What labels and trees of some masks are worth."""

    def __init__(self, masks: Sequence[npt.NDArray[np.bool_]]) -> None:
        labels = [np.ascontiguousarray(mask).view(np.uint8) for mask in masks]
        self._boxes = BoxSums.of(labels, integrate=integrate_labels)
        self.sizes = self._boxes.sizes

    def positives(self, nodes: Nodes) -> npt.NDArray[np.int64]:
        """Object pixels in each node."""
        return self._boxes.count(nodes)

    def replace(self, index: int, mask: npt.NDArray[np.bool_]) -> None:
        """Put another mask of the same size in the place of one."""
        labels = np.ascontiguousarray(mask).view(np.uint8)
        integrate_labels(labels, self._boxes.sums, self._boxes.starts[index])

    def label_returns(self, nodes: Nodes, rule: npt.NDArray) -> npt.NDArray[np.float32]:
        """Return of an assignment, as a share of the node's area."""
        share = 2 * self.positives(nodes) / nodes.area - 1
        return np.where(rule == Rule.PAINT, share, -share).astype(np.float32)

    def returns(self, forest: Forest) -> npt.NDArray[np.int64]:
        """Eq. 1 for every node."""
        return returns(forest.nodes, forest.rule, forest.parent, self.positives(forest.nodes))
