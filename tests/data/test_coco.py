"""COCO files give the masks they describe, and never reach out of their folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from PIL import Image

from shapeparse.data import coco, load
from shapeparse.data.coco import outline_mask, run_lengths, run_string
from shapeparse.support.errors import UserError

SQUARE = [[1, 1, 3, 1, 3, 3, 1, 3]]
CATEGORIES = [{"id": 1, "name": "door"}, {"id": 2, "name": "glass"}, {"id": 7, "name": "hood"}]


def image(number: int = 1, name: str = "a.png", width: int = 8, height: int = 6) -> dict[str, Any]:
    return {"id": number, "file_name": name, "width": width, "height": height}


def annotation(segmentation: Any, image_id: int = 1, category_id: int = 1, **more: Any) -> dict[str, Any]:
    return {"id": 5, "image_id": image_id, "category_id": category_id, "segmentation": segmentation, **more}


def write(folder: Path, images: Any, annotations: Any, categories: Any = CATEGORIES) -> Path:
    for name in ("a.png", "b.png"):
        Image.new("RGB", (8, 6)).save(folder / name)
    content = {"images": images, "annotations": annotations, "categories": categories}
    (folder / "coco.json").write_text(json.dumps(content))
    return folder / "coco.json"


def slow_runs(mask: np.ndarray) -> list[int]:
    """Column by column, count until the value changes; the first run is of zeros."""
    runs, value = [0], False
    for pixel in mask.T.reshape(-1):
        if pixel != value:
            runs.append(0)
            value = not value
        runs[-1] += 1
    return runs


def slow_string(runs: list[int]) -> str:
    """COCO's own compression, written after the loop in its maskApi.c."""
    text = ""
    for place, run in enumerate(runs):
        rest = run - runs[place - 2] if place > 2 else run
        more = True
        while more:
            bits = rest & 31
            rest >>= 5
            more = rest != (-1 if bits & 16 else 0)
            text += chr(48 + bits + (32 if more else 0))
    return text


# Run lengths


@settings(deadline=None)
@given(arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=40)))
def test_run_lengths_of_both_forms_give_the_mask_back(mask):
    runs = slow_runs(mask)
    height, width = mask.shape
    assert run_string(mask) == slow_string(runs)
    for counts in (runs, slow_string(runs)):
        decoded = outline_mask({"size": [height, width], "counts": counts}, height, width)
        np.testing.assert_array_equal(decoded, mask)


@settings(deadline=None)
@given(st.lists(st.integers(0, 100_000_000), min_size=1, max_size=30))
def test_long_runs_survive_compression(runs):
    assert run_lengths(slow_string(runs)) == runs


def test_strings_made_by_pycocotools_are_understood():
    # pycocotools.mask.encode of a 100 x 100 mask whose upper right quarter is set
    mask = outline_mask({"size": [100, 100], "counts": "Xl4b1b1" + "0" * 98}, 100, 100)
    assert mask[:50, 50:].all()
    assert mask.sum() == 2500
    # a person of COCO 2017, whose box is given as x 219.9, y 176.12, width 11.14, height 34.23
    counts = "nYW31n>2N2FNbA48Kf=?XBDe=m0OM3M4YOPB8_>L4JXao5"
    rows, columns = np.nonzero(outline_mask({"size": [480, 640], "counts": counts}, 480, 640))
    assert (columns.min(), rows.min(), np.ptp(columns) + 1, np.ptp(rows) + 1) == (220, 176, 11, 34)


@settings(deadline=None)
@given(st.text(max_size=30))
def test_garbled_strings_never_cause_anything_but_a_sentence(text):
    try:
        mask = outline_mask({"size": [4, 5], "counts": text}, 4, 5)
    except UserError:
        return
    assert mask.shape == (4, 5)


