"""The command that converts masks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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
