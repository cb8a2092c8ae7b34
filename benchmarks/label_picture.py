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
SHOWN = 6
"""The photograph in the picture."""
ACCEPTED = (0, 1, 3)
AT = 0.5, 0.5
"""Where the pointer is, as shares of the stage."""
COLOURS = 255
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
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        browser.close()
    few = picture.quantize(COLOURS, dither=Image.Dither.NONE)
    write_with(out, lambda file: few.save(file, format="PNG", optimize=True))
    print(f"{out}: {out.stat().st_size / 1000:.0f} kB")


def arrange(page: Page) -> None:
    """Some photographs accepted, one corrected, and one open, with the pointer at a cut."""
    entries = page.locator(".photographs li")
    expect(entries.nth(COUNT - 1)).to_have_attribute("data-state", "proposed")
    for number in ACCEPTED:
        choose(page, number)
        page.keyboard.press("a")
        expect(entries.nth(number)).to_have_attribute("data-state", "accepted")
    choose(page, 2)
    page.keyboard.press(",")
    expect(entries.nth(2)).to_have_attribute("data-state", "corrected")
    choose(page, SHOWN)
    page.keyboard.press("d")
    frame = page.locator(".label-stage svg").bounding_box()
    assert frame is not None
    page.mouse.move(frame["x"] + AT[0] * frame["width"], frame["y"] + AT[1] * frame["height"])
    page.wait_for_timeout(2000)  # until the photograph is there, and the page has looked at the list again


def choose(page: Page, number: int) -> None:
    """Open a photograph."""
    entry = page.locator(".photographs li").nth(number)
    entry.get_by_role("button").click()
    expect(entry).to_have_attribute("aria-current", "true")


if __name__ == "__main__":
    tyro.cli(main)
