"""Files that robots, machines and maps read. docs/painting.md says of each where it begins and what it counts in."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...grammar import ParseTree
from ...support.errors import UserError
from ...support.text import one_line, unknown
from ..georeference import Affine
from . import fields2cover, gcode, geojson, poses, ros
from .gcode import Commands
from .ros import RosSettings

if TYPE_CHECKING:
    from ..plan import PaintPlan


class Format(NamedTuple):
    """A kind of file that a plan can be written as."""

    suffix: str
    media_type: str
    description: str


FORMATS = {
    "json": Format(".json", "application/json", "the plan itself: rectangles, strokes, settings and metrics"),
    "geojson": Format(".geojson", "application/geo+json", "nodes, rectangles, strokes and travel as a map's features"),
    "svg": Format(".svg", "image/svg+xml", "a drawing to scale, with the brush's width"),
    "gcode": Format(".gcode", "text/x-gcode", "a program for machines with two axes and a brush that is lifted"),
    "csv": Format(".csv", "text/csv", "a table of poses, a row for every place to go to"),
    "fields2cover": Format(".txt", "text/plain", "a path that the library Fields2Cover reads"),
    "ros-path": Format(".path.yaml", "text/plain", "a nav_msgs/Path for ROS 2"),
    "ros-poses": Format(".poses.yaml", "text/plain", "a geometry_msgs/PoseArray for ROS 2"),
}


@dataclass(frozen=True)
class ExportSettings:
    """What only some formats need to know."""

    world: Affine | None = None
    """From a world file: then GeoJSON, CSV and Fields2Cover are in its coordinates."""
    crs: str | None = None
    """The coordinate reference system of the world file, such as EPSG:25832."""
    image: npt.NDArray[np.uint8] | None = None
    """The photograph, to draw on."""
    commands: Commands = field(default_factory=Commands)
    """What a machine is told in G-code besides the ways."""
    ros: RosSettings = field(default_factory=RosSettings)
    """Where the plane lies in a robot's frame."""

    def __post_init__(self) -> None:
        if self.crs is not None:
            geojson.check_crs(self.crs)


def format_of(path: str | Path) -> str:
    """The format that a file's name ends in."""
    found = [name for name, known in FORMATS.items() if Path(path).name.lower().endswith(known.suffix)]
    if not found:
        endings = ", ".join(known.suffix for known in FORMATS.values())
        raise UserError(f"{one_line(path)} ends in no format that is known; give it one of {endings}.")
    return found[0]


def export_plan(plan: PaintPlan, tree: ParseTree | None, format: str, settings: ExportSettings | None = None) -> bytes:
    """The plan as a file of one of ``FORMATS``; ``tree`` is the one it was made from, if any."""
    settings = settings or ExportSettings()
    if tree is not None and (tree.width, tree.height) != plan.image_size:
        raise UserError(
            f"The plan is of an image of {plan.image_size[0]} x {plan.image_size[1]} pixels but the tree of one "
            f"of {tree.width} x {tree.height}; give the tree that was planned with."
        )
    writers: dict[str, Callable[[], str]] = {
        "json": lambda: plan_text(plan.to_json()),
        "geojson": lambda: geojson.write(plan, tree, settings.world, settings.crs),
        "svg": lambda: _drawing(plan, tree, settings.image),
        "gcode": lambda: gcode.write(plan, settings.commands),
        "csv": lambda: poses.write(plan, settings.world),
        "fields2cover": lambda: fields2cover.write(plan, settings.world),
        "ros-path": lambda: ros.write_path(plan, settings.ros),
        "ros-poses": lambda: ros.write_poses(plan, settings.ros),
    }
    if format not in writers:
        raise unknown("format", format, FORMATS)
    return writers[format]().encode()


def _drawing(plan: PaintPlan, tree: ParseTree | None, image: npt.NDArray[np.uint8] | None) -> str:
    from . import svg  # here, since the pictures' modules load slowly

    return svg.write(plan, tree, image)


def plan_text(content: dict[str, Any]) -> str:
    """A plan's JSON as text, a line a rectangle and a line a stroke."""
    lists = {name: value for name, value in content.items() if isinstance(value, list)}
    parts = []
    for name, value in content.items():
        if name in lists and value:
            rows = ",\n".join("    " + json.dumps(row, allow_nan=False) for row in value)
            parts.append(f"  {json.dumps(name)}: [\n{rows}\n  ]")
        else:
            parts.append(f"  {json.dumps(name)}: {json.dumps(value, allow_nan=False)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
