"""How trees are made: limits as in training unless given, and settings that make no sense named."""

from __future__ import annotations

import subprocess
import sys

import pytest

from shapeparse import Limits
from shapeparse.parsing.settings import ParseSettings
from shapeparse.support.limits import MOST_LOOKAHEAD


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"lookahead": -1}, "lookahead is -1"),
        ({"lookahead": 1.5}, "lookahead"),
        ({"lookahead": MOST_LOOKAHEAD + 1}, "lookahead is 1025"),
        ({"price": float("nan")}, "price is nan"),
        ({"price": -0.1}, "price is -0.1"),
        ({"depth": -1}, "depth is -1"),
        ({"min_extent": 0}, "min_extent is 0"),
    ],
)
def test_settings_that_make_no_sense_are_named(refused, settings, complaint):
    assert complaint in refused(ParseSettings, **settings)


def test_limits_are_those_of_training_unless_given():
    trained = Limits(5, 3)
    assert ParseSettings().limits(trained) == trained
    assert ParseSettings(depth=2).limits(trained) == Limits(2, 3)
    assert ParseSettings(min_extent=9).limits(trained) == Limits(5, 9)


def test_at_a_price_the_policys_own_trees_compete_with_those_of_lookahead():
    ahead = ParseSettings(search="lookahead", price=0.1)
    assert [one.search for one in ahead.candidates()] == ["lookahead", "policy"]
    assert len(ParseSettings(price=0.1).candidates()) == len(ParseSettings(search="policy").candidates()) == 1


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"rectangles": 0}, "rectangles is 0"),
        ({"rectangles": 5, "price": 0.1}, "Both rectangles and price"),
        ({"accuracy": 2}, "accuracy is 2"),
        ({"search": "best"}, "search is 'best'"),
        ({"search": "policy", "rectangles": 3}, "knows no rectangles"),
    ],
)
def test_goals_that_cannot_be_are_refused(refused, wrong, complaint):
    assert complaint in refused(ParseSettings, **wrong)


def test_settings_are_known_without_loading_pytorch():
    code = "import sys, shapeparse.parsing.settings; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
