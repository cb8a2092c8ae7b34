"""Limits of searches are known without NumPy, and searches keep to them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from shapeparse import ParseSettings, best_tree, igm
from shapeparse.support.limits import DEFAULT_PRICE, MOST_LOOKAHEAD, MOST_RECTANGLES

MASK = np.eye(4, dtype=bool)


def test_they_load_nothing() -> None:
    script = "import sys, shapeparse.support.limits; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("search", [lambda **asked: best_tree(MASK, **asked), ParseSettings])
def test_masks_and_photographs_have_the_same_limit_of_rectangles(search: Callable, refused: Callable[..., str]) -> None:
    search(rectangles=MOST_RECTANGLES)
    assert str(MOST_RECTANGLES) in refused(search, rectangles=MOST_RECTANGLES + 1)


@pytest.mark.parametrize("search", [lambda **asked: igm(MASK, 1, **asked), ParseSettings])
def test_masks_and_photographs_have_the_same_limit_of_lookahead(search: Callable, refused: Callable[..., str]) -> None:
    search(lookahead=MOST_LOOKAHEAD)
    assert str(MOST_LOOKAHEAD) in refused(search, lookahead=MOST_LOOKAHEAD + 1)


def test_the_price_of_those_who_ask_for_nothing() -> None:
    assert best_tree(MASK).price == DEFAULT_PRICE
