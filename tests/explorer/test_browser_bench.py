"""The planning bench in a real browser: kinds of plans, limits, units, keep-outs, corners, zoom, and the time-lapse."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from shapeparse import igm
from shapeparse.painting import PaintSettings, plan_painting
from shapeparse.web.samples import find_sample

from .conftest import figure, leaf, marked, one, outline, overflow, point, slider

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

Visit = Callable[..., "Page"]
NUMBER = re.compile(r"\d")
PAINT = 2  # the rule
LISTEN = """() => {
  const real = window.fetch;
  window.asked = [];
  window.fetch = async (path, options) => {
    if (path === "api/plan") {
      const { body } = options;
      const { tree, ...rest } = JSON.parse(typeof body === "string" ? body : await body.get("request").text());
      window.asked.push(rest);
    }
    return real(path, options);
  };
}"""
"""Notes what is sent to be planned; a browser does not tell the bodies of forms."""


def start(visit: Visit, service: str, expect: Callable, **options: Any) -> Page:
    """The page with the oracle's tree of the first sample, planned."""
    page = visit(service, **options)
    page.evaluate(LISTEN)
    if options.get("width", 1280) < 900:
        page.get_by_text("Photograph and settings").click()
    page.get_by_label("Parser").select_option("Oracle")
    expect(page.locator(".view .title")).to_have_text("Oracle")
    expect(way(page, "rows")).to_be_visible()
    settle(page, expect)
    return page


def settle(page: Page, expect: Callable) -> None:
    """Wait until the last change is planned."""
    page.wait_for_timeout(400)  # sliders rest before the service is asked
    expect(page.locator(".work")).to_have_attribute("aria-busy", "false")


def way(page: Page, kind: str) -> Locator:
    return page.locator(f".ways [data-kind='{kind}']")


def chosen(page: Page) -> Locator:
    return page.locator(".ways [aria-current]")


def sent(page: Page, act: Callable[[], object]) -> dict[str, Any]:
    """What is sent to be planned after something was done."""
    before = page.evaluate("window.asked.length")
    act()
    page.wait_for_function("before => window.asked.length > before", arg=before)
    return dict(page.evaluate("window.asked.at(-1)"))


def on_photo(page: Page, x: float, y: float) -> tuple[float, float]:
    """A place of the photograph, given as shares of its sides, on the screen."""
    page.locator(".stage svg").first.scroll_into_view_if_needed()
    frame = page.locator(".stage svg").first.bounding_box()
    assert frame is not None
    return frame["x"] + x * frame["width"], frame["y"] + y * frame["height"]


