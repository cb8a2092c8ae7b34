"""What people are told of photographs that are unlike those that a parser knows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from shapeparse.commands.strangers import REMEDY, unlike, warn_of_strangers, warning
from shapeparse.parsing.runs import RunFolder

from .conftest import Result, Trained


@pytest.mark.parametrize(
    ("strangeness", "beginning"),
    [
        ([1.2], "The photograph is unlike"),
        ([1.2, 0.9, None], "1 of 3 photographs is unlike"),
        ([1.2, 5.0], "2 of 2 photographs are unlike"),
    ],
)
def test_the_sentence_says_how_many_and_what_to_do(strangeness: list[float | None], beginning: str) -> None:
    sentence = warning(strangeness)
    assert sentence is not None and sentence.startswith(beginning)
    assert REMEDY in sentence
    assert unlike(strangeness) == sum(one is not None and one > 1 for one in strangeness)


@pytest.mark.parametrize("strangeness", [[], [None, None], [0.2, 1.0]])
def test_nothing_is_said_of_familiar_photographs(
    strangeness: list[float | None], capsys: pytest.CaptureFixture[str]
) -> None:
    assert warning(strangeness) is None
    warn_of_strangers(strangeness)
    assert capsys.readouterr() == ("", "")


def test_parse_paint_and_evaluate_warn_and_the_summary_has_the_figures(
    cli: Callable[..., Result], trained: Trained
) -> None:
    known = RunFolder(trained.run).read_familiarity()
    assert known is not None
    RunFolder(trained.run).add_familiarity(replace(known, edge=known.edge / 1e6))  # so that nothing is familiar
    parsed = cli("parse", "photos/images", "--model", "run", "--out", "trees", "--formats", "json")
    rows = json.loads(Path("trees/summary.json").read_text())["photographs"]
    sentence = warning([row["strangeness"] for row in rows])
    assert sentence is not None and sentence.startswith("8 of 8 photographs are unlike")
    painted = cli("paint", "photos/images", "--model", "run", "--out", "plans", "--formats", "json")
    evaluated = cli("evaluate", "run", "--part", "all")
    for result in (parsed, painted, evaluated):
        assert result.code == 0
        assert sentence in result.err
