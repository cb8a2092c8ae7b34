"""Names from outside in messages: always one line, never a surprise, and close ones are suggested."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse.support.text import checked_names, one_line, percent, printable, unknown


@dataclass
class Oven:
    heat: float = 1.0
    minutes: int = 5


def test_ordinary_text_and_paths_are_shown_as_they_are():
    assert one_line(Path("photos/Größe ☂.png")) == "photos/Größe ☂.png"


@pytest.mark.parametrize("name", ["two\nlines", "\x1b[31mred", "‮gnp.exe", "null\x00"])
def test_what_would_break_or_disguise_a_line_is_escaped(name):
    assert one_line(name) == repr(name)


@given(st.text())
def test_whatever_is_shown_can_be_printed_in_one_line(text):
    assert one_line(text).isprintable()
    assert one_line(ValueError(text)).isprintable()


def test_a_printable_name_has_spaces_for_control_characters():
    assert printable("  a\nb\t\tc\x00") == "a b c"


@given(st.text(min_size=1, max_size=50), st.integers(3, 20))
def test_a_long_name_keeps_its_beginning_and_its_end(name, longest):
    short = printable(name, longest)
    assert len(short) <= longest
    whole = printable(name)
    if len(whole) > longest:
        first, last = short.split("…")[0], short.split("…")[-1]
        assert whole.startswith(first) and whole.endswith(last)


def test_names_are_cut_in_the_middle():
    assert printable("abcdefghij", 5) == "ab…ij"
    assert printable("abcdefghij", 10) == "abcdefghij"


def test_a_share_is_read_as_percent():
    assert percent(0.9634) == "96.3 %"


def test_a_misspelt_name_is_answered_with_the_closest():
    message = str(unknown("method", "dager", ["bc", "mcpg", "dagger"]))
    assert message == "There is no method 'dager'; did you mean dagger? All are bc, mcpg, dagger."
    assert "did you mean dagger or drag?" in str(unknown("method", "dager", ["drag", "bc", "dagger"]))


def test_a_name_like_no_other_is_answered_with_all_there_are():
    assert str(unknown("preset", "zzz", ["fast", "best"])) == "There is no preset 'zzz'; choose one of fast, best."


def test_a_hostile_name_is_short_and_printable_in_the_message():
    message = str(unknown("method", "\n\x1b" + "x" * 10_000, ["bc"]))
    assert message.isprintable()
    assert len(message) < 400


def test_only_fields_of_the_settings_pass(refused):
    checked_names("bake", ["heat", "minutes"], Oven)
    checked_names("bake", {"heat": 2.0}, Oven())
    message = refused(checked_names, "bake", ["heat", "minute"], Oven)
    assert message == "There is no setting of bake 'minute'; did you mean minutes? All are heat, minutes."


def test_too_many_names_are_not_all_listed_beside_the_closest():
    message = str(unknown("row", "name-7", [f"name{number:03}" for number in range(99)] + ["name-77"]))
    assert message.startswith("There is no row 'name-7'; did you mean name-77")
    assert message.endswith("? There are 100 in all.")
