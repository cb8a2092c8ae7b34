"""From rectangles to paint: strokes of a brush, their order, and files that machines read.

>>> from shapeparse.painting import PaintSettings, export_plan, plan_painting
>>> plan = plan_painting(tree, PaintSettings(brush=12))
>>> plan.metrics(mask)["coverage"], export_plan(plan, tree, "gcode")
"""

from .alternatives import compare
from .formats import FORMATS, ExportSettings, export_plan
from .plan import PaintPlan, plan_painting
from .settings import PaintSettings
from .strokes import Stroke

__all__ = [
    "FORMATS",
    "ExportSettings",
    "PaintPlan",
    "PaintSettings",
    "Stroke",
    "compare",
    "export_plan",
    "plan_painting",
]
