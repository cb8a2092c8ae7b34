"""The explorer in a real browser: linked drawings, keys, replay, strokes, comparison, on wide and narrow screens."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from shapeparse import Actions, Limits, Nodes, ParseTree, igm
from shapeparse.explorer import Exploration, Shown, explorer_page
from shapeparse.grammar import expand
from shapeparse.painting import PaintSettings, plan_painting

from .conftest import boxes, figure, leaf, marked, one, outline, overflow, point, slider

if TYPE_CHECKING:
    from playwright.sync_api import Page

Door = tuple[np.ndarray, np.ndarray, ParseTree]
Visit = Callable[..., "Page"]


@pytest.fixture(scope="session")
def pages(door: Door, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Addresses of pages in files: one parse, one with strokes, two to compare, several photographs, a deep tree."""
    photo, mask, tree = door
    folder = tmp_path_factory.mktemp("pages")
    coarse = one(igm(mask, depth=3))
    plan = plan_painting(tree, PaintSettings(brush=14))
    square = one(igm(np.pad(np.ones((14, 14), bool), 20)))
    explorations = {
        "one": [Exploration("door.png", photo, (Shown("Oracle", tree, mask=mask),))],
        "strokes": [Exploration("door.png", photo, (Shown("Oracle", tree, plan, mask),))],
        "two": [Exploration("door.png", photo, (Shown("Deep", tree, plan), Shown("Coarse", coarse)))],
        "many": [
            Exploration("first.png", photo, (Shown("Oracle", tree),)),
            Exploration(
                "<i>second</i>.png", photo[:, ::-1].copy(), (Shown("Oracle", one(igm(mask[:, ::-1], depth=2))),)
            ),
        ],
        "strange": [Exploration("door.png", photo, (Shown("DAgger", tree, strangeness=1.4),))],
        "dab": [Exploration("dab.png", None, (Shown("A square", square, plan_painting(square, PaintSettings(14))),))],
        "deep": [Exploration("all.png", None, (Shown("All splits", whole_tree(depth=11)),))],
    }
    for name, content in explorations.items():
        (folder / f"{name}.html").write_text(explorer_page(content, f"Explore {name}"), encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in explorations}


def whole_tree(depth: int) -> ParseTree:
    """The tree that splits wherever it may."""
    limits = Limits(depth)

    def halve(nodes: Nodes) -> Actions:
        label = 2 + (nodes.x + nodes.y) % 2
        return Actions.at_locations(
            nodes, np.where(nodes.depth < depth, nodes.depth % 2, label), np.full(len(nodes), 0.5)
        )

    return expand([(512, 512)], halve, limits).trees()[0]


def test_a_file_shows_photograph_tree_and_figures(
    visit: Visit, pages: dict[str, str], door: Door, expect: Callable
) -> None:
    _, mask, tree = door
    page = visit(pages["one"])
    expect(page.get_by_role("treeitem")).to_have_count(len(tree))
    expect(page.locator(".wash")).to_have_attribute("d", boxes(tree.leaf_count))
    expect(figure(page, "Accuracy")).to_have_text(f"{100 * tree.accuracy(mask):.1f} %")
    expect(figure(page, "Rectangles")).to_have_text(str(tree.leaf_count))
    expect(page.get_by_role("img", name=f"door.png, {tree.leaf_count} rectangles")).to_be_visible()
    expect(page.get_by_role("group", name="Strokes")).to_be_hidden()
    expect(page.locator(".controls")).to_have_count(0)


def test_a_photograph_of_another_kind_is_said_to_be_one(visit: Visit, pages: dict[str, str], expect: Callable) -> None:
    page = visit(pages["strange"])
    expect(page.get_by_role("note")).to_contain_text("unlike those that the parser has learned from")
    expect(visit(pages["one"]).get_by_role("note")).to_have_count(0)


def test_pointing_at_the_photograph_shows_the_node_and_the_other_way_round(
    visit: Visit, pages: dict[str, str], door: Door, expect: Callable
) -> None:
    tree = door[2]
    page = visit(pages["one"])
    node = leaf(tree, 2)
    page.mouse.move(*point(page, tree, node))
    expect(page.locator(".node.hovered")).to_have_attribute("data-node", str(node))
    expect(page.locator(".details")).to_contain_text(f"paint · {tree.w[node]} × {tree.h[node]} px".replace(" ", " "))
    page.locator(".node[data-node='1']").hover()
    assert marked(page, "hovered") == outline(tree, 1)
    page.mouse.move(2, 2)
    expect(page.locator(".node.hovered")).to_have_count(0)
    expect(page.locator(".mark.hovered")).to_be_hidden()


def test_the_probability_of_a_label_is_told_where_a_tree_has_it(
    visit: Visit, door: Door, tmp_path: Path, expect: Callable
) -> None:
    html = explorer_page([Exploration("door.png", None, (Shown("Oracle", door[2]),))], "Explore")
    (tmp_path / "sure.html").write_text(html.replace('"rule":"paint"', '"rule":"paint","likely":0.875'))
    page = visit((tmp_path / "sure.html").as_uri())
    page.mouse.move(*point(page, door[2], leaf(door[2], 2)))
    expect(page.locator(".details")).to_contain_text("probability 87.5\u00a0%")


