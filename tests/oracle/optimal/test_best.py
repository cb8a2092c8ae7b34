"""The best tree of a mask or a map, as the library calls it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from shapeparse import UserError, igm
from shapeparse.oracle.optimal.best import best_tree, tree_curve
from shapeparse.oracle.optimal.kernels import Costs
from shapeparse.oracle.optimal.twins import Exhaustive
from shapeparse.support.limits import DEFAULT_PRICE

from ...conftest import one

small_masks = arrays(bool, array_shapes(min_dims=2, max_dims=2, max_side=6))


@pytest.fixture(scope="module")
def scene() -> np.ndarray:
    y, x = np.ogrid[:128, :128]
    return ((x - 60) / 50) ** 2 + ((y - 70) / 35) ** 2 < 1


def least_wrong(mask, leaves, levels=1000, missed=1.0, wasted=1.0, min_extent=1):
    twin = Exhaustive(mask.astype(np.uint8), Costs(1, missed, wasted, 0.0), min_extent=min_extent)
    return twin.best_of_at_most(leaves, levels)


# ---- exact on small masks: all lines, all trees ----------------------------------------------------------------------


@given(small_masks, st.integers(1, 6))
def test_no_tree_of_at_most_so_many_rectangles_is_better(mask, rectangles):
    found = best_tree(mask, rectangles=rectangles)
    assert found.rectangles <= rectangles
    assert found.accuracy == pytest.approx(1 - least_wrong(mask, rectangles) / mask.size)
    assert found.tree.accuracy(mask) == pytest.approx(found.accuracy)


@given(small_masks, st.sampled_from([0.02, 0.05, 0.1]), st.sampled_from([None, 2, 3, 5]))
def test_no_tree_is_worth_more_at_a_price(mask, price, depth):
    found = best_tree(mask, price=price, depth=depth)
    twin = Exhaustive(mask.astype(np.uint8), Costs(1, 1.0, 1.0, price * mask.size))
    least = twin.least(twin.root, 1000 if depth is None else depth)
    wrong = (1 - found.accuracy) * mask.size
    assert wrong + price * mask.size * found.rectangles == pytest.approx(least, abs=1e-3)
    assert depth is None or found.tree.depth.max() <= depth


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@given(mask=small_masks)
def test_trees_of_a_few_levels_are_proven_to_be_the_best(depth, mask):
    found = best_tree(mask, depth=depth)
    twin = Exhaustive(mask.astype(np.uint8), Costs(1, 1.0, 1.0, 0.0))
    assert found.bound == found.accuracy == pytest.approx(1 - twin.least(twin.root, depth) / mask.size)
    assert found.tree.depth.max() <= depth


@given(small_masks, st.integers(1, 5), st.sampled_from([2, 3, 5]))
def test_a_budget_and_a_depth_hold_together(mask, rectangles, depth):
    found = best_tree(mask, rectangles=rectangles, depth=depth)
    assert found.rectangles <= rectangles and found.tree.depth.max() <= depth
    assert found.accuracy == pytest.approx(1 - least_wrong(mask, rectangles, depth) / mask.size)


@given(small_masks, st.sampled_from([0.5, 0.8, 0.9, 1.0]))
def test_an_accuracy_is_reached_with_the_fewest_rectangles(mask, accuracy):
    found = best_tree(mask, accuracy=accuracy)
    assert found.accuracy >= accuracy
    if 1 < found.rectangles <= 6:
        assert 1 - least_wrong(mask, found.rectangles - 1) / mask.size < accuracy


@given(small_masks, st.integers(1, 5), st.sampled_from([(3.0, 1.0), (1.0, 2.0)]), st.sampled_from([1, 2]))
def test_missed_and_wasted_paint_may_cost_differently(mask, rectangles, weights, min_extent):
    missed, wasted = weights
    tree = best_tree(mask, rectangles=rectangles, missed=missed, wasted=wasted, min_extent=min_extent).tree
    painted = tree.labels()
    cost = missed * (mask & ~painted).sum() + wasted * (painted & ~mask).sum()
    assert cost == least_wrong(mask, rectangles, missed=missed, wasted=wasted, min_extent=min_extent)


@given(
    arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=st.sampled_from([0, 0.2, 0.6, 1.0]))
)
def test_maps_are_searched_for_expected_accuracy(chances):
    units = np.rint(chances * 255).astype(np.uint8)
    twin = Exhaustive(units, Costs(255, 1.0, 1.0, 0.0))
    found = best_tree(chances, rectangles=3)
    assert found.accuracy == pytest.approx(1 - twin.best_of_at_most(3) / (255 * chances.size))


# ---- larger masks ----------------------------------------------------------------------------------------------------


def test_it_beats_greedy_trees_of_the_same_size(scene):
    greedy = one(igm(scene, depth=4))
    found = best_tree(scene, rectangles=greedy.leaf_count)
    assert found.rectangles <= greedy.leaf_count
    assert found.accuracy > greedy.accuracy(scene)


def test_more_rectangles_are_never_less_accurate(scene):
    accuracies = [best_tree(scene, rectangles=number).accuracy for number in (1, 2, 4, 8, 16, 32)]
    assert accuracies == sorted(accuracies)


def test_a_curve_rises_and_its_trees_are_what_it_says(scene):
    points = tree_curve(scene, most=30)
    assert points[0].rectangles == 1 and points[-1].rectangles <= 30
    assert all(a.accuracy < b.accuracy and a.rectangles < b.rectangles for a, b in pairwise(points))
    for point in points[::5]:
        assert point.tree.leaf_count == point.rectangles
        assert point.tree.accuracy(scene) == pytest.approx(point.accuracy)
    within = max(point.accuracy for point in points if point.rectangles <= 20)
    assert within >= best_tree(scene, rectangles=20).accuracy - 0.001


def test_equal_input_gives_equal_trees_whatever_its_type(scene):
    trees = [best_tree(mask, rectangles=12).tree for mask in (scene, scene.astype(np.uint8), scene * np.uint8(255))]
    assert trees[0] == trees[1] == trees[2] == best_tree(scene, rectangles=12).tree


def test_without_a_goal_the_default_price_is_taken(scene):
    found = best_tree(scene)
    assert found.price == DEFAULT_PRICE
    assert found.tree == best_tree(scene, price=DEFAULT_PRICE).tree


def test_large_masks_are_cut_at_the_pixel():
    mask = np.zeros((1500, 2100), bool)
    mask[211:1003, 317:1999] = True
    found = best_tree(mask, rectangles=5)
    assert found.accuracy == 1 and found.bound == 1 and found.rectangles == 5


def test_ties_go_to_the_first_axis_and_the_smallest_cut():
    mask = np.zeros((4, 4), bool)
    mask[:2, :2] = True
    tree = best_tree(mask, rectangles=3).tree  # cutting along x first or along y first is equally good
    assert (tree.rule[0], tree.cut[0]) == (0, 2)


def test_one_rectangle_has_the_better_label():
    assert best_tree(np.ones((3, 3), bool), rectangles=9).rectangles == 1
    assert best_tree(np.eye(4, dtype=bool), rectangles=1).accuracy == 0.75


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"rectangles": 0}, "rectangles is 0"),
        ({"rectangles": 2.5}, "rectangles is 2.5"),
        ({"rectangles": True}, "rectangles is True"),
        ({"price": 0.0}, "price is 0.0"),
        ({"price": float("nan")}, "price is nan"),
        ({"accuracy": 1.5}, "accuracy is 1.5"),
        ({"rectangles": 5, "price": 0.1}, "rectangles 5 and price 0.1"),
        ({"price": 0.1, "accuracy": 0.9}, "price 0.1 and accuracy 0.9"),
        ({"depth": -1}, "depth is -1"),
        ({"depth": 65}, "depth is 65"),
        ({"min_extent": 0}, "min_extent is 0"),
        ({"min_extent": 10**30}, "min_extent is 10+"),
        ({"price": 1.5}, "price is 1.5"),
        ({"missed": 1e30}, r"missed is 1e\+30"),
        ({"missed": 0.0}, "missed is 0.0"),
        ({"wasted": float("inf")}, "wasted is inf"),
    ],
)
def test_bad_settings_are_refused_in_a_sentence(settings, says):
    with pytest.raises(UserError, match=f"^{says}.*; give .*[.]$"):
        best_tree(np.eye(4, dtype=bool), **settings)


@pytest.mark.parametrize(
    ("mask", "says"),
    [
        (np.zeros((4, 4, 3)), r"shape \(4, 4, 3\)"),
        (np.zeros(4), r"shape \(4,\)"),
        (np.zeros((0, 4)), r"shape \(0, 4\)"),
        (np.array([[0.5, np.nan]]), "NaN at 1 pixels"),
        (np.array([[0.5, 2.0]]), "values from 0.5 to 2.0"),
        (np.array([[0, 7]]), "values from 0 to 7"),
    ],
)
def test_bad_masks_are_refused_in_a_sentence(mask, says):
    with pytest.raises(UserError, match=says):
        best_tree(mask)


def test_an_accuracy_that_cannot_be_reached_is_answered_with_the_best():
    with pytest.raises(UserError, match=r"0.9 cannot be reached .* 0.8\d*"):
        best_tree(np.full((4, 4), 0.8), accuracy=0.9)
    with pytest.raises(UserError, match=r"was not reached within these limits; the best tree found has 0.8125"):
        best_tree(np.indices((4, 4)).sum(axis=0) % 5 == 0, accuracy=1.0, depth=1)


def test_a_curve_needs_a_number_of_rectangles():
    with pytest.raises(UserError, match="most is 0"):
        tree_curve(np.eye(4, dtype=bool), most=0)
