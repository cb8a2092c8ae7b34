"""shapeparse: decompose the picture of an object into few labelled rectangles.

>>> import shapeparse
>>> tree = shapeparse.igm(mask)
>>> tree.accuracy(mask), tree.leaf_count
"""

from .errors import UserError
from .expand import Actor, expand
from .grammar import Actions, Limits, Nodes, Rule, cut_from_location, location_from_cut, valid_rules
from .oracle import Oracle, igm
from .prune import prune
from .tree import Forest, ParseTree, Scores, Segment

__version__ = "0.1.0"

__all__ = [
    "Actions",
    "Actor",
    "Forest",
    "Limits",
    "Nodes",
    "Oracle",
    "ParseTree",
    "Rule",
    "Scores",
    "Segment",
    "UserError",
    "cut_from_location",
    "expand",
    "igm",
    "location_from_cut",
    "prune",
    "valid_rules",
]
