"""Numbers as people read them."""

from __future__ import annotations

import pytest

from shapeparse.benchmark import words
from shapeparse.benchmark.statistics import Interval, Spread

SPACE = "\u00a0"


def test_percentages_are_not_parted_and_have_a_true_minus() -> None:
    assert words.percent(0.9314) == f"93.1{SPACE}%"
    assert words.percent(-0.005, 2) == f"−0.50{SPACE}%"


def test_a_mean_is_given_with_its_deviation_if_it_has_one() -> None:
    assert words.spread_words(Spread(0.931, 0.004, 3)) == "93.1 ± 0.4 %".replace(" ", SPACE)
    assert words.spread_percent(Spread(0.9312, 0.0041, 3)) == "93.12 ± 0.41"
    assert words.spread_percent(Spread(0.9312, None, 1)) == "93.12"
    assert words.spread_percent(None) == words.NONE


@pytest.mark.parametrize(("value", "text"), [(0.0084, "+0.84"), (-0.0042, "−0.42"), (0, "0.00"), (-1e-9, "0.00")])
def test_differences_have_signs_and_zero_has_none(value: float, text: str) -> None:
    assert words.signed(value) == text


def test_intervals() -> None:
    interval = Interval(0.0084, 0.0031, 0.0142)
    assert words.signed_interval(interval) == "+0.84 [+0.31, +1.42]"
    assert words.interval_words(interval) == "95 % interval +0.31 to +1.42"
    assert words.signed_interval(None) == words.NONE


@pytest.mark.parametrize(("value", "text"), [(1234.4, "1,234"), (100, "100"), (47.12, "47.1"), (0.0613, "0.061")])
def test_amounts_have_the_digits_that_matter(value: float, text: str) -> None:
    assert words.amount(value) == text


def test_lists_plurals_and_ordinals() -> None:
    assert [words.listed(some) for some in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
    assert [words.plural(count, "fold") for count in (0, 1, 3)] == ["0 folds", "1 fold", "3 folds"]
    numbers = (1, 2, 3, 4, 11, 12, 13, 21, 112)
    assert [words.ordinal(number) for number in numbers] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th"]
    )
