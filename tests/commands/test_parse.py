"""``shapeparse parse``: photographs of any size become trees in their own pixels, and a broken file stops nobody."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from shapeparse import ParseTree, load
from shapeparse.commands import parsing
from shapeparse.support.files import kind_of

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


def explorations(page: str) -> list[dict]:
    """What a page of the explorer has in it."""
    (data,) = re.findall(r'<script type="application/json">(.*?)</script>', Path(page).read_text())
    return json.loads(data)["explorations"]


def test_the_page_to_explore_has_the_photographs_and_their_trees(cli: Cli, trained: Trained) -> None:
    words = ("parse", "photos/images", "--model", "run", "--out", "out", "--formats", "json", "--html")
    result = cli(*words)
    assert (result.code, result.sentences) == (0, [])
    assert f"{Path('out/explorer.html')} shows all 8; open it in a browser." in result.out
    shown = explorations("out/explorer.html")
    assert [one["image"]["name"] for one in shown] == [f"000{index}.jpg" for index in range(8)]
    for one in shown:
        (parse,) = one["parses"]
        assert parse["tree"] == json.loads(Path("out", one["image"]["name"]).with_suffix(".json").read_text())
        assert (parse["title"], parse["plan"]) == ("DRAG, dense and anchored", None)
        assert one["image"]["source"].startswith("data:image/jpeg;base64,")
    assert cli(*words, "--brush", 5).code == 0
    assert all(one["parses"][0]["plan"]["settings"]["brush"] == 5 for one in explorations("out/explorer.html"))


def test_a_page_of_many_photographs_has_the_first_ones_and_says_so(
    cli: Cli, trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing, "MOST_SHOWN", 3)
    Path("photos/images/0000.jpg").write_bytes(b"no image")
    result = cli("parse", "photos/images", "--model", "run", "--out", "out", "--formats", "json", "--html")
    assert (result.code, len(result.sentences)) == (2, 1)
    assert "shows the first 3 of them" in result.out
    assert [one["image"]["name"] for one in explorations("out/explorer.html")] == ["0001.jpg", "0002.jpg", "0003.jpg"]


@pytest.mark.parametrize("options", [("--brush", 5), ("--html", "--brush", 0), ("--html", "--engine", "ray")])
def test_options_of_the_page_that_make_no_sense_are_refused_before_anything_is_written(
    cli: Cli, trained: Trained, options: tuple
) -> None:
    result = cli("parse", "photos/images", "--model", "run", "--out", "out", *options)
    assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
    assert not Path("out").exists()


def test_a_price_leaves_fewer_rectangles(cli: Cli, trained: Trained) -> None:
    def rectangles(*options: str) -> int:
        assert cli("parse", "photos/images", "--model", "run", "--out", "out", "--formats", "json", *options).code == 0
        return sum(row["rectangles"] for row in json.loads(Path("out/summary.json").read_text())["photographs"])

    assert rectangles("--price", "0.05") < rectangles()


def test_doubtful_rectangles_are_listed_least_sure_first(cli: Cli, trained: Trained) -> None:
    result = cli("parse", "photos/images", "--model", "run", "--out", "out", "--formats", "json", "--review", "1.0")
    assert result.code == 0
    rows = list(csv.DictReader(Path("out/review.csv").read_text().splitlines()))
    assert f"names {len(rows)} of" in result.out.replace("\n", " ")
    sure = [float(row["probability"]) for row in rows]
    assert sure == sorted(sure)
    assert rows
    first = rows[0]
    tree = ParseTree.load((Path("out") / first["image"]).with_suffix(".json"))
    leaf = next(
        i for i in np.flatnonzero(tree.is_leaf) if tree.x[i] == int(first["x"]) and tree.y[i] == int(first["y"])
    )
    assert tree.confidence is not None
    assert tree.confidence[leaf] == pytest.approx(float(first["probability"]), abs=1e-3)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--review", "1.5"), "--review is 1.5"),
        (("--price", "-1"), "price is -1"),
        (("--lookahead", "-3"), "lookahead is -3"),
        (("--engine", "ray", "--review", "0.8"), "--review go with"),
    ],
)
def test_options_that_make_no_sense_are_named(
    cli: Cli, trained: Trained, options: tuple[str, ...], complaint: str
) -> None:
    result = cli("parse", "photos/images", "--model", "run", "--out", "out", *options)
    assert result.code == 2
    assert complaint in " ".join(result.sentences)


def test_every_file_tells_its_kind_and_those_of_decompose_are_left_alone(cli: Cli, trained: Trained) -> None:
    words = ("parse", "photos/images", "--model", "run", "--html", "--review", 0.99, "--out", "out")
    for _ in range(2):
        assert cli(*words).code == 0
    assert all(kind_of(path) for path in Path("out").iterdir())
    assert cli("decompose", "photos/masks", "--out", "trees").code == 0
    before = {path.name: path.read_bytes() for path in Path("trees").iterdir()}
    result = cli("parse", "photos/images", "--model", "run", "--out", "trees")
    assert result.code == 2
    assert "summary.json is another kind of file and is not replaced" in result.sentences[0]
    assert {path.name: path.read_bytes() for path in Path("trees").iterdir()} == before


def test_the_summary_names_every_setting_of_the_parse(cli: Cli, trained: Trained) -> None:
    words = ("--price", 0.002, "--lookahead", 3, "--no-flips", "--no-refine", "--depth", 2, "--formats", "json")
    assert cli("parse", "photos/images/0000.jpg", "--model", "run", *words, "--out", "out").code == 0
    settings = json.loads(Path("out/summary.json").read_text())["settings"]
    assert settings == {
        "depth": 2, "min_extent": None, "search": "lookahead", "lookahead": 3, "flips": False, "refine": False,
        "rectangles": None, "price": 0.002, "accuracy": None, "formats": ["json"],
    }  # fmt: skip
