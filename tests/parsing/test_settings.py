"""How trees are made: limits as in training unless given, and settings that make no sense named."""

from __future__ import annotations

import subprocess
import sys

import pytest

from shapeparse import Limits
from shapeparse.parsing.settings import MAX_LOOKAHEAD, ParseSettings


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"lookahead": -1}, "lookahead is -1"),
        ({"lookahead": 1.5}, "lookahead"),
        ({"lookahead": MAX_LOOKAHEAD + 1}, "lookahead is 1025"),
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
    assert [one.lookahead for one in ParseSettings(lookahead=8, price=0.1).candidates()] == [8, 0]
    assert len(ParseSettings().candidates()) == len(ParseSettings(lookahead=0, price=0.1).candidates()) == 1


def test_settings_are_known_without_loading_pytorch():
    code = "import sys, shapeparse.parsing.settings; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
