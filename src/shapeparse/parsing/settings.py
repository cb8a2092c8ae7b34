"""How trees of photographs are made. Nothing here loads PyTorch, so that help texts are quick."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..grammar import Limits, is_whole
from ..support.errors import UserError

MAX_LOOKAHEAD = 1024
"""Candidate cuts per axis that a search may look ahead."""


@dataclass(frozen=True)
class ParseSettings:
    """How trees are made. Lookahead, flips and refinement need an evidence map; other policies take their most likely
    actions.

    >>> ParseSettings(price=0.001).limits(Limits(depth=7)).depth
    7
    """

    depth: int | None = None
    """Depth of the deepest leaf; as in training if not given."""
    min_extent: int | None = None
    """A node is split along an axis only while its extent there is greater; as in training if not given."""
    lookahead: int = 16
    """Candidate cuts per axis that are compared with the policy's own at every node; 0 for none."""
    flips: bool = True
    """Look at every image flipped left to right too, and average both evidence maps."""
    refine: bool = True
    """Move cuts to where the photograph, at its own resolution, says the edge is; for photographs larger than the
    network's view."""
    price: float = 0.0
    """Accuracy that the model must expect of every additional rectangle, as a share of the image. With lookahead, the
    policy's own tree is pruned too, and the better of both is kept."""

    def __post_init__(self) -> None:
        if not is_whole(self.lookahead) or not 0 <= self.lookahead <= MAX_LOOKAHEAD:
            raise UserError(f"lookahead is {self.lookahead}; give 0 for none, or cuts from 1 to {MAX_LOOKAHEAD}.")
        if not 0 <= self.price < float("inf"):
            raise UserError(f"price is {self.price}; give an accuracy a rectangle of at least 0, such as 0.001.")
        self.limits(Limits())  # which refuses a depth or an extent that cannot be

    def limits(self, trained: Limits) -> Limits:
        """How far trees go, given how far they went in training."""
        return Limits(
            trained.depth if self.depth is None else self.depth,
            trained.min_extent if self.min_extent is None else self.min_extent,
        )

    def candidates(self) -> list[ParseSettings]:
        """The settings whose trees compete for the price.

        Lookahead spends every level it may use; where rectangles are dear, the policy's own trees can be better.
        """
        return [self, replace(self, lookahead=0)] if self.price and self.lookahead else [self]
