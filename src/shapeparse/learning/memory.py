"""The replay memory: per image a ring of node coordinates and numbers, never pixels.

One million nodes take under 50 MB. Nodes are drawn image by image, because a batch of many nodes of few images needs
only few looks at images.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ..grammar import Actions, Nodes

COLUMNS: dict[str, type] = {
    "x": np.int32,
    "y": np.int32,
    "w": np.int32,
    "h": np.int32,
    "depth": np.int8,
    "rule": np.int8,
    "cut": np.int32,
    "returns": np.float32,
    "behaviour": np.float32,
    "oracle_rule": np.int8,
    "oracle_cut": np.int32,
}


@dataclass(frozen=True)
class Transitions:
    """What a rollout tells of visited nodes. Columns a method's setting forbids are None."""

    nodes: Nodes
    rule: npt.NDArray[np.int8]
    """The rule that was applied."""
    cut: npt.NDArray[np.int32]
    returns: npt.NDArray[np.float32] | None = None
    """G as a share of the node's area."""
    behaviour: npt.NDArray[np.float32] | None = None
    """Probability with which the acting policy chose rule and cut."""
    oracle_rule: npt.NDArray[np.int8] | None = None
    """What the oracle would do here, whoever acted."""
    oracle_cut: npt.NDArray[np.int32] | None = None
    worth_places: npt.NDArray[np.float32] | None = None
    """(nodes, 2, points): what the optimal oracle knows of cuts and labels; see ``OptimalOracle.worth``."""
    worth_values: npt.NDArray[np.float32] | None = None
    worth_labels: npt.NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def actions(self) -> Actions:
        """What was done at the nodes."""
        return Actions(self.rule, self.cut)

    @property
    def advice(self) -> Actions:
        """What the oracle would do at the nodes."""
        assert self.oracle_rule is not None and self.oracle_cut is not None, "this method's setting has no oracle"
        return Actions(self.oracle_rule, self.oracle_cut)

    def take(self, chosen: npt.NDArray) -> Transitions:
        """Those at ``chosen``."""
        values: dict[str, Any] = {
            field.name: None if getattr(self, field.name) is None else getattr(self, field.name)[chosen]
            for field in fields(self)
            if field.name != "nodes"
        }
        return Transitions(self.nodes.take(chosen), **values)


class Memory:
    """A first-in-first-out ring of transitions for each image; with the worth of cuts at so many ``points``, if any."""

    def __init__(self, images: int, capacity: int, points: int = 0) -> None:
        self.capacity = capacity
        self.columns: dict[str, npt.NDArray] = {
            name: np.zeros((images, capacity), kind) for name, kind in COLUMNS.items()
        }
        if points:
            for name, shape in (("places", (2, points)), ("values", (2, points)), ("labels", (2,))):
                self.columns[f"worth_{name}"] = np.zeros((images, capacity, *shape), np.float32)
        self.added = np.zeros(images, np.int64)
        self.present: set[str] = set()

    def __len__(self) -> int:
        return int(np.minimum(self.added, self.capacity).sum())

    def clear(self) -> None:
        """Forget everything."""
        self.added[:] = 0

    def forget(self, images: npt.NDArray[np.integer]) -> None:
        """Forget all that is stored of some images."""
        self.added[images] = 0

    def add(self, transitions: Transitions) -> None:
        """Store transitions, each with its image; the oldest of that image make room."""
        nodes = transitions.nodes
        values = {"x": nodes.x, "y": nodes.y, "w": nodes.w, "h": nodes.h, "depth": nodes.depth}
        for name in set(self.columns) - set(values):
            if getattr(transitions, name) is not None:
                values[name] = getattr(transitions, name)
        self.present = set(values)
        order = np.argsort(nodes.image, kind="stable")
        image = nodes.image[order]
        first_of_image = np.searchsorted(image, image)
        place = (self.added[image] + np.arange(len(image)) - first_of_image) % self.capacity
        for name, value in values.items():
            self.columns[name][image, place] = value[order]
        np.add.at(self.added, image, 1)

    def sample(self, images: npt.NDArray[np.integer], per_image: int, rng: np.random.Generator) -> Transitions:
        """Up to ``per_image`` transitions of each of ``images``, drawn uniformly with replacement.

        Images of which nothing is stored are left out; where no more is stored than wanted, each comes once.
        """
        stored = np.minimum(self.added[images], self.capacity)
        picks = [
            np.arange(count) if count <= per_image else rng.integers(0, count, per_image) for count in stored.tolist()
        ]
        image = np.repeat(np.asarray(images, np.int32), [len(pick) for pick in picks])
        place = np.concatenate(picks) if picks else np.zeros(0, np.int64)
        column = {name: self.columns[name][image, place] for name in self.present}
        box = {name: column.pop(name) for name in ("x", "y", "w", "h")}
        nodes = Nodes(image, **box, depth=column.pop("depth").astype(np.int32))
        return Transitions(nodes, **column)

    def nbytes(self) -> int:
        """Bytes of the stored columns."""
        return sum(column.nbytes for column in self.columns.values()) + self.added.nbytes
