"""Journals: every line counts, a torn last one is left out, and other damage is named."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from shapeparse import UserError
from shapeparse.labelling.edits import Labels
from shapeparse.labelling.journal import History, Journal

from .conftest import HEIGHT, WIDTH, house


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    journal = opened(tmp_path)
    journal.note("begin", Labels.of(np.zeros((HEIGHT, WIDTH), bool)), **{"from": "nothing"})
    journal.note("edit", Labels.of(house(), 9), edit={"tool": "rectangle"})
    return journal


def opened(folder: Path) -> Journal:
    return Journal(folder / "house.jsonl", WIDTH, HEIGHT, "house.png")


def test_what_was_noted_is_read_back(journal: Journal) -> None:
    again = opened(journal.path.parent)
    labels = again.labels()
    assert labels is not None and np.array_equal(labels.mask, house())
    assert (labels.tree.name, labels.rectangles, again.step, again.state) == ("house.png", 9, 2, "corrected")
    line = again.lines[1]
    assert line["edit"] == {"tool": "rectangle"} and line["shown"] == 0 and line["at"].endswith("+00:00")


def test_undo_and_redo_walk_along_the_edits() -> None:
    history = History()
    for number, event in enumerate(["begin", "edit", "edit", "undo", "undo", "undo", "redo"]):
        history.follow(number, event)
    assert (history.shown, history.done, history.undone) == (1, [1], [2])
    history.follow(7, "edit")
    assert (history.shown, history.undone) == (7, [])
    history.follow(8, "propose")
    assert (history.shown, history.done) == (8, [])


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_journal_that_is_a_pipe_or_a_device_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "house.jsonl"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(UserError, match=r"house[.]jsonl is not a regular file"):
        opened(tmp_path)


@pytest.mark.parametrize("torn", [b'{"at": "20', b"\xff\xfe", b'{"did": "edit"', b"null\n", b"[1]\n"])
def test_a_last_line_that_was_cut_short_is_left_out_and_written_over(journal: Journal, torn: bytes) -> None:
    with journal.path.open("ab") as file:
        file.write(torn)
    again = opened(journal.path.parent)
    assert again.step == 2
    again.note("undo")
    assert [json.loads(line)["did"] for line in journal.path.read_text().splitlines()] == ["begin", "edit", "undo"]
    assert opened(journal.path.parent).step == 3


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"nonsense\n", "Line 3 of .* is no event"),
        (b'{"did": "dance"}\n', "Line 3 of .* is no event"),
    ],
)
def test_damage_in_the_middle_is_named(journal: Journal, line: bytes, sentence: str) -> None:
    with journal.path.open("ab") as file:
        file.write(line + b'{"did": "accept"}\n')
    with pytest.raises(UserError, match=sentence):
        opened(journal.path.parent)


@pytest.mark.parametrize(
    "line",
    ['{"did": "edit"}', '{"did": "edit", "mask": 3, "tree": "skip"}', '{"did": "edit", "mask": "0", "tree": "skip"}',
     '{"did": "edit", "mask": "\\\\4", "tree": "x99"}'],
)  # fmt: skip
def test_labels_that_cannot_be_are_refused_with_their_line(journal: Journal, line: str) -> None:
    with journal.path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(UserError, match="Line 3 of"):
        opened(journal.path.parent).labels()


def test_a_journal_without_first_labels_is_refused(tmp_path: Path) -> None:
    (tmp_path / "house.jsonl").write_text('{"did": "accept"}\n')
    with pytest.raises(UserError, match="does not begin with labels"):
        opened(tmp_path)
