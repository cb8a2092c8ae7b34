"""Trees for numbers of leaves: what is kept, and that searches for many leaves keep their promises."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from shapeparse.data.generator import generate
from shapeparse.oracle.optimal.best import problem_of
from shapeparse.oracle.optimal.budget import Found, collect_around, search_accuracy, search_curve, search_leaves
from shapeparse.oracle.optimal.search import WHOLE, leaf_count, refine


@pytest.fixture(scope="module")
def problem():
    y, x = np.ogrid[:120, :150]
    return problem_of(((x - 70) ** 2 + (1.4 * (y - 60)) ** 2 < 60**2) ^ (abs(x - y) < 9), None, 1, 1.0, 1.0)


def test_the_best_tree_of_every_number_is_kept(problem):
    found = Found(problem)
    search_leaves(found, 6)
    worse = refine(problem, problem.costs(0.1), problem.box)
    before = found.best(6)
    found.add(worse)
    assert found.best(6) is before
    assert leaf_count(before[1]) <= 6
    assert before[0] == min(cost for number, (cost, _) in found.trees.items() if number <= 6)


NEARLY = 0.001
"""Of the pixels. Searches for different numbers, or at a price, choose their own lines, so a tree that should be the
better one can be a little worse. Nearly always it is not."""


@pytest.mark.parametrize("index", range(4))
def test_more_leaves_and_trees_at_a_price_are_hardly_ever_otherwise_and_never_by_much(index):
    problem = problem_of(generate(0, index, 128)[1], None, 1, 1.0, 1.0)
    costs = {leaves: least_cost(problem, leaves) for leaves in (*range(2, WHOLE + 1), WHOLE + 4, WHOLE + 12)}
    rises = [later - earlier for earlier, later in pairwise(costs.values())]
    at_prices = [refine(problem, problem.costs(price), problem.box) for price in (0.02, 0.005, 0.002, 0.001, 0.0005)]
    lags = [costs[leaf_count(tree)] - problem.tree_cost(tree) for tree in at_prices if leaf_count(tree) in costs]
    assert len(lags) > 1
    assert max(*rises, *lags) <= NEARLY * problem.size
    assert sum(rise > 0 for rise in rises) <= 1 and sum(lag > 0 for lag in lags) <= 1


def test_a_tree_searched_in_parts_is_never_worse_than_the_largest_that_is_not(problem):
    assert least_cost(problem, WHOLE + 1) <= least_cost(problem, WHOLE)


def least_cost(problem, leaves):
    found = Found(problem)
    search_leaves(found, leaves)
    return found.best(leaves)[0]


def test_frontiers_fill_the_numbers_between_trees_of_the_hull(problem):
    found = Found(problem)
    for price in (0.004, 0.0015):
        found.add(refine(problem, problem.costs(price), problem.box))
    few, many = min(found.trees), max(found.trees)
    assert many - few > 2
    for number in range(few, many):
        collect_around(found, number, 0.002)
    assert set(range(few, many + 1)) <= set(found.trees)


@pytest.mark.parametrize("leaves", [WHOLE + 6, 60, 120])
def test_many_leaves_are_used_but_not_exceeded(problem, leaves):
    found = Found(problem)
    search_leaves(found, leaves)
    rows = found.best(leaves)[1]
    assert 0.9 * leaves <= leaf_count(rows) <= leaves


def test_a_curve_falls(problem):
    found = Found(problem)
    search_curve(found, 40)
    points = found.curve()
    numbers, costs = [point[0] for point in points], [point[1] for point in points]
    assert numbers == sorted(numbers) and costs == sorted(costs, reverse=True)
    assert len([number for number in numbers if number <= 40]) > 25


def test_an_accuracy_is_reached_with_few_leaves(problem):
    found = Found(problem)
    rows = search_accuracy(found, 0.97)
    assert rows is not None and problem.accuracy(rows) >= 0.97
    assert problem.accuracy(found.best(leaf_count(rows) - 1)[1]) < 0.97


def test_a_tree_that_is_too_large_at_every_first_price_does_not_end_the_search():
    _, mask = generate(1, 14, 512)  # a car door whose tree of 200 leaves and more is the same at many prices
    found = Found(problem_of(mask, None, 1, 1.0, 1.0))
    search_leaves(found, 200)
    assert 190 <= leaf_count(found.best(200)[1]) <= 200
