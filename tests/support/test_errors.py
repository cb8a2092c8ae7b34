"""The one error of users' own input."""

from __future__ import annotations

from shapeparse import UserError
from shapeparse.support.errors import UserError as TheOne


def test_there_is_one_error_for_what_users_give_and_it_is_a_value_error():
    assert UserError is TheOne
    assert issubclass(UserError, ValueError)


def test_it_says_its_sentence_and_nothing_else():
    assert str(UserError("There is no file x; check the path.")) == "There is no file x; check the path."
