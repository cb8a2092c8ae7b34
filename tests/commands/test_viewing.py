"""How photographs were taken, as it is typed, and one sentence for what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from shapeparse.commands.viewing import scale_of_markers, size_of, view_of
from shapeparse.painting.view import View

from .conftest import save

CORNERS = ("0,0", "9,0", "9,9", "0,9")


def asked(**changes: object) -> Any:
    plain = {"corners": (), "markers": None, "size": None, "lens": None, "scale": None}
    return SimpleNamespace(**plain | changes)


def test_corners_a_size_and_a_scale_are_a_view() -> None:
    view = view_of(asked(corners=CORNERS, size="1x0.5m", scale=20.0))
    assert view == View(None, ((0, 0), (9, 0), (9, 9), (0, 9)), None, (1000, 500), 20.0)
    assert view_of(asked(scale=2.0)).is_plain
    assert size_of(" 1200 × 800 mm ") == (1200, 800)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"size": "10x10mm"}, "goes with"), ({"corners": CORNERS}, "go with --size"),
        ({"markers": "aruco-4x4"}, "--size"), ({"markers": "aruco-4x", "size": "10x10mm"}, "aruco-4x4"),
        ({"corners": CORNERS, "markers": "aruco-4x4", "size": "10x10mm"}, "Both"),
        ({"corners": CORNERS, "size": "10"}, "1200x800mm"), ({"corners": CORNERS, "size": "1.2.3x4mm"}, "1200x800mm"),
        ({"corners": (*CORNERS[:3], "0"), "size": "10x10mm"}, "120,80"),
        ({"corners": (*CORNERS[:3], "nan,9"), "size": "10x10mm"}, "cross"),
        ({"corners": ("0,0", "9,9", "9,0", "0,9"), "size": "10x10mm"}, "cross"),
        ({"corners": CORNERS, "size": "10x10mm", "scale": 1e-5}, "scale"),
        ({"corners": CORNERS, "size": "10x10mm", "scale": -1.0}, "scale"),
        ({"lens": Path("nowhere.yml")}, "nowhere.yml"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_sentence(refused: Callable[..., str], changes: dict, said: str) -> None:
    assert said in refused(view_of, asked(**changes))


def test_markers_need_a_photograph_that_shows_them(refused: Callable[..., str], tmp_path: Path) -> None:
    pytest.importorskip("cv2")
    view = view_of(asked(markers="aruco-4x4", size="10x10mm"))
    grey = save(tmp_path / "grey.png", np.full((40, 40, 3), 90, np.uint8))
    assert "marker 0" in refused(scale_of_markers, [grey], view)
    assert "none was given" in refused(scale_of_markers, [], view)
