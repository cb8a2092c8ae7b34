"""Corrections in the explorer, in a real browser: the same trees as in Python, by mouse and by keyboard."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from shapeparse import ParseTree, Rule
from shapeparse.commands.cli import main
from shapeparse.data.images import read_mask
from shapeparse.explorer import Exploration, Shown, explorer_page
from shapeparse.explorer.page import joined
from shapeparse.grammar import MAX_DEPTH
from shapeparse.labelling.edits import Labels, Sight, edit_of
from shapeparse.painting import PaintSettings, plan_painting
from shapeparse.support.errors import UserError

from .conftest import figure, leaf, point

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Door = tuple[np.ndarray, np.ndarray, ParseTree]
Visit = Callable[..., "Page"]


@pytest.fixture
def address(door: Door, tmp_path: Path) -> str:
    """A page in a file, with strokes and scores."""
    photo, mask, tree = door
    shown = Shown("Oracle", tree, plan_painting(tree, PaintSettings(brush=14)), mask)
    path = tmp_path / "explorer.html"
    path.write_text(explorer_page([Exploration("door.png", photo, (shown,))], "Explore"), encoding="utf-8")
    return path.as_uri()


def in_python(tree: ParseTree, edit: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The nodes after an edit; None if it is refused."""
    try:
        found = edit_of(edit)(Labels(tree.labels(), tree), Sight(lambda: np.zeros((1, 1, 3), np.uint8)))
    except UserError:
        return None
    return list(json.loads(found.tree.to_json())["nodes"])


def test_the_script_and_python_change_trees_alike(browser: Browser, random_actor: Callable) -> None:
    from shapeparse import Limits
    from shapeparse.grammar import expand

    rng = np.random.default_rng(3)
    cases, expected = [], []
    for seed in range(40):
        limits = Limits(5, 1)
        tree = expand([(23, 17)], random_actor(seed, limits), limits).trees()[0]
        for _ in range(8):
            node, at, axis = int(rng.integers(len(tree))), int(rng.integers(-3, 26)), str(rng.choice(["x", "y"]))
            for edit in (
                {"tool": "flip", "node": node}, {"tool": "merge", "node": node},
                {"tool": "drag", "node": node, "at": at}, {"tool": "split", "node": node, "axis": axis, "at": at},
            ):  # fmt: skip
                cases.append([json.loads(tree.to_json()), edit])
                expected.append(in_python(tree, edit))
    page = browser.new_page()
    attempt = "([tree, edit]) => { try { return editedTree(tree, edit).nodes } catch { return null } }"
    found = page.evaluate(f"(cases) => {{ {joined('surgery.js')}; return cases.map({attempt}) }}", cases)
    deepest = page.evaluate(f"() => {{ {joined('surgery.js')}; return DEEPEST }}")
    page.close()
    assert sum(nodes is None for nodes in expected) > 50 and sum(nodes is not None for nodes in expected) > 500
    assert found == expected
    assert deepest == MAX_DEPTH


