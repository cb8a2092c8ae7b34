"""shapeparse: decompose the picture of an object into few labelled rectangles, and plan how to paint them.

>>> import shapeparse
>>> photo, mask = shapeparse.data.generator.generate(seed=0, index=0)
>>> tree = shapeparse.decompose(mask, rectangles=12)
>>> plan = shapeparse.paint(tree, brush=12)
>>> tree.leaf_count, len(plan.strokes)
(12, 38)
"""

import importlib
from typing import TYPE_CHECKING, Any

from .support.version import __version__

if TYPE_CHECKING:
    from . import data
    from .api import decompose, paint, train
    from .grammar import (
        Actions,
        Actor,
        Forest,
        Limits,
        Nodes,
        ParseTree,
        Rule,
        Scores,
        Segment,
        cut_from_location,
        expand,
        location_from_cut,
        prune,
        valid_rules,
    )
    from .learning.methods import METHODS, Method
    from .learning.names import register_method
    from .learning.settings import TrainSettings
    from .networks.encoders import register_encoder
    from .networks.presets import Preset, register_preset
    from .oracle.igm import Oracle, igm
    from .oracle.optimal import BestTree, OptimalOracle, best_tree, tree_curve
    from .painting import PaintPlan, PaintSettings
    from .parsing.load import load
    from .parsing.parser import Parser
    from .parsing.settings import ParseSettings
    from .support.errors import UserError

_PLACES = {
    "api": ("decompose", "paint", "train"),
    "grammar": (
        "Actions", "Actor", "Forest", "Limits", "Nodes", "ParseTree", "Rule", "Scores", "Segment", "cut_from_location",
        "expand", "location_from_cut", "prune", "valid_rules",
    ),
    "learning.methods": ("METHODS", "Method"),
    "learning.names": ("register_method",),
    "learning.settings": ("TrainSettings",),
    "networks.encoders": ("register_encoder",),
    "networks.presets": ("Preset", "register_preset"),
    "oracle.igm": ("Oracle", "igm"),
    "oracle.optimal": ("BestTree", "OptimalOracle", "best_tree", "tree_curve"),
    "painting.plan": ("PaintPlan",),
    "painting.settings": ("PaintSettings",),
    "parsing.load": ("load",),
    "parsing.parser": ("Parser",),
    "parsing.settings": ("ParseSettings",),
    "support.errors": ("UserError",),
}  # fmt: skip
"""Where the public names are; each is imported when it is first asked for, since PyTorch and Numba load slowly."""

_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "METHODS",
    "Actions",
    "Actor",
    "BestTree",
    "Forest",
    "Limits",
    "Method",
    "Nodes",
    "OptimalOracle",
    "Oracle",
    "PaintPlan",
    "PaintSettings",
    "ParseSettings",
    "ParseTree",
    "Parser",
    "Preset",
    "Rule",
    "Scores",
    "Segment",
    "TrainSettings",
    "UserError",
    "__version__",
    "best_tree",
    "cut_from_location",
    "data",
    "decompose",
    "expand",
    "igm",
    "load",
    "location_from_cut",
    "paint",
    "prune",
    "register_encoder",
    "register_method",
    "register_preset",
    "train",
    "tree_curve",
    "valid_rules",
]


def __getattr__(name: str) -> Any:
    if name == "data":
        return importlib.import_module(".data", __name__)
    if name in _MODULE_OF:
        return getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
