"""A service to ask: in the process for most tests, and a real one on a free port for what only that can show."""

from __future__ import annotations

import io
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import httpx
import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image

from shapeparse import ParseTree, igm
from shapeparse.parsing.settings import ParseSettings
from shapeparse.web import ServiceSettings, create_app
from shapeparse.web import app as app_module
from shapeparse.web.parsers import Found
from shapeparse.web.server import listen, make_server

TREE: dict[str, Any] = {
    "format": "shapeparse-tree",
    "version": 1,
    "image": {"name": "door.png", "width": 60, "height": 40},
    "nodes": [
        {"x": 0, "y": 0, "w": 60, "h": 40, "depth": 0, "parent": None, "rule": "split-x", "cut": 45},
        {"x": 0, "y": 0, "w": 45, "h": 40, "depth": 1, "parent": 0, "rule": "paint", "cut": None},
        {"x": 45, "y": 0, "w": 15, "h": 40, "depth": 1, "parent": 0, "rule": "skip", "cut": None},
    ],
}


def picture(pixels: np.ndarray, kind: str = "PNG") -> bytes:
    """Pixels as the bytes of an image file; a bool array as 0/255."""
    buffer = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8) * 255 if pixels.dtype == bool else pixels).save(buffer, format=kind)
    return buffer.getvalue()


def house(width: int = 48, height: int = 32) -> np.ndarray:
    """A mask with a body and a chimney."""
    mask = np.zeros((height, width), bool)
    mask[height // 2 :, width // 4 : width // 4 * 3] = True
    mask[height // 4 :, width // 2 : width // 2 + 4] = True
    return mask


def photo(width: int = 48, height: int = 32) -> np.ndarray:
    """Any photograph of that size."""
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8)


def image_and_mask() -> dict[str, tuple[str, bytes]]:
    """The files of a parse by the oracle."""
    return {"image": ("door.png", picture(photo())), "mask": ("mask.png", picture(house()))}


def sentence(response: httpx.Response, status: int) -> str:
    """The one sentence of an answer that must be a refusal."""
    assert response.status_code == status, response.text
    content = response.json()
    assert list(content) == ["error"]
    text = str(content["error"])
    assert text.endswith(".")
    assert text.isprintable()
    assert len(text) <= 400
    return text


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of a tiny parser that has learned nothing yet."""
    import torch

    from shapeparse.networks.policy import Policy
    from shapeparse.networks.presets import PRESETS
    from shapeparse.parsing.runs import RunFolder

    preset = replace(PRESETS["fast"], side=32, widths=(4, 6, 8, 8), channels=4, positions=8, dense=(16, 16))
    torch.manual_seed(0)
    folder = RunFolder(tmp_path_factory.mktemp("runs") / "my-run")
    folder.write_config(
        {"network": asdict(preset), "limits": {"depth": 4, "min_extent": 1}, "settings": {"method": "dagger"},
         "title": "DAgger"}
    )  # fmt: skip
    folder.write_model(Policy(preset), {"epoch": 3, "validation_accuracy": 0.5})
    return folder.path


@pytest.fixture(scope="session")
def client(run_folder: Path) -> Iterator[TestClient]:
    """A client of a service with one trained model."""
    settings = ServiceSettings(models=(run_folder,), max_bytes=2_000_000, max_pixels=1_000_000, at_once=2)
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        yield client


@dataclass
class SlowModel:
    """A model that takes as long as the test wants it to."""

    name: str = "slow"
    title: str = "Slow"
    kind: Literal["oracle"] = "oracle"
    needs_mask: bool = False
    begun: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    go_on: threading.Event = field(default_factory=threading.Event)
    parses: int = 0

    def facts(self) -> dict[str, Any]:
        return {"depth": 1, "settings": []}

    def parse(self, photo: np.ndarray, mask: np.ndarray | None, settings: ParseSettings) -> Found:
        self.parses += 1
        self.begun.release()
        assert self.go_on.wait(20)
        tree = igm(np.zeros(photo.shape[:2], bool))
        assert isinstance(tree, ParseTree)
        return Found(tree)


@dataclass(frozen=True)
class Service:
    """A real service on a free port."""

    app: FastAPI
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def connect(self, timeout: float = 10) -> socket.socket:
        """A plain connection, to misbehave on."""
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def busy(self) -> int:
        return int(httpx.get(f"{self.url}/health").json()["busy"])


@contextmanager
def running(settings: ServiceSettings) -> Iterator[Service]:
    """Run a real service in a thread; it must stop within seconds, with nothing left to do."""
    app, bound = create_app(settings), listen("127.0.0.1", 0, public=False)
    server = make_server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    try:
        eventually(lambda: server.started)
        yield Service(app, bound.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive()


def eventually(holds: Callable[[], bool], seconds: float = 10) -> None:
    """Wait for something that must come true soon."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.02)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowModel]:
    """Services made in this test offer only a slow model."""
    model = SlowModel()
    monkeypatch.setattr(app_module, "list_models", lambda runs, device: {"slow": model})
    yield model
    model.go_on.set()