def saved(page: Page, name: str, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("group", name="Corrected").get_by_role("button", name=name, exact=True).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def tool(page: Page, name: str) -> None:
    page.get_by_role("toolbar", name="Corrections").get_by_role("button", name=name, exact=True).click()


def test_a_file_is_corrected_by_mouse_and_its_tree_is_painted(
    visit: Visit, address: str, door: Door, expect: Callable, tmp_path: Path
) -> None:
    _, _, tree = door
    page = visit(address)
    expect(figure(page, "Strokes")).to_be_visible()
    skip = leaf(tree, Rule.SKIP)
    tool(page, "Flip")
    page.mouse.click(*point(page, tree, skip))
    expect(figure(page, "Strokes")).to_have_count(0)
    expect(figure(page, "Accuracy")).to_have_count(0)
    tool(page, "Select")
    expect(page.locator(".corrections .told")).to_contain_text("Corrected: the strokes and scores")
    path = saved(page, "Tree", tmp_path)
    flipped = ParseTree.load(path)
    assert path.name == "door-tree.json" and flipped.name == "door.png"
    assert json.loads(flipped.to_json())["nodes"] == in_python(tree, {"tool": "flip", "node": skip})
    mask = saved(page, "Mask", tmp_path)
    assert mask.name == "door-mask.png" and np.array_equal(read_mask(mask), flipped.labels())
    assert main(["paint", str(path), "--out", str(tmp_path / "plan")]) == 0
    tool(page, "Undo")
    expect(figure(page, "Strokes")).to_be_visible()
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()
    tool(page, "Redo")
    expect(figure(page, "Strokes")).to_have_count(0)


def test_a_cut_is_dragged_and_its_subtree_follows(
    visit: Visit, address: str, door: Door, expect: Callable, tmp_path: Path
) -> None:
    _, _, tree = door
    page = visit(address)
    frame = page.locator(".stage svg").bounding_box()
    assert frame is not None and int(tree.rule[0]) < Rule.PAINT
    across = int(tree.rule[0]) == Rule.SPLIT_X
    side, scale = (tree.width, frame["width"] / tree.width) if across else (tree.height, frame["height"] / tree.height)
    cut, to = int(tree.cut[0]), int(tree.cut[0]) + (20 if int(tree.cut[0]) < side / 2 else -20)
    places = [(frame["x"] + at * scale, frame["y"] + 4) if across else (frame["x"] + 4, frame["y"] + at * scale)
              for at in (cut, to)]  # fmt: skip
    tool(page, "Drag a cut")
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=3)
    page.mouse.up()
    expect(figure(page, "Strokes")).to_have_count(0)
    nodes = json.loads(saved(page, "Tree", tmp_path).read_text())["nodes"]
    assert abs(nodes[0]["cut"] - to) <= 1
    assert nodes == in_python(tree, {"tool": "drag", "node": 0, "at": nodes[0]["cut"]})


def test_everything_by_keyboard(visit: Visit, address: str, door: Door, expect: Callable, tmp_path: Path) -> None:
    _, _, tree = door
    page = visit(address)
    keys = page.keyboard
    rectangles = figure(page, "Rectangles")
    page.get_by_role("treeitem").first.focus()
    keys.press("f")
    expect(page.locator(".corrections .told")).to_contain_text("is a split")
    page.mouse.click(*point(page, tree, leaf(tree, Rule.PAINT)))
    keys.press("s")
    expect(page.locator(".draft.over")).to_have_attribute("d", re.compile("^M"))
    for key in ("t", "ArrowRight", "Shift+ArrowRight", "Enter"):
        keys.press(key)
    expect(rectangles).to_have_text(str(tree.leaf_count + 1))
    keys.press("d")
    keys.press("ArrowLeft")
    keys.press("Enter")
    keys.press("ArrowDown")  # the tree has kept the focus
    keys.press("f")
    expect(page.get_by_role("treeitem")).to_have_count(len(tree) + 2)
    keys.press("m")
    expect(rectangles).to_have_text(str(tree.leaf_count))
    for _ in range(4):
        keys.press("z")
    expect(figure(page, "Strokes")).to_be_visible()
    keys.press("Control+Shift+Z")
    expect(rectangles).to_have_text(str(tree.leaf_count + 1))
    page.mouse.click(*point(page, tree, leaf(tree, Rule.SKIP)))  # what was split is selected, and is no rectangle
    keys.press("s")
    expect(page.locator(".draft.over")).to_have_attribute("d", re.compile("^M"))
    keys.press("Escape")
    expect(page.locator(".draft.over")).to_have_attribute("d", "")


def test_the_service_plans_and_scores_a_corrected_tree_anew(visit: Visit, service: str, expect: Callable) -> None:
    page = visit(service)
    expect(figure(page, "Strokes")).to_have_text(re.compile(r"\d"))
    before = figure(page, "Accuracy").inner_text()
    frame = page.locator(".stage svg").bounding_box()
    assert frame is not None
    tool(page, "Flip")
    page.mouse.click(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)
    expect(figure(page, "Accuracy")).not_to_have_text(before)
    expect(figure(page, "Accuracy")).to_have_text(re.compile(r"\d"))
    expect(figure(page, "Strokes")).to_have_text(re.compile(r"\d"))
    page.keyboard.press("z")
    expect(figure(page, "Accuracy")).to_have_text(before)