def drag(page: Page, begin: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*begin)
    page.mouse.down()
    page.mouse.move((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)
    page.mouse.move(*end)
    page.mouse.up()


def test_every_kind_of_plan_stands_beside_the_chosen_one(visit: Visit, service: str, expect: Callable) -> None:
    page = start(visit, service, expect)
    expect(page.locator(".ways tbody tr")).to_have_count(4)
    expect(chosen(page)).to_have_count(1)
    kinds = page.get_by_role("combobox", name=re.compile("^Plan"))
    for title, kind in (("Rows", "rows"), ("Cells", "cells"), ("Rectangles", "rectangles")):
        asked = sent(page, partial(kinds.select_option, title))
        assert asked["plan"] == kind
        expect(chosen(page)).to_have_attribute("data-kind", kind)
        expect(chosen(page)).to_contain_text("chosen")
        expect(figure(page, "Time")).to_have_text(chosen(page).locator("td").first.inner_text())
    expect(way(page, "rows").locator("td")).to_have_text([NUMBER] * 5)


def test_a_coverage_and_a_waste_that_no_plan_meets_are_one_sentence_without_figures(
    visit: Visit, service: str, expect: Callable
) -> None:
    page = start(visit, service, expect, refusals=True)
    asked = sent(page, lambda: slider(page, "Coverage").fill("0.9"))
    assert asked["coverage"] == 0.9
    settle(page, expect)
    asked = sent(page, lambda: page.get_by_label("Waste at most").fill("0"))
    assert asked["waste"] == 0
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("No plan that covers 0.9 wastes at most 0")
    expect(figure(page, "Time")).to_have_text("–")
    expect(figure(page, "Coverage")).to_have_text("–")
    expect(page.locator(".ways")).to_be_hidden()
    page.get_by_label("Waste at most").fill("60")
    expect(chosen(page)).to_be_visible()
    expect(alert).to_be_hidden()


def test_it_is_said_why_a_quicker_plan_is_not_chosen(visit: Visit, service: str, expect: Callable) -> None:
    page = start(visit, service, expect)
    page.get_by_role("radio", name="Rusty plate with holes").check()
    expect(page.get_by_role("img", name="rusty-plate.png")).to_be_visible()
    caption = page.locator(".ways figcaption")
    expect(caption).to_contain_text("A quicker plan misses a limit")
    page.get_by_label("Waste at most").fill("100")
    expect(caption).not_to_contain_text("A quicker plan")


def test_a_brush_larger_than_the_part_is_one_sentence(visit: Visit, service: str, expect: Callable) -> None:
    page = start(visit, service, expect, refusals=True)
    slider(page, "Brush").evaluate("input => { input.max = 900 }")
    slider(page, "Brush").fill("600")
    expect(page.get_by_role("alert")).to_contain_text("larger than the part")
    expect(page.locator(".ways")).to_be_hidden()
    slider(page, "Brush").fill("24")
    expect(chosen(page)).to_be_visible()


def test_with_a_scale_the_brush_and_the_speeds_are_in_millimetres(visit: Visit, service: str, expect: Callable) -> None:
    page = start(visit, service, expect)
    brush = slider(page, "Brush")
    expect(brush).to_have_attribute("aria-valuetext", "24\u00a0px")
    asked = sent(page, lambda: page.get_by_label("Millimetres a pixel").fill("2.5"))
    expect(brush).to_have_attribute("aria-valuetext", re.compile("^60\u00a0mm"))
    assert asked["brush"] * asked["scale"] == pytest.approx(60)
    asked = sent(page, lambda: brush.fill("80"))
    assert asked["brush"] == pytest.approx(32)
    page.locator(".speeds summary").click()
    expect(page.locator(".speeds .told")).to_have_text(["mm/s", "mm/s", "s", "s"])
    settle(page, expect)
    before = figure(page, "Time").inner_text()
    asked = sent(page, lambda: page.get_by_label("Speed, brush down").fill("400"))
    assert asked["stroke_speed"] == 400
    expect(figure(page, "Time")).not_to_have_text(re.compile(f"^({before}|–)$"))
    for name, key in (
        ("Speed, brush up", "travel_speed"),
        ("Time of a lift", "lift_time"),
        ("Time of a turn", "turn_time"),
    ):
        assert sent(page, partial(page.get_by_label(name).fill, "3"))[key] == 3


def test_a_keep_out_is_drawn_moved_and_cleared(visit: Visit, service: str, expect: Callable) -> None:
    page = start(visit, service, expect)
    slider(page, "Coverage").fill("0.9")
    settle(page, expect)
    page.get_by_role("button", name="Rectangle", exact=True).click()
    asked = sent(page, lambda: drag(page, on_photo(page, 0.3, 0.6), on_photo(page, 0.6, 0.8)))
    [shape] = asked["keep_out"]
    assert shape[0] == pytest.approx([154, 307], abs=3)
    assert shape[2] == pytest.approx([307, 410], abs=3)
    expect(page.locator(".handle")).to_have_count(4)
    expect(page.locator(".mark.selected:not(.none)")).to_have_count(0)
    settle(page, expect)
    strokes = page.evaluate("document.querySelector('shapeparse-explorer').views[0].parse.plan.strokes")
    half = strokes[0]["width"] / 2
    inside = [
        s for s in strokes
        if min(s["x1"], s["x2"]) - half < shape[2][0] - 1 and max(s["x1"], s["x2"]) + half > shape[0][0] + 1
        and min(s["y1"], s["y2"]) - half < shape[2][1] - 1 and max(s["y1"], s["y2"]) + half > shape[0][1] + 1
    ]  # fmt: skip
    assert inside == []
    handle = page.locator(".handle").first
    box = handle.bounding_box()
    assert box is not None
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    asked = sent(page, lambda: drag(page, middle, on_photo(page, 0.2, 0.6)))
    assert asked["keep_out"][0][0] == pytest.approx([102, 307], abs=3)
    asked = sent(page, lambda: page.get_by_role("button", name="Clear", exact=True).click())
    assert "keep_out" not in asked
    expect(page.locator(".handle")).to_have_count(0)


def test_a_polygon_is_closed_at_its_first_corner(visit: Visit, service: str, expect: Callable) -> None:
    page = start(visit, service, expect, refusals=True)
    page.get_by_role("button", name="Polygon", exact=True).click()
    places = [on_photo(page, *at) for at in ((0.3, 0.6), (0.5, 0.6), (0.4, 0.8))]
    for place in places:
        page.mouse.click(*place)
    asked = sent(page, lambda: page.mouse.click(*places[0]))
    assert len(asked["keep_out"][0]) == 3
    page.get_by_role("button", name="Polygon", exact=True).click()
    page.mouse.click(*places[0])
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Polygon", exact=True)).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".handle")).to_have_count(3)


def test_keep_outs_by_keyboard_alone(visit: Visit, service: str, expect: Callable) -> None:
    page = start(visit, service, expect, refusals=True)
    page.get_by_role("treeitem").first.focus()
    for _ in range(5):
        page.keyboard.press("ArrowDown")
    asked = sent(page, lambda: page.keyboard.press("k"))
    assert len(asked["keep_out"]) == 1
    first = page.get_by_role("button", name="Keep-out 1, corner 1")
    expect(first).to_be_focused()
    before = asked["keep_out"][0][0]
    asked = sent(page, lambda: page.keyboard.press("Shift+ArrowRight"))
    assert asked["keep_out"][0][0] == [before[0] + 10, before[1]]
    expect(first).to_be_focused()
    asked = sent(page, lambda: page.keyboard.press("Delete"))
    assert "keep_out" not in asked


def test_another_photograph_has_no_keep_outs(visit: Visit, service: str, expect: Callable) -> None:
    page = start(visit, service, expect, refusals=True)
    page.get_by_role("button", name="Around the selection").click()
    expect(page.locator(".handle")).to_have_count(4)
    slider(page, "Depth").fill("5")
    expect(page.locator(".view small")).to_contain_text("depth 5")
    expect(page.locator(".handle")).to_have_count(4)
    page.get_by_role("radio").nth(1).check()
    expect(page.get_by_role("img", name="stripped-door.png")).to_be_visible()
    expect(page.locator(".handle")).to_have_count(0)


def test_four_corners_and_a_size_make_a_plane_in_millimetres(visit: Visit, service: str, expect: Callable) -> None:
    page = start(visit, service, expect, refusals=True)
    page.get_by_role("button", name="Corners…").click()
    expect(page.locator(".view")).to_be_hidden()
    expect(page.get_by_role("button", name="Use the corners")).to_be_disabled()
    frame = page.locator(".corners .stage svg").bounding_box()
    assert frame is not None
    for x, y in ((0.1, 0.1), (0.9, 0.15), (0.9, 0.9), (0.1, 0.85)):
        page.mouse.click(frame["x"] + x * frame["width"], frame["y"] + y * frame["height"])
    expect(page.locator(".corners .handle")).to_have_count(4)
    page.get_by_label("Width of the rectangle").fill("1200")
    page.get_by_label("Height of the rectangle").fill("900")
    page.get_by_role("button", name="Use the corners").click()
    expect(page.locator(".corners")).to_be_hidden()
    expect(page.locator(".subject small")).to_contain_text(
        "1\u202f200\u00a0×\u00a0900\u00a0mm · a corner off by one pixel"
    )
    expect(figure(page, "Painted")).to_contain_text("mm")
    expect(slider(page, "Brush")).to_have_attribute("aria-valuetext", re.compile("mm"))
    expect(page.get_by_label("Millimetres a pixel")).to_be_disabled()
    expect(figure(page, "Coverage")).to_have_text(NUMBER)
    with page.expect_download() as download:
        page.locator(".downloads").get_by_role("button", name="gcode", exact=True).click()
    assert "G21" in download.value.path().read_text()
    page.get_by_role("button", name="Corners…").click()
    page.get_by_role("button", name="Remove the corners").click()
    expect(page.locator(".subject small")).to_have_text("512\u00a0×\u00a0512\u00a0px")
    expect(figure(page, "Painted")).to_contain_text("px")


def test_corners_by_keyboard_and_corners_that_cross(visit: Visit, service: str, expect: Callable) -> None:
    page = start(visit, service, expect, refusals=True)
    page.get_by_role("button", name="Corners…").press("Enter")
    page.get_by_role("button", name="Near the edges").press("Enter")
    corner = page.get_by_role("button", name="The upper left corner")
    expect(corner).to_be_focused()
    page.get_by_label("Width of the rectangle").fill("500")
    page.get_by_label("Height of the rectangle").fill("500")
    corner.focus()
    for _ in range(45):
        page.keyboard.press("Shift+ArrowRight")
    page.get_by_role("button", name="Use the corners").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The corners cross")
    expect(page.locator(".corners")).to_be_visible()
    for _ in range(45):
        corner.press("Shift+ArrowLeft")
    page.get_by_role("button", name="Use the corners").press("Enter")
    expect(page.locator(".corners")).to_be_hidden()
    expect(figure(page, "Painted")).to_contain_text("mm")


def test_what_is_pointed_at_is_right_when_zoomed(visit: Visit, service: str, expect: Callable) -> None:
    page = start(visit, service, expect)
    tree = one(igm(find_sample("car-door").mask, depth=7))
    stage = page.locator(".stage").first
    frame = page.locator(".stage svg").first.bounding_box()
    assert frame is not None
    node = leaf(tree, PAINT)
    before = point(page, tree, node)
    page.mouse.move(*before)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    expect(page.locator(".picture .told")).to_have_text(re.compile("×"))
    zoomed = page.locator(".stage svg").first.bounding_box()
    assert zoomed is not None
    assert zoomed["width"] > 2 * frame["width"]
    after = point(page, tree, node)
    assert after == pytest.approx(before, abs=4)  # whole pixels of the screen, enlarged
    page.mouse.click(*after)
    assert marked(page, "selected") == outline(tree, node)
    page.get_by_role("button", name="Flip", exact=True).click()
    page.mouse.click(*after)
    expect(page.locator(".work")).to_have_attribute("aria-busy", "false")
    flipped = page.evaluate("i => document.querySelector('shapeparse-explorer').views[0].tree.nodes[i].rule", node)
    assert flipped == "skip"
    expect(page.locator(".picture .told")).to_have_text(re.compile("×"))  # a change does not lose the place
    assert page.locator(".stage svg").first.bounding_box() == pytest.approx(zoomed, abs=2)
    page.get_by_role("button", name="Select", exact=True).click()
    scrolled = stage.evaluate("stage => stage.scrollLeft")
    drag(page, after, (after[0] + 60, after[1]))
    assert stage.evaluate("stage => stage.scrollLeft") == pytest.approx(scrolled - 60, abs=3)
    page.get_by_role("button", name="Show all of the photograph").click()
    assert page.locator(".stage svg").first.bounding_box() == pytest.approx(frame, abs=1)


def test_zoom_by_buttons_and_keys(visit: Visit, service: str, expect: Callable) -> None:
    page = start(visit, service, expect)
    told = page.locator(".picture .told")
    page.get_by_role("button", name="Zoom in").click()
    expect(told).to_have_text("1.5\u00a0×")
    page.get_by_role("button", name="Zoom out").click()
    expect(told).to_have_text("")
    stage = page.locator(".stage").first
    stage.focus()
    for _ in range(3):
        page.keyboard.press("+")
    expect(told).to_have_text("3.4\u00a0×")
    before = stage.evaluate("stage => stage.scrollTop")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("before => document.querySelector('.stage').scrollTop > before", arg=before)
    page.keyboard.press("0")
    expect(told).to_have_text("")


def test_two_fingers_zoom(visit: Visit, service: str, expect: Callable) -> None:
    page = start(visit, service, expect, width=390, height=844, has_touch=True, is_mobile=True)
    x, y = on_photo(page, 0.5, 0.5)
    fingers = page.context.new_cdp_session(page)

    def touch(kind: str, apart: float) -> None:
        points = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}] if apart else []
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 30)
    for apart in (40, 60, 90):
        touch("touchMove", apart)
    touch("touchEnd", 0)
    expect(page.locator(".picture .told")).to_have_text(re.compile("^3"))
    assert overflow(page) == 0


