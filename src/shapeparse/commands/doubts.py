"""Which rectangles a person should look at: those of whose label a parser is not sure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..grammar import ParseTree, Rule
from ..support.errors import UserError
from .summary import as_csv


@dataclass(frozen=True)
class Doubt:
    """A rectangle to be checked."""

    image: str
    x: int
    y: int
    w: int
    h: int
    label: str
    probability: float
    """How likely a pixel of it has that label, in the parser's eyes."""


class Doubts:
    """The rectangles of whose label a parser is less sure than asked for."""

    def __init__(self, least: float) -> None:
        if not 0 < least <= 1:
            raise UserError(f"--review is {least}; give a share above 0 and at most 1, such as 0.8.")
        self.least = least
        self.found: list[Doubt] = []
        self.all = 0

    def add(self, tree: ParseTree) -> None:
        """Note the doubtful rectangles of a tree."""
        confidence = tree.confidence
        assert confidence is not None  # a parser always says
        self.all += tree.leaf_count
        for i in np.flatnonzero(tree.is_leaf & (confidence < self.least)).tolist():
            box = (int(tree.x[i]), int(tree.y[i]), int(tree.w[i]), int(tree.h[i]))
            self.found.append(Doubt(tree.name, *box, Rule(tree.rule[i]).label, round(float(confidence[i]), 4)))

    def csv(self) -> str:
        """A line a rectangle, the least sure ones first."""
        return as_csv(sorted(self.found, key=lambda doubt: doubt.probability), Doubt)

    def words(self) -> str:
        """How many there are."""
        return f"{len(self.found)} of {self.all} rectangles whose label is less than {self.least:g} sure"
