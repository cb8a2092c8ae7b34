"""The kernels against their slow, obvious twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from shapeparse.oracle import kernels, twins
from shapeparse.oracle.igm import SOFT_UNITS, integrate_labels
from shapeparse.oracle.kernels import LEAF, UNLIMITED, Box, Picture

TABLE = kernels.xlogx_table()


@st.composite
def masks(draw: st.DrawFn, longest: int) -> tuple[np.ndarray, int]:
    """A mask in units, hard (a unit a pixel) or soft, of any shape up to a side; often blocky, so that cuts pay."""
    unit = draw(st.sampled_from([1, SOFT_UNITS]))
    shape = draw(array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=longest))
    cells = draw(arrays(np.uint8, shape, elements=st.integers(0, unit)))
    blocks = np.ones((draw(st.integers(1, 3)), draw(st.integers(1, 3))), np.uint8)
    return np.kron(cells, blocks)[:longest, :longest], unit


def picture_of(mask: np.ndarray, unit: int = 1, min_extent: int = 1) -> Picture:
    height, width = mask.shape
    sums = np.full((height + 1) * (width + 1), -1, np.int32 if unit == 1 else np.int64)
    kernels.integrate(mask, sums, 0)
    return Picture(sums, 0, width + 1, unit, TABLE, min_extent)


def whole(mask: np.ndarray) -> Box:
    return Box(0, 0, mask.shape[1], mask.shape[0])


def boxes_of(mask: np.ndarray) -> list[Box]:
    height, width = mask.shape
    return [
        Box(x, y, w, h)
        for x in range(width)
        for y in range(height)
        for w in range(1, width - x + 1)
        for h in range(1, height - y + 1)
    ]


def empty_stack() -> np.ndarray:
    return np.zeros((kernels.STACK_SIZE, 5), np.int64)


extents = st.integers(1, 4)


@given(masks(6))
def test_four_look_ups_count_the_positives_of_every_box(case):
    mask, unit = case
    picture = picture_of(mask, unit)
    for box in boxes_of(mask):
        assert kernels.positives(picture, box) == twins.positives(mask, box)


@pytest.mark.parametrize("width", [1, 2, 7, 8, 9, 16, 64, 65, 256, 520])
@pytest.mark.parametrize("kind", ["ones", "noise", "soft"])
def test_the_integral_image_is_a_double_cumulative_sum_at_any_width(width, kind):
    rng = np.random.default_rng(width)
    mask, unit = {
        "ones": (np.ones((5, width), np.uint8), 1),
        "noise": (rng.integers(0, 2, (5, width), np.uint8), 1),
        "soft": (rng.integers(0, 256, (5, width), np.uint8), SOFT_UNITS),
    }[kind]
    expected = np.pad(mask.cumsum(0, dtype=int).cumsum(1), ((1, 0), (1, 0))).ravel()
    ways = (kernels.integrate, integrate_labels) if unit == 1 else (kernels.integrate,)
    for integrate in ways:
        sums = np.full(3 + len(expected), -1, np.int32 if unit == 1 else np.int64)
        integrate(mask, sums, 3)
        assert np.array_equal(sums[3:], expected)
        assert (sums[:3] == -1).all()  # what lies before the start is another image's


@given(masks(8), extents)
def test_the_best_cut_is_that_of_the_definition(case, min_extent):
    mask, unit = case
    picture, box = picture_of(mask, unit, min_extent), whole(mask)
    assert kernels.best_cut(picture, box) == twins.best_cut(mask, box, min_extent, unit)


def impurity(p: np.ndarray, n: np.ndarray) -> np.ndarray:
    """n times the entropy of p among n."""
    return n * np.log(n) - sum(k * np.log(np.maximum(k, 1)) for k in (p, n - p))


@pytest.mark.parametrize("shape", [(400, 600), (1, 300_000), (300_000, 1)])
def test_counts_beyond_the_table_are_computed(shape):
    assert shape[0] * shape[1] > kernels.TABLE_SIZE
    height, width = shape
    y, x = np.mgrid[:height, :width]
    mask = ((x * 5 > width * 2) & (y * 3 <= height * 2)).astype(np.uint8)
    mask[:: max(height // 7, 1), :: max(width // 9, 1)] ^= 1
    gains = []
    for axis in range(2):
        before = mask.sum(axis, dtype=float).cumsum()[:-1]
        first = np.arange(1.0, shape[1 - axis]) * shape[axis]
        n, p = mask.size, mask.sum(dtype=float)
        gains.append(impurity(p, n) - impurity(before, first) - impurity(p - before, n - first))
    best = int(np.argmax([part.max(initial=-1) for part in gains]))
    assert kernels.best_cut(picture_of(mask), whole(mask)) == (best, int(np.argmax(gains[best])) + 1)


@given(masks(7), extents)
def test_the_best_single_split_has_the_fewest_errors(case, min_extent):
    mask, unit = case
    picture, box = picture_of(mask, unit, min_extent), whole(mask)
    fewest = twins.optimal_errors(mask, box, 1, min_extent, unit)
    assert kernels.errors_of_one(picture, box, UNLIMITED) == fewest
    assert kernels.errors_of_one(picture, box, 2) == min(2, fewest)
    axis, cut = kernels.optimal_one(picture, box)
    assert achieved(mask, box, axis, cut, 1, min_extent, unit) == fewest


def achieved(mask, box, axis, cut, levels, min_extent, unit) -> int:
    """Errors when a box is cut so, and both children get their best subtrees."""
    if axis == LEAF:
        return twins.label_errors(mask, box, unit)
    assert (axis, cut) in set(twins.cuts(box, min_extent))
    halves = twins.halves(box, axis, cut)
    return sum(twins.optimal_errors(mask, half, levels - 1, min_extent, unit) for half in halves)


@settings(max_examples=150)
@given(masks(7), extents)
def test_the_best_two_levels_have_the_fewest_errors(case, min_extent):
    mask, unit = case
    picture, box = picture_of(mask, unit, min_extent), whole(mask)
    fewest = twins.optimal_errors(mask, box, 2, min_extent, unit)
    errors, axis, cut = kernels.optimal_two(picture, box, UNLIMITED)
    assert errors == fewest
    assert achieved(mask, box, axis, cut, 2, min_extent, unit) == fewest
    assert kernels.optimal_two(picture, box, fewest) == (fewest, LEAF, 0)


@settings(max_examples=100)
@given(masks(6), extents)
def test_the_best_three_levels_have_the_fewest_errors(case, min_extent):
    mask, unit = case
    picture, box = picture_of(mask, unit, min_extent), whole(mask)
    fewest = twins.optimal_errors(mask, box, 3, min_extent, unit)
    errors, axis, cut = kernels.optimal_three(picture, box, UNLIMITED)
    assert errors == fewest
    assert achieved(mask, box, axis, cut, 3, min_extent, unit) == fewest


@pytest.mark.parametrize(
    ("rows", "levels"),
    [([[1, 0, 0, 1], [0, 0, 0, 0], [1, 0, 0, 0]], 2), ([[1, 1, 0, 1], [0, 1, 0, 0], [1, 0, 0, 0]], 3)],
)
def test_errors_that_fall_when_a_box_outgrows_the_smallest_extent_do_not_hide_the_best_cut(rows, levels):
    """Found by trying all small masks: the bisection of cuts took such errors for a bound, which they are not."""
    mask = np.array(rows, np.uint8)
    optimal = {2: kernels.optimal_two, 3: kernels.optimal_three}[levels]
    assert twins.optimal_errors(mask, whole(mask), levels, min_extent=2) == 1
    assert optimal(picture_of(mask, min_extent=2), whole(mask), UNLIMITED)[0] == 1


@given(masks(8), extents, st.integers(0, 4))
def test_igm_finishes_a_box_with_the_errors_of_its_twin(case, min_extent, levels):
    mask, unit = case
    picture, box = picture_of(mask, unit, min_extent), whole(mask)
    errors = kernels.finish(picture, box, levels, 0, empty_stack())
    assert errors == twins.finish(mask, box, levels, min_extent, unit)


def rollout(mask: np.ndarray, box: tuple[int, int, int, int], levels: int, min_extent: int, unit: int) -> int:
    """Errors when IGM finishes a box, but chooses the last split for accuracy."""
    if levels <= 1:
        return twins.optimal_errors(mask, box, levels, min_extent, unit)
    axis, cut = twins.best_cut(mask, box, min_extent, unit)
    if axis == LEAF:
        return twins.label_errors(mask, box, unit)
    return sum(rollout(mask, half, levels - 1, min_extent, unit) for half in twins.halves(box, axis, cut))


@given(masks(8), extents, st.integers(0, 4), st.integers(0, 20))
def test_a_rollout_ends_as_its_twin_or_gives_up_at_the_limit(case, min_extent, levels, limit):
    mask, unit = case
    picture, box = picture_of(mask, unit, min_extent), whole(mask)
    errors = rollout(mask, box, levels, min_extent, unit)
    assert kernels.rollout(picture, box, levels, UNLIMITED, empty_stack()) == errors
    assert kernels.rollout(picture, box, levels, limit * unit, empty_stack()) == min(errors, limit * unit)


@given(masks(12), extents, st.integers(1, 5))
def test_candidates_are_cuts_of_greatest_gain_in_stretches_of_their_own(case, min_extent, count):
    mask, unit = case
    picture, box = picture_of(mask, unit, min_extent), whole(mask)
    for axis in range(2):
        cuts = np.zeros(count, np.int64)
        cuts = cuts[: kernels.candidate_cuts(picture, box, axis, cuts)]
        assert {(axis, cut) for cut in cuts} <= set(twins.cuts(box, min_extent))
        assert (np.diff(cuts) > 0).all()
        best_axis, best = kernels.best_cut(picture, box)
        if best_axis == axis:  # IGM's own cut, or one of the very same gain, is always among them
            gains = [twins.gain(mask, box, axis, int(cut), unit) for cut in cuts]
            assert max(gains) == pytest.approx(twins.gain(mask, box, axis, best, unit), abs=1e-8 * mask.size * unit)


@given(masks(12), extents, st.data())
def test_a_cut_that_is_offered_is_taken_unless_looking_ahead_finds_a_better_one(case, min_extent, data):
    mask, unit = case
    picture, box, levels = picture_of(mask, unit, min_extent), whole(mask), kernels.EXACT_LEVELS + 1
    possible = list(twins.cuts(box, min_extent))
    if not possible:
        return
    offered = data.draw(st.sampled_from(possible))

    def errors(axis: int, cut: int) -> int:
        if axis == LEAF:
            return twins.label_errors(mask, box, unit)
        return sum(rollout(mask, half, levels - 1, min_extent, unit) for half in twins.halves(box, axis, cut))

    alone, together = (kernels.look_ahead(picture, box, levels, 1, *cut) for cut in ((LEAF, 0), offered))
    if together[0] == LEAF:
        assert min(errors(*offered), errors(*alone)) >= errors(LEAF, 0)
    elif together != offered:
        assert errors(*together) < errors(*offered) or errors(*offered) >= errors(LEAF, 0)
    assert errors(*together) <= errors(*offered) or errors(*offered) > errors(LEAF, 0)
