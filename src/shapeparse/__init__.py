"""shapeparse: decompose the picture of an object into few labelled rectangles.

>>> import shapeparse
>>> tree = shapeparse.igm(mask)
>>> tree.accuracy(mask), tree.leaf_count
"""

from typing import TYPE_CHECKING, Any

from .errors import UserError
from .expand import Actor, expand
from .grammar import Actions, Limits, Nodes, Rule, cut_from_location, location_from_cut, valid_rules
from .prune import prune
from .tree import Forest, ParseTree, Scores, Segment

if TYPE_CHECKING:
    from .model import Parser, load
    from .oracle.igm import Oracle, igm
    from .parsing import ParseSettings

__version__ = "0.1.0"

__all__ = [
    "Actions",
    "Actor",
    "Forest",
    "Limits",
    "Nodes",
    "Oracle",
    "ParseSettings",
    "ParseTree",
    "Parser",
    "Rule",
    "Scores",
    "Segment",
    "UserError",
    "cut_from_location",
    "expand",
    "igm",
    "load",
    "location_from_cut",
    "prune",
    "valid_rules",
]


def __getattr__(name: str) -> Any:
    """Import the oracle and the learned parser when they are first asked for: Numba and PyTorch load slowly."""
    if name in ("Oracle", "igm"):
        from . import oracle

        return getattr(oracle, name)
    if name in ("Parser", "load"):
        from . import model

        return getattr(model, name)
    if name == "ParseSettings":
        from . import parsing

        return parsing.ParseSettings
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
