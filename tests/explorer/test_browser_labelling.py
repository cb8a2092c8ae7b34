"""Labelling in a real browser: a whole sitting, a kill in the middle, two tabs, a large photograph, a small screen."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from shapeparse import ParseTree, load
from shapeparse.commands.cli import main
from shapeparse.data.generator import generate
from shapeparse.data.images import read_mask

from .conftest import overflow

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

Visit = Callable[..., "Page"]
SIDE = 64
PHOTOGRAPHS = 12
TINY = ("--preset", "fast", "--epochs", "1", "--every", "2", "--order", "name")


class Server:
    """The command in a process of its own."""

    def __init__(self, photos: Path) -> None:
        self.photos = photos
        self.start()

    @property
    def folder(self) -> Path:
        return self.photos.with_name("photos-labelled")

    def start(self) -> None:
        command = [sys.executable, "-m", "shapeparse", "label", str(self.photos), "--port", "0", *TINY]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line
        self.address = found.group()

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def mask(self, name: str) -> np.ndarray:
        return read_mask(self.folder / "masks" / f"{name}.png")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    photos = tmp_path / "photos"
    photos.mkdir()
    for index in range(PHOTOGRAPHS):
        Image.fromarray(generate(seed=5, index=index, size=SIDE)[0]).save(photos / f"part{index:02}.png")
    (photos / "broken <b>.jpg").write_bytes(b"no image")
    server = Server(photos)
    yield server
    server.process.terminate()
    server.process.wait()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def state(page: Page, number: int) -> Locator:
    return page.locator(".photographs li").nth(number)


def ready(page: Page, expect: Callable, number: int = 0) -> None:
    expect(state(page, number)).to_have_attribute("aria-current", "true")


def proposed(page: Page, expect: Callable) -> None:
    """Wait until a parser has proposed the rest, and the page shows what it proposes for the photograph at hand."""
    expect(state(page, PHOTOGRAPHS - 1)).to_have_attribute("data-state", "proposed", timeout=300_000)
    shown = (
        "(() => { const page = document.querySelector('shapeparse-label');"
        " return page.sitting.photographs[page.current].step === page.status.step; })()"
    )
    while not page.evaluate(shown):  # the page's policy lets no script wait for it
        page.wait_for_timeout(50)


def at(page: Page, x: float, y: float) -> tuple[float, float]:
    """Where a place of a square photograph, from 0 to 1, is on the screen."""
    frame = page.locator(".label-stage svg").bounding_box()
    assert frame is not None
    side = min(frame["width"], frame["height"])
    return frame["x"] + frame["width"] / 2 + (x - 0.5) * side, frame["y"] + frame["height"] / 2 + (y - 0.5) * side


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*at(page, *start))
    page.mouse.down()
    page.mouse.move(*at(page, *end), steps=4)
    page.mouse.up()


def ends_with_a_parser_and_a_plan(server: Server, page: Page, expect: Callable, plan: Path) -> None:
    """What *Good enough* leads to, of a sitting whose first photographs were accepted."""
    expect(page.locator(".finished")).to_contain_text(f"{PHOTOGRAPHS} trees")
    told = page.locator(".finished code").first.inner_text()
    assert load(told.partition("--model ")[2]).title
    trees = server.folder / "trees"
    assert {ParseTree.load(path).width for path in trees.iterdir()} == {SIDE}
    assert main(["paint", str(trees), "--brush", "6", "--out", str(plan)]) == 0
    assert len([path for path in plan.rglob("*") if path.is_file()]) >= PHOTOGRAPHS


def test_a_sitting_by_mouse_from_photographs_to_a_parser_and_a_plan(
    server: Server, visit: Visit, expect: Callable, tmp_path: Path
) -> None:
    page = visit(server.address)
    ready(page, expect)
    expect(page.locator(".tally")).to_have_text("0 of 12 accepted")
    expect(page.locator(".place")).to_contain_text(str(server.folder))
    page.get_by_text("1 file left out").click()
    expect(page.locator(".problems li")).to_contain_text("broken <b>.jpg")
    for number in range(2):
        drag(page, (0.25, 0.25), (0.75, 0.5))
        expect(state(page, number)).to_have_attribute("data-state", "corrected")
        press(page, "Accept")
        expect(state(page, number)).to_have_attribute("data-state", "accepted")
        ready(page, expect, number + 1)
    painted = server.mask("part00")
    assert painted[20:28, 20:44].all() and painted.mean() == pytest.approx(0.125, abs=0.02)
    proposed(page, expect)
    expect(page.locator(".learner-told")).to_contain_text("learned from 2 photographs")
    for number in range(2, 4):  # now there are proposals to correct
        press(page, "Flip")
        page.mouse.click(*at(page, 0.1, 0.1))
        expect(state(page, number)).to_have_attribute("data-state", "corrected")
        press(page, "Accept")
        ready(page, expect, number + 1)
    expect(page.locator(".learner-told")).to_contain_text("Expect", timeout=300_000)
    expect(page.locator(".learner-told")).to_contain_text("learned from 4 photographs", timeout=300_000)
    press(page, "Good enough: parse the rest")
    ends_with_a_parser_and_a_plan(server, page, expect, tmp_path / "plan")


def test_a_sitting_by_keyboard_from_photographs_to_a_parser_and_a_plan(
    server: Server, visit: Visit, expect: Callable, tmp_path: Path
) -> None:
    page = visit(server.address)
    ready(page, expect)
    keys = page.keyboard
    while not page.evaluate("document.activeElement.matches('.label-stage svg')"):
        keys.press("Tab")
    for number in range(2):
        for key in ("r", " ", " ", *["Shift+ArrowRight"] * 3, *["Shift+ArrowDown"] * 3, " "):
            keys.press(key)
        expect(state(page, number)).to_have_attribute("data-state", "corrected")
        keys.press("a")
        ready(page, expect, number + 1)
    proposed(page, expect)
    for key in ("f", " ", " "):
        keys.press(key)
    expect(state(page, 2)).to_have_attribute("data-state", "corrected")
    keys.press("a")
    ready(page, expect, 3)
    keys.press("l")
    expect(page.locator(".learner-told")).to_contain_text("learned from 3 photographs", timeout=300_000)
    keys.press("e")
    ends_with_a_parser_and_a_plan(server, page, expect, tmp_path / "plan")


def corner(page: Page, x: float, y: float, by_touch: bool) -> None:
    (page.touchscreen.tap if by_touch else page.mouse.click)(*at(page, x, y))


@pytest.mark.parametrize("by_touch", [False, True])
@pytest.mark.parametrize("end", ["first corner", "twice", "button", "Enter"])
def test_a_polygon_ends(server: Server, visit: Visit, expect: Callable, end: str, by_touch: bool) -> None:
    page = visit(server.address, has_touch=True)
    ready(page, expect)
    press(page, "Polygon")
    expect(page.get_by_role("button", name="End the polygon")).to_be_disabled()
    corners = ((0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8))
    for place in corners:
        corner(page, *place, by_touch)
    if end in ("first corner", "twice"):
        corner(page, *corners[0 if end == "first corner" else -1], by_touch)
    elif end == "button":
        press(page, "End the polygon")
    else:
        page.keyboard.press("Enter")
    expect(state(page, 0)).to_have_attribute("data-state", "corrected")
    assert server.mask("part00")[16:48, 16:48].all() and server.mask("part00").mean() == pytest.approx(0.36, abs=0.05)


def test_every_tool_by_keyboard_alone(server: Server, visit: Visit, expect: Callable) -> None:
    page = visit(server.address)
    ready(page, expect)
    undo = page.get_by_role("button", name="Undo", exact=True)
    redo = page.get_by_role("button", name="Redo", exact=True)
    page.locator(".label-stage svg").focus()
    keys = page.keyboard

    def used(*pressed: str) -> None:
        before = page.locator(".label-stage .mask").get_attribute("href")
        for key in pressed:
            keys.press(key)
        expect(page.locator(".label-stage .mask")).not_to_have_attribute("href", str(before))

    used("r", " ", " ", "Shift+ArrowRight", "Shift+ArrowDown", "Shift+ArrowDown", " ")
    painted = server.mask("part00")
    assert painted.any() and not painted.all()
    used("s", "Shift+ArrowUp", " ")
    used("f", " ")
    used("m", " ")
    used("b", " ", "Shift+ArrowLeft", "Shift+ArrowLeft", " ")
    used("g", " ")
    used("p", " ", "Shift+ArrowLeft", " ", "Shift+ArrowUp", " ", "Enter")
    used("x", "r", " ", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowDown", " ")
    used(".")
    last = server.mask("part00")
    for _ in range(9):
        used("z")
    expect(undo).to_be_disabled()
    assert not server.mask("part00").any()
    for _ in range(9):
        used("Control+Shift+Z")
    expect(redo).to_be_disabled()
    assert np.array_equal(server.mask("part00"), last)
    keys.press("a")
    expect(state(page, 0)).to_have_attribute("data-state", "accepted")
    ready(page, expect, 1)  # the next one is offered by itself
    keys.press("n")
    ready(page, expect, 2)
    keys.press("k")
    ready(page, expect, 1)


def test_a_cut_is_dragged_and_a_rectangle_flipped(server: Server, visit: Visit, expect: Callable) -> None:
    page = visit(server.address)
    ready(page, expect)
    drag(page, (-0.1, 0.003), (0.5, 0.997))
    expect(page.locator(".count")).to_have_text("2 rectangles")
    press(page, "Drag a cut")
    drag(page, (0.5, 0.5), (0.75, 0.5))
    expect(page.locator(".label-stage .mask")).to_have_attribute("href", re.compile("step=3"))
    assert server.mask("part00")[:, :48].all() and not server.mask("part00")[:, 48:].any()
    press(page, "Flip")
    page.mouse.click(*at(page, 0.9, 0.5))
    expect(page.locator(".label-stage .mask")).to_have_attribute("href", re.compile("step=4"))
    assert server.mask("part00").all()


def test_a_kill_in_the_middle_loses_nothing(server: Server, visit: Visit, expect: Callable) -> None:
    page = visit(server.address)
    ready(page, expect)
    drag(page, (0.25, 0.25), (0.75, 0.5))
    expect(state(page, 0)).to_have_attribute("data-state", "corrected")
    drag(page, (0.1, 0.6), (0.3, 0.9))
    expect(page.locator(".label-stage .mask")).to_have_attribute("href", re.compile("step=3"))
    before = server.mask("part00")
    page.close()
    server.kill()
    with (server.folder / "labels" / "part00.jsonl").open("ab") as file:
        file.write(b'{"at": "2026-01-01", "did": "ed')  # the line it was about to write
    server.start()
    page = visit(server.address)
    ready(page, expect, 1)
    page.locator(".photographs li button").first.click()
    ready(page, expect, 0)
    press(page, "Undo")
    expect(page.locator(".label-stage .mask")).to_have_attribute("href", re.compile("step=4"))
    assert server.mask("part00").sum() < before.sum()
    press(page, "Redo")
    expect(page.locator(".label-stage .mask")).to_have_attribute("href", re.compile("step=5"))
    assert np.array_equal(server.mask("part00"), before)


def test_one_photograph_has_no_parser_beside_it(server: Server, visit: Visit, expect: Callable) -> None:
    server.process.terminate()
    server.process.wait()
    for index in range(1, PHOTOGRAPHS):
        (server.photos / f"part{index:02}.png").unlink()
    server.start()
    page = visit(server.address)
    ready(page, expect)
    expect(page.locator(".learner")).to_be_hidden()
    expect(page.get_by_role("button", name="Next", exact=True)).to_be_hidden()
    drag(page, (0.25, 0.25), (0.75, 0.5))
    expect(state(page, 0)).to_have_attribute("data-state", "corrected")


def test_two_tabs_see_each_other(server: Server, visit: Visit, expect: Callable) -> None:
    one, other = visit(server.address, refusals=True), visit(server.address, refusals=True)
    for page in (one, other):
        ready(page, expect)
    drag(one, (0.25, 0.25), (0.75, 0.5))
    expect(other.locator(".label-stage .mask")).to_have_attribute("href", re.compile("step=2"))
    drag(other, (0.25, 0.6), (0.75, 0.9))
    expect(one.locator(".label-stage .mask")).to_have_attribute("href", re.compile("step=3"))
    assert server.mask("part00").mean() > 0.2


def test_a_large_photograph_on_a_small_screen(server: Server, visit: Visit, expect: Callable) -> None:
    server.process.terminate()
    server.process.wait()
    large = np.kron(generate(seed=5, index=1, size=500)[0], np.ones((6, 8, 1), np.uint8))
    Image.fromarray(large).save(server.photos / "a-large.jpg", quality=60)
    server.start()
    page = visit(server.address, width=390, height=844, has_touch=True, is_mobile=True)
    ready(page, expect)
    expect(page.locator(".subject")).to_contain_text("4000")
    assert overflow(page) == 0
    frame = page.locator(".label-stage svg").bounding_box()
    assert frame is not None
    press(page, "Grow")
    page.touchscreen.tap(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)
    expect(page.locator(".label-stage .mask")).to_have_attribute("href", re.compile("step=2"))
    assert server.mask("a-large").shape == (3000, 4000) and server.mask("a-large")[1500, 2000]
    seen = page.locator(".label-stage svg").get_attribute("viewBox")
    press(page, "Zoom in (+)")
    expect(page.locator(".label-stage svg")).not_to_have_attribute("viewBox", str(seen))
    assert overflow(page) == 0


def test_the_page_answers_while_a_parser_learns(server: Server, visit: Visit, expect: Callable) -> None:
    import httpx

    page = visit(server.address)
    ready(page, expect)
    for number in range(2):
        drag(page, (0.25, 0.25), (0.75, 0.5))
        expect(state(page, number)).to_have_attribute("data-state", "corrected")
        press(page, "Accept")
        ready(page, expect, number + 1)
    expect(page.locator(".learner progress")).to_be_visible()
    times = []
    with httpx.Client() as client:
        for _ in range(30):
            start = time.perf_counter()
            assert client.get(f"{server.address}api/sitting").status_code == 200
            times.append(time.perf_counter() - start)
    assert min(times) < 0.1  # of many: the machine may be busy with other things
