"""Parse trees as JSON: a version, the image's name and size, and the nodes in derivation order.

A file is hostile until read: whatever it holds, reading gives a valid tree or one sentence that says what is wrong.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..support.errors import UserError
from ..support.files import check_file
from ..support.text import one_line
from .rules import MAX_DEPTH, RULE_BY_LABEL, Actions, Nodes, Rule, split_children

VERSION = 1
FORMAT = "shapeparse-tree"
MAX_NODES = 1 << 21
MAX_SIDE = 1 << 20
MAX_PIXELS = 1 << 30
"""The labelling of a larger image, that a file of a few bytes may claim, does not fit into memory."""
MAX_BYTES = 512 << 20
MAX_STRAY_VALUES = 10_000
"""Commas and brackets beside the nodes' own, in the image's name for instance."""
COLUMNS = ("x", "y", "w", "h", "depth", "parent", "cut")
LABELS = list(RULE_BY_LABEL)


class TreeRecord(NamedTuple):
    """What a file holds: a valid tree, its nodes in any order in which parents stand before their children."""

    name: str
    width: int
    height: int
    nodes: Nodes
    rule: npt.NDArray[np.int8]
    cut: npt.NDArray[np.int32]
    parent: npt.NDArray[np.int32]
    likely: npt.NDArray[np.float32] | None


def read(path: str | Path) -> TreeRecord:
    """Read a tree and validate it."""
    path = Path(path)
    check_file(path, MAX_BYTES)
    try:
        text = path.read_bytes()
    except OSError as error:
        raise UserError(f"Cannot read {one_line(path)}: {error.strerror or error}; check its permissions.") from error
    try:
        return from_json(text)
    except UserError as error:
        raise UserError(f"{one_line(path)} is not a valid parse tree: {error}") from error


def to_json(tree: TreeRecord) -> str:
    """The tree as JSON text, one line per node."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "image": {"name": tree.name, "width": tree.width, "height": tree.height},
    }
    lines = ",\n".join("    " + json.dumps(node) for node in _node_rows(tree))
    return json.dumps(head, indent=2)[:-2] + f',\n  "nodes": [\n{lines}\n  ]\n}}\n'


def from_json(text: str | bytes) -> TreeRecord:
    """The tree in JSON text; ``UserError`` says in one sentence what is wrong with it."""
    _refuse_a_flood(text)
    try:
        content = json.loads(text)
    except RecursionError as error:
        raise UserError("it is nested too deeply; write it again with shapeparse.") from error
    except ValueError as error:
        raise UserError(f"it is not JSON ({error}); write it again with shapeparse.") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UserError(f'it lacks "format": "{FORMAT}"; choose a tree written by shapeparse.')
    version = content.get("version")
    if type(version) is not int or version != VERSION:
        raise UserError(f"its version is {_short(version)}, but this shapeparse reads version {VERSION}.")
    name, width, height = _image(content.get("image"))
    columns, rule = _columns(content.get("nodes"))
    likely = _likely(content["nodes"])
    return _checked_tree(name, width, height, columns, rule, likely)


def _refuse_a_flood(text: str | bytes) -> None:
    """Refuse more nodes than are read before they are parsed: every value would cost many times its bytes in memory."""
    content = text.encode(errors="replace") if isinstance(text, str) else text
    values = sum(content.count(mark) for mark in (b",", b"[", b"{"))
    if values > MAX_NODES * (len(COLUMNS) + 3) + MAX_STRAY_VALUES:  # a node: a brace, its values, a comma
        raise UserError(f"it has more than the {MAX_NODES} nodes that are read.")


def _node_rows(tree: TreeRecord) -> list[dict[str, Any]]:
    """A dictionary a node; columns become lists at once, which is many times quicker than number by number."""
    columns = {key: getattr(tree.nodes, key).tolist() for key in ("x", "y", "w", "h", "depth")}
    columns["parent"] = [None, *tree.parent[1:].tolist()]
    columns["rule"] = [LABELS[rule] for rule in tree.rule.tolist()]
    leaves = (tree.rule >= Rule.PAINT).tolist()
    columns["cut"] = [None if leaf else cut for leaf, cut in zip(leaves, tree.cut.tolist(), strict=True)]
    if tree.likely is not None:
        columns["likely"] = [round(likely, 4) for likely in tree.likely.astype(np.float64).tolist()]
    return [dict(zip(columns, node, strict=True)) for node in zip(*columns.values(), strict=True)]


def _image(image: Any) -> tuple[str, int, int]:
    if not isinstance(image, dict) or not isinstance(image.get("name", ""), str):
        raise UserError('"image" must hold a name, a width and a height.')
    sides = [image.get("width"), image.get("height")]
    if not all(type(side) is int and 0 < side <= MAX_SIDE for side in sides):
        raise UserError(f'"width" and "height" of the image must be whole numbers from 1 to {MAX_SIDE}.')
    if image["width"] * image["height"] > MAX_PIXELS:
        raise UserError(f"the image has more than the {MAX_PIXELS} pixels that are read.")
    return image.get("name", ""), image["width"], image["height"]


