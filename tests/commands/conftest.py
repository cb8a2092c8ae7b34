"""A command line to type into, and files to give it."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image

from shapeparse.commands.cli import main
from shapeparse.networks.presets import PRESETS, Preset

QUICK = ("--count", 6, "--size", 48, "--epochs", 1)
"""Options of a demo that takes seconds."""


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def sentences(self) -> list[str]:
        """What was complained of, without notices of slow compilation."""
        return [line for line in self.err.splitlines() if line.startswith("shapeparse: ")]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Type a command line; get its exit code and what it printed."""

    def type_in(*words: object) -> Result:
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:  # tyro ends like this
            code = int(end.code or 0)
        return Result(code, *capsys.readouterr())

    return type_in


def house(width: int = 48, height: int = 32) -> np.ndarray:
    """A mask with a body and a chimney."""
    mask = np.zeros((height, width), bool)
    mask[height // 2 :, width // 4 : width // 4 * 3] = True
    mask[height // 4 :, width // 2 : width // 2 + 4] = True
    return mask


def save(path: Path, pixels: np.ndarray) -> Path:
    """Write pixels as the image file that the name says; a bool array as 0/255."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = pixels.astype(np.uint8) * 255 if pixels.dtype == bool else pixels
    Image.fromarray(pixels).save(path)
    return path


@pytest.fixture
def mask_file(tmp_path: Path) -> Path:
    return save(tmp_path / "masks" / "house.png", house())


class Trained(NamedTuple):
    photos: Path
    """A dataset of 8 photographs."""
    run: Path
    """A run that learned from 5 of them, validated with 1 and held 2 out."""


@pytest.fixture(scope="session")
def tiny_network() -> Preset:
    """A network so small that tests can train it."""
    return replace(PRESETS["fast"], side=32, widths=(4, 6, 8, 8), channels=4, positions=8, dense=(16, 16))


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tiny_network: Preset) -> None:
    """The presets by default are tiny."""
    monkeypatch.setitem(PRESETS, "fast", tiny_network)
    monkeypatch.setitem(PRESETS, "best", tiny_network)


@pytest.fixture(scope="session")
def trained_once(tmp_path_factory: pytest.TempPathFactory, tiny_network: Preset) -> Trained:
    """A tiny parser, trained through the command line once for all tests; they get copies."""
    folder = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PRESETS, "fast", tiny_network)
        patch.setitem(PRESETS, "best", tiny_network)
        patch.chdir(folder)
        assert main(["data", "make", "--out", "photos", "--count", "8", "--size", "48"]) == 0
        words = "train --data photos --out run --epochs 3 --test 2 --depth 4 --learning.rate 0.01"
        assert main(words.split()) == 0
    return Trained(folder / "photos", folder / "run")


@pytest.fixture
def trained(trained_once: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny: None) -> Trained:
    """Copies of the tiny run and its data in the current folder, as ``run`` and ``photos``."""
    for source in trained_once:
        shutil.copytree(source, tmp_path / source.name)
    monkeypatch.chdir(tmp_path)
    return Trained(Path("photos"), Path("run"))


def dataset(folder: Path, count: int = 3) -> Path:
    """A folder of photographs with masks."""
    for index in range(count):
        save(folder / "images" / f"{index}.jpg", np.full((32, 48, 3), 40 * index, np.uint8))
        save(folder / "masks" / f"{index}.png", house())
    return folder


@pytest.fixture(scope="session")
def demo_once(tmp_path_factory: pytest.TempPathFactory, tiny_network: Preset) -> tuple[Path, str]:
    """A quick demo's folder, and what it printed; made once, and tests that change it get copies."""
    out, printed = tmp_path_factory.mktemp("once") / "demo", io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed):
        patch.setitem(PRESETS, "fast", tiny_network)
        patch.setitem(PRESETS, "best", tiny_network)
        assert main(["demo", "--out", str(out), *map(str, QUICK)]) == 0
    return out, printed.getvalue()
