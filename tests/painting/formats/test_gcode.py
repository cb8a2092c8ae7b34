"""G-code, acted out by gcodeparser."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from gcodeparser import parse_gcode_lines
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import ParseTree
from shapeparse.painting import PaintPlan, PaintSettings, plan_painting
from shapeparse.painting.formats.gcode import Commands

from ..conftest import brush_down, flipped, written

any_tree, any_settings = st.from_type(ParseTree), st.from_type(PaintSettings)


def brush_ways(text: str, down: str = "G1 Z0") -> list[tuple[float, ...]]:
    """Act the program out: x1, y1, x2, y2 of every move with the brush down."""
    lowered, here = False, (0.0, 0.0)
    ways: list[tuple[float, ...]] = []
    for line in parse_gcode_lines(text):
        if "Z" in line.params:
            lowered = line.params["Z"] == 0
        if "X" in line.params:
            there = (float(line.params["X"]), float(line.params["Y"]))
            assert line.command == ("G", 1) or not lowered
            if lowered:
                ways.append((*here, *there))
            here = there
    assert not lowered
    return ways


@given(any_tree, any_settings)
def test_gcode_acted_out_paints_the_strokes(tree: ParseTree, settings: PaintSettings) -> None:
    plan = plan_painting(tree, settings)
    text = written(plan, tree, "gcode")
    commands = [line.command for line in parse_gcode_lines(text)]
    assert commands[:2] == [("G", 21), ("G", 90)]  # millimetres, absolute
    assert commands[-1] == ("M", 2)
    ways = np.array(brush_ways(text)).reshape(-1, 4)
    assert np.allclose(ways, flipped(brush_down(plan), plan, settings.scale or 1), atol=2e-3 * (settings.scale or 1))


def test_gcode_feeds_are_in_millimetres_a_minute(toy: ParseTree) -> None:
    settings = PaintSettings(brush=30, scale=0.5, stroke_speed=20, travel_speed=90)
    text = written(plan_painting(toy, settings), toy, "gcode")
    feeds = {line.command: line.params["F"] for line in parse_gcode_lines(text) if "X" in line.params}
    assert feeds == {("G", 0): 5400, ("G", 1): 1200}


def test_gcode_lifts_and_lowers_the_brush_as_it_is_told(plan: PaintPlan, toy: ParseTree) -> None:
    text = written(plan, toy, "gcode", commands=Commands(up=("M5",), down=("M3 S90", "G4 P0.2")))
    commands = [line.command_str for line in parse_gcode_lines(text)]
    lifts = plan.metrics()["lifts"]
    assert commands[:3] == ["G21", "G90", "M5"]
    assert commands[-2:] == ["M5", "M2"]
    assert commands.count("M3") == commands.count("G4") == commands.count("M5") - 1 == lifts
    assert commands.count("G1") == len(brush_down(plan))


def test_header_footer_dwell_and_workpiece(plan: PaintPlan, toy: ParseTree) -> None:
    asked = Commands(header=("M8",), footer=("M9", "G0 X0 Y0"), work_offset="G55", dwell=0.25, offset=(100, -20))
    text = written(plan, toy, "gcode", commands=asked)
    commands = [line.command_str for line in parse_gcode_lines(text)]
    assert commands[:5] == ["G21", "G90", "G55", "M8", "G0"]
    assert commands[-3:] == ["M9", "G0", "M2"]
    assert text.count("G4 P0.25") == plan.metrics()["lifts"]
    plain, moved = (np.array(brush_ways(one)) for one in (written(plan, toy, "gcode"), text))
    assert np.allclose(moved - plain, [100, -20, 100, -20])


@pytest.mark.parametrize("lines", [(), ("",), ("M5\nM112",), ("M5", " "), ("Größe",)])
def test_commands_that_are_no_lines_are_refused(refused: Callable[..., str], lines: tuple[str, ...]) -> None:
    assert refused(Commands, up=lines).startswith("Brush up")
    assert refused(Commands, down=lines).startswith("Brush down")


def test_a_machine_is_told_nothing_it_cannot_know(refused: Callable[..., str]) -> None:
    assert "G54" in refused(Commands, work_offset="G99")
    assert "header" in refused(Commands, header=("M8\nM112",))
    assert "dwell" in refused(Commands, dwell=-1)
    assert "offset" in refused(Commands, offset=(float("nan"), 0))


def test_a_name_cannot_smuggle_a_command_into_the_gcode(plan: PaintPlan, toy: ParseTree) -> None:
    named = PaintPlan(
        "x\nG0 X999 Y999\r\nö",
        *(getattr(plan, name) for name in ("width", "height", "settings", "rectangles", "strokes")),
    )
    text = written(named, toy, "gcode")
    assert text.isascii()
    assert brush_ways(text) == brush_ways(written(plan, toy, "gcode"))
    assert all(float(line.params.get("X", 0)) < 100 for line in parse_gcode_lines(text))
