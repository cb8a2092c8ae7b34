"""The command that converts masks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from shapeparse.commands.cli import main
from shapeparse.data.generator import write_dataset


def test_there_and_back_again(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    write_dataset(tmp_path / "photos", count=2, size=48, seed=0)
    words = ["data", "convert", str(tmp_path / "photos"), "--to", "label-studio", "--out", str(tmp_path / "tasks.json")]
    assert main(words) == 0
    assert "2 masks written" in capsys.readouterr().out
    assert main(words) == 2
    assert "there already" in capsys.readouterr().err
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    (tmp_path / "some.json").write_text(json.dumps([*tasks, {}]))
    back = ["data", "convert", str(tmp_path / "some.json"), "--to", "folder", "--out", str(tmp_path / "back")]
    assert main(back) == 2
    said = capsys.readouterr()
    assert "2 masks written" in said.out and said.err.count("\n") == 1 and "Task 3 of" in said.err
    assert {path.name for path in (tmp_path / "back" / "masks").iterdir()} == {"0000.png", "0001.png"}


IMAGE = {"id": 1, "file_name": "a.png", "width": 8, "height": 8}
OUTLINE = {"id": 1, "image_id": 1, "category_id": 1, "segmentation": [[0, 0, 4, 0, 4, 4]]}
HOSTILE = {
    "no JSON": "{",
    "nested without end": "[" * 100_000,
    "a number": "7",
    "no tasks": "[]",
    "tasks that are none": "[1, null, [], {}]",
    "an outline that leads out": {"images": [{**IMAGE, "file_name": "../../a.png"}], "annotations": [OUTLINE]},
    "an outline of no image": {"images": [IMAGE], "annotations": [{**OUTLINE, "image_id": 9}]},
    "an image of a million million pixels": {"images": [{**IMAGE, "width": 10**6, "height": 10**6}], "annotations": []},
    "an image that is not there": {"images": [{**IMAGE, "file_name": "gone.png"}], "annotations": [OUTLINE]},
    "runs that do not end": {"images": [IMAGE], "annotations": [
        {**OUTLINE, "segmentation": {"size": [8, 8], "counts": [10**30]}}]},
    "a polygon at infinity": {"images": [IMAGE], "annotations": [
        {**OUTLINE, "segmentation": [[0, 0, 1e999, 0, 4, 4]]}]},
}  # fmt: skip


@pytest.mark.parametrize("form", ["folder", "coco", "label-studio"])
@pytest.mark.parametrize("content", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_files_are_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture, content: Any, form: str
) -> None:
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png")
    if isinstance(content, dict):
        content = json.dumps({"categories": [{"id": 1, "name": "paint"}], **content})
    (tmp_path / "export.json").write_text(content)
    out = tmp_path / ("out" if form == "folder" else "out.json")
    code = main(["data", "convert", str(tmp_path / "export.json"), "--to", form, "--out", str(out)])
    said = capsys.readouterr()
    assert code == 2 and "Traceback" not in said.err
    lines = said.err.strip().splitlines()
    assert lines and all(line.endswith(".") for line in lines)
    assert len(lines) == (4 if content.startswith("[1") else 1)
