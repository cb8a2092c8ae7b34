"""``shapeparse data check``: what a dataset holds, and everything that is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from .conftest import Result, dataset, house, save

Cli = Callable[..., Result]


def test_check_measures_majority_and_oracle(cli: Cli, tmp_path: Path) -> None:
    result = cli("data", "check", dataset(tmp_path / "d"), "--json")
    findings = json.loads(result.out)
    share = house().mean()
    assert result.code == 0
    assert findings["usable"] == 3
    assert findings["sizes"] == [{"width": 48, "height": 32, "count": 3}]
    assert np.isclose(findings["paint"]["mean"], share)
    assert np.isclose(findings["accuracy"]["majority"], max(share, 1 - share))
    by_depth = list(findings["accuracy"]["oracle"].values())
    assert list(findings["accuracy"]["oracle"]) == ["1", "3", "5", "7", "9"]
    assert by_depth == sorted(by_depth)
    assert by_depth[-1] == 1


def test_check_names_every_problem_and_measures_the_rest(cli: Cli, tmp_path: Path) -> None:
    folder = dataset(tmp_path / "d", 4)
    (folder / "masks" / "0.png").unlink()
    (folder / "images" / "1.jpg").write_bytes(b"")
    save(folder / "masks" / "2.png", house(10, 10))
    result = cli("data", "check", folder)
    assert result.code == 2
    assert len(result.sentences) == 3
    assert "1 photograph with its mask, 3 problems" in result.out


def test_check_of_a_dataset_with_nothing_usable(cli: Cli, tmp_path: Path) -> None:
    folder = dataset(tmp_path / "d", 1)
    (folder / "images" / "0.jpg").write_bytes(b"no")
    result = cli("data", "check", folder)
    assert (result.code, result.out) == (2, "")
    assert len(result.sentences) == 2
    as_json = cli("data", "check", folder, "--json")
    assert as_json.code == 2
    assert json.loads(as_json.out)["usable"] == 0


def test_check_of_a_path_that_is_no_dataset(cli: Cli, tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere", tmp_path):
        result = cli("data", "check", path)
        assert (result.code, len(result.sentences)) == (2, 1)


def test_check_reads_coco_files_and_their_categories(cli: Cli, tmp_path: Path) -> None:
    save(tmp_path / "a.png", np.zeros((32, 48, 3), np.uint8))
    box = [[0, 0, 24, 0, 24, 32, 0, 32]]
    content = {
        "images": [{"id": 1, "file_name": "a.png", "width": 48, "height": 32}],
        "categories": [{"id": 1, "name": "door"}, {"id": 2, "name": "window"}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "segmentation": box}],
    }
    (tmp_path / "coco.json").write_text(json.dumps(content))
    painted = cli("data", "check", tmp_path / "coco.json", "--categories", "door", "--json")
    assert json.loads(painted.out)["paint"]["masks_without"] == 0
    empty = cli("data", "check", tmp_path / "coco.json", "--categories", "window")
    assert "masks without any paint: 1" in empty.out
    wrong = cli("data", "check", tmp_path / "coco.json", "--categories", "roof")
    assert (wrong.code, len(wrong.sentences)) == (2, 1)


def test_many_sizes_are_summed_up(cli: Cli, tmp_path: Path) -> None:
    for side in range(20, 26):
        save(tmp_path / "d" / "images" / f"{side}.png", np.zeros((30, side, 3), np.uint8))
        save(tmp_path / "d" / "masks" / f"{side}.png", house(side, 30))
    result = cli("data", "check", tmp_path / "d")
    assert "6 different ones, 20 to 25 wide and 30 to 30 high" in result.out
