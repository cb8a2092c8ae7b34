"""How good trees are, whoever made them: they are held against the masks and against the oracle.

Regret says where accuracy was lost. At a node, it is the oracle's cost-to-go minus that of the action taken. Summed
over all nodes of a tree it is exactly the oracle's return minus the learner's (the performance difference lemma, which
in a tree holds without any approximation), so it can be split by depth and by kind of decision.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..grammar import Actions, Forest, Limits, Rule, location_from_cut
from ..grammar.tree import beside_masks
from ..oracle import Oracle
from ..oracle.rewards import Rewards

FloatArray = npt.NDArray[np.float64]


def accuracy_and_leaves(
    forests: Iterable[Forest], masks: npt.NDArray[np.bool_]
) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """Pixel accuracy and number of leaves of every image, of forests that together are of these masks, in order."""
    accuracy, leaves = [], []
    for forest, some in beside_masks(forests, masks):
        roots = Rewards(list(some)).returns(forest)[: len(some)]
        accuracy.append((roots / some[0].size + 1) / 2)
        leaves.append(np.bincount(forest.nodes.image[forest.rule >= Rule.PAINT], minlength=len(some)))
    return np.concatenate(accuracy), np.concatenate(leaves)


def off_middle(forests: Iterable[Forest], limits: Limits) -> list[float]:
    """How far cuts lie from the middle, as a share of the side that they cut, from 0 to 0.5: mean |l - 0.5| over the
    splits at each depth above the limit; 0 where there are none."""
    total, count = np.zeros(limits.depth), np.zeros(limits.depth, np.int64)
    for forest in forests:
        split = np.flatnonzero(forest.rule < Rule.PAINT)
        nodes = forest.nodes.take(split)
        away = np.abs(location_from_cut(forest.cut[split], nodes.extent(forest.rule[split])) - 0.5)
        total += np.bincount(nodes.depth, away, minlength=limits.depth)
        count += np.bincount(nodes.depth, minlength=limits.depth)
    return [float(share) for share in total / np.maximum(count, 1)]


@dataclass(frozen=True)
class Evaluation:
    """What is known of the trees of some images. Arrays have an entry an image unless they say otherwise."""

    accuracy: FloatArray
    iou: FloatArray
    coverage: FloatArray
    waste: FloatArray
    leaves: npt.NDArray[np.int64]
    oracle_accuracy: FloatArray
    majority_accuracy: FloatArray
    label_regret: FloatArray
    """(images, depth + 1): accuracy lost by assigning a label at each depth, against letting the oracle go on."""
    split_regret: FloatArray
    """(images, depth + 1): accuracy lost by where, along which axis, or that at all a node was split."""
    depth_accuracy: FloatArray
    """(images, depth + 1): accuracy of the tree cut off at each depth, every open node given its majority label."""

    def summary(self) -> dict[str, Any]:
        """Means over the images, ready for JSON."""
        names = ("accuracy", "iou", "coverage", "waste", "leaves", "oracle_accuracy", "majority_accuracy")
        regret = self.label_regret + self.split_regret
        return {
            "images": len(self.accuracy),
            **{name: float(getattr(self, name).mean()) for name in names},
            "regret": float(regret.sum(axis=1).mean()),
            "label_regret_by_depth": self.label_regret.mean(axis=0).tolist(),
            "split_regret_by_depth": self.split_regret.mean(axis=0).tolist(),
            "accuracy_by_depth": self.depth_accuracy.mean(axis=0).tolist(),
        }


def evaluate(forests: Iterable[Forest], masks: npt.NDArray[np.bool_], limits: Limits) -> Evaluation:
    """Hold forests, which together are of these masks, in order, against them and against the oracle."""
    parts = [evaluate_forest(forest, some, limits) for forest, some in beside_masks(forests, masks)]
    return Evaluation(*(np.concatenate([getattr(p, name) for p in parts]) for name in Evaluation.__dataclass_fields__))


def evaluate_forest(forest: Forest, masks: npt.NDArray[np.bool_], limits: Limits) -> Evaluation:
    """The same for one forest, whose roots come first."""
    oracle = Oracle(list(masks), limits)
    area = masks[0].size
    scores = [tree.scores(mask) for tree, mask in zip(forest.trees(), masks, strict=True)]
    roots = forest.nodes.take(np.arange(len(masks)))
    leaf = forest.rule >= Rule.PAINT
    regret = oracle.cost_to_go(forest.nodes, oracle(forest.nodes))
    regret = (regret - oracle.cost_to_go(forest.nodes, Actions(forest.rule, forest.cut))) / (2 * area)

    def by_depth(chosen: npt.NDArray[np.bool_]) -> FloatArray:
        table = np.zeros((len(masks), limits.depth + 1))
        np.add.at(table, (forest.nodes.image[chosen], forest.nodes.depth[chosen]), regret[chosen])
        return table

    paint = masks.reshape(len(masks), -1).mean(axis=1)
    return Evaluation(
        accuracy=np.array([score.accuracy for score in scores]),
        iou=np.array([score.iou for score in scores]),
        coverage=np.array([score.coverage for score in scores]),
        waste=np.array([score.waste for score in scores]),
        leaves=np.bincount(forest.nodes.image[leaf], minlength=len(masks)),
        oracle_accuracy=(oracle.cost_to_go(roots, oracle(roots)) / area + 1) / 2,
        majority_accuracy=np.maximum(paint, 1 - paint),
        label_regret=by_depth(leaf),
        split_regret=by_depth(~leaf),
        depth_accuracy=_accuracy_by_depth(forest, masks, limits),
    )


def _accuracy_by_depth(forest: Forest, masks: npt.NDArray[np.bool_], limits: Limits) -> FloatArray:
    """At each depth, the leaves above it keep their label and the nodes at it get their majority label."""
    nodes = forest.nodes
    positive = Rewards(list(masks)).positives(nodes)
    leaf = forest.rule >= Rule.PAINT
    as_majority = np.maximum(positive, nodes.area - positive)
    as_labelled = np.where(forest.rule == Rule.PAINT, positive, nodes.area - positive)
    table = np.zeros((len(masks), limits.depth + 1))
    for depth in range(limits.depth + 1):
        right = np.where(nodes.depth == depth, np.where(leaf, as_labelled, as_majority), 0)
        right += np.where((nodes.depth < depth) & leaf, as_labelled, 0)
        table[:, depth] = np.bincount(nodes.image, right, minlength=len(masks)) / masks[0].size
    return table
