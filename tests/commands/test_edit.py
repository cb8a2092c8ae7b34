"""The command that corrects one tree."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from shapeparse import ParseTree, decompose
from shapeparse.commands.cli import main
from shapeparse.commands.edit import tree_store
from shapeparse.labelling.edits import edit_of


@pytest.fixture
def tree(tmp_path: Path) -> ParseTree:
    mask = np.zeros((20, 30), bool)
    mask[5:15, 10:20] = True
    tree = decompose(mask)
    tree.save(tmp_path / "door.json")
    return tree


def test_a_tree_is_opened_corrected_and_kept(tmp_path: Path, tree: ParseTree) -> None:
    Image.new("RGB", (30, 20)).save(tmp_path / "photo.PNG")
    for image in (tmp_path / "photo.PNG", None):
        store = tree_store(tree, "door", image, tmp_path / f"out-{image is None}")
        assert np.array_equal(store.labels(0).mask, tree.labels()) and store.state(0) == "proposed"
        store.edit(0, edit_of({"tool": "merge", "node": 0}))
        store.close()
        again = tree_store(tree, "door", image, store.folder)
        assert again.state(0) == "corrected"
        again.close()
        assert not ParseTree.load(store.folder / "trees" / "door.json").labels().any()
    assert np.array_equal(ParseTree.load(tmp_path / "door.json").labels(), tree.labels())


@pytest.mark.usefixtures("tree")
def test_what_cannot_be_edited_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    Image.new("RGB", (3, 3)).save(tmp_path / "other.png")
    (tmp_path / "bad.json").write_text("{}")
    door = str(tmp_path / "door.json")
    for words in (["none.json"], [str(tmp_path / "bad.json")], [door, "--image", str(tmp_path / "other.png")]):
        assert main(["edit", *words, "--port", "0"]) == 2
        assert capsys.readouterr().err.count("\n") == 1
