"""Label Studio's JSON: brushes come back as they were, and whatever else a file holds is a mask or a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from shapeparse import UserError
from shapeparse.data.dataset import Skipped
from shapeparse.data.label_studio import decode_brush, encode_brush, read_masks, write_tasks


def shape(kind: str, value: Any, width: Any = 10, height: Any = 8) -> dict[str, Any]:
    return {"type": kind, "original_width": width, "original_height": height, "value": value}


def task(*shapes: dict[str, Any], image: str = "/data/upload/1/0a1b2c3d-door%201.jpg") -> dict[str, Any]:
    return {"data": {"image": image}, "annotations": [{"result": list(shapes)}]}


RECTANGLE = shape("rectanglelabels", {"x": 0, "y": 0, "width": 50, "height": 50})


def masks_of(path: Path) -> tuple[dict[str, np.ndarray], list[Skipped]]:
    masks, skipped = read_masks(path)
    return dict(masks), skipped


@given(arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=12)))
def test_a_brush_comes_back_as_it_was(mask: np.ndarray) -> None:
    np.testing.assert_array_equal(decode_brush(encode_brush(mask), *mask.shape), mask)


def test_single_values_and_long_runs_are_read() -> None:
    bits = format(8, "032b") + "00111" + "".join(format(size - 1, "04b") for size in (3, 4, 8, 16))
    bits += "0" + "00" + "011" + "".join(format(value, "08b") for value in (1, 2, 3, 0))  # four values, one by one
    bits += "1" + "00" + "011" + format(255, "08b")  # four times 255
    bits += "0" * (-len(bits) % 8)
    packed = [int(bits[place : place + 8], 2) for place in range(0, len(bits), 8)]
    assert decode_brush(packed, 1, 2).tolist() == [[False, True]]
    large = np.ones((200, 300), bool)
    assert decode_brush(encode_brush(large), 200, 300).all()


def test_shapes_become_masks_by_the_names_of_images(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    rectangle = shape("rectanglelabels", {"x": 10, "y": 25, "width": 30, "height": 50})
    polygon = shape("polygonlabels", {"points": [[50, 0], [100, 0], [100, 100]]})
    other = shape("choices", {"choices": ["good"]})
    path.write_text(json.dumps([task(rectangle, polygon, other)]))
    masks, skipped = masks_of(path)
    assert list(masks) == ["door 1"] and not skipped
    mask = masks["door 1"]
    assert mask[2:6, 1:4].all() and not mask[2:6, 0].any() and mask[0, 8] and not mask[7, 5]


def test_written_tasks_are_read_back(tmp_path: Path) -> None:
    mask = np.eye(6, 9, dtype=bool)
    assert write_tasks(tmp_path / "tasks.json", [("a", "images/a.jpg", mask), ("b", "images/b.jpg", ~mask)]) == 2
    masks, skipped = masks_of(tmp_path / "tasks.json")
    assert not skipped and np.array_equal(masks["a"], mask) and np.array_equal(masks["b"], ~mask)


@pytest.mark.parametrize(
    "wrong",
    [
        3, {}, {"data": {"image": 3}}, {"data": {"image": "a.jpg"}}, task(), task(shape("brushlabels", {})),
        task(shape("brushlabels", {"rle": [0, 0]})), task(shape("brushlabels", {"rle": [300]})),
        task(shape("brushlabels", {"rle": encode_brush(np.ones((3, 3), bool))})),
        task(shape("brushlabels", {"rle": encode_brush(np.ones((8, 10), bool))[:-2]})),
        task(shape("polygonlabels", {"points": [[1, 2]]})), task(shape("polygonlabels", {"points": [[1, "2"]] * 3})),
        task(shape("polygonlabels", {"points": [[1, float("inf")]] * 3})), task(shape("polygonlabels", None)),
        task(shape("rectanglelabels", {"x": 1, "y": 1, "width": 5, "height": 5, "rotation": 30})),
        task(shape("rectanglelabels", {"x": float("nan"), "y": 1, "width": 5, "height": 5})),
        task(RECTANGLE, image="http://[/a.jpg"), task(RECTANGLE, image="/.."), task(RECTANGLE, image="a%00.jpg"),
        task(RECTANGLE, image="a\ud800.jpg"), task(RECTANGLE, image="a" * 300), task(RECTANGLE, image="a%5C.b.jpg"),
        task(shape("polygonlabels", {"points": [[10**400, 1]] * 3})), task(shape("brushlabels", {}, width=-3)),
        task(shape("brushlabels", {}, width="10")), task(shape("brushlabels", {}, width=10**6, height=10**6)),
    ],
)  # fmt: skip
def test_a_task_that_cannot_be_read_is_one_sentence_and_the_others_go_on(tmp_path: Path, wrong: Any) -> None:
    path = tmp_path / "export.json"
    good = task(RECTANGLE, image="good.jpg")
    path.write_text(json.dumps([wrong, good]))
    masks, skipped = masks_of(path)
    assert list(masks) == ["good"] and len(skipped) == 1
    assert skipped[0].reason.startswith("Task 1 of") and skipped[0].reason.endswith(".")


@given(st.lists(st.integers(0, 255), max_size=40))
def test_any_bytes_are_a_mask_or_a_sentence(packed: list[int]) -> None:
    try:
        assert decode_brush(packed, 2, 2).shape == (2, 2)
    except UserError:
        return


def test_one_of_two_tasks_of_an_image_counts(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([task(RECTANGLE), task(RECTANGLE)]))
    masks, skipped = masks_of(tmp_path / "a.json")
    assert list(masks) == ["door 1"] and "second of the image door 1" in skipped[0].reason


def test_masks_are_drawn_one_by_one(tmp_path: Path) -> None:
    """A file of some kilobytes may ask for more masks than fit into memory."""
    large = shape("rectanglelabels", {"x": 0, "y": 0, "width": 1, "height": 1}, width=8000, height=8000)
    tasks = [task(large, image=f"{number}.jpg") for number in range(4000)]
    (tmp_path / "a.json").write_text(json.dumps(tasks))
    masks, _ = read_masks(tmp_path / "a.json")
    assert next(masks)[0] == "0" and next(masks)[1].shape == (8000, 8000)


def test_a_file_that_is_no_list_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(UserError, match="not a list of tasks"):
        read_masks(tmp_path / "a.json")
