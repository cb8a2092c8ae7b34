"""Rectangles to look at: those of which a parser is less sure than asked for, least sure first."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from shapeparse import ParseTree, decompose
from shapeparse.commands.doubts import Doubts

from .conftest import house


def unsure() -> ParseTree:
    tree = decompose(house())
    likely = np.linspace(0.5, 0.99, len(tree)).astype(np.float32)[::-1]
    return replace(tree, name="a.png", likely=np.where(tree.labels()[tree.y, tree.x], likely, 1 - likely))


def test_those_below_the_share_are_listed_the_least_sure_first() -> None:
    tree, doubts = unsure(), Doubts(0.8)
    doubts.add(tree)
    rows = list(csv.DictReader(doubts.csv().splitlines()))
    assert tree.confidence is not None
    below = tree.is_leaf & (tree.confidence < 0.8)
    assert 0 < len(rows) == below.sum() < tree.leaf_count
    sure = [float(row["probability"]) for row in rows]
    assert sure == sorted(sure)
    assert {row["label"] for row in rows} <= {"paint", "skip"}
    assert doubts.words() == f"{len(rows)} of {tree.leaf_count} rectangles whose label is less than 0.8 sure"


@pytest.mark.parametrize("share", [0, -1, 1.5, float("nan")])
def test_a_share_that_is_none_is_refused(share: float, refused: Callable[..., str]) -> None:
    assert "--review is" in refused(Doubts, share)
