"""The picture of `shapeparse label` at work, for README.md and docs/labelling.md: generated photographs only.

    python benchmarks/label_picture.py [--out docs/pictures/label.png]

Starts the command with the pretrained parser, accepts some proposals, corrects one, and takes a picture of the page in
Chromium, with Playwright.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

import tyro
from machine import REPOSITORY
from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright
from sitting import labelling

from shapeparse.data.generator import generate
from shapeparse.support.errors import UserError
from shapeparse.support.files import write_with

SEED, SIDE, COUNT = 21, 640, 12
SHOWN = 2
"""The photograph in the picture."""
ACCEPTED = (0, 1, 3)
CORRECTED = 4
MIDDLE_OF_A_CUT = """() => {
  const { tree, stage } = document.querySelector("shapeparse-label");
  const cuts = tree.nodes.flatMap((node, index) => (node.rule === "split-x" ? [tree.cutLine(index)] : []));
  const off = ([x]) => Math.abs(x - stage.width / 2);
  const [x1, y1, x2, y2] = cuts.sort((one, other) => off(one) - off(other))[0];
  const frame = stage.svg.getBoundingClientRect();
  const across = ((x1 + x2) / 2 - stage.centre[0]) / stage.perPixel;
  const down = ((y1 + y2) / 2 - stage.centre[1]) / stage.perPixel;
  return [frame.left + frame.width / 2 + across, frame.top + frame.height / 2 + down];
}"""
"""Where the cut nearest to the middle of the photograph is on the screen."""
AT_HOME = "(told, place) => { told.textContent = told.textContent.replace(place, '~'); }"
STEP = 5
"""Between the levels of a colour: what nobody sees takes half of the file."""
PATIENCE = 300_000


def main(out: Path = REPOSITORY / "docs" / "pictures" / "label.png") -> None:
    """Take the picture.

    Args:
        out: the file.
    """
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise UserError("There is no Chromium here; install it (apt-get install chromium).")
    photos = [generate(SEED, index, SIDE)[0] for index in range(COUNT)]
    with (
        tempfile.TemporaryDirectory() as place,
        labelling(Path(place), photos, "--model", "pretrained") as served,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 880}, color_scheme="light")
        page.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        page.goto(served.address)
        arrange(page)
        page.locator("p.place").evaluate(AT_HOME, place)
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        browser.close()
    coarse = picture.point([STEP * round(value / STEP) for value in range(256)] * 3)
    write_with(out, lambda file: coarse.save(file, format="PNG", optimize=True))
    print(f"{out}: {out.stat().st_size / 1000:.0f} kB")


def arrange(page: Page) -> None:
    """Some photographs accepted, one corrected, and one open, with the pointer at a cut."""
    entries = page.locator(".photographs li")
    expect(entries.nth(COUNT - 1)).to_have_attribute("data-state", "proposed")
    for number in ACCEPTED:
        choose(page, number)
        scribble(page)
        page.keyboard.press("a")
        expect(entries.nth(number)).to_have_attribute("data-state", "accepted")
    choose(page, CORRECTED)
    scribble(page)
    choose(page, SHOWN)
    page.keyboard.press("d")
    page.mouse.move(*page.evaluate(MIDDLE_OF_A_CUT))
    page.wait_for_timeout(2000)  # until the photograph is there, and the page has looked at the list again


def scribble(page: Page) -> None:
    """Correct a little: a stroke of the brush near the upper edge."""
    step = page.locator(".label-stage .mask").get_attribute("href")
    frame = page.locator(".label-stage svg").bounding_box()
    assert frame is not None and step is not None
    page.keyboard.press("b")
    page.mouse.move(frame["x"] + 0.4 * frame["width"], frame["y"] + 12)
    page.mouse.down()
    page.mouse.move(frame["x"] + 0.5 * frame["width"], frame["y"] + 12, steps=4)
    page.mouse.up()
    expect(page.locator(".label-stage .mask")).not_to_have_attribute("href", step)


def choose(page: Page, number: int) -> None:
    """Open a photograph."""
    entry = page.locator(".photographs li").nth(number)
    entry.get_by_role("button").click()
    expect(entry).to_have_attribute("aria-current", "true")


if __name__ == "__main__":
    tyro.cli(main)
