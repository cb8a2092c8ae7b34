"""The drawing, read back by an XML parser."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import ParseTree
from shapeparse.painting import PaintPlan, PaintSettings, plan_painting

from ..conftest import written

any_tree, any_settings = st.from_type(ParseTree), st.from_type(PaintSettings)


@given(any_tree, any_settings)
def test_svg_is_xml_and_draws_every_stroke_as_wide_as_the_brush(tree: ParseTree, settings: PaintSettings) -> None:
    plan = plan_painting(tree, settings)
    root = ElementTree.fromstring(written(plan, tree, "svg"))
    space = {"svg": "http://www.w3.org/2000/svg"}
    drawn = root.findall(".//svg:line[@class='brush']", space)
    read = [[float(line.attrib[name]) for name in ("x1", "y1", "x2", "y2")] for line in drawn]
    assert np.allclose(np.array(read).reshape(-1, 4), plan.lines, atol=1e-5)
    group = root.find(".//svg:g[@class='strokes']", space)
    assert group is not None
    assert float(group.attrib["stroke-width"]) == pytest.approx(settings.brush, abs=1e-5)
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    assert left <= 0
    assert top <= 0
    assert (width, height) >= (tree.width, tree.height)


def test_svg_is_as_large_as_the_object(plan: PaintPlan, toy: ParseTree) -> None:
    root = ElementTree.fromstring(written(plan, toy, "svg"))
    assert (root.attrib["width"], root.attrib["height"]) == ("48mm", "36mm")


def test_svg_shows_the_photograph_and_survives_any_name(plan: PaintPlan, toy: ParseTree) -> None:
    photo = np.zeros((72, 96, 3), np.uint8)
    named = PaintPlan(
        "<b>&\x00\ud800", *(getattr(plan, name) for name in ("width", "height", "settings", "rectangles", "strokes"))
    )
    text = written(named, toy, "svg", image=photo)
    root = ElementTree.fromstring(text)
    assert "data:image/jpeg" in text
    assert (root[0].text or "").startswith("<b>&")