def test_the_bench_fits_a_narrow_screen(visit: Visit, service: str, expect: Callable) -> None:
    page = start(visit, service, expect, width=390, height=844, refusals=True)
    wide = page.locator(".ways .wide")
    assert wide.evaluate("one => one.scrollWidth <= one.clientWidth + 1")
    page.get_by_role("button", name="Around the selection").click()
    settle(page, expect)
    assert overflow(page) == 0
    page.get_by_role("button", name="Corners…").click()
    assert overflow(page) == 0


def test_the_time_lapse_follows_steps_with_the_brush_down_and_tells_the_time(
    visit: Visit, service: str, expect: Callable
) -> None:
    page = start(visit, service, expect)
    plan = page.evaluate("document.querySelector('shapeparse-explorer').views[0].parse.plan")
    replay = slider(page, "Strokes")
    expect(replay).to_have_attribute("aria-valuetext", re.compile(r"· done ·"))
    last = float(replay.get_attribute("max") or 0)
    assert last == pytest.approx(plan["metrics"]["seconds"])
    timeline = page.evaluate(
        """() => { const { layer } = document.querySelector('shapeparse-explorer').views[0];
           return layer.plan.strokes.map((stroke, i) => ({ via: stroke.via, ...layer.timeline.spans[i] })); }"""
    )
    stepped = next(i for i, span in enumerate(timeline) if span["via"])
    lifted = next(i for i, span in enumerate(timeline) if i and not span["via"])
    for place, words, down in ((stepped, "step, brush down", True), (lifted, "travel, brush up", False)):
        span = timeline[place]
        moment = span["left"] + 0.5 * (span["begin"] - span["left"])
        page.evaluate("moment => document.querySelector('shapeparse-explorer').painting.goTo(moment)", moment)
        expect(replay).to_have_attribute("aria-valuetext", re.compile(words))
        brush = page.locator(".brush")
        assert ("down" in (brush.get_attribute("class") or "").split()) == down
    page.evaluate("document.querySelector('shapeparse-explorer').painting.goTo(1e9)")
    points = page.locator(".strokes .step:not(.none)").first.get_attribute("points") or ""
    corner = [float(number) for number in re.split("[ ,]", points)]
    assert timeline[stepped]["via"] == pytest.approx(corner[2:4])
    expect(page.locator(".strokes .step:not(.none)")).to_have_count(sum(bool(span["via"]) for span in timeline))


def test_a_page_without_a_service_zooms_and_has_no_bench(
    visit: Visit, tmp_path: Any, door: tuple[Any, Any, Any], expect: Callable
) -> None:
    from shapeparse.explorer import Exploration, Shown, explorer_page

    photo, mask, tree = door
    shown = Shown("Oracle", tree, plan_painting(tree, PaintSettings(brush=14)), mask)
    (tmp_path / "page.html").write_text(explorer_page([Exploration("door.png", photo, (shown,))], "One"))
    page = visit((tmp_path / "page.html").as_uri())
    expect(page.locator(".ways")).to_be_hidden()
    expect(page.get_by_role("button", name="Corners…")).to_have_count(0)
    page.get_by_role("button", name="Zoom in").click()
    node = leaf(tree, PAINT)
    page.mouse.click(*point(page, tree, node))
    assert marked(page, "selected") == outline(tree, node)
