"""The store: whatever is done, undone, killed or damaged, the masks are what the person left."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from shapeparse import ParseTree, UserError
from shapeparse.data import FolderDataset
from shapeparse.data.images import read_mask
from shapeparse.labelling.edits import Edit, Labels, edit_of
from shapeparse.labelling.store import Stale, Store, write_png

from .conftest import HEIGHT, WIDTH, edits, house, picture

PAINT = {"tool": "rectangle", "x": 2, "y": 2, "w": 5, "h": 5, "paint": True}


@pytest.fixture
def store(photos: Path) -> Iterator[Store]:
    store = Store(photos)
    yield store
    store.close()


def again(store: Store) -> Store:
    """Close it and open it anew."""
    store.close()
    return Store(store.photos, store.folder)


def mask_of(store: Store, number: int) -> np.ndarray:
    return read_mask(store.folder / "masks" / f"{store.photograph(number).name}.png")


def test_photographs_are_listed_and_broken_ones_named(store: Store) -> None:
    assert [one.name for one in store.photographs] == ["part 0", "part 1", "part 2"]
    assert [problem.path.name for problem in store.problems] == ["broken.jpg"]
    assert "broken.jpg" in store.problems[0].reason and store.problems[0].reason.endswith(".")
    assert {store.state(number) for number in range(3)} == {"new"}
    assert store.folder.name == "photos-labelled"
    assert not any((store.folder / "masks").iterdir())


def test_a_change_is_on_the_disk_at_once(store: Store) -> None:
    store.edit(1, edit_of(PAINT))
    mask = mask_of(store, 1)
    assert mask[2:7, 2:7].all() and mask.sum() == 25
    assert np.array_equal(ParseTree.load(store.folder / "trees" / "part 1.json").labels(), mask)
    assert store.state(1) == "corrected" and store.state(0) == "new"
    dataset = FolderDataset(store.folder)
    assert dataset.names == ["part 1"] and not dataset.skipped


@settings(max_examples=25)
@given(st.lists(st.one_of(edits(), st.sampled_from(["undo", "redo", "restart", "accept", "withdraw"])), max_size=12))
def test_any_sequence_of_edits_undo_redo_and_restart_gives_the_same_mask(events: list[Edit | str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        photos = Path(folder) / "photos"
        photos.mkdir()
        Image.fromarray(picture()).save(photos / "a.png")
        store = Store(photos)
        done, undone = [store.labels(0)], []
        for event in events:
            if event == "restart":
                store = again(store)
            elif event == "undo":
                store.undo(0)
                if len(done) > 1:
                    undone.append(done.pop())
            elif event == "redo":
                store.redo(0)
                if undone:
                    done.append(undone.pop())
            elif isinstance(event, str):
                getattr(store, event)(0)
            else:
                try:
                    done.append(store.edit(0, event))
                    undone = []
                except UserError:
                    continue
            labels = store.labels(0)
            assert np.array_equal(labels.mask, done[-1].mask) and labels.tree == done[-1].tree
            if store.photograph(0).journal.lines:
                assert np.array_equal(mask_of(store, 0), done[-1].mask)
        store.close()


def test_a_proposal_has_the_outline_of_its_parsers_map(store: Store) -> None:
    nothing = Labels.of(np.zeros(house().shape, bool)).tree
    path = store.map_path(1, store.photograph(0).name)
    path.parent.mkdir(parents=True)
    write_png(path, np.where(house(), 200, 50).astype(np.uint8))
    assert store.propose(0, nothing, 1) and np.array_equal(store.labels(0).mask, house())
    assert store.propose(1, nothing, 1) and not store.labels(1).mask.any()  # no map of this one


def test_states_follow_what_happens(store: Store) -> None:
    tree = Labels.of(house()).tree
    assert store.propose(0, tree, 1) and store.state(0) == "proposed"
    assert not (store.folder / "masks" / "part 0.png").exists()
    store.accept(0)
    assert store.state(0) == "accepted" and np.array_equal(mask_of(store, 0), house())
    assert not store.propose(0, tree, 2)
    store.withdraw(0)
    assert store.state(0) == "proposed"
    store.edit(0, edit_of(PAINT))
    store.undo(0)
    assert store.state(0) == "corrected" and np.array_equal(store.labels(0).mask, house())
    assert not store.propose(0, tree, 2)
    store.accept(1)
    assert store.state(1) == "accepted" and not mask_of(store, 1).any()
    assert [one.name for one in store.accepted()] == ["part 1"]


def test_a_change_of_labels_that_were_changed_elsewhere_is_refused(store: Store) -> None:
    store.edit(0, edit_of(PAINT), step=0)
    with pytest.raises(Stale, match="changed elsewhere"):
        store.edit(0, edit_of(PAINT), step=0)
    store.undo(0, step=store.photograph(0).journal.step)


def test_a_mask_that_was_there_is_kept_when_it_is_changed(photos: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "masks").mkdir(parents=True)
    Image.fromarray(house()).convert("L").save(out / "masks" / "part 1.bmp")
    before = (out / "masks" / "part 1.bmp").read_bytes()
    store = Store(photos, out)
    assert store.state(1) == "accepted" and np.array_equal(store.labels(1).mask, house())
    assert (out / "masks" / "part 1.bmp").read_bytes() == before
    store.edit(1, edit_of(PAINT))
    assert (out / "before" / "part 1.bmp").read_bytes() == before
    assert {path.name for path in (out / "masks").iterdir()} == {"part 1.png"}
    store.undo(1)
    assert store.state(1) == "corrected" and np.array_equal(mask_of(store, 1), house())
    store.close()


def test_a_program_killed_between_journal_and_mask_loses_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.edit(0, edit_of(PAINT))

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(store, "_write", killed)
        with pytest.raises(KeyboardInterrupt):
            store.edit(0, edit_of({**PAINT, "paint": False}))
    assert mask_of(store, 0).any()
    other = again(store)
    assert not mask_of(other, 0).any() and other.photograph(0).journal.step == 3
    other.close()


def test_a_mask_that_another_program_wrote_is_taken_over(store: Store) -> None:
    store.edit(0, edit_of(PAINT))
    Image.fromarray(house()).save(store.folder / "masks" / "part 0.png")
    other = again(store)
    assert np.array_equal(other.labels(0).mask, house()) and other.photograph(0).journal.lines[-1]["did"] == "found"
    assert other.undo(0).mask.sum() == 25
    other.close()
    (store.folder / "masks" / "part 0.png").write_bytes(b"damaged")
    last = again(other)
    assert mask_of(last, 0).sum() == 25 and (store.folder / "before" / "part 0.png").read_bytes() == b"damaged"
    last.close()


def test_two_programs_never_work_on_the_same_folder(store: Store) -> None:
    pytest.importorskip("fcntl")
    with pytest.raises(UserError, match="by another process"):
        Store(store.photos, store.folder)


def test_a_snapshot_stays_as_it_was(store: Store, tmp_path: Path) -> None:
    store.edit(0, edit_of(PAINT))
    store.snapshot(tmp_path / "data", ["part 0"])
    store.edit(0, edit_of({**PAINT, "paint": False}))
    assert FolderDataset(tmp_path / "data").read(0).mask.sum() == 25


def test_photographs_in_images_are_labelled_in_place(photos: Path, tmp_path: Path) -> None:
    os.rename(photos, tmp_path / "images")
    store = Store(tmp_path)
    store.edit(2, edit_of(PAINT))
    assert read_mask(tmp_path / "masks" / "part 2.png").sum() == 25
    store.close()


def test_folders_that_cannot_be_labelled_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    for name, sentence in (("file", "is a file"), ("none", "does not exist"), ("empty", "no photograph")):
        with pytest.raises(UserError, match=sentence):
            Store(tmp_path / name)


def test_a_photograph_with_a_mask_or_a_journal_of_another_size_is_named(photos: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "masks").mkdir(parents=True)
    Image.new("L", (3, 3)).save(out / "masks" / "part 0.png")
    Image.new("L", (WIDTH, HEIGHT)).save(out / "masks" / "part 1.png")
    Image.new("L", (WIDTH, HEIGHT)).save(out / "masks" / "part 1.bmp")
    (out / "labels").mkdir()
    (out / "labels" / "part 2.jsonl").write_text('{"did": "begin", "mask": "0", "tree": "skip"}\n')
    with pytest.raises(UserError, match="no photograph"):
        Store(photos, out)
    Image.fromarray(picture()).save(photos / "sound.png")
    store = Store(photos, out)
    reasons = [problem.reason for problem in store.problems]
    assert len(reasons) == 4 and "3 x 3" in reasons[1] and "2 masks" in reasons[2] and "Line 1 of" in reasons[3]
    store.close()
