"""``shapeparse evaluate``: figures that add up, on the photographs that were meant; damaged runs are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shapeparse
from shapeparse.data.images import read_mask

from .conftest import Result, Trained

Cli = Callable[..., Result]


def evaluated(cli: Cli, *words: object) -> dict[str, Any]:
    result = cli("evaluate", "run", "--json", *words)
    assert (result.code, result.sentences) == (0, [])
    found: dict[str, Any] = json.loads(result.out)
    return found


def held_out(run: Path, part: str = "test") -> list[str]:
    names: list[str] = json.loads((run / "config.json").read_text())["data"][part]
    return names


@pytest.mark.parametrize("part", ["all", "train", "validation", "test"])
def test_regret_is_what_the_oracle_has_over_the_parser(cli: Cli, trained: Trained, part: str) -> None:
    found = evaluated(cli, "--part", part)
    assert found["regret"] == pytest.approx(found["oracle_accuracy"] - found["accuracy"], abs=1e-12)
    by_depth = sum(found["split_regret_by_depth"]) + sum(found["label_regret_by_depth"])
    assert by_depth == pytest.approx(found["regret"], abs=1e-12)
    assert found["accuracy_by_depth"][-1] == pytest.approx(found["accuracy"], abs=1e-12)


def test_held_out_photographs_are_the_default_and_are_those_of_the_config(cli: Cli, trained: Trained) -> None:
    found = evaluated(cli)
    assert found["part"] == "test"
    assert found["names"] == held_out(trained.run)
    assert found == evaluated(cli, "--part", "test")
    assert found["images"] == len(found["each"]["accuracy"]) == 2


def test_the_parts_are_the_whole(cli: Cli, trained: Trained) -> None:
    parts = [evaluated(cli, "--part", part) for part in ("train", "validation", "test")]
    names = [name for part in parts for name in part["names"]]
    whole = evaluated(cli, "--part", "all")
    assert sorted(names) == sorted(whole["names"])
    assert sum(part["images"] * part["accuracy"] for part in parts) == pytest.approx(8 * whole["accuracy"])


def test_each_photograph_counts_as_parsing_it_says(cli: Cli, trained: Trained) -> None:
    """At the network's own size, evaluation is nothing but parse, then scores."""
    assert cli("data", "make", "--out", "small", "--count", 2, "--size", 32).code == 0
    found = evaluated(cli, "--data", "small")
    parser = shapeparse.load("run")
    for name, accuracy, leaves in zip(found["names"], found["each"]["accuracy"], found["each"]["leaves"], strict=True):
        tree = parser.parse(f"small/images/{name}.jpg")
        assert tree.accuracy(read_mask(f"small/masks/{name}.png")) == pytest.approx(accuracy, abs=1e-12)
        assert tree.leaf_count == leaves


def test_people_are_told_what_was_evaluated(cli: Cli, trained: Trained) -> None:
    assert "on 2 photographs held out of the training" in cli("evaluate", "run").out
    assert "on 8 photographs, of which it learned from 5" in cli("evaluate", "run", "--part", "all").out
    assert "on 8 photographs of photos" in cli("evaluate", "run", "--data", "photos").out
    assert "on 1 photograph that chose the best epoch" in cli("evaluate", "run", "--part", "validation").out


def test_the_tables_hold_the_figures_of_the_json(cli: Cli, trained: Trained) -> None:
    found, printed = evaluated(cli), cli("evaluate", "run").out
    for name in ("accuracy", "oracle_accuracy", "majority_accuracy", "regret", "iou"):
        assert f"{100 * found[name]:.2f} %" in printed
    assert max(map(len, printed.splitlines())) <= 80
    assert len([line for line in printed.splitlines() if line[:1].isdigit()]) == 5  # depths 0 to 4


def test_a_broken_file_is_named_and_the_rest_evaluated(cli: Cli, trained: Trained) -> None:
    (trained.photos / "images" / f"{held_out(trained.run, 'train')[0]}.jpg").write_bytes(b"")
    result = cli("evaluate", "run")
    assert (result.code, len(result.sentences)) == (2, 1)
    assert "2 photographs held out" in result.out


def test_a_part_that_is_not_there_is_refused(cli: Cli, trained: Trained) -> None:
    config = trained.run / "config.json"
    content = json.loads(config.read_text())
    content["data"]["test"] = []
    config.write_text(json.dumps(content))
    result = cli("evaluate", "run", "--part", "test")
    assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
    assert cli("evaluate", "run").out.startswith("run (DRAG, dense and anchored) on 8 photographs, of which")


def test_data_that_moved_is_asked_for(cli: Cli, trained: Trained) -> None:
    trained.photos.rename("elsewhere")
    result = cli("evaluate", "run")
    assert (result.code, len(result.sentences)) == (2, 1)
    assert "--data" in result.err
    assert cli("evaluate", "run", "--data", "elsewhere", "--part", "test").code == 0


def damage(run: Path, how: str) -> None:
    config, model = run / "config.json", run / "model.safetensors"
    content = json.loads(config.read_text())
    if how == "no model":
        model.unlink()
    elif how == "model cut short":
        model.write_bytes(model.read_bytes()[:-100])
    elif how == "model of noise":
        model.write_bytes(np.random.default_rng(0).bytes(500))
    elif how == "no config":
        config.unlink()
    elif how == "config of noise":
        config.write_bytes(b"\xff\x00{")
    elif how == "config of another program":
        config.write_text('{"format": "theirs"}')
    else:
        changes: dict[str, dict[str, Any]] = {
            "another version": {"version": 99},
            "no network": {"network": None},
            "another network": {"network": content["network"] | {"channels": 6}},
            "an unknown trunk": {"network": content["network"] | {"trunk": "oak"}},
            "an impossible depth": {"limits": {"depth": -1, "min_extent": 1}},
            "no settings": {"settings": []},
        }
        config.write_text(json.dumps(content | changes[how]))


@pytest.mark.parametrize(
    "how",
    [
        "no model", "model cut short", "model of noise", "no config", "config of noise", "config of another program",
        "another version", "no network", "another network", "an unknown trunk", "an impossible depth", "no settings",
    ],
)  # fmt: skip
def test_a_damaged_run_is_refused_in_one_sentence(cli: Cli, trained: Trained, how: str) -> None:
    damage(trained.run, how)
    for words in (("evaluate", "run"), ("parse", "photos/images", "--model", "run", "--out", "out")):
        result = cli(*words)
        assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
        assert "Traceback" not in result.err
        assert "run" in result.err
    assert not Path("out").exists()


def test_data_facts_that_are_damaged_are_refused(cli: Cli, trained: Trained) -> None:
    content = json.loads((trained.run / "config.json").read_text())
    damaged: tuple[dict | None, ...] = (None, {}, content["data"] | {"test": 3})
    for data in damaged:
        (trained.run / "config.json").write_text(json.dumps(content | {"data": data}))
        for words in (("evaluate", "run"), ("train", "--out", "run", "--resume")):
            result = cli(*words)
            assert (result.code, result.out, len(result.sentences)) == (2, "", 1)


def test_a_run_made_in_python_is_evaluated_on_the_data_given(cli: Cli, trained: Trained) -> None:
    content = json.loads((trained.run / "config.json").read_text())
    del content["data"]
    (trained.run / "config.json").write_text(json.dumps(content))
    result = cli("evaluate", "run")
    assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
    assert evaluated(cli, "--data", "photos")["images"] == 8


def test_a_path_that_is_no_run_is_refused(cli: Cli, tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere", tmp_path):
        result = cli("evaluate", path)
        assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
