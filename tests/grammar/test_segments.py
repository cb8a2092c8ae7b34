"""The merge of leaves into the fewest rectangles, against pixels, brute force and the closed formula."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from shapeparse.grammar.segments import merge_rectangles

thorough = settings(max_examples=150, deadline=None, derandomize=True)


def paint(rectangles: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """How many of the rectangles cover each pixel."""
    counts = np.zeros(shape, dtype=int)
    for x, y, w, h in rectangles.tolist():
        assert w > 0
        assert h > 0
        assert x >= 0
        assert y >= 0
        counts[y : y + h, x : x + w] += 1
    return counts


def cells(mask: np.ndarray) -> np.ndarray:
    """A unit rectangle for each true pixel."""
    y, x = np.nonzero(mask)
    return np.stack([x, y, np.ones_like(x), np.ones_like(x)], axis=1)


def picture(text: str) -> np.ndarray:
    """A mask drawn with # for inside, lines separated by spaces."""
    return np.array([[character == "#" for character in line] for line in text.split()])


def check_partition(rectangles: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Merge, and check everything but minimality."""
    merged = merge_rectangles(rectangles)
    assert merged.shape == (len(merged), 4)
    assert merged.dtype == np.int64
    np.testing.assert_array_equal(paint(merged, shape), paint(rectangles, shape))
    assert len(merged) <= len(rectangles)
    assert merged[:, [1, 0]].tolist() == sorted(merged[:, [1, 0]].tolist())
    return merged


@cache
def rectangles_from(cell: int, height: int, width: int) -> tuple[int, ...]:
    """Bit sets of all rectangles in the grid whose first cell is ``cell``."""
    y, x = divmod(cell, width)
    return tuple(
        sum(1 << (row * width + column) for row in range(y, bottom) for column in range(x, right))
        for bottom, right in product(range(y + 1, height + 1), range(x + 1, width + 1))
    )


@cache
def fewest(bits: int, height: int, width: int) -> int:
    """Brute force: the first uncovered cell must be the first cell of some rectangle; try them all."""
    if bits == 0:
        return 0
    first = (bits & -bits).bit_length() - 1
    fitting = [area for area in rectangles_from(first, height, width) if area & ~bits == 0]
    return 1 + min(fewest(bits ^ area, height, width) for area in fitting)


def mask_of(bits: int, height: int, width: int) -> np.ndarray:
    return np.array([bits >> k & 1 for k in range(height * width)], dtype=bool).reshape(height, width)


def chords_along_rows(mask: np.ndarray) -> list[tuple[int, int, int]]:
    """Line, start and end of every segment through the interior between reflex vertices, by plain search."""
    padded = np.pad(mask, 1)
    height, width = mask.shape
    reflex = [[padded[i : i + 2, j : j + 2].sum() == 3 for j in range(width + 1)] for i in range(height + 1)]
    return [
        (i, start, end)
        for i in range(height + 1)
        for start in range(width + 1)
        for end in range(start + 1, width + 1)
        if reflex[i][start] and reflex[i][end] and padded[i : i + 2, start + 1 : end + 1].all()
    ]


def fewest_by_formula(mask: np.ndarray) -> int:
    """Reflex vertices - largest set of disjoint chords + pieces - holes; only holes join diagonally."""
    padded = np.pad(mask, 1).astype(int)
    reflex = int((padded[:-1, :-1] + padded[1:, :-1] + padded[:-1, 1:] + padded[1:, 1:] == 3).sum())
    horizontal, vertical = chords_along_rows(mask), chords_along_rows(mask.T)
    conflict = np.zeros((len(horizontal), len(vertical)), dtype=bool)
    for (a, (i, left, right)), (b, (j, top, bottom)) in product(enumerate(horizontal), enumerate(vertical)):
        conflict[a, b] = left <= j <= right and top <= i <= bottom
    matched = int((maximum_bipartite_matching(csr_matrix(conflict)) >= 0).sum()) if conflict.size else 0
    independent = len(horizontal) + len(vertical) - matched
    pieces = ndimage.label(mask)[1]
    holes = ndimage.label(padded == 0, structure=np.ones((3, 3)))[1] - 1
    return reflex - independent + pieces - holes


def guillotine(rng: np.random.Generator, shape: tuple[int, int], leaves: int) -> np.ndarray:
    """Cut a random leaf of the picture at a random place until there are enough leaves."""
    parts = [(0, 0, shape[1], shape[0])]
    while len(parts) < leaves:
        divisible = [k for k, (_, _, w, h) in enumerate(parts) if w > 1 or h > 1]
        if not divisible:
            break
        x, y, w, h = parts.pop(int(rng.choice(divisible)))
        if w > 1 and (h == 1 or rng.random() < w / (w + h)):
            cut = int(rng.integers(1, w))
            parts += [(x, y, cut, h), (x + cut, y, w - cut, h)]
        else:
            cut = int(rng.integers(1, h))
            parts += [(x, y, w, cut), (x, y + cut, w, h - cut)]
    return np.array(parts)


masks = st.tuples(st.integers(4, 5), st.integers(4, 5)).flatmap(
    lambda shape: st.integers(0, 2 ** (shape[0] * shape[1]) - 1).map(lambda bits: mask_of(bits, *shape))
)


@pytest.mark.parametrize(
    ("drawing", "count"),
    [
        ("#", 1),
        ("#. ## ##", 2),
        (".#. ### .#.", 3),
        ("### #.# ###", 4),
        ("##.. ##.. ..## ..##", 2),
        ("..## ..## ##.. ##..", 2),
        ("#.#. .#.# #.#. .#.#", 8),
        ("#### ##.# #.## ####", 6),
        (".##. #### #### .##.", 3),
        ("#.# ### #.#", 3),
        ("#.. ##. ###", 3),
        ("..... .###. .....", 1),
        ("##### #.#.# ##### #.#.# #####", 7),
    ],
)
def test_shapes_known_by_hand(drawing: str, count: int) -> None:
    mask = picture(drawing)
    assert len(check_partition(cells(mask), mask.shape)) == count
    assert fewest_by_formula(mask) == count


def test_nothing_stays_nothing() -> None:
    assert merge_rectangles(np.empty((0, 4), dtype=np.int64)).shape == (0, 4)


def test_one_rectangle_cut_in_seven_is_whole_again() -> None:
    pieces = [
        (3, 5, 4, 2),
        (7, 5, 6, 1),
        (7, 6, 2, 5),
        (9, 6, 4, 1),
        (3, 7, 1, 4),
        (4, 7, 3, 4),
        (9, 7, 4, 4),
    ]
    assert merge_rectangles(np.array(pieces)).tolist() == [[3, 5, 10, 6]]


def test_a_checkerboard_of_uneven_fields_is_returned_as_it_came() -> None:
    fields = [[x, y, 2 + column, 3] for y in (0, 3, 6) for column, x in enumerate((0, 2, 5, 9)) if (column + y) % 2]
    assert merge_rectangles(np.array(fields)).tolist() == fields


def test_cost_and_result_do_not_depend_on_the_pixel_size() -> None:
    frame = cells(picture("### #.# ###"))
    huge = merge_rectangles(frame * 10**9 - np.array([10**12, 0, 0, 0]))
    np.testing.assert_array_equal(huge, merge_rectangles(frame) * 10**9 - np.array([10**12, 0, 0, 0]))


def test_input_is_left_alone_and_its_order_does_not_matter() -> None:
    leaves = guillotine(np.random.default_rng(0), (30, 30), 60)[::2].astype(np.int32)
    before = leaves.copy()
    np.testing.assert_array_equal(merge_rectangles(leaves[::-1]), merge_rectangles(leaves))
    np.testing.assert_array_equal(leaves, before)


@pytest.mark.parametrize(("height", "width"), [(3, 3), (2, 5), (5, 2), (3, 4)])
def test_every_small_mask_gets_the_brute_force_minimum(height: int, width: int) -> None:
    for bits in range(2 ** (height * width)):
        merged = merge_rectangles(cells(mask_of(bits, height, width)))
        assert len(merged) == fewest(bits, height, width), mask_of(bits, height, width)


@thorough
@given(masks)
def test_random_masks_get_the_brute_force_minimum(mask: np.ndarray) -> None:
    bits = sum(1 << k for k in np.flatnonzero(mask).tolist())
    assert len(check_partition(cells(mask), mask.shape)) == fewest(bits, *mask.shape)


@thorough
@given(st.integers(0, 2**32 - 1), st.floats(0.3, 0.97), st.integers(3, 16), st.integers(3, 16))
def test_larger_masks_get_the_count_of_the_formula(seed: int, density: float, height: int, width: int) -> None:
    mask = np.random.default_rng(seed).random((height, width)) < density
    assert len(check_partition(cells(mask), mask.shape)) == fewest_by_formula(mask)


@thorough
@given(st.integers(0, 2**32 - 1), st.integers(1, 80), st.floats(0.1, 1.0))
def test_leaves_of_one_label_merge_to_the_count_of_the_formula(seed: int, leaves: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 25)), int(rng.integers(1, 25)))
    parts = guillotine(rng, shape, leaves)
    painted = rng.random(len(parts)) < share
    for label in (painted, ~painted):
        merged = check_partition(parts[label], shape)
        assert len(merged) == fewest_by_formula(paint(parts[label], shape) > 0)
        np.testing.assert_array_equal(merge_rectangles(merged), merge_rectangles(parts[label]))


@thorough
@given(st.integers(0, 2**32 - 1))
def test_a_lattice_of_holes_keeps_the_matching_busy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mask = np.ones((17, 17), dtype=bool)
    mask[1::2, 1::2] = rng.random((8, 8)) < 0.2
    mask &= rng.random((17, 17)) < 0.98
    assert len(check_partition(cells(mask), mask.shape)) == fewest_by_formula(mask)