def test_clicks_select_and_climb(visit: Visit, pages: dict[str, str], door: Door, expect: Callable) -> None:
    tree = door[2]
    page = visit(pages["one"])
    node = leaf(tree, 3)
    for expected in (node, int(tree.parent[node])):
        page.mouse.click(*point(page, tree, node))
        expect(page.locator(".node.selected")).to_have_attribute("data-node", str(expected))
        assert marked(page, "selected") == outline(tree, expected)
    page.locator(".node[data-node='0']").click()
    expect(page.locator(".node.selected")).to_have_attribute("data-node", "0")
    assert marked(page, "selected") == outline(tree, 0)


def test_arrow_keys_walk_the_tree_and_a_screen_reader_is_told(
    visit: Visit, pages: dict[str, str], door: Door, expect: Callable
) -> None:
    tree = door[2]
    first, second = map(int, tree.children[0])
    page = visit(pages["one"])
    page.get_by_role("button", name="Light or dark").focus()
    for _ in range(5):  # the photograph, its three buttons, the tree
        page.keyboard.press("Tab")
    for key, node in (
        ("Home", 0), ("ArrowDown", first), ("ArrowRight", second), ("ArrowLeft", first), ("ArrowUp", 0),
    ):  # fmt: skip
        page.keyboard.press(key)
        focused = page.locator(".node:focus")
        expect(focused).to_have_attribute("data-node", str(node))
        expect(focused).to_have_attribute("aria-selected", "true")
        assert marked(page, "selected") == outline(tree, node)
    told = page.locator(".work > [role=status].unseen")
    expect(told).to_contain_text(
        re.compile(r"split-[xy] at 0\.\d\d · 192 × 192 px at \(0, 0\) · depth 0".replace(" ", r"\s"))
    )
    page.keyboard.press("Enter")
    expect(page.get_by_role("treeitem")).to_have_count(1)
    expect(page.get_by_role("treeitem")).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".node:focus")).to_have_attribute("data-node", str(first))
    page.keyboard.press("Escape")
    expect(page.locator(".node.selected")).to_have_count(0)


def test_the_slider_replays_the_derivation(visit: Visit, pages: dict[str, str], door: Door, expect: Callable) -> None:
    tree = door[2]
    page = visit(pages["one"])
    shown = page.locator(".wash")
    replay = slider(page, "Derivation")
    expect(replay).to_have_attribute("aria-valuetext", f"{len(tree)} of {len(tree)}: complete")
    replay.press("Home")
    expect(shown).to_have_attribute("d", "")
    expect(page.locator(".node.open")).to_have_count(1)
    for step in range(1, 6):
        replay.press("ArrowRight")
        expect(shown).to_have_attribute("d", boxes(int(tree.is_leaf[:step].sum())))
        assert marked(page, "current") == outline(tree, step - 1)
    page.get_by_role("button", name="Undo the last rule").click()
    expect(replay).to_have_attribute("aria-valuetext", re.compile(f"4 of {len(tree)}: "))
    page.get_by_role("button", name="Play: derivation").click()
    page.get_by_role("button", name="Pause: derivation").click()
    expect(page.get_by_role("button", name="Play: derivation")).to_be_visible()
    replay.press("End")
    expect(shown).to_have_attribute("d", boxes(tree.leaf_count))


def test_strokes_are_shown_on_demand_and_painted_one_after_the_other(
    visit: Visit, pages: dict[str, str], door: Door, expect: Callable
) -> None:
    plan = plan_painting(door[2], PaintSettings(brush=14))
    page = visit(pages["strokes"])
    expect(figure(page, "Strokes")).to_have_text(str(len(plan.strokes)))
    bodies = page.locator(".strokes .body:not(.none)")
    assert bodies.count() == 0 or not bodies.first.is_visible()
    page.get_by_label("Show the strokes").check()
    expect(bodies).to_have_count(len(plan.strokes))
    assert float(bodies.first.get_attribute("stroke-width")) == 14
    replay = slider(page, "Strokes")
    replay.press("Home")
    page.get_by_role("button", name="On by a stroke").click()
    expect(bodies).to_have_count(1)
    expect(page.locator(".brush")).to_be_visible()
    page.get_by_role("button", name="Play: strokes").click()
    expect(bodies).not_to_have_count(1)
    page.get_by_label("Show the strokes").uncheck()
    expect(page.get_by_role("button", name="Play: strokes")).to_be_visible()
    assert not page.locator(".strokes").is_visible()


def test_beside_strokes_stands_what_they_cover_and_waste(
    visit: Visit, pages: dict[str, str], door: Door, expect: Callable
) -> None:
    _, mask, tree = door
    painted = plan_painting(tree, PaintSettings(brush=14)).metrics(mask)
    assert painted["waste"] != pytest.approx(tree.scores(mask).waste, abs=0.01)
    page = visit(pages["strokes"])
    for name in ("Coverage", "Waste"):
        expect(figure(page, name)).to_have_text(f"{100 * float(painted[name.lower()] or 0):.1f}\u00a0%")
    page = visit(pages["one"])
    expect(figure(page, "Waste")).to_have_text(f"{100 * tree.scores(mask).waste:.1f}\u00a0%")


