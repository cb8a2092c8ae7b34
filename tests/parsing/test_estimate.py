"""What to expect of a parser, and how sure one may be of that."""

from __future__ import annotations

import numpy as np
import pytest

from shapeparse.parsing.estimate import Estimate, student


def test_the_interval_is_students():
    accuracies = [0.7, 0.8, 0.9]  # mean 0.8, standard deviation 0.1
    found = Estimate.of(accuracies)
    reach = 4.303 * 0.1 / np.sqrt(3)
    assert (found.accuracy, found.photographs) == (pytest.approx(0.8), 3)
    assert (found.low, found.high) == (pytest.approx(0.8 - reach), 1.0)  # 1.048 is no share


def test_the_interval_of_a_cross_validation_is_nadeaus_and_bengios():
    accuracies = [0.78, 0.8, 0.82]  # of 3 folds: mean 0.8, variance 0.02² between folds
    reach = 4.303 * 0.02 * np.sqrt(1 / 3 + (1 / 3) / (2 / 3))  # a third is held out, two thirds are learned from
    found = Estimate.of(accuracies, folds=3)
    assert (found.low, found.high) == (pytest.approx(0.8 - reach), pytest.approx(0.8 + reach))


def test_one_photograph_says_nothing():
    found = Estimate.of([0.93])
    assert (found.low, found.high) == (0, 1)
    assert str(found) == "about 93 % (0 to 100), from 1 photograph"


@pytest.mark.parametrize(
    ("freedom", "known"), [(1, 12.706), (3, 3.182), (4, 2.776), (5, 2.571), (9, 2.262), (29, 2.045)]
)
def test_students_percentiles_are_those_of_tables(freedom, known):
    assert student(freedom) == pytest.approx(known, rel=0.005)


def test_the_truth_lies_inside_19_times_of_20():
    rng = np.random.default_rng(0)
    draws = rng.normal(0.8, 0.05, (2000, 6))
    inside = [(found := Estimate.of(draw.tolist())).low <= 0.8 <= found.high for draw in draws]
    assert 0.935 < np.mean(inside) < 0.965


def test_narrow_intervals_are_said_with_a_digit_more():
    assert str(Estimate(0.9612, 0.9551, 0.9673, 30)) == "about 96.1 % (95.5 to 96.7), from 30 photographs"


def test_it_is_the_same_after_it_was_json():
    found = Estimate.of([0.9, 0.8])
    assert Estimate.from_json(found.to_json()) == found
    assert Estimate.from_json(None) is None
    for damaged in ({}, {**found.to_json(), "low": 2}, {**found.to_json(), "accuracy": "x"}, 7):
        with pytest.raises((KeyError, ValueError, TypeError)):
            Estimate.from_json(damaged)
