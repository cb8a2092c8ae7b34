"""Reading requests: names are only shown, files never fill the memory, and mistakes are one sentence.

What a client is answered to all of this is in test_refusals.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from shapeparse.web import uploads
from shapeparse.web.answers import Refusal
from shapeparse.web.schemas import PlanRequest
from shapeparse.web.uploads import File, as_request, as_tree, clean_name, read_photo, read_upload_mask

from .conftest import TREE, house, photo, picture

Refused = Callable[..., str]


@pytest.mark.parametrize(
    ("name", "shown"),
    [("a.png", "a.png"), ("../../etc/passwd", "passwd"), ("C:\\x\\b.jpg", "b.jpg"), ("", "image"), ("a/", "image"),
     ("x\ny\x1b.png", "xy.png"), ("ä" * 300, "ä" * 100)],
)  # fmt: skip
def test_of_a_files_name_the_last_part_is_shown(name: str, shown: str) -> None:
    assert clean_name(name) == shown


def test_photographs_and_masks_are_read_from_memory() -> None:
    assert np.array_equal(read_photo(File("a.png", picture(photo())), 10_000), photo())
    assert np.array_equal(read_upload_mask(File("m.png", picture(house())), 10_000), house())


def test_a_picture_is_measured_before_it_is_decoded(refused: Refused) -> None:
    with pytest.raises(Refusal, match="more than 100 pixels") as caught:
        read_photo(File("a.png", picture(photo())), 100)
    assert caught.value.status == 413
    assert refused(read_photo, File("a.png", b""), 100).startswith("a.png is empty")
    assert "PNG or JPEG" in refused(read_photo, File("a.png", b"text"), 100)
    with pytest.raises(Refusal, match=r"16,384 pixels \(16385 x 1\)"):
        read_photo(File("line.png", picture(np.zeros((1, 16_385, 3), np.uint8))), 100_000)
    assert refused(read_photo, File("cut.png", picture(photo())[:-40]), 10_000).startswith("cut.png")


def test_json_that_is_none_is_another_mistake_than_a_field_that_is_wrong(refused: Refused) -> None:
    with pytest.raises(Refusal) as caught:
        as_request(b"{", PlanRequest)
    assert caught.value.status == 400
    assert refused(as_request, json.dumps({"tree": {}, "brush": 0}).encode(), PlanRequest).startswith("brush: ")
    assert as_request(json.dumps({"tree": TREE}).encode(), PlanRequest).tree == TREE


def test_a_tree_is_checked_and_may_be_neither_huge_nor_of_a_huge_picture(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert as_tree(TREE, 2400).leaf_count == 2
    with pytest.raises(Refusal, match="2,399 pixels"):
        as_tree(TREE, 2399)
    assert "not valid" in refused(as_tree, {**TREE, "nodes": TREE["nodes"][:1]}, 2400)
    monkeypatch.setattr(uploads, "MAX_NODES", 2)
    assert "prune it" in refused(as_tree, TREE, 2400)
