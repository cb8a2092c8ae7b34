"""The grammar of the paper: rules, nodes as parallel arrays, trees and their files, and the one expansion loop."""

from ..support.checks import is_whole
from .expand import Actor, expand
from .prune import prune
from .rules import (
    MAX_DEPTH,
    RULE_BY_LABEL,
    Actions,
    BoolArray,
    FloatArray,
    IntArray,
    Limits,
    Nodes,
    Rule,
    cut_from_location,
    location_from_cut,
    split_children,
    valid_rules,
)
from .tree import Forest, ParseTree, Scores, Segment

__all__ = [
    "MAX_DEPTH",
    "RULE_BY_LABEL",
    "Actions",
    "Actor",
    "BoolArray",
    "FloatArray",
    "Forest",
    "IntArray",
    "Limits",
    "Nodes",
    "ParseTree",
    "Rule",
    "Scores",
    "Segment",
    "cut_from_location",
    "expand",
    "is_whole",
    "location_from_cut",
    "prune",
    "split_children",
    "valid_rules",
]
