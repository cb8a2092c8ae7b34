"""The segmenter: it learns, the same seed gives the same run, an interrupted run goes on to the same end."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from shapeparse import igm
from shapeparse.learning.beginning import pretrained_map
from shapeparse.learning.data import TrainingData
from shapeparse.networks import lite
from shapeparse.networks.lite import LiteEncoder
from shapeparse.networks.presets import PRESETS
from shapeparse.peers import Segmenter, SegmenterSettings, load_segmenter
from shapeparse.peers.segmenter import one_cycle

SMALL = {"epochs": 3, "widths": (4, 6, 8), "batch": 2, "threads": 1, "passes": 1}


@pytest.fixture
def data(photographs) -> TrainingData:
    images, masks = photographs(9)
    return TrainingData(images[:6], masks[:6], images[6:], masks[6:])


@pytest.fixture
def segmenter(data, tmp_path) -> Callable[..., Segmenter]:
    """A segmenter that trains into a folder of that name."""

    def make(folder: str = "run", given: TrainingData = data, **settings: object) -> Segmenter:
        return Segmenter(SegmenterSettings(**{**SMALL, **settings}), given, tmp_path / folder)

    return make


def red_squares(count: int, side: int = 64, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A red square somewhere among noise; the square is paint."""
    rng = np.random.default_rng(seed)
    images, masks = rng.integers(0, 120, (count, side, side, 3), np.uint8), np.zeros((count, side, side), bool)
    for image, mask in zip(images, masks, strict=True):
        x, y, size = rng.integers((0, 0, 12), (side // 2, side // 2, side // 2 + 12))
        image[y : y + size, x : x + size] = (230, 20, 20)
        mask[y : y + size, x : x + size] = True
    return images, masks


def metrics(folder: Path) -> list[dict]:
    with (folder / "metrics.csv").open(newline="") as file:
        return [{name: value for name, value in row.items() if name != "seconds"} for row in csv.DictReader(file)]


def assert_same_run(one: Path, other: Path) -> None:
    assert metrics(one) == metrics(other)
    assert (one / "model.safetensors").read_bytes() == (other / "model.safetensors").read_bytes()
    states = [load_file(folder / "checkpoint.safetensors") for folder in (one, other)]
    assert states[0].keys() == states[1].keys()
    for name, tensor in states[0].items():
        np.testing.assert_array_equal(tensor, states[1][name])


class Interrupted(Exception):
    """Stands in for whatever ends a run."""


def interrupt_at(run: Segmenter, epoch: int, within: bool) -> None:
    """Train, and stop after ``epoch`` epochs or within the next one."""

    def stop(told: dict) -> None:
        if run.epoch == epoch and ("within" in told) == within:
            raise Interrupted

    with pytest.raises(Interrupted):
        run.run(report=stop)


# ---- a run ---------------------------------------------------------------------------------------------------------


def test_red_squares_are_learned_and_decomposed(segmenter):
    images, masks = red_squares(40)
    given = TrainingData(images[:24], masks[:24], images[24:32], masks[24:32])
    run = segmenter(given=given, epochs=10, widths=(8, 16, 16), rate=0.01)
    rows = run.run()
    assert run.best > 0.95
    assert rows[-1]["loss"] < rows[0]["loss"]
    found = run.probabilities(images[32:])
    assert ((found > 0.5) == masks[32:]).mean() > 0.95
    accuracy = [tree.accuracy(mask) for tree, mask in zip(igm(found), masks[32:], strict=True)]
    assert np.mean(accuracy) > 0.95


def test_a_run_writes_its_folder_and_tells_of_every_epoch(segmenter, tmp_path):
    told: list[dict] = []
    run = segmenter()
    rows = run.run(report=told.append)
    assert [row for row in told if "epoch" in row] == rows == run.rows
    assert [list(row) for row in rows] == [["epoch", "seconds", "loss", "validation_accuracy"]] * 3
    assert [told[place]["within"] for place in (0, 1, 2)] == pytest.approx([1 / 3, 2 / 3, 1])
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        "checkpoint.safetensors", "config.json", "metrics.csv", "model.safetensors",
    ]  # fmt: skip
    assert [row["epoch"] for row in metrics(tmp_path / "run")] == ["1", "2", "3"]
    assert (run.epoch, run.seconds) == (3, pytest.approx(rows[-1]["seconds"], abs=0.01))


def test_the_best_weights_on_validation_are_kept(segmenter, data, tmp_path):
    run = segmenter(epochs=6, rate=0.05)
    rows = run.run()
    best = max(rows, key=lambda row: row["validation_accuracy"])
    assert (run.best, run.best_epoch) == (best["validation_accuracy"], best["epoch"])
    trained = load_segmenter(tmp_path / "run")
    assert trained.facts == {"epoch": run.best_epoch, "validation_accuracy": run.best}
    found = trained.probabilities(data.validation_images, flips=False) > 0.5
    assert (found == data.validation_masks).mean() == pytest.approx(run.best)


def test_an_epoch_may_look_at_every_image_several_times(segmenter):
    told: list[dict] = []
    segmenter(epochs=1, passes=3).run(report=told.append)
    once: list[dict] = []
    segmenter("once", epochs=1).run(report=once.append)
    assert len(told) - 1 == 3 * (len(once) - 1)


def test_minutes_are_a_budget_too(segmenter):
    run = segmenter(epochs=None, minutes=0.01)
    rows = run.run()
    assert len(rows) >= 1
    assert 0.6 <= run.seconds < 10


def test_pixel_statistics_are_those_of_the_training_images(segmenter, data):
    pixels = data.train_images.reshape(-1, 3) / 255
    network = segmenter().network
    np.testing.assert_allclose(network.pixel_mean, pixels.mean(axis=0), atol=1e-4)
    np.testing.assert_allclose(network.pixel_std, pixels.std(axis=0), atol=1e-4)


def test_the_learning_rate_rises_and_falls_once():
    shares = [one_cycle(progress) for progress in np.linspace(0, 1, 101)]
    assert shares[0] == pytest.approx(0.04)
    assert shares[20] == pytest.approx(1)
    assert shares[-1] == pytest.approx(0.001)
    assert (np.diff(shares[:21]) > 0).all() and (np.diff(shares[20:]) < 0).all()


# ---- what it predicts ----------------------------------------------------------------------------------------------


def test_flips_are_averaged(segmenter, data, tmp_path):
    run = segmenter(epochs=1)
    run.run()
    images = data.validation_images
    plain = run.probabilities(images, flips=False)
    mirrored = run.probabilities(np.ascontiguousarray(images[:, :, ::-1]), flips=False)[:, :, ::-1]
    both = run.probabilities(images)
    np.testing.assert_allclose(both, (plain + mirrored) / 2, atol=1e-6)
    assert not np.allclose(plain, mirrored, atol=1e-4)
    assert both.dtype == np.float32 and both.shape == images.shape[:3]
    np.testing.assert_array_equal(load_segmenter(tmp_path / "run").probabilities(images), both)


def test_images_are_predicted_each_for_itself_however_many(segmenter, data):
    run = segmenter(epochs=1)
    run.run()
    many = np.concatenate([data.train_images] * 4)[:20]
    together = run.probabilities(many)
    np.testing.assert_allclose(together[19:], run.probabilities(many[19:]), atol=1e-5)
    assert run.probabilities(many[:0]).shape == (0, 32, 32)


# ---- the same again ------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_run_and_another_seed_another(segmenter, tmp_path):
    for folder, seed in (("one", 3), ("same", 3), ("other", 4)):
        segmenter(folder, seed=seed).run()
    assert_same_run(tmp_path / "one", tmp_path / "same")
    assert metrics(tmp_path / "one") != metrics(tmp_path / "other")


@pytest.mark.parametrize("within", [False, True])
def test_an_interrupted_run_resumes_to_the_end_of_the_uninterrupted_one(segmenter, tmp_path, within):
    interrupt_at(segmenter("stopped", epochs=5), 2, within)
    (tmp_path / "stopped" / ".checkpoint.safetensors.x.part").touch()
    resumed = segmenter("stopped", epochs=5)
    rows = resumed.run(resume=True)
    assert [row["epoch"] for row in rows] == [1, 2, 3, 4, 5]
    whole = segmenter("whole", epochs=5)
    whole.run()
    assert_same_run(tmp_path / "stopped", tmp_path / "whole")
    assert (resumed.best, resumed.best_epoch) == (whole.best, whole.best_epoch)
    assert not list((tmp_path / "stopped").glob(".*.part"))


def test_resuming_a_finished_run_changes_nothing(segmenter, tmp_path):
    rows = segmenter().run()
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    assert segmenter().run(resume=True) == rows
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before


def test_resuming_what_was_stopped_before_its_first_checkpoint_begins_anew(segmenter, tmp_path):
    interrupt_at(segmenter("stopped"), 0, within=True)
    segmenter("stopped").run(resume=True)
    segmenter("whole").run()
    assert_same_run(tmp_path / "stopped", tmp_path / "whole")


def test_training_leaves_the_global_random_state_alone(segmenter):
    before = torch.random.get_rng_state()
    segmenter(epochs=1).run()
    assert torch.equal(torch.random.get_rng_state(), before)


# ---- unusual data --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paint", [False, True])
def test_masks_of_one_class_can_be_learned(segmenter, data, paint):
    flat = {name: np.full_like(getattr(data, name), paint) for name in ("train_masks", "validation_masks")}
    run = segmenter(given=replace(data, **flat), epochs=10, rate=0.03)
    run.run()
    assert run.best > 0.95


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_images_to_learn_from_are_enough(segmenter, data, count):
    """Even where the coarsest map is a single place."""
    few = replace(data, train_images=data.train_images[:count], train_masks=data.train_masks[:count])
    rows = segmenter(given=few, epochs=2, widths=(4,) * 6).run()
    assert all(np.isfinite(row["loss"]) for row in rows)


# ---- mistakes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"minutes": float("nan")}, "minutes is nan"),
        ({"rate": float("inf")}, "rate is inf"),
        ({"weight_decay": -1.0}, "weight_decay is -1.0"),
        ({"epochs": 0}, "budget is empty"),
        ({"epochs": 1.5}, "budget is empty"),
        ({"minutes": 0.0}, "budget is empty"),
        ({"batch": 1}, "batch is 1"),
        ({"seed": -1}, "seed is -1"),
        ({"threads": 0}, "threads is 0"),
        ({"zoom": 0.5}, "zoom is 0.5"),
        ({"colour": 2.0}, "colour is 2.0"),
        ({"widths": (8, 0)}, "widths is (8, 0)"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named(refused, settings, complaint):
    assert complaint in refused(SegmenterSettings, **settings)


def test_without_a_budget_training_takes_5_minutes():
    assert SegmenterSettings().minutes == 5.0


def test_a_folder_is_not_trained_into_twice(segmenter, refused):
    segmenter(epochs=1).run()
    assert "add --resume" in refused(segmenter(epochs=1, seed=9).run)


def test_resuming_with_other_settings_or_images_names_them(segmenter, data, refused):
    segmenter(epochs=1).run()
    assert "(colour, epochs)" in refused(segmenter(epochs=2, colour=0.0).run, resume=True)
    darker = replace(data, train_images=data.train_images // 2)
    assert "(fingerprint)" in refused(segmenter(epochs=1, given=darker).run, resume=True)


@pytest.mark.parametrize("content", ['"settings": 7', '"settings": {}', '"peer": "segmenter"'])
def test_resuming_from_the_config_of_something_else_is_refused(segmenter, refused, tmp_path, content):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "config.json").write_text(f'{{"format": "shapeparse-run", "version": 1, {content}}}')
    assert "other settings" in refused(segmenter().run, resume=True)


@pytest.mark.parametrize(
    "damage", ["cut short", "garbage", "empty", "no moments", "other weights", "no notes", "hostile notes"]
)
def test_a_damaged_checkpoint_is_refused(segmenter, refused, tmp_path, damage):
    run = segmenter(epochs=1)
    run.run()
    path = tmp_path / "run" / "checkpoint.safetensors"
    content, tensors = path.read_bytes(), load_file(path)
    state = {"state": '{"epoch": 1, "seconds": 1, "best": 1, "best_epoch": 1}', "rows": "[]", "rng": "{}"}
    notes = {"config": json.dumps(run.config()), **state}
    if damage == "no moments":
        save_file({name: value for name, value in tensors.items() if "optimiser" not in name}, path, notes)
    elif damage == "other weights":
        save_file({name: value.ravel()[:1] for name, value in tensors.items()}, path, notes)
    elif damage == "no notes":
        save_file(tensors, path)
    elif damage == "hostile notes":
        save_file(tensors, path, {"config": "[[[]]]", "state": "7", "rows": "{}", "rng": "null"})
    else:
        spoiled = {"cut short": content[: len(content) // 2], "garbage": b"\xff" * 1000, "empty": b""}
        path.write_bytes(spoiled[damage])
    assert str(path) in refused(segmenter(epochs=1).run, resume=True)


@pytest.mark.parametrize("damage", ["cut short", "missing", "other network"])
def test_a_damaged_model_is_refused(segmenter, refused, tmp_path, damage):
    segmenter(epochs=1).run()
    path = tmp_path / "run" / "model.safetensors"
    if damage == "missing":
        path.unlink()
    elif damage == "cut short":
        path.write_bytes(path.read_bytes()[:500])
    else:
        save_file({"head.weight": np.zeros(3, np.float32)}, path)
    assert str(path) in refused(load_segmenter, tmp_path / "run")


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"peer": "colours"},
        {"peer": "segmenter"},
        {"peer": "segmenter", "settings": 7},
        {"peer": "segmenter", "settings": {"widths": [-1]}},
        {"peer": "segmenter", "settings": {"widths": "wide"}},
        {"peer": "segmenter", "settings": {"unknown": 1}},
    ],
)
def test_a_folder_of_something_else_is_refused(refused, tmp_path, content):
    (tmp_path / "config.json").write_text(json.dumps({"format": "shapeparse-run", "version": 1, **content}))
    assert "does not describe a segmenter" in refused(load_segmenter, tmp_path)


def test_nothing_is_predicted_before_something_is_learned(segmenter, data, refused):
    assert "is not a folder" in refused(segmenter().probabilities, data.validation_images)


def test_a_segmenter_with_our_eyes_begins_with_them_and_moves_them_slowly(segmenter, tmp_path) -> None:
    pytest.importorskip(lite.PACKAGE)
    one = segmenter(encoder="lite0", widths=(4, 6, 8, 8, 8), epochs=1, encoder_rate=1e-4)
    known = LiteEncoder(32)
    lite.load_weights(known)
    assert all(torch.equal(value, known.state_dict()[name]) for name, value in one.network.eyes.state_dict().items())
    one.run()
    assert {group["highest"] for group in one.optimiser.param_groups} == {one.settings.rate, 1e-4}
    found: Any = load_segmenter(tmp_path / "run").network
    moved = {name for name, value in found.eyes.state_dict().items() if not value.equal(known.state_dict()[name])}
    assert moved and not any(name.startswith(("stem", "stages.0", "stages.1")) for name in moved)


def test_a_segmenter_can_begin_with_the_pretrained_parser_as_ours_does(segmenter, refused) -> None:
    pytest.importorskip(lite.PACKAGE)
    widths = PRESETS["best"].widths
    one = segmenter(encoder="lite0", widths=widths, begin_with="pretrained")
    known = pretrained_map(PRESETS["best"]).state_dict()
    assert all(torch.equal(value, known[name]) for name, value in one.network.pyramid.state_dict().items())
    assert "choose one of none." in refused(SegmenterSettings, begin_with="pretrained")


def test_widths_are_those_of_our_own_networks() -> None:
    assert SegmenterSettings().widths == PRESETS["scratch"].widths
    assert SegmenterSettings(encoder="lite0").widths == PRESETS["best"].widths
