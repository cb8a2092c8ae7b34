"""What is wrong with options is one sentence, whatever the library that reads them says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from shapeparse.commands.complaints import complaint

from .conftest import Result

Cli = Callable[..., Result]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("data", "make", "--out", "x", "--count", "many"), ("--count is 'many'", "whole number")),
        (("data", "make", "--out", "x", "--cuont", "3"), ("no option --cuont", "did you mean --count?")),
        (("data", "make", "--out"), ("--out needs a value",)),
        (("data", "make"), ("--out is needed",)),
        (("paint", "x.json", "--order", "best"), ("'best'; give one of route, nearest, raster, tree",)),
    ],
    ids=" ".join,
)
def test_a_mistake_in_an_option_is_one_sentence(cli: Cli, words: tuple[str, ...], said: tuple[str, ...]) -> None:
    result = cli(*words)
    assert (result.code, result.out, len(result.err.splitlines())) == (2, "", 1)
    assert all(part in result.err for part in said), result.err
    assert "--help` explains the options." in result.err
    assert not Path("x").exists()


def test_what_is_not_known_is_passed_on_without_its_frame() -> None:
    said = complaint("╭─ Oh ──╮\n│ something new │\n╰──────╯", "train")
    assert said == "Oh something new; `shapeparse train --help` explains the options."
