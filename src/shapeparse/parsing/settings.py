"""How trees of photographs are made. Nothing here loads PyTorch, so that help texts are quick."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from ..support.checks import is_whole
from ..support.errors import UserError
from ..support.limits import MOST_LOOKAHEAD, MOST_RECTANGLES

if TYPE_CHECKING:
    from ..grammar import Limits

Search = Literal["optimal", "lookahead", "policy"]


@dataclass(frozen=True)
class ParseSettings:
    """How trees are made. The search, flips, refinement and a goal need an evidence map; other policies take their most
    likely actions, and know only a price.

    >>> from shapeparse import Limits
    >>> ParseSettings(price=0.001).limits(Limits(depth=7)).depth
    7
    """

    depth: int | None = None
    """Depth of the deepest leaf; if not given, as in training, or no limit for the optimal search."""
    min_extent: int | None = None
    """A node is split along an axis only while its extent there is greater; as in training if not given."""
    search: Search = "optimal"
    """``optimal``: the best tree of the evidence map. ``lookahead``: the policy's actions, compared with others by
    looking ahead, within the depth of the training. ``policy``: the policy's own actions, snapped to the map."""
    lookahead: int = 16
    """Candidate cuts per axis that are compared with the policy's own at every node, if it looks ahead."""
    flips: bool = True
    """Look at every image flipped left to right too, and average both evidence maps."""
    refine: bool = True
    """Move cuts to where the photograph, at its own resolution, says the edge is; for photographs larger than the
    network's view."""
    rectangles: int | None = None
    """The tree of at most so many rectangles of which most is expected (optimal search only)."""
    price: float | None = None
    """Accuracy that the model must expect of every additional rectangle, as a share of the image; 0.0005 for the
    optimal search if nothing else is asked for. With lookahead, the policy's own tree is pruned too, and the better of
    both is kept."""
    accuracy: float | None = None
    """The fewest rectangles that are expected to label this share of the pixels right (optimal search only)."""

    def __post_init__(self) -> None:
        if not is_whole(self.lookahead) or not 0 <= self.lookahead <= MOST_LOOKAHEAD:
            raise UserError(f"lookahead is {self.lookahead}; give 0 for none, or cuts from 1 to {MOST_LOOKAHEAD}.")
        if self.price is not None and not 0 <= self.price <= 1:
            raise UserError(f"price is {self.price}; give an accuracy per rectangle from 0 to 1, such as 0.001.")
        if self.search not in get_args(Search):
            raise UserError(f"search is {ascii(self.search)[:40]}; give one of {', '.join(get_args(Search))}.")
        if self.search != "optimal" and self.goal:
            raise UserError(
                f"The search {self.search} knows no {self.goal}; search for the optimal tree, or give a price."
            )
        given = [name for name in ("rectangles", "price", "accuracy") if getattr(self, name) is not None]
        if len(given) > 1:
            raise UserError(f"Both {given[0]} and {given[1]} were given; give one of them.")
        if self.rectangles is not None and not (is_whole(self.rectangles) and 1 <= self.rectangles <= MOST_RECTANGLES):
            raise UserError(f"rectangles is {self.rectangles}; give a whole number from 1 to {MOST_RECTANGLES}.")
        if self.accuracy is not None and not 0 < self.accuracy <= 1:
            raise UserError(f"accuracy is {self.accuracy}; give a share above 0 and at most 1, such as 0.95.")
        if self.depth is not None or self.min_extent is not None:
            from ..grammar import Limits

            self.limits(Limits())  # which refuses a depth or an extent that cannot be

    @property
    def goal(self) -> str:
        """What only the optimal search can reach, by name, if it was asked for."""
        return next((name for name in ("rectangles", "accuracy") if getattr(self, name) is not None), "")

    def limits(self, trained: Limits) -> Limits:
        """How far trees go, given how far they went in training."""
        from ..grammar import Limits  # with NumPy, which help texts do without

        return Limits(
            trained.depth if self.depth is None else self.depth,
            trained.min_extent if self.min_extent is None else self.min_extent,
        )

    def candidates(self) -> list[ParseSettings]:
        """The settings whose trees compete for the price.

        Lookahead spends every level it may use; where rectangles are dear, the policy's own trees can be better.
        """
        return [self, replace(self, search="policy")] if self.price and self.search == "lookahead" else [self]
