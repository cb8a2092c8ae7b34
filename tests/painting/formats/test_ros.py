"""ROS 2 messages, read back by PyYAML, as ``ros2 topic pub`` reads them."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import ParseTree
from shapeparse.painting import PaintPlan, PaintSettings, plan_painting
from shapeparse.painting.formats.ros import RosSettings

from ..conftest import brush_down, flipped, written

any_tree, any_settings = st.from_type(ParseTree), st.from_type(PaintSettings)


def rotated(q: dict, vector: list[float]) -> np.ndarray:
    """A vector turned by a quaternion."""
    axis, w = np.array([q["x"], q["y"], q["z"]]), q["w"]
    return np.asarray(vector + 2 * np.cross(axis, np.cross(axis, vector) + w * np.array(vector)))


def on_the_surface(poses: list[dict], z: float) -> list[tuple[float, ...]]:
    """The ways of which both ends are on the surface."""
    points = [(pose["position"]["x"], pose["position"]["y"], pose["position"]["z"]) for pose in poses]
    return [(*one[:2], *other[:2]) for one, other in pairwise(points) if one[2] == other[2] == pytest.approx(z)]


@given(any_tree, any_settings)
def test_a_path_and_a_pose_array_hold_the_plan(tree: ParseTree, settings: PaintSettings) -> None:
    plan = plan_painting(tree, settings)
    ros = RosSettings("robot/base", 0.25, 0.125)
    path = yaml.safe_load(written(plan, tree, "ros-path", ros=ros))
    array = yaml.safe_load(written(plan, tree, "ros-poses", ros=ros))
    assert [stamped["pose"] for stamped in path["poses"]] == array["poses"]
    assert path["header"]["frame_id"] == array["header"]["frame_id"] == "robot/base"
    size = 0.001 * (settings.scale or 1)
    expected = flipped(brush_down(plan), plan, size)
    assert np.allclose(np.array(on_the_surface(array["poses"], 0.25)).reshape(-1, 4), expected, atol=1e-5)
    assert {pose["position"]["z"] for pose in array["poses"]} <= {0.25, 0.375}
    for pose in array["poses"]:
        assert all(isinstance(value, float) for part in pose.values() for value in part.values())
        assert rotated(pose["orientation"], [0, 0, 1]) == pytest.approx([0, 0, -1], abs=1e-4)
    stamps = [one["header"]["stamp"]["sec"] + 1e-9 * one["header"]["stamp"]["nanosec"] for one in path["poses"]]
    assert stamps == sorted(stamps)
    if stamps:
        assert stamps[-1] == pytest.approx(plan.metrics()["seconds"], abs=1e-3)


@pytest.mark.parametrize("tool_z", ["into", "away"])
def test_the_tool_looks_along_the_way_and_the_tip_is_where_the_offset_says(
    plan: PaintPlan, toy: ParseTree, tool_z: str
) -> None:
    def poses(**options: object) -> list[dict]:
        settings = RosSettings(tool_z=tool_z, **options)  # type: ignore[arg-type]
        return yaml.safe_load(written(plan, toy, "ros-poses", ros=settings))["poses"]

    for flange, tip in zip(poses(tcp=(0.1, 0.02, 0.3)), poses(), strict=True):
        quaternion = flange["orientation"]
        offset = rotated(quaternion, [0.1, 0.02, 0.3])
        at, there = ([pose["position"][axis] for axis in "xyz"] for pose in (flange, tip))
        assert np.allclose(np.array(at) + offset, there, atol=1e-5)
        assert rotated(quaternion, [0, 0, 1])[2] == pytest.approx(-1 if tool_z == "into" else 1, abs=1e-5)
    downs = [pose for pose in poses() if pose["position"]["z"] == 0]
    for one, other in pairwise(downs):
        way = np.array([other["position"][axis] - one["position"][axis] for axis in "xy"])
        if np.hypot(*way) > 1e-4 and other["orientation"] == one["orientation"]:
            heading = rotated(other["orientation"], [1, 0, 0])
            angle = math.atan2(way[1], way[0]) - math.atan2(heading[1], heading[0])
            assert math.cos(angle) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("wrong", [{"frame": "a b"}, {"frame": ""}, {"tool_z": "up"}, {"z": math.nan}, {"tcp": (1, 2)}])
def test_what_no_robot_knows_is_refused(refused: Callable[..., str], wrong: dict) -> None:
    assert refused(RosSettings, **wrong)
