"""The work of ``shapeparse parse``; test_parse.py types it in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from shapeparse import ParseSettings, load
from shapeparse.commands import parsing
from shapeparse.commands.inputs import plan
from shapeparse.commands.parsing import Album, parse_jobs
from shapeparse.data.dataset import Skipped

from .conftest import Trained, save


def test_photographs_are_parsed_some_at_a_time_and_broken_ones_set_aside(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing, "AT_A_TIME", 3)
    Path("photos/images/0004.jpg").write_bytes(b"no image")
    parser, problems = load("run"), list[Skipped]()
    jobs, _ = plan([Path("photos/images")], None)
    found = list(parse_jobs(parser, jobs, ParseSettings(depth=2), problems))
    assert [done.tree.name for done in found] == [f"000{place}.jpg" for place in (0, 1, 2, 3, 5, 6, 7)]
    assert [problem.path.name for problem in problems] == ["0004.jpg"]
    for job, photo, tree, strangeness in found:
        assert tree == parser.parse(job.path, depth=2)
        assert photo.shape[:2] == (tree.height, tree.width)
        assert strangeness == pytest.approx(next(parser.parse_knowingly([job.path])).strangeness)


def test_few_pixels_are_in_memory_at_a_time_and_large_photographs_have_it_to_themselves(
    tmp_path: Path, trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"a": 10, "b": 10, "c": 30, "d": 10, "e": 50, "f": 10}
    for name, side in sizes.items():
        save(tmp_path / "sized" / f"{name}.png", np.zeros((side, side, 3), np.uint8))
    jobs, _ = plan([tmp_path / "sized"], None)
    monkeypatch.setattr(parsing, "LARGE", 800)
    batches = [(count, [job.name for job in some]) for count, some in parsing.batches_of(jobs)]
    assert batches == [(200, ["a", "b"]), (900, ["c"]), (100, ["d"]), (2500, ["e"]), (100, ["f"])]
    beside: list[int] = []

    def side_by_side(work: Callable, items: list) -> Iterator:
        beside.append(len(items))
        return map(work, items)

    monkeypatch.setattr(parsing, "side_by_side", side_by_side)
    found = list(parse_jobs(load("run"), jobs, ParseSettings(depth=2), []))
    assert [done.tree.name[0] for done in found] == list(sizes)
    assert beside == [1, 1, 1]  # c and e were parsed by themselves


@pytest.fixture
def album(trained: Trained) -> Album:
    return Album(load("run"), None)


def test_an_album_keeps_the_first_photographs_and_says_how_many(
    album: Album, trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing, "MOST_SHOWN", 2)
    photo = np.zeros((20, 30, 3), np.uint8)
    tree = load("run").parse(photo)
    words = []
    for count in (1, 2, 3):
        album.add(photo, tree, None)
        words.append(album.extent(count))
    assert words == ["it", "all 2", "the first 2 of them"]
    assert "<html" in album.html()


def test_a_brush_that_cannot_be_is_refused_before_anything_is_parsed(
    trained: Trained, refused: Callable[..., str]
) -> None:
    assert "brush is 0" in refused(Album, load("run"), 0)
