"""The summary: means for people, JSON and CSV for programs."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from shapeparse.commands import summary
from shapeparse.commands.decomposition import Row, Settings
from shapeparse.data.dataset import Skipped

ROW = Row("a\nb", "a.png", 8, 6, 0.25, 1.0, 1.0, 0.0, 1.0, None, 4, 3, 2, 1, ("a.json",))
ROWS = [ROW, replace(ROW, name="c", accuracy=0.5, rectangles=8)]


def test_the_mean_is_over_the_masks() -> None:
    mean = summary.means(ROWS)
    assert (mean["accuracy"], mean["rectangles"], mean["paint"]) == (0.75, 6, 0.25)


def test_json_and_csv_hold_every_row_and_every_problem(tmp_path: Path) -> None:
    summary.write_summary(tmp_path, Settings(depth=5), ROWS, [Skipped(Path("x.png"), "It is broken.")])
    content = json.loads((tmp_path / "summary.json").read_text())
    assert content["settings"]["depth"] == 5
    assert content["problems"] == [{"file": "x.png", "reason": "It is broken."}]
    lines = list(csv.DictReader((tmp_path / "summary.csv").read_text().splitlines()))
    assert [line["accuracy"] for line in lines] == ["1.000000", "0.500000"]
    assert "files" not in lines[0]
    assert lines[0]["name"].isprintable()


def test_without_rows_there_is_no_mean(tmp_path: Path) -> None:
    summary.write_summary(tmp_path, Settings(), [], [])
    assert json.loads((tmp_path / "summary.json").read_text())["mean"] is None


def test_long_tables_show_their_beginning_and_one_row_has_no_mean(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    summary.print_rows(ROWS[1:])
    assert "mean" not in capsys.readouterr().out
    monkeypatch.setattr(summary, "MOST_ROWS", 1)
    summary.print_rows(ROWS)
    printed = capsys.readouterr().out
    assert "mean of 2" in printed
    assert "1 more are in summary.csv" in printed
