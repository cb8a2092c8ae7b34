"""A real browser, pages to open in it, and the service to open them from."""

from __future__ import annotations

import re
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image

from shapeparse import ParseTree, igm
from shapeparse.data.generator import generate

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page, Request

NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE = 30_000
"""Milliseconds to wait for something to appear: machines may be slow and busy."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium as the system has it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found is None:
        pytest.skip("there is no Chromium here (apt-get install chromium)")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=found, args=OPTIONS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def expect() -> Callable:
    """Wait until something is as it should be."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    playwright.expect.set_options(timeout=PATIENCE)
    return playwright.expect


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open an address in a new window; afterwards nothing may have been complained of, or asked of other hosts."""
    complaints: list[str] = []
    contexts = []

    def open_page(address: str, refusals: bool = False, width: int = 1280, height: int = 860, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        own = "file:" if address.startswith("file:") else address

        def hear(message: ConsoleMessage) -> None:
            refused = message.text.startswith("Failed to load resource: the server responded with a status of")
            if message.type in ("error", "warning") and not (refusals and refused):
                complaints.append(message.text)

        def fail(error: Error) -> None:
            complaints.append(str(error))

        def ask(request: Request) -> None:
            if not request.url.startswith((own, "data:", "blob:")):
                complaints.append(request.url)

        page.on("console", hear)
        page.on("pageerror", fail)
        page.on("request", ask)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def one(found: ParseTree | list[ParseTree]) -> ParseTree:
    """What ``igm`` makes of a mask."""
    assert isinstance(found, ParseTree)
    return found


@pytest.fixture(scope="session")
def door() -> tuple[np.ndarray, np.ndarray, ParseTree]:
    """A photograph of the generator, its mask, and the oracle's tree of few rectangles."""
    photo, mask = generate(seed=0, index=0, size=192)
    return photo, mask, replace(one(igm(mask, depth=5, price=0.002)), name="door.png")


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Files to upload: a photograph, its mask, a mask of another size, and one that is no image."""
    folder = tmp_path_factory.mktemp("uploads")
    photo, mask = generate(seed=3, index=2, size=160)
    Image.fromarray(photo).save(folder / "photo <b>&.png")
    Image.fromarray(mask).save(folder / "mask.png")
    Image.fromarray(mask[:50]).save(folder / "short.png")
    (folder / "broken.png").write_bytes(b"no image")
    return {"photo": folder / "photo <b>&.png", "mask": folder / "mask.png", "short": folder / "short.png",
            "broken": folder / "broken.png"}  # fmt: skip


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory, photographs: Callable) -> Iterator[str]:
    """The address of the real service, with a tiny parser that has learned next to nothing."""
    uvicorn = pytest.importorskip("uvicorn")
    from shapeparse.web import ServiceSettings, create_app

    app = create_app(ServiceSettings(models=(_tiny_run(tmp_path_factory.mktemp("model") / "run", photographs),)))
    with socket.create_server(("127.0.0.1", 0)) as free:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=server.run, args=([free],), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{free.getsockname()[1]}/"
        server.should_exit = True
        thread.join(30)


def _tiny_run(folder: Path, photographs: Callable) -> Path:
    from shapeparse.learning.data import TrainingData
    from shapeparse.learning.settings import TrainSettings
    from shapeparse.learning.trainer import Trainer
    from shapeparse.networks.presets import PRESETS

    images, masks = photographs(4)
    tiny = replace(PRESETS["fast"], side=32, widths=(4, 6, 8, 8), channels=4, positions=8, dense=(16, 16))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PRESETS, "fast", tiny)
        data = TrainingData(images[:3], masks[:3], images[3:], masks[3:])
        Trainer(TrainSettings("dagger", "fast", epochs=1, depth=4), data, folder).run()
    return folder


def figure(page: Page, name: str) -> Locator:
    """The value of a figure."""
    return page.locator(f".numbers [data-figure='{name}'] dd")


def slider(page: Page, name: str) -> Locator:
    return page.get_by_role("slider", name=name, exact=True)


def point(page: Page, tree: ParseTree, node: int) -> tuple[float, float]:
    """Where the middle of a node is on the screen."""
    frame = page.locator(".stage svg").first.bounding_box()
    assert frame is not None
    x, y = tree.x[node] + tree.w[node] / 2, tree.y[node] + tree.h[node] / 2
    return frame["x"] + frame["width"] * x / tree.width, frame["y"] + frame["height"] * y / tree.height


def leaf(tree: ParseTree, rule: int) -> int:
    """The largest leaf with a rule."""
    area = np.where(tree.rule == rule, tree.nodes.area, 0)
    return int(area.argmax())


def marked(page: Page, mark: str, view: int = 0) -> str | None:
    """The outline drawn around a node on the photograph."""
    return page.locator(f".view:nth-child({view + 1}) .mark.{mark}:not(.none) .over").get_attribute("d")


def outline(tree: ParseTree, node: int) -> str:
    x, y, w, h = (int(side[node]) for side in (tree.x, tree.y, tree.w, tree.h))
    return f"M{x} {y}h{w}v{h}h{-w}z"


def boxes(count: int) -> re.Pattern[str]:
    """What a path of so many rectangles looks like."""
    return re.compile(rf"^(M[^M]*){{{count}}}$")


def overflow(page: Page) -> int:
    """Pixels by which the page is wider than the screen."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
