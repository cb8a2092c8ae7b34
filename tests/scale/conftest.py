"""A tiny parser, and photographs to parse with it, one of which is broken."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from shapeparse.learning.data import TrainingData
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.trainer import Trainer
from shapeparse.networks.presets import PRESETS
from shapeparse.scale.shards import Input

PHOTOS = 10
BROKEN = 6
"""The place of the file that is no image."""


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory, photographs: Callable) -> Path:
    """A folder with a tiny parser, ``run``, and ``photos``, one of which is broken."""
    folder = tmp_path_factory.mktemp("bulk")
    images, masks = photographs(4)
    tiny = dataclasses.replace(PRESETS["fast"], side=32, widths=(4, 6, 8, 8), channels=4, positions=8, dense=(16, 16))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PRESETS, "fast", tiny)
        data = TrainingData(images[:3], masks[:3], images[3:], masks[3:])
        Trainer(TrainSettings("dagger", "fast", epochs=2, depth=4), data, folder / "run").run()
    (folder / "photos").mkdir()
    for place in range(PHOTOS):
        pixels = np.random.default_rng(place).integers(0, 255, (30 + place, 40, 3), np.uint8)
        Image.fromarray(pixels).save(folder / "photos" / f"{place}.png")
    (folder / "photos" / f"{BROKEN}.png").write_bytes(b"no image")
    return folder


@pytest.fixture
def photos(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Input]:
    """The photographs, with the current folder such that ``run`` and ``photos`` are in it."""
    monkeypatch.chdir(tmp_path)
    for name in ("run", "photos"):
        (tmp_path / name).symlink_to(made / name)
    return [Input(f"{place}", f"photos/{place}.png") for place in range(PHOTOS)]


def lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text().splitlines()]
