"""Masks come through every form unchanged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from shapeparse import UserError
from shapeparse.data import CocoDataset
from shapeparse.data.exchange import WRITERS, read_labelled, write_coco, write_masks
from shapeparse.data.generator import write_dataset


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    write_dataset(tmp_path / "photos", count=3, size=48, seed=0)
    Image.new("L", (48, 48)).save(tmp_path / "photos" / "masks" / "0002.png")  # nothing to paint
    return tmp_path / "photos"


def masks_of(path: Path) -> dict[str, np.ndarray]:
    found, skipped = read_labelled(path)
    masks = {one.name: one.mask for one in found}
    assert not skipped
    return masks


@pytest.mark.parametrize("form", list(WRITERS))
def test_masks_are_the_same_in_every_form(dataset: Path, form: str) -> None:
    before = masks_of(dataset)
    out = dataset.parent / "out" if form == "folder" else dataset / f"{form}.json"
    assert WRITERS[form](out, read_labelled(dataset)[0]) == 3
    if form == "folder":
        (out / "images").symlink_to(dataset / "images")
    after = masks_of(out)
    assert after.keys() == before.keys()
    for name, mask in before.items():
        np.testing.assert_array_equal(after[name], mask)


def test_a_written_coco_file_is_a_dataset(dataset: Path) -> None:
    write_coco(dataset / "instances.json", read_labelled(dataset)[0])
    assert len(CocoDataset(dataset / "instances.json", categories=["paint"])) == 3


def test_broken_photographs_are_left_out_and_named(dataset: Path) -> None:
    (dataset / "images" / "0001.jpg").write_bytes(b"no image")
    found, skipped = read_labelled(dataset)
    assert [one.name for one in found] == ["0000", "0002"]
    assert [one.path.name for one in skipped] == ["0001.jpg"]


def test_nothing_is_written_over(dataset: Path) -> None:
    with pytest.raises(UserError, match="there already"):
        write_masks(dataset, read_labelled(dataset)[0])
