"""From rectangles to paint: strokes of a brush, their order, and files that machines read.

>>> from shapeparse.pictures import toy_object
>>> photo, mask, tree = toy_object()
>>> plan = plan_painting(tree, PaintSettings(brush=2))
>>> plan.metrics(mask)["coverage"], len(export_plan(plan, tree, "gcode")) > 100
(1.0, True)
"""

from .choose import Choice, Part, choose_plan
from .formats import FORMATS, ExportSettings, export_plan
from .plan import PaintPlan, plan_painting
from .settings import PaintSettings
from .strokes import Stroke

__all__ = [
    "FORMATS",
    "Choice",
    "ExportSettings",
    "PaintPlan",
    "PaintSettings",
    "Part",
    "Stroke",
    "choose_plan",
    "export_plan",
    "plan_painting",
]
