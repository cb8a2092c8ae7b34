"""Trees of huge images are made small enough to draw, and only for that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from shapeparse import ParseTree
from shapeparse.commands import previews

from .conftest import Result, house, save

Cli = Callable[..., Result]


def test_huge_pictures_are_reduced_for_drawing_only(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previews, "LONGEST", 512)
    mask = save(tmp_path / "wide.png", house(2000, 900))
    save(tmp_path / "photos" / "wide.jpg", np.full((900, 2000, 3), 128, np.uint8))
    result = cli("decompose", mask, "--out", tmp_path / "out", "--image-dir", tmp_path / "photos")
    assert result.code == 0
    assert Image.open(tmp_path / "out" / "wide.png").size == (512, 230)
    assert ParseTree.load(tmp_path / "out" / "wide.json").width == 2000


def test_a_reduced_tree_keeps_its_nodes_inside_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    from shapeparse import igm

    noise = np.random.default_rng(0).random((400, 300)) < 0.5
    tree = igm(noise, depth=10)
    assert isinstance(tree, ParseTree)
    monkeypatch.setattr(previews, "LONGEST", 40)
    small, ground = previews.preview(tree, noise)
    assert ground.shape == (small.height, small.width) == (40, 30)
    assert (small.w >= 1).all()
    assert (small.h >= 1).all()
    assert (small.x + small.w <= 30).all()
    assert (small.y + small.h <= 40).all()


def test_what_is_small_enough_stays_as_it_is() -> None:
    from shapeparse import decompose

    tree = decompose(house())
    small, ground = previews.preview(tree, house())
    assert small is tree
    assert np.array_equal(ground, house())
