"""A command line to type into, and files to give it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image

from shapeparse.cli import main


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
