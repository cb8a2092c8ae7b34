"""``shapeparse parse``: photographs of any size become trees in their own pixels, and a broken file stops nobody."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from shapeparse import ParseTree, load

from .conftest import Result, Trained, save

Cli = Callable[..., Result]


def photo(path: Path, width: int, height: int) -> Path:
    return save(path, np.random.default_rng(width).integers(0, 255, (height, width, 3), np.uint8))


def test_writes_trees_pictures_and_the_summaries(cli: Cli, trained: Trained) -> None:
    result = cli("parse", "photos/images", "--model", "run", "--out", "out")
    assert (result.code, result.sentences) == (0, [])
    names = [path.stem for path in sorted((trained.photos / "images").iterdir())]
    expected = {f"{name}.{kind}" for name in [*names] for kind in ("json", "png", "svg")}
    assert {path.name for path in Path("out").iterdir()} == expected | {"summary.json", "summary.csv"}
    assert "8 of 8 parsed" in result.out
    assert max(map(len, result.out.splitlines())) <= 80


@pytest.mark.parametrize(("width", "height"), [(300, 20), (20, 300), (1, 1), (4000, 30), (1, 50), (33, 47)])
def test_trees_are_in_the_photographs_own_pixels(cli: Cli, trained: Trained, width: int, height: int) -> None:
    photo(Path("new") / "a.png", width, height)
    assert cli("parse", "new/a.png", "--model", "run", "--out", "out").code == 0
    tree = ParseTree.load("out/a.json")  # which refuses a tree that does not tile its image
    assert (tree.width, tree.height, tree.name) == (width, height, "a.png")
    assert sum(w * h for _, _, w, h, _ in tree.segments()) == width * height
    assert max(Image.open("out/a.png").size) <= 4096


def test_the_command_and_the_library_agree_and_the_summary_says_what_the_trees_say(cli: Cli, trained: Trained) -> None:
    cli("parse", "photos/images", "--model", "run", "--out", "out", "--formats", "json")
    parser = load("run")
    summary = json.loads(Path("out/summary.json").read_text())
    assert summary["method"] == "drag-anchored"
    lines = list(csv.DictReader(Path("out/summary.csv").read_text().splitlines()))
    for row, line in zip(summary["photographs"], lines, strict=True):
        tree = ParseTree.load(Path("out") / row["files"][0])
        assert tree == parser.parse(row["image"])
        assert row["painted"] == tree.labels().mean()
        assert (row["rectangles"], row["merged"]) == (tree.leaf_count, len(tree.segments(merge=True)))
        assert int(line["rectangles"]) == tree.leaf_count


def test_a_broken_file_does_not_stop_the_others(cli: Cli, trained: Trained) -> None:
    photo(Path("new") / "a.png", 30, 20)
    Path("new/b.png").write_bytes(b"no image")
    Path("new/c.png").write_bytes(b"")
    photo(Path("new") / "d.png", 30, 20)
    result = cli("parse", "new", "missing.jpg", "--model", "run", "--out", "out", "--formats", "json")
    assert (result.code, len(result.sentences)) == (2, 3)
    assert "2 of 5 parsed" in result.out
    assert {path.name for path in Path("out").glob("?.json")} == {"a.json", "d.json"}
    problems = json.loads(Path("out/summary.json").read_text())["problems"]
    assert [Path(problem["file"]).name for problem in problems] == ["b.png", "c.png", "missing.jpg"]


def test_when_nothing_can_be_parsed(cli: Cli, trained: Trained) -> None:
    Path("b.png").write_bytes(b"no image")
    result = cli("parse", "b.png", "--model", "run", "--out", "out")
    assert (result.code, result.out, len(result.sentences)) == (2, "", 1)


def test_more_photographs_than_fit_in_memory_at_a_time(cli: Cli, trained: Trained) -> None:
    for index in range(25):
        photo(Path("new") / f"{index}.png", 20 + index, 16)
    result = cli("parse", "new", "--model", "run", "--out", "out", "--formats", "json")
    assert result.code == 0
    assert "5 more are in summary.csv" in result.out
    assert [ParseTree.load(f"out/{index}.json").width for index in range(25)] == list(range(20, 45))


def test_depth_and_extent_can_be_limited(cli: Cli, trained: Trained) -> None:
    words = ("parse", "photos/images/0000.jpg", "--model", "run", "--formats", "json")
    assert cli(*words, "--out", "out", "--depth", 1, "--min-extent", 5).code == 0
    assert ParseTree.load("out/0000.json").depth.max() <= 1
    for option in ("--depth=-1", "--depth=65", "--min-extent=0"):
        result = cli(*words, "--out", "other", option)
        assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
    assert not Path("other").exists()


def test_inputs_are_never_overwritten(cli: Cli, trained: Trained) -> None:
    photo(Path("new") / "a.png", 30, 20)
    before = Path("new/a.png").read_bytes()
    result = cli("parse", "new", "--model", "run", "--out", "new")
    assert (result.code, len(result.sentences)) == (2, 1)
    assert Path("new/a.png").read_bytes() == before


def test_no_photographs_at_all(cli: Cli, trained: Trained) -> None:
    result = cli("parse", "--model", "run", "--out", "out")
    assert (result.code, len(result.sentences)) == (2, 1)
