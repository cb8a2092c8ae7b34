"""A training begun, or gone on with."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from shapeparse.data import Source
from shapeparse.learning.few import FEW
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.start import new_run, resumed_run, stored_settings, usual_validation
from shapeparse.parsing.runs import read_tensors

SMALL = {"method": "dagger", "preset": "fast", "epochs": 2, "depth": 2, "rollout_images": 4, "updates": 1, "threads": 1}
pytestmark = pytest.mark.usefixtures("tiny_presets")


@pytest.fixture
def photos(tmp_path: Path, photographs) -> Path:
    folder = tmp_path / "photos"
    for part in ("images", "masks"):
        (folder / part).mkdir(parents=True)
    for index, (image, mask) in enumerate(zip(*photographs(6), strict=True)):
        Image.fromarray(image).save(folder / "images" / f"{index}.png")
        Image.fromarray(mask.astype(np.uint8) * 255).save(folder / "masks" / f"{index}.png")
    return folder


@pytest.fixture
def begun(photos: Path, tmp_path: Path) -> Path:
    new_run(tmp_path / "run", Source(str(photos)), TrainSettings(**SMALL), 0.2, 1, "cpu").run()
    return tmp_path / "run"


def test_a_new_run_says_where_its_data_came_from_and_how_it_was_divided(begun, photos):
    config = json.loads((begun / "config.json").read_text())
    assert config["data"]["source"] == str(photos)
    assert config["data"]["from_run"] == "../photos"
    parts = [config["data"][part] for part in ("train", "validation", "test")]
    assert [len(part) for part in parts] == [4, 1, 1]


def test_files_that_cannot_be_used_are_named_and_left_out(photos, tmp_path, capsys):
    (photos / "images" / "3.png").write_bytes(b"no image")
    run = new_run(tmp_path / "run", Source(str(photos)), TrainSettings(**SMALL), 0.2, device="cpu")
    assert "3.png" in capsys.readouterr().err
    assert len(run.data.train_images) + len(run.data.validation_images) == 5


def test_a_folder_with_a_run_is_refused_before_any_data_is_read(begun, refused):
    assert "holds a run already" in refused(new_run, begun, Source("nowhere"), TrainSettings(**SMALL))


def test_a_run_goes_on_with_its_own_settings_and_data(begun):
    assert stored_settings(begun) == TrainSettings(**SMALL)
    again = resumed_run(begun, device="cpu")
    assert again.settings == TrainSettings(**SMALL)
    assert [row["epoch"] for row in again.run(resume=True)] == [1, 2]


def test_what_contradicts_the_settings_is_refused_by_the_trainer(begun, refused):
    changed = resumed_run(begun, {"seed": 4}, device="cpu")
    assert changed.settings == replace(TrainSettings(**SMALL), seed=4)
    assert "(seed)" in refused(changed.run, resume=True)


def test_a_run_goes_on_from_another_folder_than_it_was_begun_in(photos, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    new_run(Path("run"), Source("photos"), TrainSettings(**SMALL), 0.2, device="cpu").run()
    monkeypatch.chdir(photos)
    assert resumed_run(tmp_path / "run", device="cpu").run(resume=True)


def test_data_that_moved_is_found_where_one_says(begun, photos, refused):
    moved = photos.rename(photos.with_name("moved"))
    assert "say where with --data" in refused(resumed_run, begun)
    assert resumed_run(begun, data=str(moved), device="cpu").run(resume=True)


@pytest.mark.parametrize("damage", ["no settings", "another setting", "a wrong setting"])
def test_a_config_that_holds_no_training_is_refused(begun, refused, damage):
    path = begun / "config.json"
    config = json.loads(path.read_text())
    if damage == "no settings":
        del config["settings"]
    elif damage == "another setting":
        config["settings"]["colour_of_the_sky"] = 1
    else:
        config["settings"]["learning"] = 7
    path.write_text(json.dumps(config))
    assert "does not describe a training" in refused(stored_settings, begun)


def test_where_there_is_no_run_there_is_nothing_to_go_on_with(tmp_path, refused):
    assert "holds no run" in refused(stored_settings, tmp_path / "nowhere")
    assert "holds no run" in refused(resumed_run, tmp_path)


def test_few_photographs_are_all_learned_from_if_the_map_of_them_is(tmp_path: Path, photos: Path) -> None:
    for preset, held in (("scratch", 0), ("fast", 1)):
        settings = TrainSettings(**{**SMALL, "preset": preset})
        run = new_run(tmp_path / preset, Source(str(photos)), settings, device="cpu")
        assert len(run.data.validation_images) == held
    assert usual_validation(FEW, TrainSettings("dagger", "scratch")) == 0.1
    assert usual_validation(FEW - 1, TrainSettings("mcpg", "scratch")) == 0.1  # which may not see the masks


def test_a_complete_run_is_trained_on_as_a_leg_that_is_recorded(tmp_path: Path, photos: Path, refused) -> None:
    run = tmp_path / "run"
    new_run(run, Source(str(photos)), TrainSettings(**SMALL), 0.2, device="cpu").run()
    assert len(resumed_run(run, device="cpu").run(resume=True)) == 2
    longer = resumed_run(run, device="cpu", epochs=3)
    rows = longer.run(resume=True)
    assert [row["epoch"] for row in rows] == [1, 2, 3, 4, 5]
    assert rows[2]["beta"] == 1.0  # schedules begin anew
    legs = json.loads((run / "config.json").read_text())["legs"]
    assert legs == [{"minutes": None, "epochs": 2}, {"minutes": None, "epochs": 3}]
    assert len(resumed_run(run, device="cpu").run(resume=True)) == 5
    again = resumed_run(run, device="cpu", epochs=1)
    assert len(again.run(resume=True)) == 6


def test_a_run_that_is_not_complete_gets_no_second_leg(tmp_path: Path, photos: Path, monkeypatch, refused) -> None:
    def stop(row: dict) -> None:
        if "epoch" in row:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        new_run(tmp_path / "run", Source(str(photos)), TrainSettings(**SMALL), 0.2, device="cpu").run(report=stop)
    longer = resumed_run(tmp_path / "run", device="cpu", epochs=5)
    assert "not complete yet" in refused(longer.run, resume=True)


def test_a_training_can_begin_with_another_parser_of_the_same_network(tmp_path: Path, photos: Path, refused) -> None:
    source, settings = Source(str(photos)), TrainSettings(**SMALL)
    first = new_run(tmp_path / "first", source, settings, 0.2, device="cpu")
    first.run()
    second = new_run(tmp_path / "second", source, settings, 0.2, device="cpu", begin_with=tmp_path / "first")
    kept, _ = read_tensors(tmp_path / "first" / "model.safetensors")
    assert all(torch.equal(value, kept[name]) for name, value in second.learner.policy.state_dict().items())
    second.run()
    assert json.loads((tmp_path / "second" / "config.json").read_text())["from"] == str(tmp_path / "first")
    assert len(resumed_run(tmp_path / "second", device="cpu").run(resume=True)) == 2
    other = TrainSettings(**{**SMALL, "preset": "crop"})
    said = refused(new_run, tmp_path / "third", source, other, 0.2, 0, "cpu", tmp_path / "first")
    assert "another network (preset fast)" in said