@pytest.mark.parametrize(
    ("segmentation", "words"),
    [
        ({"size": [6, 8], "counts": [10, 5]}, "do not add up to 6 x 8"),
        ({"size": [6, 8], "counts": []}, "do not add up"),
        ({"size": [6, 8], "counts": [50, -2]}, "do not add up"),
        ({"size": [6, 8], "counts": [10**30]}, "do not add up"),
        ({"size": [6, 8], "counts": [10, "5"]}, "not whole numbers"),
        ({"size": [6, 8], "counts": [10, 5.0]}, "not whole numbers"),
        ({"size": [6, 8], "counts": "o"}, "cut short"),
        ({"size": [6, 8], "counts": "ooooooooooo0"}, "garbled"),
        ({"size": [6, 8], "counts": "é"}, "garbled"),
        ({"size": [6, 8]}, "neither a list nor a string"),
        ({"size": [8, 6], "counts": [48]}, "another size"),
        ({"counts": [48]}, "another size"),
        ([], "empty segmentation"),
        (None, "no polygons or run lengths"),
        ("text", "no polygons or run lengths"),
        ([[1, 1, 2, 2]], "three points or more"),
        ([[1, 1, 2, 2, 3, 3, 4]], "three points or more"),
        ([1, 1, 2, 2, 3, 3], "three points or more"),
        ([[1, 1, 2, 2, 3, "3"]], "not a number"),
        ([[1, 1, 2, 2, 3, None]], "not a number"),
        ([[1, 1, 2, 2, 3, float("nan")]], "far outside"),
        ([[1, 1, 2, 2, 3, 1e300]], "far outside"),
        ([[1, 1, 2, 2, 3, -(10**400)]], "far outside"),
    ],
)
def test_a_broken_outline_costs_its_image_and_names_it(tmp_path, segmentation, words):
    dataset = load(write(tmp_path, [image(), image(2, "b.png")], [annotation(segmentation)]))
    with pytest.raises(UserError, match=words) as caught:
        dataset.read(0)
    assert "annotation 5 of 'a.png' has" in str(caught.value)
    loaded = dataset.read_all(side=8)
    assert loaded.names == ["b"]
    assert loaded.skipped[0].path == tmp_path / "a.png"


# Polygons


def test_a_polygon_paints_its_inside():
    mask = outline_mask(SQUARE, 6, 8)
    assert mask.shape == (6, 8)
    assert mask[1:3, 1:3].all()
    assert not mask[4:].any()
    assert not mask[:, 4:].any()


def test_the_polygons_of_an_annotation_are_united_even_where_they_overlap():
    both = outline_mask([[0, 0, 4, 0, 4, 4, 0, 4], [2, 2, 7, 2, 7, 5, 2, 5]], 6, 8)
    assert both[:5, :5].all()
    assert both[2:6, 2:8].all()


def test_a_polygon_may_reach_over_the_edge():
    assert outline_mask([[-3, -3, 12, -3, 12, 9, -3, 9]], 6, 8).all()


# What is chosen


def test_annotations_of_an_image_are_united_and_crowds_count(tmp_path):
    runs = {"size": [6, 8], "counts": [42, 6]}  # the right-most column
    path = write(tmp_path, [image()], [annotation(SQUARE), annotation(runs, iscrowd=1)])
    mask = load(path).read(0).mask
    assert mask[1:3, 1:3].all()
    assert mask[:, 7].all()
    assert not mask[:, 5:7].any()


@pytest.mark.parametrize(
    ("categories", "painted"),
    [
        (None, [True, True]),
        (["door"], [True, False]),
        ([2], [False, True]),
        (["2"], [False, True]),
        (["door", "glass"], [True, True]),
        ("door", [True, False]),
        (["hood"], [False, False]),
        ([], [False, False]),
    ],
)
def test_categories_are_chosen_by_name_or_id(tmp_path, categories, painted):
    annotations = [annotation(SQUARE, 1, 1), annotation(SQUARE, 2, 2)]
    dataset = load(write(tmp_path, [image(), image(2, "b.png")], annotations), categories=categories)
    assert [bool(dataset.read(index).mask.any()) for index in range(2)] == painted


def test_an_unknown_category_is_answered_with_those_that_exist(tmp_path):
    with pytest.raises(UserError, match=r"no category 'roof'; it has door \(1\), glass \(2\), hood \(7\)\."):
        load(write(tmp_path, [image()], []), categories=["roof"])


# Where images are


def test_images_are_found_beside_the_file_in_images_or_in_the_root(tmp_path):
    path = write(tmp_path, [image(1, "deep/c.png"), image(2, "a.png"), image(3, "d\\e.png")], [])
    for place in ("images/deep", "elsewhere/deep", "images/d"):
        (tmp_path / place).mkdir(parents=True)
    Image.new("RGB", (8, 6), "red").save(tmp_path / "images/deep/c.png")
    Image.new("RGB", (8, 6), "blue").save(tmp_path / "elsewhere/deep/c.png")
    Image.new("RGB", (8, 6)).save(tmp_path / "images/d/e.png")
    assert load(path).names == ["a", "d/e", "deep/c"]
    assert load(path).read(2).image[0, 0].tolist() == [255, 0, 0]
    rooted = load(path, root=tmp_path / "elsewhere")
    assert rooted.names == ["deep/c"]
    assert rooted.read(0).image[0, 0].tolist() == [0, 0, 255]
    assert "There is no image 'a.png' in" in rooted.skipped[0].reason


