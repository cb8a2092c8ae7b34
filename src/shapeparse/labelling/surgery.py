"""Trees that people change. Cuts are places in the picture, so a cut that moves takes nothing else with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from ..grammar import MAX_DEPTH, ParseTree, Rule
from ..support.errors import UserError
from ..support.text import one_line

MAX_NODES = 1 << 16
"""Of a tree that is read back: many times what anybody corrects by hand."""


@dataclass(frozen=True)
class Leaf:
    """A rectangle with its label."""

    paint: bool


@dataclass(frozen=True)
class Split:
    """A rectangle that is cut at the pixel ``at`` of the picture, across the x axis (0) or the y axis (1)."""

    axis: int
    at: int
    first: Part
    second: Part


Part: TypeAlias = Leaf | Split
Box: TypeAlias = tuple[int, int, int, int]
Row: TypeAlias = tuple[int, int, int, int, int, int, int, int]
AXES, LABELS = "xy", ("paint", "skip")


def part_of(tree: ParseTree, node: int = 0) -> Part:
    """A tree, or what is below one of its nodes."""
    parts: list[Part] = []
    for index in range(len(tree) - 1, node - 1, -1):  # depth-first, so children stand behind their parents
        rule = int(tree.rule[index])
        if rule >= Rule.PAINT:
            parts.append(Leaf(rule == Rule.PAINT))
        else:
            start = tree.x[index] if rule == Rule.SPLIT_X else tree.y[index]
            parts.append(Split(rule, int(start + tree.cut[index]), parts.pop(), parts.pop()))
    return parts[-1]


def tree_of(part: Part, width: int, height: int, name: str = "") -> ParseTree:
    """The tree of a picture of that size. A cut that lies outside of its rectangle is left out, with what is beyond."""
    rows: list[Row] = []
    stack: list[tuple[Part, Box, int, int]] = [(part, (0, 0, width, height), 0, -1)]
    while stack:
        found, box, depth, parent = stack.pop()
        while isinstance(found, Split):
            start, extent = box[found.axis], box[found.axis + 2]
            if 0 < found.at - start < extent:
                break
            found = found.second if found.at <= start else found.first
        index = len(rows)
        if isinstance(found, Leaf):
            rows.append((*box, depth, parent, Rule.PAINT if found.paint else Rule.SKIP, 0))
            continue
        if depth == MAX_DEPTH:
            raise UserError(f"The tree would be deeper than {MAX_DEPTH} levels; merge rectangles first.")
        cut = found.at - box[found.axis]
        rows.append((*box, depth, parent, found.axis, cut))
        first, second = _halves(box, found.axis, cut)
        stack += [(found.second, second, depth + 1, index), (found.first, first, depth + 1, index)]
    return _tree(rows, width, height, name)


def changed(tree: ParseTree, node: int, change: Callable[[Part], Part]) -> ParseTree:
    """The tree with another part in the place of a node."""
    chain = [node]
    while chain[-1]:
        chain.append(int(tree.parent[chain[-1]]))
    part = change(part_of(tree, node))
    for below, above in pairwise(chain):
        around = part_of(tree, above)
        assert isinstance(around, Split)
        part = replace(around, first=part) if below == above + 1 else replace(around, second=part)
    return tree_of(part, tree.width, tree.height, tree.name)


def to_words(tree: ParseTree) -> str:
    """A tree in short, as journals keep it: rules in order, splits with their cut, such as ``x120 paint skip``."""
    rules = zip(tree.rule.tolist(), tree.cut.tolist(), strict=True)
    return " ".join(f"{AXES[rule]}{cut}" if rule < Rule.PAINT else LABELS[rule - Rule.PAINT] for rule, cut in rules)


def from_words(text: str, width: int, height: int, name: str = "") -> ParseTree:
    """The tree that ``to_words`` wrote; UserError ends a sentence about where it was found."""
    rows: list[Row] = []
    stack: list[tuple[Box, int, int]] = [((0, 0, width, height), 0, -1)]
    for word in text.split(" "):
        if not stack or len(rows) == MAX_NODES:
            raise UserError(
                f"has a tree with more rules than it has rectangles, or than the {MAX_NODES} that are read."
            )
        box, depth, parent = stack.pop()
        if word in LABELS:
            rows.append((*box, depth, parent, Rule.PAINT if word == "paint" else Rule.SKIP, 0))
            continue
        axis, digits = AXES.find(word[:1]), word[1:]
        cut = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 9 else 0
        if not word or axis < 0 or not 0 < cut < box[axis + 2] or depth == MAX_DEPTH:
            raise UserError(f"has a tree with the rule {one_line(word[:40])!r}, which does not fit there.")
        first, second = _halves(box, axis, cut)
        stack += [(second, depth + 1, len(rows)), (first, depth + 1, len(rows))]
        rows.append((*box, depth, parent, axis, cut))
    if stack:
        raise UserError("has a tree that is cut short.")
    return _tree(rows, width, height, name)


def _halves(box: Box, axis: int, cut: int) -> tuple[Box, Box]:
    x, y, w, h = box
    if axis == 0:
        return (x, y, cut, h), (x + cut, y, w - cut, h)
    return (x, y, w, cut), (x, y + cut, w, h - cut)


def _tree(rows: list[Row], width: int, height: int, name: str) -> ParseTree:
    x, y, w, h, depth, parent, rule, cut = np.array(rows, np.int32).T.copy()
    return ParseTree(width, height, x, y, w, h, depth, parent, rule.astype(np.int8), cut, name)
