"""Small pictures to label."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st
from PIL import Image

from shapeparse.labelling.edits import Edit, edit_of

WIDTH, HEIGHT = 14, 10


def house() -> np.ndarray:
    """A mask with a body and a chimney."""
    mask = np.zeros((HEIGHT, WIDTH), bool)
    mask[4:, 3:10] = True
    mask[2:4, 7:9] = True
    return mask


def picture(seed: int = 0) -> np.ndarray:
    """A photograph of the house: bright walls, dark sky, and a little noise."""
    noise = np.random.default_rng(seed).integers(0, 20, (HEIGHT, WIDTH, 3), np.uint8)
    return np.where(house()[:, :, None], 200, 40).astype(np.uint8) + noise


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """A folder of three photographs, and of files that are none."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for number in range(3):
        Image.fromarray(picture(number)).save(folder / f"part {number}.png")
    (folder / "broken.jpg").write_bytes(b"no image")
    (folder / "notes.txt").write_text("not looked at")
    return folder


@st.composite
def edits(draw: Callable) -> Edit:
    """Any edit; some fit the labels, some do not."""
    whole = st.integers(-3, 20)
    content = draw(
        st.one_of(
            st.fixed_dictionaries({"tool": st.sampled_from(["flip", "merge"]), "node": st.integers(0, 8)}),
            st.fixed_dictionaries({"tool": st.just("drag"), "node": st.integers(0, 8), "at": whole}),
            st.fixed_dictionaries(
                {"tool": st.just("split"), "node": st.integers(0, 8), "axis": st.sampled_from("xy"), "at": whole}
            ),
            st.fixed_dictionaries(
                {"tool": st.just("rectangle"), "x": whole, "y": whole, "w": whole, "h": whole, "paint": st.booleans()}
            ),
            st.fixed_dictionaries(
                {"tool": st.just("polygon"), "points": st.lists(whole, min_size=6, max_size=6), "paint": st.booleans()}
            ),
            st.fixed_dictionaries(
                {"tool": st.just("brush"), "points": st.lists(whole, min_size=4, max_size=4),
                 "radius": st.floats(0.5, 4), "paint": st.booleans()}
            ),
            st.fixed_dictionaries({"tool": st.just("rectangles"), "count": st.integers(0, 9)}),
        )
    )  # fmt: skip
    return edit_of(content)
