"""ROS 2 messages as YAML that ``ros2 topic pub`` takes: nav_msgs/Path and geometry_msgs/PoseArray.

Positions are in metres (REP 103), from the lower left corner of the image, x right, y up, z away from the surface.
The tool's x axis looks along the way. Its z axis points into the surface, or away from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from ...support.errors import UserError
from ..frames import Frame, plain
from .poses import headings_of

if TYPE_CHECKING:
    from ..plan import PaintPlan

ToolAxis = Literal["into", "away"]
DECIMALS = 6
Vector = tuple[float, float, float]


@dataclass(frozen=True)
class RosSettings:
    """Where the plane lies in a robot's frame; lengths are in metres."""

    frame: str = "workpiece"
    """The frame_id of all headers."""
    z: float = 0.0
    """Height of the surface."""
    approach: float = 0.05
    """How far above the surface the brush is while it is up."""
    tool_z: ToolAxis = "into"
    """Whether the tool's z axis points into the surface or away from it."""
    tcp: Vector = (0.0, 0.0, 0.0)
    """Where the brush is in the frame of what is commanded, such as a flange: poses are of the latter."""

    def __post_init__(self) -> None:
        if (
            not self.frame
            or len(self.frame) > 80
            or not all((c.isalnum() and c.isascii()) or c in "_/-" for c in self.frame)
        ):
            raise UserError(f"The ROS frame is {ascii(self.frame)[:40]}; give a name of letters, digits and _ / -.")
        if self.tool_z not in get_args(ToolAxis):
            raise UserError(f"tool_z is {ascii(self.tool_z)[:40]}; give into or away.")
        numbers = (self.z, self.approach, *self.tcp)
        if len(self.tcp) != 3 or not all(math.isfinite(number) and abs(number) <= 1e4 for number in numbers):
            raise UserError("z, approach and the TCP offset must be lengths in metres; give numbers such as 0.05.")
        if self.approach < 0:
            raise UserError(
                f"approach is {self.approach:g} m; give how far above the surface the brush is, at least 0."
            )


class Pose(NamedTuple):
    """A pose and when it is reached."""

    position: Vector
    orientation: tuple[float, float, float, float]
    """A quaternion x, y, z, w."""
    seconds: float


def write_path(plan: PaintPlan, ros: RosSettings) -> str:
    """A nav_msgs/Path; the stamp of a pose is the time at which it is reached, from the beginning."""
    lines = [*_comments(plan, "nav_msgs/msg/Path"), f"header: {_header(ros, 0.0)}", "poses:"]
    for pose in poses_of(plan, ros):
        lines += [f"- header: {_header(ros, pose.seconds)}", *_pose_lines(pose, "  pose:", "    ")]
    return "\n".join([*lines, ""]) if plan.moves else "\n".join([*lines[:-1], "poses: []", ""])


def write_poses(plan: PaintPlan, ros: RosSettings) -> str:
    """A geometry_msgs/PoseArray."""
    lines = [*_comments(plan, "geometry_msgs/msg/PoseArray"), f"header: {_header(ros, 0.0)}", "poses:"]
    for pose in poses_of(plan, ros):
        first, second = _pose_lines(pose, "", "  ")[1:]
        lines += [f"- {first.strip()}", second]
    return "\n".join([*lines, ""]) if plan.moves else "\n".join([*lines[:-1], "poses: []", ""])


def poses_of(plan: PaintPlan, ros: RosSettings) -> Iterator[Pose]:
    """A pose for every move, and one more at its own place wherever the brush is lowered or lifted."""
    size = 0.001 * plan.settings.pixel_in("mm")  # without a scale, a pixel is taken for a millimetre
    frame = Frame.of(plan, "px")
    places = frame.points(plan.places) * size
    lowered, before, seconds = False, None, 0.0
    for move, (x, y), angle in zip(plan.moves, places.tolist(), headings_of(plan, frame).tolist(), strict=True):
        if before is not None and move.down != lowered:
            turned = angle if move.down else before[2]
            yield _pose(ros, before[0], before[1], turned, move.down, seconds)
        yield _pose(ros, x, y, angle, move.down, move.seconds)
        lowered, before, seconds = move.down, (x, y, angle), move.seconds
    if lowered and before is not None:
        yield _pose(ros, *before, False, seconds)


def _pose(ros: RosSettings, x: float, y: float, heading: float, down: bool, seconds: float) -> Pose:
    cos, sin = math.cos(heading), math.sin(heading)
    if ros.tool_z == "into":  # half a turn about the axis halfway between x and the heading
        quaternion = (math.cos(heading / 2), math.sin(heading / 2), 0.0, 0.0)
        axes = np.array([[cos, sin, 0], [sin, -cos, 0], [0, 0, -1]])
    else:
        quaternion = (0.0, 0.0, math.sin(heading / 2), math.cos(heading / 2))
        axes = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    tip = np.array([x, y, ros.z if down else ros.z + ros.approach])
    px, py, pz = (tip - axes @ np.array(ros.tcp)).tolist()
    return Pose((px, py, pz), quaternion, seconds)


def _comments(plan: PaintPlan, kind: str) -> list[str]:
    scale = "metres" if plan.settings.scale is not None else "no scale was given: a pixel is 0.001 m"
    return [f"# shapeparse: {kind}; {scale}; lower left corner of the image, y up, z away from the surface"]


def _header(ros: RosSettings, seconds: float) -> str:
    whole = int(seconds)
    return f"{{stamp: {{sec: {whole}, nanosec: {int((seconds - whole) * 1e9)}}}, frame_id: {ros.frame}}}"


def _pose_lines(pose: Pose, head: str, indent: str) -> list[str]:
    position = ", ".join(f"{name}: {_float(value)}" for name, value in zip("xyz", pose.position, strict=True))
    turned = ", ".join(f"{name}: {_float(value)}" for name, value in zip("xyzw", pose.orientation, strict=True))
    return [head, f"{indent}position: {{{position}}}", f"{indent}orientation: {{{turned}}}"]


def _float(value: float) -> str:
    """A number with a point, since ROS tells floats from whole numbers."""
    text = plain(value, DECIMALS)
    return text if "." in text else f"{text}.0"
