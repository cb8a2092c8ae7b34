"""Zones: masks and polygons read, islands and borders taken off, and files that are none of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy import ndimage
from shapely import Polygon, box

from shapeparse import UserError
from shapeparse.painting.georeference import Affine
from shapeparse.painting.zones import dilated, drawn, eroded, reachable, read_zone, without_islands

UP = Affine(0.5, 0, 0, 0, -0.5, 10)  # half a millimetre a pixel, 20 pixels high, y up


def zone(path: Path, text: str) -> np.ndarray:
    path.write_text(text)
    return read_zone(path, (20, 30), UP)


SQUARE = np.zeros((20, 30), bool)
SQUARE[4:8, 10:16] = True


def test_a_zone_is_the_same_as_a_mask_in_geojson_and_in_svg(tmp_path: Path) -> None:
    Image.fromarray(np.where(SQUARE, 255, 0).astype(np.uint8)).save(tmp_path / "zone.png")
    ring = [[5.02, 7.98], [7.98, 7.98], [7.98, 6.02], [5.02, 6.02], [5.02, 7.98]]
    feature = {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
    collection = json.dumps({"type": "FeatureCollection", "features": [feature]})
    head = '<svg xmlns="http://www.w3.org/2000/svg">'
    found = [
        read_zone(tmp_path / "zone.png", (20, 30), UP),
        zone(tmp_path / "a.geojson", collection),
        zone(tmp_path / "b.svg", f'{head}<polygon points="10.1,4.1 15.9,4.1 15.9,7.9 10.1,7.9"/></svg>'),
        zone(tmp_path / "c.svg", f'{head}<g><rect x="10.1" y="4.1" width="5.8" height="3.8"/></g></svg>'),
        zone(tmp_path / "d.svg", f'{head}<path d="M10.1 4.1h5.8v3.8H10.1z"/></svg>'),
    ]
    for one in found:
        assert np.array_equal(one, SQUARE)


@given(st.lists(st.tuples(st.floats(-3, 33), st.floats(-3, 23)), min_size=3, max_size=6, unique=True))
def test_every_pixel_that_a_polygon_enters_well_is_in_the_zone(points: list[tuple[float, float]]) -> None:
    shape = Polygon(points)
    if not shape.is_valid or shape.area < 1:
        return
    found = drawn([[np.array(points)]], (20, 30))
    for y in range(20):
        for x in range(30):
            if box(x + 0.2, y + 0.2, x + 0.8, y + 0.8).intersection(shape).area > 0.1:
                assert found[y, x]
            if not box(x - 1, y - 1, x + 2, y + 2).intersects(shape):
                assert not found[y, x]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.geojson", "{", "is not GeoJSON"), ("a.geojson", '{"type": "Point", "coordinates": [1, 2]}', "no polygons"),
        ("a.geojson", '{"type": "Polygon", "coordinates": [[[1, 2], [3, 4]]]}', "three points"),
        ("a.svg", "<svg", "is not SVG"), ("a.svg", "<svg><circle r='3'/></svg>", "no polygons"),
        ("a.svg", "<svg><path d='M0 0C1 1 2 2 3 3z'/></svg>", "only M, L, H, V"),
        ("a.svg", "<svg><g transform='scale(2)'/></svg>", "flatten"),
        ("a.svg", '<!DOCTYPE s [<!ENTITY a "b">]><svg/>', "entities"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_zone_is_one_sentence(
    refused: Callable[..., str], tmp_path: Path, name: str, text: str, said: str
) -> None:
    assert said in refused(zone, tmp_path / name, text)


def test_a_mask_of_another_size_is_refused(refused: Callable[..., str], tmp_path: Path) -> None:
    Image.new("L", (4, 5)).save(tmp_path / "zone.png")
    assert "4 x 5" in refused(read_zone, tmp_path / "zone.png", (20, 30), UP)


@given(st.integers(0, 999), st.integers(0, 12))
def test_islands_are_those_of_scipy(seed: int, area: int) -> None:
    mask = np.random.default_rng(seed).random((12, 14)) < 0.4
    labels, count = ndimage.label(mask)
    kept = np.zeros_like(mask)
    for label in range(1, count + 1):
        if (labels == label).sum() >= area:
            kept |= labels == label
    assert np.array_equal(without_islands(mask, area), kept)


@given(st.integers(0, 999), st.integers(1, 4))
def test_borders_are_those_of_scipy(seed: int, side: int) -> None:
    mask = np.random.default_rng(seed).random((12, 14)) < 0.2
    square = np.ones((2 * side + 1, 2 * side + 1), bool)
    assert np.array_equal(dilated(mask, side), ndimage.binary_dilation(mask, square))
    assert np.array_equal(eroded(~mask, side - 0.5), ndimage.binary_erosion(~mask, square, border_value=1))


@given(st.integers(0, 999), st.integers(1, 5))
def test_a_brush_reaches_where_it_fits(seed: int, brush: int) -> None:
    zone = np.random.default_rng(seed).random((10, 12)) < 0.1
    reached = np.zeros_like(zone)
    padded = np.pad(zone, brush)
    for y in range(padded.shape[0] - brush + 1):
        for x in range(padded.shape[1] - brush + 1):
            if not padded[y : y + brush, x : x + brush].any():
                top, left = y - brush, x - brush
                reached[max(top, 0) : max(top + brush, 0), max(left, 0) : max(left + brush, 0)] = True
    assert np.array_equal(reachable(zone, brush), reached)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "1e300"])
def test_a_point_that_is_nowhere_is_refused_without_a_word_of_numpys(tmp_path: Path, number: str) -> None:
    path = tmp_path / "zone.geojson"
    path.write_text(f'{{"type": "Polygon", "coordinates": [[[1, 1], [5, 1], [{number}, 4]]]}}')
    with pytest.raises(UserError, match=r"zone[.]geojson is not GeoJSON with polygons [(]a polygon has a point"):
        read_zone(path, (8, 8), (1.0, 0.0, 0.0, 0.0, -1.0, 8.0))