@pytest.mark.parametrize(
    "name",
    [
        "../secret.png",
        "/etc/passwd",
        "a/../../b.png",
        "..\\b.png",
        "C:\\b.png",
        "C:b.png",
        "\\\\host\\b",
        "",
        "a\0b",
    ],
)
def test_a_file_name_that_leads_out_of_the_folder_is_refused(tmp_path, name):
    with pytest.raises(UserError, match="leads out of its folder"):
        load(write(tmp_path, [image(name=name)], []))


def test_an_image_of_another_size_than_the_file_says_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"a\.png is 8 x 6 pixels \(upright\), but .* says 6 x 8; use"):
        load(write(tmp_path, [image(width=6, height=8)], [])).read(0)


def test_names_stay_unique(tmp_path):
    Image.new("RGB", (8, 6)).save(tmp_path / "a.bmp")
    path = write(tmp_path, [image(1, "a.png"), image(2, "a.bmp"), image(3, "b.png"), image(4, "b.png")], [])
    dataset = load(path)
    assert dataset.names == ["a.bmp", "a.png"]
    assert ["twice" in entry.reason for entry in dataset.skipped] == [True, True]


# Files that are no COCO files


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("{", "not valid JSON"),
        ("\x00\xff", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("1" * 5000, "not valid JSON"),
        ("[]", "not a COCO file"),
        ("{}", "no list of objects called 'categories'"),
        ('{"categories": [], "images": 3}', "no list of objects called 'images'"),
        ('{"categories": [], "images": [3]}', "no list of objects called 'images'"),
        ('{"categories": [], "images": []}', "no list of objects called 'annotations'"),
        ('{"categories": [], "images": [], "annotations": []}', "no image that can be used"),
    ],
)
def test_files_of_another_kind_are_refused(tmp_path, text, words):
    (tmp_path / "coco.json").write_text(text, encoding="latin-1")
    with pytest.raises(UserError, match=words):
        load(tmp_path / "coco.json")


@pytest.mark.parametrize(
    ("images", "annotations", "categories", "words"),
    [
        ([{"file_name": "a.png", "width": 8, "height": 6}], [], [], "An image in .* has no 'id'"),
        ([{"id": [1], "file_name": "a.png", "width": 8, "height": 6}], [], [], "An image in .* has no 'id'"),
        ([{"id": 1, "width": 8, "height": 6}], [], [], "without a file_name"),
        ([{**image(), "file_name": 3}], [], [], "without a file_name"),
        ([{**image(), "width": 8.5}], [], [], "no whole width and height for 'a.png'"),
        ([{**image(), "width": 0}], [], [], "no whole width and height"),
        ([{**image(), "width": 10**9}], [], [], "lists 'a.png', which has more than"),
        ([image(), image()], [], [], "two images with the id 1"),
        ([image()], [annotation(SQUARE, image_id=9)], CATEGORIES, "annotates image 9"),
        ([image()], [annotation(SQUARE, image_id="1")], CATEGORIES, "annotates image '1'"),  # type: ignore
        ([image()], [annotation(SQUARE, category_id=9)], CATEGORIES, "uses category 9"),
        ([image()], [{"id": 1}], [], "An annotation in .* has no 'image_id'"),
        ([image()], [{"id": 1, "image_id": 1}], [], "An annotation in .* has no 'category_id'"),
        ([image()], [], [{"name": "x"}], "A category in .* has no 'id'"),
    ],
)
def test_wrong_structure_is_said_in_one_sentence(tmp_path, images, annotations, categories, words):
    with pytest.raises(UserError, match=words) as caught:
        load(write(tmp_path, images, annotations, categories))
    assert "\n" not in str(caught.value)


def test_too_large_a_file_is_not_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(coco, "MAX_JSON_BYTES", 10)
    with pytest.raises(UserError, match="larger than 10 bytes"):
        load(write(tmp_path, [image()], []))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"There is no file .*nowhere\.json"):
        load(tmp_path / "nowhere.json")


def test_a_broken_image_costs_only_itself(tmp_path):
    path = write(tmp_path, [image(), image(2, "b.png")], [])
    (tmp_path / "a.png").write_bytes(b"nonsense")
    assert load(path).read_all(side=8).names == ["b"]
