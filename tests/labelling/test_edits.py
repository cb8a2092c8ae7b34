"""The tools, as pure functions on a mask and its tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from PIL import Image

from shapeparse import ParseTree, UserError
from shapeparse.labelling.edits import Edit, Labels, Sight, edit_of, edit_to_json
from shapeparse.labelling.surgery import to_words

from .conftest import HEIGHT, WIDTH, edits, house, picture

SIGHT = Sight(picture)


@pytest.fixture(scope="module")
def labels() -> Labels:
    return Labels.of(house(), name="house.png")


def used(labels: Labels, tool: str, **values: Any) -> Labels:
    return edit_of({"tool": tool, **values})(labels, SIGHT)


def leaf_of(tree: ParseTree, x: int, y: int) -> int:
    inside = (tree.x <= x) & (x < tree.x + tree.w) & (tree.y <= y) & (y < tree.y + tree.h) & tree.is_leaf
    return int(np.flatnonzero(inside)[0])


@given(edits())
def test_every_edit_gives_a_valid_tree_of_the_masks_size_or_one_sentence(edit: Edit) -> None:
    labels = Labels.of(house())
    before = labels.mask.copy(), to_words(labels.tree)
    try:
        after = edit(labels, SIGHT)
    except UserError:
        return
    assert (labels.mask == before[0]).all() and to_words(labels.tree) == before[1]  # nothing was changed in place
    assert after.mask.shape == (HEIGHT, WIDTH) and after.mask.dtype == bool
    assert ParseTree.from_json(after.tree.to_json()) == after.tree
    assert edit_of(edit_to_json(edit)) == edit


def test_a_flip_changes_a_rectangle_and_nothing_else(labels: Labels) -> None:
    node = leaf_of(labels.tree, 5, 8)
    after = used(labels, "flip", node=node)
    x, y, w, h = (int(side[node]) for side in (labels.tree.x, labels.tree.y, labels.tree.w, labels.tree.h))
    expected = house()
    expected[y : y + h, x : x + w] = False
    assert np.array_equal(after.mask, expected)
    assert np.array_equal(used(after, "flip", node=node).mask, house())


def test_a_dragged_cut_moves_an_edge_of_the_mask() -> None:
    mask = np.zeros((HEIGHT, WIDTH), bool)
    mask[:, :6] = True
    after = used(Labels.of(mask), "drag", node=0, at=9)
    assert after.mask[:, :9].all() and not after.mask[:, 9:].any()
    far = used(Labels.of(mask), "drag", node=0, at=99)
    assert far.mask.sum() == HEIGHT * (WIDTH - 1)


def test_pixels_that_were_drawn_stay_where_the_tree_does_not_change(labels: Labels) -> None:
    coarse = used(labels, "rectangles", count=1)
    assert np.array_equal(coarse.mask, house()) and to_words(coarse.tree) == "skip"
    split = used(coarse, "split", node=0, axis="x", at=10)
    assert np.array_equal(split.mask, house()) and to_words(split.tree) == "x10 skip skip"
    assert np.array_equal(used(split, "merge", node=0).mask, house())
    flipped = used(split, "flip", node=2)
    assert np.array_equal(flipped.mask[:, :10], house()[:, :10]) and flipped.mask[:, 10:].all()


def test_merging_takes_the_label_of_most(labels: Labels) -> None:
    after = used(labels, "merge", node=0)
    assert not after.mask.any() and to_words(after.tree) == "skip"


def test_drawing_labels_pixels_and_finds_the_best_tree(labels: Labels) -> None:
    after = used(labels, "rectangle", x=13, y=9, w=-3, h=-4, paint=True)
    assert after.mask[5:9, 10:13].all() and after.mask.sum() == house().sum() + 12
    assert np.array_equal(after.tree.labels(), after.mask)
    erased = used(labels, "brush", points=[0, 7, 14, 7], radius=1, paint=False)
    assert not erased.mask[7].any() and erased.mask[9, 5]
    drawn = used(labels, "polygon", points=[0, 0, 4, 0, 0, 4], paint=True)
    assert drawn.mask[0, 0] and drawn.mask[1, 1] and not drawn.mask[3, 3]
    grown = used(Labels.of(np.zeros((HEIGHT, WIDTH), bool)), "grow", x=5, y=7, reach=0.3, paint=True)
    assert grown.mask[7, 5] and not grown.mask[0, 0]


def test_the_number_of_rectangles_of_a_proposal_is_searched_on_the_map() -> None:
    likely = np.where(house(), 230, 20).astype(np.uint8)
    proposal = Labels.of(np.zeros((HEIGHT, WIDTH), bool), name="house.png")
    after = edit_of({"tool": "rectangles", "count": 9})(proposal, Sight(picture, likely, untouched=True))
    assert np.array_equal(after.tree.labels(), house()) and after.rectangles == 9 and after.tree.name == "house.png"
    kept = edit_of({"tool": "rectangles", "count": 9})(proposal, Sight(picture, likely))
    assert not kept.tree.labels().any()
    assert not after.mask.any() and not kept.mask.any()


def test_a_proposal_is_the_outline_of_the_map_beside_the_tree() -> None:
    tree = Labels.of(np.zeros((HEIGHT, WIDTH), bool)).tree
    likely = np.where(house(), 128, 127).astype(np.uint8)
    proposal = Labels.proposed(tree, likely)
    assert np.array_equal(proposal.mask, house()) and proposal.tree is tree
    twice = np.array(Image.fromarray(likely).resize((2 * WIDTH, 2 * HEIGHT), Image.Resampling.NEAREST))
    assert (Labels.proposed(tree, twice).mask == house()).mean() > 0.97
    assert not Labels.proposed(tree).mask.any()


@pytest.mark.parametrize(
    "content",
    [
        None, [], {"tool": 3}, {"tool": "flop"}, {"tool": "flip"}, {"tool": "flip", "node": 1.5},
        {"tool": "flip", "node": True}, {"tool": "flip", "node": 1, "more": 2}, {"tool": "flip", "node": 99},
        {"tool": "flip", "node": 0}, {"tool": "brush", "points": [1, "2"], "radius": 1, "paint": True},
        {"tool": "brush", "points": [1, float("nan")], "radius": 1, "paint": True},
        {"tool": "polygon", "points": [1, 2, 3, 4], "paint": True}, {"tool": "grow", "x": 99, "y": 0, "reach": 0.1,
        "paint": True}, {"tool": "rectangles", "count": -1}, {"tool": "split", "node": 1, "axis": "z", "at": 3},
    ],
)  # fmt: skip
def test_an_edit_that_cannot_be_is_refused_in_one_sentence(labels: Labels, content: Any) -> None:
    with pytest.raises(UserError, match=r"\.$"):
        edit_of(content)(labels, SIGHT)