def test_a_stroke_that_takes_no_time_is_counted(visit: Visit, pages: dict[str, str], expect: Callable) -> None:
    page = visit(pages["dab"])
    expect(slider(page, "Strokes")).to_have_attribute("aria-valuetext", re.compile("^1 of 1 "))
    page.get_by_label("Show the strokes").check()
    expect(page.locator(".strokes .body:not(.none)")).to_have_count(1)


def test_with_reduced_motion_strokes_appear_whole(
    visit: Visit, pages: dict[str, str], door: Door, expect: Callable
) -> None:
    plan = plan_painting(door[2], PaintSettings(brush=14))
    page = visit(pages["strokes"], reduced_motion="reduce")
    slider(page, "Strokes").press("Home")
    page.get_by_role("button", name="Play: strokes").click()
    bodies = page.locator(".strokes .body:not(.none)")
    expect(bodies).not_to_have_count(0)
    page.get_by_role("button", name="Pause: strokes").click()
    ends = bodies.last.evaluate("line => ['x1', 'y1', 'x2', 'y2'].map(name => Number(line.getAttribute(name)))")
    assert ends == pytest.approx(plan.strokes[bodies.count() - 1][:4])


def test_two_parses_side_by_side_share_the_place(
    visit: Visit, pages: dict[str, str], door: Door, expect: Callable
) -> None:
    tree = door[2]
    page = visit(pages["two"])
    expect(page.locator(".view")).to_have_count(2)
    page.locator(".view").first.locator(".node[data-node='0']").click()
    page.keyboard.press("ArrowDown")
    second = page.locator(".view").nth(1)
    assert marked(page, "selected", view=1) == outline(one(igm(door[1], depth=3)), int(tree.children[0][0]))
    expect(second.locator(".node.selected")).to_have_count(1)
    expect(page.locator(".details span")).to_have_count(2)
    expect(figure(page, "Rectangles")).to_have_text([str(tree.leaf_count), str(one(igm(door[1], depth=3)).leaf_count)])
    expect(figure(page, "Strokes").nth(1)).to_have_text("–")
    page.get_by_label("Compare with").select_option("none")
    expect(page.locator(".view")).to_have_count(1)
    expect(page.locator(".node.selected")).to_have_attribute("data-node", str(int(tree.children[0][0])))


def test_a_page_of_several_photographs_shows_the_one_that_is_chosen(
    visit: Visit, pages: dict[str, str], expect: Callable
) -> None:
    page = visit(pages["many"])
    page.get_by_role("radio", name="<i>second</i>.png").check()
    expect(page.get_by_role("img", name="<i>second</i>.png")).to_be_visible()
    expect(page.locator(".wash")).to_have_attribute("d", boxes(4))
    assert page.locator("i:not(.key)").count() == 0


def test_a_tree_of_thousands_of_nodes_is_folded_and_unfolds_where_it_is_looked_at(
    visit: Visit, pages: dict[str, str], expect: Callable
) -> None:
    page = visit(pages["deep"])
    expect(figure(page, "Rectangles")).to_have_text("2\u202f048")
    folded = page.locator(".node").count()
    assert 50 < folded < 400
    frame = page.locator(".stage svg").bounding_box()
    assert frame is not None
    page.mouse.click(frame["x"] + 31, frame["y"] + 77)
    expect(page.locator(".node.selected")).to_be_in_viewport()
    assert folded < page.locator(".node").count() < folded + 50
    for _ in range(4):
        page.get_by_role("button", name="Larger").click()
    assert page.locator(".scroller").evaluate("panel => panel.scrollWidth > 2 * panel.clientWidth")
    expect(page.locator(".node.selected")).to_be_in_viewport()
    assert overflow(page) == 0
    page.get_by_role("button", name="Fit the tree").click()
    assert page.locator(".scroller").evaluate("panel => panel.scrollWidth == panel.clientWidth")


@pytest.mark.parametrize("name", ["strokes", "two", "many", "deep"])
def test_nothing_overflows_a_narrow_screen(visit: Visit, pages: dict[str, str], name: str) -> None:
    page = visit(pages[name], width=390, height=844, has_touch=True, is_mobile=True)
    assert overflow(page) == 0
    page.locator(".stage svg").first.tap()
    assert page.locator(".details").inner_text().strip()
    assert overflow(page) == 0


def test_light_and_dark_follow_the_system_until_chosen(visit: Visit, pages: dict[str, str]) -> None:
    def ground(page: Page) -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light, dark = "rgb(251, 250, 248)", "rgb(20, 23, 29)"
    page = visit(pages["one"], color_scheme="dark")
    assert ground(page) == dark
    page.get_by_role("button", name="Light or dark").click()
    assert ground(page) == light
    assert ground(visit(pages["one"], color_scheme="light")) == light
