"""The work of ``shapeparse parse``; test_parse.py types it in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from shapeparse import ParseSettings, load
from shapeparse.commands import parsing
from shapeparse.commands.inputs import plan
from shapeparse.commands.parsing import Album, parse_jobs
from shapeparse.data.dataset import Skipped

from .conftest import Trained


def test_photographs_are_parsed_some_at_a_time_and_broken_ones_set_aside(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing, "AT_A_TIME", 3)
    Path("photos/images/0004.jpg").write_bytes(b"no image")
    parser, problems = load("run"), list[Skipped]()
    jobs, _ = plan([Path("photos/images")], None)
    found = list(parse_jobs(parser, jobs, ParseSettings(depth=2), problems))
    assert [tree.name for _, _, tree in found] == [f"000{place}.jpg" for place in (0, 1, 2, 3, 5, 6, 7)]
    assert [problem.path.name for problem in problems] == ["0004.jpg"]
    for job, photo, tree in found:
        assert tree == parser.parse(job.path, depth=2)
        assert photo.shape[:2] == (tree.height, tree.width)


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
        album.add(photo, tree)
        words.append(album.extent(count))
    assert words == ["it", "all 2", "the first 2 of them"]
    assert "<html" in album.html()


def test_a_brush_that_cannot_be_is_refused_before_anything_is_parsed(
    trained: Trained, refused: Callable[..., str]
) -> None:
    assert "brush is 0" in refused(Album, load("run"), 0)
