"""The service's page in a real browser: uploads, live settings, downloads, errors, comparison with the oracle."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from shapeparse import ParseTree, igm, paint
from shapeparse.web.samples import find_sample

from .conftest import figure, one, overflow, slider

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

Visit = Callable[..., "Page"]


def upload(page: Page, button: str, path: Path) -> None:
    page.get_by_label(button).set_input_files(path)


def test_the_service_begins_with_a_sample(visit: Visit, service: str, expect: Callable) -> None:
    page = visit(service)
    expect(page.get_by_role("radio").first).to_be_checked()
    expect(figure(page, "Rectangles")).not_to_have_text("")
    expect(figure(page, "Strokes")).not_to_have_text("")
    expect(page.locator(".progress")).to_have_text("")
    expect(page.get_by_role("radio")).not_to_have_count(0)


def test_a_photograph_with_its_mask_is_parsed_and_compared_with_the_oracle(
    visit: Visit, service: str, files: dict[str, Path], expect: Callable
) -> None:
    page = visit(service)
    expect(page.get_by_role("treeitem").first).to_be_visible()
    upload(page, "Choose a photograph…", files["photo"])
    expect(page.get_by_role("img", name="photo <b>&.png")).to_be_visible()
    expect(page.locator(".controls .chosen").first).to_have_text("photo <b>&.png")
    expect(figure(page, "Accuracy")).to_have_count(0)
    expect(page.get_by_role("option", name="Oracle (needs a mask)").first).to_be_disabled()
    upload(page, "Add its mask…", files["mask"])
    expect(figure(page, "Accuracy")).to_have_count(1)
    page.get_by_label("Compare with").select_option("Oracle")
    expect(page.locator(".view")).to_have_count(2)
    expect(figure(page, "Accuracy")).to_have_count(2)
    page.locator(".view").first.locator(".node").first.click()
    expect(page.locator(".view").nth(1).locator(".node.selected")).to_have_attribute("data-node", "0")


def test_without_a_trained_parser_a_photograph_waits_for_its_mask(
    visit: Visit, service: str, files: dict[str, Path], expect: Callable
) -> None:
    page = visit(service)
    oracle = {"name": "oracle", "title": "Oracle", "kind": "oracle", "needs_mask": True,
              "facts": {"depth": 7, "settings": ["depth", "price"]}}  # fmt: skip
    page.route("**/api/models", lambda route: route.fulfill(json=[oracle]))
    page.reload()
    expect(figure(page, "Strokes")).to_have_text(re.compile(r"\d"))
    upload(page, "Choose a photograph…", files["photo"])
    expect(page.get_by_role("alert")).to_contain_text("oracles need a mask")
    upload(page, "Add its mask…", files["mask"])
    expect(page.get_by_role("img", name="photo <b>&.png")).to_be_visible()
    expect(page.get_by_role("alert")).to_be_hidden()


def test_a_photograph_may_be_dropped_anywhere(
    visit: Visit, service: str, files: dict[str, Path], expect: Callable
) -> None:
    page = visit(service)
    expect(figure(page, "Strokes")).to_have_text(re.compile(r"\d"))
    carried = page.evaluate_handle(
        """bytes => {
          const carried = new DataTransfer();
          carried.items.add(new File([new Uint8Array(bytes)], "dropped.png", { type: "image/png" }));
          return carried;
        }""",
        list(files["photo"].read_bytes()),
    )
    page.dispatch_event(".stage", "dragover", {"dataTransfer": carried})
    expect(page.locator("shapeparse-explorer")).to_have_class("dropping")
    page.dispatch_event(".stage", "drop", {"dataTransfer": carried})
    expect(page.get_by_role("img", name="dropped.png")).to_be_visible()


def test_depth_and_brush_are_live(visit: Visit, service: str, expect: Callable) -> None:
    page = visit(service)
    page.get_by_label("Parser").select_option("Oracle")
    expect(page.locator(".view .title")).to_have_text("Oracle")
    expect(figure(page, "Strokes")).to_have_text(re.compile(r"\d"))
    rectangles, strokes = figure(page, "Rectangles").inner_text(), figure(page, "Strokes").inner_text()
    slider(page, "Depth").fill("2")
    expect(page.locator(".view small")).to_contain_text("depth 2")
    expect(figure(page, "Rectangles")).not_to_have_text(rectangles)
    expect(figure(page, "Strokes")).not_to_have_text(re.compile(f"^({strokes}|–)$"))
    wide = int(figure(page, "Strokes").inner_text())
    slider(page, "Brush").fill("8")
    expect(figure(page, "Strokes")).not_to_have_text(str(wide))
    assert int(figure(page, "Strokes").inner_text()) > wide
    page.get_by_label("Millimetres a pixel").fill("2")
    expect(figure(page, "Painted")).to_contain_text("mm")
    slider(page, "Depth").fill("7")
    expect(figure(page, "Rectangles")).to_have_text(rectangles)
    slider(page, "Price of a rectangle").press("End")
    expect(figure(page, "Rectangles")).not_to_have_text(rectangles)
    assert int(figure(page, "Rectangles").inner_text()) < int(rectangles)


def test_every_format_is_downloaded(visit: Visit, service: str, tmp_path: Path, expect: Callable) -> None:
    page = visit(service)
    buttons = page.locator(".downloads button")
    expect(buttons.first).to_be_enabled()
    names = buttons.all_inner_texts()
    plans = {"json", "geojson", "svg", "gcode", "csv", "fields2cover", "ros-path", "ros-poses"}
    assert {"tree", "rectangles-svg"} | plans == set(names)
    saved = set()
    for name in names:
        with page.expect_download() as download:
            page.locator(".downloads").get_by_role("button", name=name, exact=True).click()
        download.value.save_as(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
        assert Path(download.value.suggested_filename).suffix
        saved.add(download.value.suggested_filename)
    assert len(saved) == len(names)
    assert ParseTree.load(tmp_path / "tree").leaf_count == int(figure(page, "Rectangles").inner_text())


def test_a_file_that_cannot_be_used_is_named_in_one_sentence_and_changes_nothing(
    visit: Visit, service: str, files: dict[str, Path], expect: Callable
) -> None:
    page = visit(service, refusals=True)
    expect(figure(page, "Rectangles")).to_have_count(1)
    before = figure(page, "Rectangles").inner_text()
    upload(page, "Choose a photograph…", files["broken"])
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("broken.png")
    expect(alert).to_contain_text(re.compile(r"\.$"))
    expect(page.get_by_role("radio").first).to_be_checked()
    expect(figure(page, "Rectangles")).to_have_text(before)
    page.get_by_role("button", name="Dismiss").click()
    expect(alert).to_be_hidden()
    upload(page, "Choose a photograph…", files["photo"])
    expect(page.get_by_role("img", name="photo <b>&.png")).to_be_visible()
    upload(page, "Add its mask…", files["short"])
    expect(alert).to_contain_text("The mask is 160 x 50 pixels")
    expect(page.locator(".controls .chosen").first).to_have_text("photo <b>&.png")


def test_of_several_answers_the_last_one_counts(visit: Visit, service: str, expect: Callable) -> None:
    page = visit(service)
    page.get_by_label("Parser").select_option("Oracle")
    expect(page.locator(".view .title")).to_have_text("Oracle")
    held: list[Route] = []
    page.route("**/api/parse", lambda route: held.append(route) if not held else route.continue_())
    slider(page, "Depth").fill("1")
    expect(page.locator(".work")).to_have_attribute("aria-busy", "true")
    expect(page.locator(".progress")).to_have_text("Parsing…")
    slider(page, "Depth").fill("3")
    expect(page.locator(".view small")).to_contain_text("depth 3")
    expect(page.locator(".progress")).to_have_text("")
    assert len(held) == 1
    page.unroute_all(behavior="ignoreErrors")


def test_what_the_service_refuses_is_said_in_its_own_words(visit: Visit, service: str, expect: Callable) -> None:
    page = visit(service, refusals=True)
    expect(figure(page, "Strokes")).to_have_text(re.compile(r"\d"))
    page.route("**/api/**", lambda route: route.fulfill(status=503, json={"error": "The service is busy; try again."}))
    slider(page, "Brush").press("ArrowRight")
    expect(page.get_by_role("alert")).to_have_text("The service is busy; try again.")


def test_the_figures_beside_strokes_are_those_of_the_plan(visit: Visit, service: str, expect: Callable) -> None:
    sample = find_sample("car-door")
    tree = one(igm(sample.mask, depth=7))
    painted = paint(tree, brush=128).metrics(sample.mask)
    page = visit(service)
    page.get_by_label("Parser").select_option("Oracle")
    expect(page.locator(".view .title")).to_have_text("Oracle")
    slider(page, "Brush").fill("128")
    expect(figure(page, "Waste")).to_have_text(f"{100 * float(painted['waste'] or 0):.1f}\u00a0%")
    expect(figure(page, "Coverage")).to_have_text(f"{100 * float(painted['coverage'] or 0):.1f}\u00a0%")
    count = painted["strokes"]
    expect(slider(page, "Strokes")).to_have_attribute("aria-valuetext", re.compile(f"^{count} of {count} "))


def test_as_many_rectangles_as_the_slider_says(visit: Visit, service: str, expect: Callable) -> None:
    page = visit(service)
    page.get_by_label("Parser").select_option("Best tree of the mask")
    expect(figure(page, "Rectangles")).to_have_text("20")
    expect(slider(page, "Depth")).to_be_disabled()
    expect(slider(page, "Price of a rectangle")).to_be_hidden()
    for count in ("5", "12"):
        slider(page, "Rectangles").fill(count)
        expect(figure(page, "Rectangles")).to_have_text(count)
    page.get_by_label("Parser").select_option("Oracle")
    expect(slider(page, "Price of a rectangle")).to_be_visible()
    expect(slider(page, "Rectangles")).to_be_hidden()


def test_what_cannot_be_reached_leaves_no_figures_that_look_valid(visit: Visit, service: str, expect: Callable) -> None:
    page = visit(service, refusals=True)
    page.get_by_label("Parser").select_option("Best tree of the mask")
    expect(figure(page, "Rectangles")).to_have_text("20")
    page.get_by_label("Asked for").select_option("Least accuracy")
    slider(page, "Accuracy").fill("1")
    expect(page.get_by_role("alert")).to_contain_text("accuracy 1 is not reached with 100 rectangles")
    expect(page.locator(".work")).to_have_class(re.compile("stale"))
    expect(figure(page, "Rectangles")).to_have_text("–")
    expect(page.locator(".downloads button").first).to_be_disabled()
    slider(page, "Brush").press("ArrowRight")
    expect(page.locator(".progress")).to_have_text("")
    expect(figure(page, "Strokes")).to_have_text("–")
    slider(page, "Accuracy").fill("0.9")
    expect(figure(page, "Rectangles")).to_have_text(re.compile(r"\d"))
    expect(page.locator(".work")).not_to_have_class(re.compile("stale"))
    expect(page.get_by_role("alert")).to_be_hidden()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_bad_value_is_said_where_the_person_is_and_takes_the_old_figures_away(
    visit: Visit, service: str, expect: Callable, width: int
) -> None:
    page = visit(service, refusals=True, width=width, height=600)
    expect(figure(page, "Strokes")).to_have_text(re.compile(r"\d"))
    if width < 1000:
        page.get_by_text("Photograph and settings").click()
    field = page.get_by_label("Millimetres a pixel")
    field.fill("-1")
    expect(page.get_by_role("alert")).to_contain_text("scale")
    expect(page.get_by_role("alert")).to_be_in_viewport(ratio=1)
    expect(field).to_be_in_viewport()
    expect(figure(page, "Strokes")).to_have_text("–")
    expect(figure(page, "Waste")).to_have_text("–")
    assert overflow(page) == 0
    field.fill("2")
    expect(figure(page, "Painted")).to_contain_text("mm")
    expect(page.get_by_role("alert")).to_be_hidden()


def test_the_service_page_fits_a_narrow_screen(visit: Visit, service: str, expect: Callable) -> None:
    page = visit(service, width=390, height=844, has_touch=True, is_mobile=True)
    expect(figure(page, "Strokes")).to_have_count(1)
    assert overflow(page) == 0
    expect(slider(page, "Brush")).to_be_hidden()
    page.get_by_text("Photograph and settings").tap()
    expect(slider(page, "Brush")).to_be_visible()
    assert overflow(page) == 0