def _columns(nodes: Any) -> tuple[dict[str, npt.NDArray[np.int64]], npt.NDArray[np.int8]]:
    """The nodes as arrays of whole numbers; null stands for -1 as the root's parent and 0 as a leaf's cut."""
    if not isinstance(nodes, list) or not nodes:
        raise UserError('"nodes" must be a list with at least the root.')
    if len(nodes) > MAX_NODES:
        raise UserError(f"it has {len(nodes)} nodes, more than the {MAX_NODES} that are read.")
    rows = np.zeros((len(nodes), len(COLUMNS)), np.int64)
    rule = np.zeros(len(nodes), np.int8)
    for i, node in enumerate(nodes):
        if not isinstance(node, dict):
            raise UserError(f"node {i} must be an object.")
        label = node.get("rule")
        if not isinstance(label, str) or label not in RULE_BY_LABEL:
            raise UserError(f"node {i} has the rule {_short(label)}; rules are {', '.join(RULE_BY_LABEL)}.")
        rule[i] = RULE_BY_LABEL[label]
        missing = {"parent": -1 if i == 0 else None, "cut": 0 if rule[i] >= Rule.PAINT else None}
        for j, key in enumerate(COLUMNS):
            value = node.get(key)
            value = missing.get(key) if value is None else value
            if type(value) is not int or not -1 <= value <= max(MAX_SIDE, MAX_NODES):
                raise UserError(f'node {i} has "{key}": {_short(node.get(key))}; a whole number in range is needed.')
            rows[i, j] = value
    return dict(zip(COLUMNS, rows.T, strict=True)), rule


def _likely(nodes: list[dict[str, Any]]) -> npt.NDArray[np.float32] | None:
    """How likely each node is paint; nothing, unless the first node tells."""
    if "likely" not in nodes[0]:
        return None
    likely = np.zeros(len(nodes), np.float32)
    for i, node in enumerate(nodes):
        value = node.get("likely")
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
            raise UserError(f'node {i} has "likely": {_short(value)}; a number from 0 to 1 is needed.')
        likely[i] = value
    return likely


def _checked_tree(
    name: str,
    width: int,
    height: int,
    columns: dict[str, npt.NDArray[np.int64]],
    rule: npt.NDArray[np.int8],
    likely: npt.NDArray[np.float32] | None,
) -> TreeRecord:
    parent = columns["parent"].astype(np.int32)
    split = rule < Rule.PAINT
    _check_parents(parent, split)
    values = {key: column.astype(np.int32) for key, column in columns.items()}
    x, y, w, h = (values[key] for key in ("x", "y", "w", "h"))
    if (x[0], y[0], w[0], h[0]) != (0, 0, width, height):
        raise UserError(f"the root must cover the whole image, 0, 0, {width}, {height}.")
    if values["depth"][0] != 0 or values["depth"].max() > MAX_DEPTH:
        raise UserError(f"depths must start at 0 and not exceed {MAX_DEPTH}.")
    nodes = Nodes(np.zeros(len(rule), np.int32), x, y, w, h, values["depth"])
    cut = values["cut"]
    extent = nodes.extent(rule)
    _refuse(split & ((cut < 1) | (cut >= extent)), "has a cut outside its rectangle")
    _refuse(~split & (cut != 0), "is a leaf but has a cut")
    _check_children(nodes, rule, cut, parent)
    return TreeRecord(name, width, height, nodes, rule, cut, parent, likely)


def _check_parents(parent: npt.NDArray[np.int32], split: npt.NDArray[np.bool_]) -> None:
    """A parent must stand before its children (so there are no cycles), be a split, and have exactly two."""
    index = np.arange(len(parent))
    _refuse(index[1:] <= parent[1:], "does not stand behind its parent (a cycle, or a wrong order)", offset=1)
    _refuse(parent[1:] < 0, "has no parent, but only the first node may be the root", offset=1)
    if parent[0] != -1:
        raise UserError("node 0 is the root and must have no parent.")
    child_count = np.bincount(parent[1:], minlength=len(parent))
    _refuse(~split & (child_count > 0), "is a leaf but has children")
    _refuse(split & (child_count != 2), "is a split but does not have exactly two children")


def _check_children(
    nodes: Nodes, rule: npt.NDArray[np.int8], cut: npt.NDArray[np.int32], parent: npt.NDArray[np.int32]
) -> None:
    """Every child must be exactly the rectangle its parent's rule and cut make: then the leaves tile the image."""
    splits = np.flatnonzero(rule < Rule.PAINT)
    by_parent = np.argsort(parent[1:], kind="stable") + 1  # the two children of each split side by side, in order
    expected = split_children(nodes.take(splits), Actions(rule[splits], cut[splits]))
    found = nodes.take(by_parent)
    above = nodes.take(parent[by_parent])
    outside = (found.x < above.x) | (found.y < above.y) | (found.w < 1) | (found.h < 1)
    outside |= (found.x + found.w > above.x + above.w) | (found.y + found.h > above.y + above.h)
    _refuse(outside, "lies outside its parent", by_parent)
    wrong = (found.x != expected.x) | (found.y != expected.y) | (found.w != expected.w) | (found.h != expected.h)
    _refuse(
        wrong,
        "leaves a gap or overlaps its sibling: it is not what its parent's rule and cut make",
        by_parent,
    )
    _refuse(found.depth != expected.depth, "is not one deeper than its parent", by_parent)


def _refuse(bad: npt.NDArray[np.bool_], what: str, index: npt.NDArray | None = None, offset: int = 0) -> None:
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise UserError(f"node {first + offset if index is None else int(index[first])} {what}.")


def _short(value: Any) -> str:
    if isinstance(value, list | dict):  # its text may be endless, or nested too deeply to be written
        return "a list" if isinstance(value, list) else "an object"
    text = ascii(value)
    return text if len(text) <= 40 else text[:37] + "..."
