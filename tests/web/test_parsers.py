"""The models on offer: trained ones first, each under a name of its own, and oracles that need a mask."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from shapeparse import ParseTree, igm, load
from shapeparse.web import parsers
from shapeparse.web.parsers import LOOKAHEAD_SIDE, LearnedModel, list_models

from .conftest import house, photo


def test_without_a_run_there_are_the_oracles() -> None:
    assert list(list_models([])) == ["oracle", "oracle-lookahead"]


def test_runs_of_one_name_get_numbers(run_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "oracle").symlink_to(run_folder)
    models = list_models([run_folder, run_folder, tmp_path / "oracle"])
    assert list(models)[:3] == ["my-run", "my-run-2", "my-run-3"]  # a link is followed to what it is called
    assert models["my-run-2"].title == "DAgger: my-run-2"


def test_a_run_called_like_an_oracle_gives_way(run_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "oracle"
    copy.mkdir()
    for file in run_folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    models = list_models([copy])
    assert list(models) == ["oracle-2", "oracle", "oracle-lookahead"]
    assert isinstance(models["oracle-2"], LearnedModel)


@pytest.mark.parametrize(("name", "lookahead"), [("oracle", 0), ("oracle-lookahead", 4)])
def test_an_oracle_parses_its_mask(name: str, lookahead: int) -> None:
    tree = list_models([])[name].parse(photo(), house(), 5, 0.01)
    assert tree == igm(house(), 5, lookahead=lookahead, price=0.01)


def test_an_oracle_without_a_mask_and_lookahead_on_a_huge_one_are_refused(refused: Callable[..., str]) -> None:
    models = list_models([])
    assert "needs a mask" in refused(models["oracle"].parse, photo(), None, None, 0.0)
    wide = np.zeros((1, LOOKAHEAD_SIDE + 1), bool)
    assert "plain oracle" in refused(models["oracle-lookahead"].parse, photo(), wide, None, 0.0)
    assert isinstance(models["oracle"].parse(photo(), wide, None, 0.0), ParseTree)


def test_a_trained_model_parses_the_photograph_whatever_the_mask(run_folder: Path) -> None:
    model = list_models([run_folder])["my-run"]
    assert model.parse(photo(), house(), 2, 0.0) == load(run_folder).parse(photo(), depth=2)
    assert model.facts()["depth"] == 4


def test_the_pretrained_parser_says_what_it_learned_from(run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsers, "PRETRAINED", run_folder)
    assert list_models([run_folder])["my-run"].title == "Pretrained on the built-in generator"
