"""A toy object whose tree is small enough to follow by eye, for the documentation and the tests."""

from __future__ import annotations

import numpy as np

from ..grammar import Actions, BoolArray, Limits, Nodes, ParseTree, Rule, expand
from .pixels import Pixels

_WIDTH, _HEIGHT = 96, 72
# The object is a body that stands on the picture's lower edge, with a narrower cabin on it.
_BODY, _CABIN = (8, 44, 80, 28), (30, 16, 38, 28)
_SPLITS = {
    (0, 0, 96, 72): (Rule.SPLIT_Y, 44),
    (0, 0, 96, 44): (Rule.SPLIT_X, 30),
    (30, 0, 66, 44): (Rule.SPLIT_X, 38),
    (30, 0, 38, 44): (Rule.SPLIT_Y, 16),
    (0, 44, 96, 28): (Rule.SPLIT_X, 8),
    (8, 44, 88, 28): (Rule.SPLIT_X, 80),
}


def toy_object() -> tuple[Pixels, BoolArray, ParseTree]:
    """A photograph of a toy, its true mask, and a tree of seven leaves that fits the mask exactly."""
    mask = np.zeros((_HEIGHT, _WIDTH), bool)
    for x, y, w, h in (_BODY, _CABIN):
        mask[y : y + h, x : x + w] = True

    def actor(nodes: Nodes) -> Actions:
        boxes = np.stack([nodes.x, nodes.y, nodes.w, nodes.h], axis=1).tolist()
        chosen = [_SPLITS.get((x, y, w, h), (Rule.PAINT if mask[y, x] else Rule.SKIP, 0)) for x, y, w, h in boxes]
        return Actions(np.array([r for r, _ in chosen], np.int8), np.array([c for _, c in chosen], np.int32))

    tree = expand([(_WIDTH, _HEIGHT)], actor, Limits()).trees(["toy"])[0]
    return _photograph(mask), mask, tree


def _photograph(mask: BoolArray) -> Pixels:
    """The object in a soft light from the upper left, on a paler ground."""
    rows, columns = np.mgrid[:_HEIGHT, :_WIDTH]
    light = 1.08 - 0.22 * rows / _HEIGHT - 0.10 * columns / _WIDTH
    colour = np.where(mask[..., None], (96, 128, 120), (216, 208, 196))
    pixels: Pixels = np.clip(np.rint(colour * light[..., None]), 0, 255).astype(np.uint8)
    return pixels
