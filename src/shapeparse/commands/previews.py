"""Trees of huge images made small enough to draw."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from PIL import Image

from ..grammar import IntArray, ParseTree, Rule

LONGEST = 2048
"""Pictures are at most this long: more shows nothing new on a screen, and 64 megapixels would take gigabytes."""


def preview(
    tree: ParseTree, ground: npt.NDArray[np.uint8] | npt.NDArray[np.bool_]
) -> tuple[ParseTree, npt.NDArray[np.uint8] | npt.NDArray[np.bool_]]:
    """The tree and the photograph (or mask) to draw it on, reduced alike if they are larger than ``LONGEST``.

    The reduced tree is for drawing only: no rectangle gets thinner than a pixel, so the thinnest may overlap.
    """
    scale = LONGEST / max(tree.width, tree.height)
    if scale >= 1:
        return tree, ground
    width, height = max(1, round(tree.width * scale)), max(1, round(tree.height * scale))
    x, w = _reduced(tree.x, tree.w, width / tree.width, width)
    y, h = _reduced(tree.y, tree.h, height / tree.height, height)
    _, cut_x = _reduced(tree.x, tree.cut, width / tree.width, width)
    _, cut_y = _reduced(tree.y, tree.cut, height / tree.height, height)
    cut = np.where(tree.rule == Rule.SPLIT_X, cut_x, np.where(tree.rule == Rule.SPLIT_Y, cut_y, 0)).astype(np.int32)
    small = replace(tree, width=width, height=height, x=x, y=y, w=w, h=h, cut=cut)
    return small, _resized(ground, width, height)


def _reduced(start: IntArray, length: IntArray, scale: float, limit: int) -> tuple[IntArray, IntArray]:
    """Intervals, scaled: edges that were one stay one, and every interval keeps at least a pixel within the limit."""
    first = np.minimum(np.rint(start * scale), limit - 1)
    last = np.rint((start + length) * scale)
    return first.astype(np.int32), np.maximum(last - first, 1).astype(np.int32)


def _resized(
    ground: npt.NDArray[np.uint8] | npt.NDArray[np.bool_], width: int, height: int
) -> npt.NDArray[np.uint8] | npt.NDArray[np.bool_]:
    if ground.dtype == np.bool_:
        small = Image.fromarray(ground.view(np.uint8)).resize((width, height), Image.Resampling.NEAREST)
        return np.array(small, bool)
    return np.array(Image.fromarray(ground).resize((width, height), Image.Resampling.BOX), np.uint8)
