"""What is typed after ``paint``: lengths, places, corners, and one sentence for each that is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from shapeparse.commands.paint import Args
from shapeparse.commands.paint_settings import angle_of, metres, pixels, place, settings_of


def args(**changes: object) -> Args:
    return Args((Path("a.png"),), Path("out"), **changes)  # type: ignore[arg-type]


def test_lengths_and_places_have_units() -> None:
    assert pixels("--brush", "60mm", 5) == pixels("--brush", "0.06m", 5) == pixels("--brush", "12px", 5) == 12
    assert metres("--approach", "50mm") == metres("--approach", "0.05m") == 0.05
    assert place("--start", "10,20mm", 2) == (5, 10)
    assert place("--start", None, 2) is None
    assert angle_of("auto") is None


def test_corners_say_how_large_a_pixel_is() -> None:
    found = settings_of(args(corners=("0,0", "100,0", "100,50", "0,50"), size="1x0.5m", brush="60mm"))
    assert found.view.plane is not None
    assert found.paint.scale == pytest.approx(10)
    assert found.paint.brush == pytest.approx(6)
    coarse = settings_of(args(corners=("0,0", "100,0", "100,50", "0,50"), size="1x0.5m", scale=20.0, brush="60mm"))
    assert coarse.paint.scale == 20
    assert coarse.paint.brush == pytest.approx(3)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"corners": ("0,0", "9,9", "9,0", "0,9"), "size": "10x10mm"}, "cross"),
        ({"corners": ("0,0", "9,0"), "size": "10x10mm"}, "give four"),
        ({"start": "10"}, "commas"), ({"tcp": "1,2mm"}, "commas"), ({"approach": "5px"}, "robot"),
        ({"angle": "steep"}, "auto"), ({"angle": "100"}, "-90"), ({"coverage": 0.0}, "coverage"),
        ({"coverage": 1.5}, "coverage"), ({"overrun": "-3"}, "overrun"), ({"smallest_island": "nan"}, "island"),
        ({"lead_in": "5mm"}, "--scale"), ({"work_offset": "G1"}, "G54"), ({"ros_frame": "a b"}, "ROS frame"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_sentence(refused: Callable[..., str], changes: dict, said: str) -> None:
    assert said in refused(settings_of, args(**changes))
