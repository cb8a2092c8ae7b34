"""``shapeparse train``: what it writes, how it goes on, and what it refuses."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from shapeparse.learning.methods import METHODS
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.trainer import Trainer
from shapeparse.networks.presets import PRESETS
from shapeparse.parsing import shipped
from shapeparse.support.processes import alone

from .conftest import Result, Trained, house, save

Cli = Callable[..., Result]
pytestmark = pytest.mark.usefixtures("tiny")


def dataset(folder: Path, count: int = 4, mask: np.ndarray | None = None) -> Path:
    rng = np.random.default_rng(0)
    for index in range(count):
        save(folder / "images" / f"{index}.png", rng.integers(0, 255, (32, 48, 3), np.uint8))
        save(folder / "masks" / f"{index}.png", house() if mask is None else mask)
    return folder


def test_a_run_folder_holds_settings_metrics_model_and_checkpoint(trained: Trained) -> None:
    assert {path.name for path in trained.run.iterdir()} >= {
        "config.json", "metrics.csv", "model.safetensors", "checkpoint.safetensors",
    }  # fmt: skip
    config = json.loads((trained.run / "config.json").read_text())
    assert config["settings"]["method"] == "drag-anchored"
    assert config["data"]["source"] == "photos"
    parts = [set(config["data"][part]) for part in ("train", "validation", "test")]
    assert [len(part) for part in parts] == [5, 1, 2]
    assert len(set.union(*parts)) == 8
    rows = list(csv.DictReader((trained.run / "metrics.csv").open()))
    assert [row["epoch"] for row in rows] == ["1", "2", "3"]


def test_the_end_names_the_method_in_full_and_epochs_are_told(cli: Cli, tmp_path: Path) -> None:
    result = cli("train", "--data", dataset(tmp_path / "d"), "--out", tmp_path / "run", "--epochs", 2)
    assert (result.code, result.sentences) == (0, [])
    assert result.out.startswith("DRAG, dense and anchored: ")
    assert "from 1 photograph that it did not learn from. So few say little" in result.out
    told = [line for line in result.err.splitlines() if line.startswith("epoch ")]
    assert len(told) == 2
    assert max(map(len, told)) <= 80


def test_few_photographs_begin_with_the_pretrained_parser_and_the_user_is_told(
    cli: Cli, tmp_path: Path, trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "PRETRAINED", trained.run)
    preset = json.loads((trained.run / "config.json").read_text())["settings"]["preset"]
    words = ("--data", dataset(tmp_path / "d"), "--preset", preset, "--epochs", 1, "--depth", 3)
    usual = cli("train", *words, "--out", tmp_path / "usual")
    assert usual.code == 0
    assert "begin with the weights of the pretrained parser" in usual.err
    without = cli("train", *words, "--out", tmp_path / "without", "--from", "none")
    assert without.code == 0
    assert "pretrained" not in without.err
    begun = [json.loads((tmp_path / run / "config.json").read_text())["from"] for run in ("usual", "without")]
    assert begun == ["pretrained", "none"]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_trains(cli: Cli, tmp_path: Path, method: str) -> None:
    words = ("--data", dataset(tmp_path / "d"), "--out", tmp_path / "run", "--epochs", 1, "--depth", 3)
    result = cli("train", *words, "--method", method)
    assert (result.code, result.sentences) == (0, [])
    assert result.out.startswith(METHODS[method].title)


def test_the_same_seed_gives_the_same_model(cli: Cli, tmp_path: Path) -> None:
    data = dataset(tmp_path / "d")
    for name in "ab":
        assert cli("train", "--data", data, "--out", tmp_path / name, "--epochs", 1, "--depth", 3).code == 0
    one, other = ((tmp_path / name / "model.safetensors").read_bytes() for name in "ab")
    assert one == other


# ---- going on --------------------------------------------------------------------------------------------------------


def test_an_existing_run_is_left_alone_without_resume(cli: Cli, trained: Trained) -> None:
    before = (trained.run / "model.safetensors").read_bytes()
    result = cli("train", "--data", "photos", "--out", "run", "--epochs", 1)
    assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
    assert "--resume" in result.err
    assert (trained.run / "model.safetensors").read_bytes() == before


@pytest.mark.parametrize("words", [("--data", "photos"), ("--resume",)])
def test_a_second_training_in_the_same_folder_is_refused_and_told_who_trains_there(
    cli: Cli, trained: Trained, words: tuple[str, ...]
) -> None:
    with alone(trained.run / "training.lock"):
        result = cli("train", "--out", "run", *words)
    assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
    assert f"run is being worked in by another process ({os.getpid()} on " in result.err


def test_resume_needs_no_other_option_and_a_complete_run_says_so(cli: Cli, trained: Trained) -> None:
    result = cli("train", "--out", "run", "--resume")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("The run was complete already.")
    assert "So few say little" in result.out


def test_an_interrupted_run_goes_on_to_the_same_end(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["train", "--data", dataset(tmp_path / "d"), "--epochs", 3, "--depth", 3]
    assert cli(*words, "--out", tmp_path / "whole").code == 0
    checkpoint = Trainer._checkpoint

    def stop_after_the_first(self: Trainer) -> None:
        checkpoint(self)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "_checkpoint", stop_after_the_first)
        stopped = cli(*words, "--out", tmp_path / "run")
    assert stopped.code == 130
    assert stopped.sentences == [
        f"shapeparse: Stopped after epoch 1; `shapeparse train --out {tmp_path / 'run'} --resume` goes on from there."
    ]
    assert cli("train", "--out", tmp_path / "run", "--resume").code == 0
    ends = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "run")]
    assert ends[0] == ends[1]


def test_resume_with_the_same_command_is_fine_and_with_another_is_refused(cli: Cli, trained: Trained) -> None:
    same = "train --data photos --out run --epochs 3 --test 2 --depth 4 --learning.rate 0.01 --resume"
    assert cli(*same.split()).code == 0
    for option in (
        "--depth=5",
        "--test=3",
        "--validation=0.5",
        "--method=bc",
        "--learning.clip=2",
        "--depth=7",
    ):
        result = cli("train", "--out", "run", "--resume", option)
        assert (option, result.code, result.out, len(result.sentences)) == (option, 2, "", 1)


def test_resume_follows_data_that_moved_and_refuses_data_that_changed(cli: Cli, trained: Trained) -> None:
    trained.photos.rename("elsewhere")
    lost = cli("train", "--out", "run", "--resume")
    assert (lost.code, len(lost.sentences)) == (2, 1)
    assert "--data" in lost.err
    assert cli("train", "--out", "run", "--data", "elsewhere", "--resume").code == 0
    name = json.loads((trained.run / "config.json").read_text())["data"]["train"][0]
    save(Path("elsewhere/masks") / f"{name}.png", np.zeros((48, 48), bool))
    changed = cli("train", "--out", "run", "--data", "elsewhere", "--resume")
    assert (changed.code, len(changed.sentences)) == (2, 1)
    (Path("elsewhere/masks") / f"{name}.png").unlink()
    missing = cli("train", "--out", "run", "--data", "elsewhere", "--resume")
    assert (missing.code, name in missing.err) == (2, True)


def test_resume_of_nothing_is_refused(cli: Cli, tmp_path: Path) -> None:
    result = cli("train", "--out", tmp_path / "typo", "--resume")
    assert (result.code, len(result.sentences)) == (2, 1)
    assert not (tmp_path / "typo").exists()


# ---- data ------------------------------------------------------------------------------------------------------------


def test_photographs_without_masks_are_listed_and_the_rest_is_learned_from(cli: Cli, tmp_path: Path) -> None:
    data = dataset(tmp_path / "d", 5)
    (data / "masks" / "3.png").unlink()
    (data / "images" / "4.png").write_bytes(b"broken")
    result = cli("train", "--data", data, "--out", tmp_path / "run", "--epochs", 1, "--depth", 2)
    assert result.code == 0
    assert len(result.sentences) == 2
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert len(config["data"]["train"]) + len(config["data"]["validation"]) == 3


def test_one_photograph_is_too_few(cli: Cli, tmp_path: Path) -> None:
    result = cli("train", "--data", dataset(tmp_path / "d", 1), "--out", tmp_path / "run", "--epochs", 1)
    assert (result.code, len(result.sentences)) == (2, 1)
    assert "1 usable image;" in result.err
    assert not (tmp_path / "run").exists()


def test_holding_out_too_many_is_refused(cli: Cli, tmp_path: Path) -> None:
    for held in (3, 4, -1):
        result = cli("train", "--data", dataset(tmp_path / "d", 4), "--out", tmp_path / "run", "--test", held)
        assert (result.code, len(result.sentences)) == (2, 1)


@pytest.mark.parametrize("paint", [False, True])
def test_masks_of_one_class_are_learned(cli: Cli, tmp_path: Path, paint: bool) -> None:
    data = dataset(tmp_path / "d", 3, np.full((32, 48), paint))
    result = cli("train", "--data", data, "--out", tmp_path / "run", "--epochs", 2, "--depth", 3)
    assert (result.code, result.sentences) == (0, [])
    found = json.loads(cli("evaluate", tmp_path / "run", "--json").out)
    assert found["oracle_accuracy"] == found["majority_accuracy"] == 1


def test_a_coco_file_is_learned_from_with_its_categories(cli: Cli, tmp_path: Path) -> None:
    for name in "abc":
        save(tmp_path / "photos" / f"{name}.png", np.zeros((32, 48, 3), np.uint8))
    box = [[0, 0, 24, 0, 24, 32, 0, 32]]
    content = {
        "images": [{"id": i, "file_name": f"{name}.png", "width": 48, "height": 32} for i, name in enumerate("abc")],
        "categories": [{"id": 1, "name": "door"}, {"id": 2, "name": "window"}],
        "annotations": [{"id": i, "image_id": i, "category_id": 1, "segmentation": box} for i in range(3)],
    }
    (tmp_path / "coco.json").write_text(json.dumps(content))
    coco = ("--data", tmp_path / "coco.json", "--image-root", tmp_path / "photos", "--categories")
    words = ("--out", tmp_path / "run", "--epochs", 1, "--depth", 2)
    assert cli("train", *words, *coco, "roof").code == 2
    assert cli("train", *words, *coco, "window").code == 0
    found = json.loads(cli("evaluate", tmp_path / "run", "--json").out)
    assert found["majority_accuracy"] == 1  # no windows, so all is skip


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "option",
    [
        "--learning.rate=nan", "--learning.rate=-1", "--minutes=inf", "--minutes=0", "--epochs=0", "--depth=99",
        "--min-extent=0", "--validation=nan", "--validation=1", "--seed=-1", "--threads=0", "--lookahead=-1",
        "--threshold=2", "--data=nowhere",
    ],
)  # fmt: skip
def test_senseless_options_are_one_sentence_and_leave_nothing_behind(cli: Cli, tmp_path: Path, option: str) -> None:
    result = cli("train", "--data", dataset(tmp_path / "d"), "--out", tmp_path / "run", option)
    assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
    assert not (tmp_path / "run").exists()


def test_what_is_usual_elsewhere_can_be_chosen_where_the_preset_has_something_else(cli: Cli, tmp_path: Path) -> None:
    usual, elsewhere = TrainSettings(preset="best").learning, TrainSettings(preset="fast").learning
    assert (usual.rate, usual.quick) != (elsewhere.rate, elsewhere.quick)
    words = ("--learning.rate", elsewhere.rate, "--learning.quick", elsewhere.quick, "--learning.fresh-heads", False)
    photos = dataset(tmp_path / "d")
    assert (
        cli("train", "--data", photos, "--out", tmp_path / "run", "--preset", "best", "--epochs", 1, *words).code == 0
    )
    learning = json.loads((tmp_path / "run" / "config.json").read_text())["settings"]["learning"]
    chosen = {"rate": elsewhere.rate, "quick": elsewhere.quick, "fresh_heads": False}
    assert learning == {**dataclasses.asdict(usual), **chosen}


def test_two_budgets_are_one_too_many(cli: Cli, tmp_path: Path) -> None:
    result = cli("train", "--out", tmp_path / "run", "--epochs", 1, "--minutes", 1)
    assert (result.code, len(result.sentences)) == (2, 1)


@pytest.mark.parametrize(("option", "known"), [("--method", METHODS), ("--preset", PRESETS)])
def test_an_unknown_name_is_answered_with_the_known_ones(cli: Cli, tmp_path: Path, option: str, known: dict) -> None:
    result = cli("train", "--out", tmp_path / "run", option, "magic")
    assert (result.code, len(result.sentences)) == (2, 1)
    assert all(name in result.err for name in known)


def test_an_output_that_is_a_file_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine")
    result = cli("train", "--data", dataset(tmp_path / "d"), "--out", tmp_path / "run", "--epochs", 1)
    assert (result.code, len(result.sentences)) == (2, 1)
    assert (tmp_path / "run").read_text() == "mine"


@pytest.mark.parametrize("command", ["train", "evaluate", "parse", "demo"])
def test_help_fits_80_columns(cli: Cli, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = cli(command, "--help")
    assert result.code == 0
    assert max(map(len, result.out.splitlines())) <= 80
    assert "{None}" not in result.out
    assert "examples:" in result.out


def test_a_training_to_a_plateau_has_no_minutes_unless_they_are_given(tmp_path: Path) -> None:
    from shapeparse.commands.train import Args, usual

    assert usual(Args(tmp_path / "run")).minutes == 5.0
    until = usual(Args(tmp_path / "run", preset="fast", plateau=100))
    assert (until.minutes, until.epochs, until.plateau) == (None, None, 100)
