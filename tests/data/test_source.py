"""Where photographs come from: opened by what the path is, made if there is none, and picked by name."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from shapeparse.data import BUILT_IN, CocoDataset, FolderDataset, Source, load, source
from shapeparse.data.generator import generate
from shapeparse.data.source import pick
from shapeparse.support.errors import UserError


def test_load_opens_folders_and_coco_files(tmp_path):
    for name in ("images", "masks"):
        (tmp_path / name).mkdir()
        Image.new("L", (4, 4)).save(tmp_path / name / "a.png")
    image = {"id": 1, "file_name": "a.png", "width": 4, "height": 4}
    (tmp_path / "c.JSON").write_text(json.dumps({"images": [image], "annotations": [], "categories": []}))
    assert isinstance(load(tmp_path), FolderDataset)
    assert isinstance(load(tmp_path / "c.JSON", side=2), CocoDataset)
    assert load(tmp_path / "c.JSON", side=2).read(0).image.shape == (2, 2, 3)
    assert load(str(tmp_path)).names == load(tmp_path / "c.JSON").names == ["a"]


def test_categories_are_for_coco_only(tmp_path):
    with pytest.raises(UserError, match="no categories; leave them out"):
        load(tmp_path, categories=["door"])


def test_without_a_path_photographs_are_made() -> None:
    loaded = Source(seed=3, count=2).read(side=32)
    assert loaded.names == ["0000", "0001"]
    for index in range(2):
        image, mask = generate(3, index, 32)
        assert np.array_equal(loaded.images[index], image)
        assert np.array_equal(loaded.masks[index], mask)


def test_the_wide_world_is_made_if_it_is_asked_for() -> None:
    loaded = Source(seed=3, count=1, world="wide").read(side=32)
    assert np.array_equal(loaded.images[0], generate(3, 0, 32, "wide")[0])
    assert not np.array_equal(loaded.images[0], generate(3, 0, 32)[0])


def test_as_many_are_made_as_the_paper_has_if_no_count_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    assert source.BUILT_IN_COUNT == 362
    monkeypatch.setattr(source, "BUILT_IN_COUNT", 3)
    assert len(Source().read(side=16).names) == 3
    assert Source().source == BUILT_IN


def test_a_folder_is_read_with_the_threshold_of_its_masks(tmp_path) -> None:
    for name in ("images", "masks"):
        (tmp_path / name).mkdir()
        Image.new("L", (4, 4), 100).save(tmp_path / name / "a.png")
    low, high = (Source(str(tmp_path), threshold=threshold).read(side=4) for threshold in (0.3, 0.5))
    assert low.names == ["a"]
    assert low.masks.all()
    assert not high.masks.any()


def test_the_categories_of_a_coco_file_choose_what_is_paint(tmp_path) -> None:
    Image.new("L", (4, 4)).save(tmp_path / "a.png")
    boxes = {"door": [0, 0, 2, 4], "hole": [2, 0, 2, 4]}
    content = {
        "images": [{"id": 1, "file_name": "a.png", "width": 4, "height": 4}],
        "categories": [{"id": place, "name": name} for place, name in enumerate(boxes)],
        "annotations": [
            {"id": place, "image_id": 1, "category_id": place, "iscrowd": 0, "bbox": [x, y, w, h],
             "segmentation": [[x, y, x + w, y, x + w, y + h, x, y + h]]}
            for place, (x, y, w, h) in enumerate(boxes.values())
        ],
    }  # fmt: skip
    (tmp_path / "c.json").write_text(json.dumps(content))
    [mask] = Source(str(tmp_path / "c.json"), categories=("door",)).read(side=4).masks
    assert (mask[0, 0], mask[0, 3]) == (True, False)


@pytest.mark.parametrize("wrong", [{"count": 0}, {"count": 2.5}, {"count": True}, {"seed": -1}, {"seed": "1"}], ids=str)
def test_photographs_that_cannot_be_made_are_refused(refused: Callable[..., str], wrong: dict) -> None:
    assert "built-in generator" in refused(Source, **wrong)


def test_photographs_are_picked_by_name_in_the_order_asked(refused: Callable[..., str]) -> None:
    loaded = Source(count=3).read(side=16)
    picked = pick(loaded, ["0002", "0000"])
    assert picked.names == ["0002", "0000"]
    assert np.array_equal(picked.images, loaded.images[[2, 0]])
    assert np.array_equal(picked.masks, loaded.masks[[2, 0]])
    assert "0007 and 1 more" in refused(pick, loaded, ["0000", "0007", "0008"])
