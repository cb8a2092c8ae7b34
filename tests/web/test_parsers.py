"""The models on offer: trained ones first, each under a name of its own, and oracles that need a mask."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shapeparse import ParseTree, decompose, igm, load
from shapeparse.parsing.settings import ParseSettings
from shapeparse.parsing.shipped import PRETRAINED
from shapeparse.web import parsers
from shapeparse.web.parsers import LOOKAHEAD_SIDE, LearnedModel, list_models
from shapeparse.web.samples import find_sample

from .conftest import house, photo


def test_without_a_run_there_are_the_oracles() -> None:
    assert list(list_models([])) == ["best-tree", "oracle", "oracle-lookahead"]


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
    assert list(models) == ["oracle-2", "best-tree", "oracle", "oracle-lookahead"]
    assert isinstance(models["oracle-2"], LearnedModel)


@pytest.mark.parametrize(("name", "lookahead"), [("oracle", 0), ("oracle-lookahead", 4)])
def test_an_oracle_parses_its_mask(name: str, lookahead: int) -> None:
    tree = list_models([])[name].parse(photo(), house(), ParseSettings(depth=5, price=0.01)).tree
    assert tree == igm(house(), 5, lookahead=lookahead, price=0.01)


@pytest.mark.parametrize("goal", [{}, {"rectangles": 3}, {"price": 0.05}], ids=str)
def test_the_best_tree_is_that_of_decompose(goal: dict[str, Any]) -> None:
    tree = list_models([])["best-tree"].parse(photo(), house(), ParseSettings(**goal)).tree
    assert tree == decompose(house(), **goal)


def test_the_fewest_rectangles_for_an_accuracy_and_what_is_said_where_none_reach_it(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    best = list_models([])["best-tree"]
    tree = best.parse(photo(), house(), ParseSettings(accuracy=0.95)).tree
    assert tree.accuracy(house()) >= 0.95
    fewer = best.parse(photo(), house(), ParseSettings(rectangles=tree.leaf_count - 1)).tree
    assert fewer.accuracy(house()) < 0.95
    monkeypatch.setattr(parsers, "MAX_RECTANGLES", 2)
    said = refused(best.parse, photo(), house(), ParseSettings(accuracy=0.99))
    assert said.startswith("accuracy 0.99 is not reached with 2 rectangles")


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [("oracle", {"rectangles": 4}, "knows no rectangles"), ("oracle-lookahead", {"accuracy": 0.9}, "knows no accuracy"),
     ("best-tree", {"depth": 4}, "knows no depth"), ("best-tree", {"price": 0.00001}, "at least 0.0001"),
     ("my-run", {"rectangles": 4}, "no evidence map")],
)  # fmt: skip
def test_what_a_model_does_not_know_is_refused(
    run_folder: Path, refused: Callable[..., str], name: str, settings: dict[str, Any], words: str
) -> None:
    assert words in refused(list_models([run_folder])[name].parse, photo(), house(), ParseSettings(**settings))


def test_an_oracle_without_a_mask_and_lookahead_on_a_huge_one_are_refused(refused: Callable[..., str]) -> None:
    models = list_models([])
    assert "needs a mask" in refused(models["oracle"].parse, photo(), None, ParseSettings())
    wide = np.zeros((1, LOOKAHEAD_SIDE + 1), bool)
    assert "plain oracle" in refused(models["oracle-lookahead"].parse, photo(), wide, ParseSettings())
    assert isinstance(models["oracle"].parse(photo(), wide, ParseSettings()).tree, ParseTree)


def test_a_trained_model_parses_the_photograph_whatever_the_mask(run_folder: Path) -> None:
    model = list_models([run_folder])["my-run"]
    assert model.parse(photo(), house(), ParseSettings(depth=2)).tree == load(run_folder).parse(photo(), depth=2)
    assert (model.facts()["depth"], model.facts()["settings"]) == (4, ["depth", "price"])


def test_the_pretrained_parser_gives_as_many_rectangles_as_are_asked_for() -> None:
    if not (PRETRAINED / "config.json").exists():
        pytest.skip("the pretrained parser is not here")
    model = next(iter(list_models([PRETRAINED]).values()))
    assert model.facts()["settings"] == ["depth", "rectangles", "price", "accuracy"]
    picture = find_sample("car-door").photo
    counts = [model.parse(picture, None, ParseSettings(rectangles=most)).tree.leaf_count for most in (1, 6)]
    assert counts == [1, 6]


def test_the_pretrained_parser_says_what_it_learned_from(run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsers, "PRETRAINED", run_folder)
    assert list_models([run_folder])["my-run"].title == "Pretrained on the built-in generator"


def test_the_pretrained_parser_says_when_a_photograph_is_strange() -> None:
    if not (PRETRAINED / "config.json").exists():
        pytest.skip("the pretrained parser is not here")
    models = list_models([PRETRAINED])
    model = next(iter(models.values()))
    noise = np.random.default_rng(0).integers(0, 255, (256, 256, 3), np.uint8)
    known, strange = (
        model.parse(picture, None, ParseSettings()).strangeness for picture in (find_sample("car-door").photo, noise)
    )
    assert known is not None and strange is not None and known < 1 < strange
    assert models["best-tree"].parse(photo(), house(), ParseSettings()).strangeness is None
