"""Training: the same seed gives the same run, a killed run goes on to the same end, and mistakes are one sentence."""

from __future__ import annotations

import csv
import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load, load_file, save_file

import shapeparse
from shapeparse.learning import trainer as trainer_module
from shapeparse.learning.data import TrainingData
from shapeparse.learning.methods import ABLATIONS, METHODS
from shapeparse.learning.settings import LearningSettings, TrainSettings
from shapeparse.learning.trainer import Trainer, rate_share
from shapeparse.networks.policy import Policy
from shapeparse.networks.presets import PRESETS
from shapeparse.parsing.evaluation import accuracy_and_leaves
from shapeparse.parsing.runs import RunFolder
from shapeparse.parsing.trees import parse_images

SMALL: dict[str, Any] = {
    "preset": "fast",
    "epochs": 4,
    "depth": 3,
    "rollout_images": 4,
    "batch_images": 4,
    "batch_nodes": 12,
    "updates": 2,
    "threads": 1,
}
TIMES = ("seconds", "nodes_per_second")

STOPPING = """
import json, os, sys, time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shapeparse.learning.data import TrainingData
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.trainer import Trainer
from shapeparse.networks.presets import PRESETS

settings, shape, data, out, marker, moment = (json.loads(text) for text in sys.argv[1:])
PRESETS["fast"] = replace(PRESETS["fast"], **{k: tuple(v) if isinstance(v, list) else v for k, v in shape.items()})
arrays = np.load(data)
trainer = Trainer(TrainSettings(**settings), TrainingData(*(arrays[name] for name in sorted(arrays))), out)


def wait_to_be_killed():
    Path(marker).touch()
    time.sleep(60)


def watch(told):
    if moment == "in an epoch" and trainer.epoch == 2 and "within" in told:
        wait_to_be_killed()


real_fsync = os.fsync


def fsync(descriptor):
    name = os.readlink(f"/proc/self/fd/{descriptor}")
    if moment == "in a checkpoint" and trainer.epoch == 3 and ".checkpoint.safetensors" in name:
        wait_to_be_killed()
    real_fsync(descriptor)


os.fsync = fsync
trainer.run(report=watch)
"""
"""Trains until the middle of its third epoch, or of writing its third checkpoint, and waits there to be killed."""


@pytest.fixture
def data(photographs) -> TrainingData:
    images, masks = photographs(9)
    return TrainingData(images[:6], masks[:6], images[6:], masks[6:])


@pytest.fixture
def trainer(tiny_presets, data, tmp_path) -> Callable[..., Trainer]:
    """A trainer into a folder of that name."""

    def make(folder: str = "run", method: str = "dagger", given: TrainingData = data, **settings: object) -> Trainer:
        return Trainer(TrainSettings(method=method, **{**SMALL, **settings}), given, tmp_path / folder)

    return make


def without_times(rows: list[dict]) -> list[dict]:
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]


def metrics(folder: Path) -> list[dict]:
    with (folder / "metrics.csv").open(newline="") as file:
        return without_times(list(csv.DictReader(file)))


def assert_same_run(one: Path, other: Path) -> None:
    assert metrics(one) == metrics(other)
    assert (one / "model.safetensors").read_bytes() == (other / "model.safetensors").read_bytes()
    states = [load_file(folder / "checkpoint.safetensors") for folder in (one, other)]
    assert states[0].keys() == states[1].keys()
    for name, tensor in states[0].items():
        np.testing.assert_array_equal(tensor, states[1][name])


# ---- a run ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_every_method_trains_and_writes_its_run_folder(trainer, data, tmp_path, method):
    told: list[dict] = []
    run = trainer(method=method, epochs=2)
    rows = run.run(report=told.append)
    assert [row["epoch"] for row in rows] == [1, 2]
    assert [row for row in told if "epoch" in row] == rows
    assert all(np.isfinite(value) for row in rows for value in row.values())
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        "checkpoint.safetensors", "config.json", "metrics.csv", "model.safetensors",
    ]  # fmt: skip
    assert [row["epoch"] for row in metrics(tmp_path / "run")] == ["1", "2"]
    assert json.loads((tmp_path / "run" / "config.json").read_text())["settings"]["method"] == method


def test_the_model_is_the_best_on_validation(trainer, data, tmp_path, tiny_presets):
    rows = trainer(epochs=3).run()
    policy = Policy(tiny_presets["fast"])
    facts = RunFolder(tmp_path / "run").read_model(policy)
    best = max(rows, key=lambda row: row["validation_accuracy"])
    assert set(facts.pop("calibration")) == {"slope", "shift"}
    assert facts.pop("estimate")["accuracy"] == best["validation_accuracy"]
    assert facts == {"epoch": best["epoch"], "validation_accuracy": best["validation_accuracy"]}
    forests = parse_images(policy, data.validation_images, TrainSettings(**SMALL).limits)
    accuracy, _ = accuracy_and_leaves(forests, data.validation_masks)
    assert accuracy.mean() == pytest.approx(best["validation_accuracy"])


def test_training_learns(trainer, data):
    """Three photographs, learned by heart: far better than one label for all."""
    images, masks = data.train_images[:3], data.train_masks[:3]
    by_heart = trainer(given=TrainingData(images, masks, images, masks), epochs=30, flips=False, colour=0.0, updates=4)
    by_heart.run()
    majority = np.maximum(masks.mean(axis=(1, 2)), 1 - masks.mean(axis=(1, 2))).mean()
    assert by_heart.best > majority + 0.1


def test_pixel_statistics_are_those_of_the_training_images(trainer, data):
    """The authors' code used the test images' own mean."""
    run = trainer(method="ddpg")
    for network in run.learner.networks().values():
        pixels = data.train_images.reshape(-1, 3) / 255
        np.testing.assert_allclose(network.trunk.pixel_mean, pixels.mean(axis=0), atol=1e-4)
        np.testing.assert_allclose(network.trunk.pixel_std, pixels.std(axis=0), atol=1e-4)


def test_the_learning_rate_rises_quickly_and_falls_to_almost_nothing():
    assert rate_share(0.0) == pytest.approx(0.1)
    assert rate_share(0.03) == pytest.approx(1.0)
    assert rate_share(1.0) == pytest.approx(0.01)


def test_beta_falls_from_1_to_its_end(trainer):
    rows = trainer(epochs=4, rollout_images=6, beta_until=0.5, beta_end=0.2).run()
    assert [row["beta"] for row in rows] == pytest.approx([1.0, 0.6, 0.2, 0.2])


def test_a_network_with_a_map_looks_before_it_parses(trainer):
    run = trainer(preset="scratch", epochs=4, map_until=0.5, first_look=16, beta_until=1.0)
    heads = run.learner.policy.rule.weight.detach().clone()
    untouched: list[bool] = []
    rows = run.run(report=lambda told: untouched.append(bool((run.learner.policy.rule.weight == heads).all())))
    assert ["policy_loss" in row for row in rows] == [False, False, True, True]
    assert all(row["map_loss"] > 0 for row in rows)
    assert [row["memory"] > 0 for row in rows] == [False, False, True, True]
    assert [row["beta"] for row in rows] == pytest.approx([1.0, 1.0, 0.75, 0.25])
    assert untouched[0] and not untouched[-1]


def test_a_method_without_an_oracle_never_looks_at_the_masks(trainer):
    rows = trainer(method="mcpg", preset="scratch", epochs=2, map_until=0.5).run()
    assert not any("map_loss" in row for row in rows)


@pytest.mark.parametrize("averaging", [0.0, 0.5])
def test_of_averaged_weights_the_last_are_kept_and_of_others_the_best(trainer, averaging, monkeypatch):
    run = trainer(epochs=4, learning=LearningSettings(averaging=averaging))
    accuracies = iter([0.1, 0.9, 0.3, 0.4])
    found = lambda *_: (np.array([next(accuracies)]), np.array([1.0]))  # noqa: E731
    monkeypatch.setattr(trainer_module, "accuracy_and_leaves", found)
    run.run()
    assert run.best_epoch == run.folder.read_model(Policy(run.preset))["epoch"] == (4 if averaging else 2)


def test_a_run_stops_when_validation_no_longer_improves(trainer):
    rows = trainer(epochs=30, patience=2, learning=LearningSettings(rate=0.0)).run()
    assert len(rows) == 4  # the first is the best; then two without a better one, and one more


def test_minutes_are_a_budget_too(trainer):
    started = time.perf_counter()
    rows = trainer(epochs=None, minutes=0.02).run()
    assert len(rows) >= 1
    assert time.perf_counter() - started < 10


def test_an_on_policy_method_remembers_only_the_last_rollout(trainer):
    run = trainer(method="mcpg", epochs=1, rollout_images=2)
    run.run()
    assert np.count_nonzero(run.memory.added) == 2


# ---- what a method may not have ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["mcpg", "ddpg"])
def test_reinforcement_learners_train_where_there_is_no_oracle(trainer, monkeypatch, method):
    def refuse(*_: object) -> None:
        raise AssertionError("a reinforcement learner asked for the oracle")

    monkeypatch.setattr("shapeparse.oracle.teachers.Oracle", refuse)
    run = trainer(method=method, epochs=1)
    run.run()
    assert run.rollout.oracle is None
    assert not {"oracle_rule", "oracle_cut"} & run.memory.present


@pytest.mark.parametrize("method", ["bc", "dagger"])
def test_imitation_learners_train_where_there_are_no_rewards(trainer, monkeypatch, method):
    def refuse(*_: object) -> None:
        raise AssertionError("an imitation learner asked for rewards")

    monkeypatch.setattr("shapeparse.learning.scenes.Rewards", refuse)
    run = trainer(method=method, epochs=1)
    run.run()
    assert run.rollout.rewards is None
    assert not {"returns", "behaviour"} & run.memory.present


# ---- the same again ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["dagger", "drag", "mcpg"])
def test_the_same_seed_gives_the_same_run_and_another_seed_another(trainer, tmp_path, method):
    for folder, seed in (("one", 3), ("same", 3), ("other", 4)):
        trainer(folder, method, epochs=2, seed=seed).run()
    assert_same_run(tmp_path / "one", tmp_path / "same")
    assert metrics(tmp_path / "one") != metrics(tmp_path / "other")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL") or not Path("/proc/self/fd").exists(), reason="needs Linux")
@pytest.mark.parametrize(
    ("method", "moment"),
    [("dagger", "in an epoch"), ("drag", "in a checkpoint"), ("ddpg", "in an epoch"), ("mcpg", "in a checkpoint")],
)
def test_a_killed_run_resumes_to_the_end_of_the_uninterrupted_one(trainer, data, tmp_path, method, moment):
    arrays = {str(place): array for place, array in enumerate(vars(data).values())}
    np.savez(tmp_path / "data.npz", **arrays)
    marker, killed = tmp_path / "marker", tmp_path / "killed"
    shape = {name: value for name, value in vars(PRESETS["fast"]).items() if name != "trunk"}
    given = ({"method": method, **SMALL}, shape, str(tmp_path / "data.npz"), str(killed), str(marker), moment)
    environment = {**os.environ, "PYTHONPATH": str(Path(shapeparse.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([sys.executable, "-c", STOPPING, *map(json.dumps, given)], env=environment)
    try:
        deadline = time.monotonic() + 60
        while not marker.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        assert marker.exists()
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert process.returncode == -signal.SIGKILL
    assert len(list(killed.glob(".*.part"))) == (moment == "in a checkpoint")

    resumed = trainer("killed", method)
    rows = resumed.run(resume=True)
    assert [row["epoch"] for row in rows] == [1, 2, 3, 4]
    assert not list(killed.glob(".*.part"))
    trainer("whole", method).run()
    assert_same_run(killed, tmp_path / "whole")


def test_a_run_with_fresh_heads_that_was_stopped_goes_on_as_if_it_had_not_been(trainer, tmp_path):
    how = {"preset": "scratch", "map_until": 0.5, "map_updates": 2, "epochs": 4}
    learning = LearningSettings(averaging=0.9, fresh_heads=True, quick=True)

    class Stop(Exception):
        pass

    def stop(told: dict) -> None:
        if told.get("epoch") == 3:
            raise Stop

    with pytest.raises(Stop):
        trainer("stopped", learning=learning, **how).run(report=stop)
    trainer("stopped", learning=learning, **how).run(resume=True)
    trainer("whole", learning=learning, **how).run()
    assert_same_run(tmp_path / "stopped", tmp_path / "whole")


def test_resuming_a_finished_run_changes_nothing(trainer, tmp_path):
    rows = trainer(epochs=2).run()
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    assert trainer(epochs=2).run(resume=True) == rows
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before


def test_resuming_what_was_stopped_before_its_first_checkpoint_begins_anew(trainer, tmp_path):
    stopped = trainer("stopped", epochs=2)
    stopped.folder.write_config(stopped.config())
    trainer("stopped", epochs=2).run(resume=True)
    trainer("whole", epochs=2).run(resume=True)  # and so does resuming what never was
    assert_same_run(tmp_path / "stopped", tmp_path / "whole")


def test_resuming_that_with_other_settings_is_refused_all_the_same(trainer, refused):
    stopped = trainer(epochs=2)
    stopped.folder.write_config(stopped.config())
    assert "(seed)" in refused(trainer(epochs=2, seed=1).run, resume=True)


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_leaves_the_last_checkpoint_to_go_on_from(trainer, tmp_path, refused, monkeypatch, failing):
    run = trainer("full", epochs=3)
    real = getattr(os, failing)

    def full(*arguments: object) -> None:
        if run.epoch == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(os, failing, full)
        assert "No space left on device" in refused(run.run)
    assert not list((tmp_path / "full").glob(".*.part"))
    again = trainer("full", epochs=3)
    assert again.run(resume=True)[0]["epoch"] == 1
    trainer("whole", epochs=3).run()
    assert_same_run(tmp_path / "full", tmp_path / "whole")


# ---- unusual data --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paint", [False, True])
@pytest.mark.parametrize("method", ["dagger", "drag", "aggrevated", "mcpg", "ddpg", "drag-anchored"])
def test_masks_of_one_class_can_be_learned(trainer, data, method, paint):
    """The oracle's trees are roots alone: a method that learns at a switch may get nothing at all from a rollout."""
    flat = replace(data, train_masks=np.full_like(data.train_masks, paint))
    rows = trainer(method=method, given=flat, epochs=2, rollout_images=1, flips=False).run()
    assert len(rows) == 2


def test_one_image_to_learn_from_is_enough(trainer, data):
    single = replace(data, train_images=data.train_images[:1], train_masks=data.train_masks[:1])
    for method in ("drag", "mcpg"):
        trainer(method, method, single, epochs=2, flips=False).run()


def test_a_tree_of_depth_0_is_a_label(trainer):
    for method in ("dagger", "drag", "ddpg", "mcpg", "drag-dense"):
        rows = trainer(method, method, depth=0, epochs=1).run()
        assert rows[0]["validation_leaves"] == 1


# ---- mistakes ------------------------------------------------------------------------------------------------------


def test_a_run_folder_is_not_trained_into_twice(trainer, refused, tmp_path):
    trainer(epochs=1).run()
    before = (tmp_path / "run" / "model.safetensors").read_bytes()
    assert "add --resume" in refused(trainer(epochs=1, seed=9).run)
    assert (tmp_path / "run" / "model.safetensors").read_bytes() == before


def test_resuming_with_other_settings_names_them(trainer, refused):
    trainer(epochs=2).run()
    changed = trainer(epochs=3, learning=LearningSettings(clip=1.0), colour=0.0)
    message = refused(changed.run, resume=True)
    assert "(colour, epochs, learning.clip)" in message


def test_resuming_with_other_images_is_refused(trainer, data, refused):
    trainer(epochs=1).run()
    darker = replace(data, train_images=data.train_images // 2)
    assert "fingerprint" in refused(trainer(epochs=1, given=darker).run, resume=True)


@pytest.mark.parametrize("damage", ["cut short", "garbage", "empty", "other tensors", "no notes", "hostile notes"])
def test_a_damaged_checkpoint_is_refused(trainer, refused, tmp_path, damage):
    run = trainer(epochs=1)
    run.run()
    path = tmp_path / "run" / "checkpoint.safetensors"
    content = path.read_bytes()
    if damage == "other tensors":
        config = json.dumps(run.config())
        rest = {"state": '{"epoch": 1, "seconds": 1, "best": 1, "best_epoch": 1, "present": []}', "rows": "[]"}
        save_file({"network.policy.rule.weight": np.zeros(3)}, path, {"config": config, "rng": "{}", **rest})
    elif damage == "no notes":
        save_file(load_file(path), path)
    elif damage == "hostile notes":
        save_file(load_file(path), path, {"config": "[[[]]]", "state": "7", "rows": "{", "rng": "null"})
    else:
        spoiled = {"cut short": content[: len(content) // 2], "garbage": b"\xff" * 1000, "empty": b""}
        path.write_bytes(spoiled[damage])
    assert str(path) in refused(trainer(epochs=1).run, resume=True)


def test_a_run_cannot_be_written_where_a_file_is(trainer, tmp_path, refused):
    (tmp_path / "run").touch()
    assert "is a file" in refused(trainer(epochs=1).run)


# ---- frames --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["drag", "off-acpg"])
def test_what_is_remembered_is_true_of_the_frame_that_a_scene_shows_now(trainer, method):
    """Returns of nodes in another frame of the image would be those of other pixels."""
    run = trainer(method=method, zoom=0.5, zoom_chance=0.5, batch_images=2, updates=1)
    for number in range(6):
        for _ in run._iterate(run.rollout.scenes.draw(run.rng)[:3], beta=0.5):
            pass
        assert len(run.memory) > 0
        kept = run.memory.sample(np.arange(len(run.rollout.scenes)), 1000, np.random.default_rng(number))
        now = run.rollout.oracle.cost_to_go(kept.nodes, kept.actions) / kept.nodes.area
        np.testing.assert_allclose(kept.returns, now, atol=1e-6)
        advice = run.rollout.oracle(kept.nodes)
        np.testing.assert_array_equal(kept.oracle_rule, advice.rule)


@pytest.mark.parametrize(("chance", "zoom", "forgotten"), [(1.0, 0.5, True), (0.0, 0.5, False), (1.0, 0.0, False)])
def test_only_images_that_are_zoomed_into_anew_are_forgotten(trainer, chance, zoom, forgotten):
    run = trainer(zoom=zoom, zoom_chance=chance, colour=0.0)
    everything = np.arange(len(run.rollout.scenes))
    run.memory.add(run.rollout.gather(run.learner.policy, everything, 0.5, run.rng))
    before = run.memory.added.copy()
    run._reframe(np.array([2, 5]))
    expected = before.copy()
    if forgotten:
        expected[[2, 5]] = 0
    assert run.memory.added.tolist() == expected.tolist()
    whole = (run.rollout.scenes.frames == run.rollout.scenes.frames[0]).all(axis=1)
    assert whole[[0, 1, 3, 4]].all()
    assert whole[[2, 5]].all() != forgotten


def test_minibatches_are_drawn_from_all_that_is_remembered_and_on_policy_from_what_was_just_parsed(trainer):
    run = trainer(method="dagger", batch_images=2, updates=5)
    run.memory.added[[1, 3, 8]] = 4
    draws = run._draws(np.array([3]))
    assert len(draws) == 5
    assert {int(scene) for draw in draws for scene in draw} <= {1, 3, 8}
    assert all(len(set(draw.tolist())) == 2 for draw in draws)
    run.memory.clear()
    assert run._draws(np.array([3])) == []
    on_policy = trainer("other", "mcpg", batch_images=2)
    assert [draw.tolist() for draw in on_policy._draws(np.array([7, 1]))] == [[7, 1]]


@pytest.mark.parametrize("method", [*METHODS, *ABLATIONS])
def test_every_method_makes_the_same_number_of_updates(trainer, method):
    run = trainer(method=method, epochs=1, updates=3)
    run.run()
    parts = max(1, round(len(run.data.train_images) / SMALL["rollout_images"]))
    assert run.learner.updates == 3 * parts


def test_whoever_learns_sees_what_whoever_acted_saw(trainer, monkeypatch):
    """Also when frames and lights are drawn anew all the time."""
    run = trainer(method="off-mcpg", zoom=0.4, colour=0.5, zoom_chance=0.6)
    shown: dict[int, np.ndarray] = {}
    real = run.rollout.sight

    def listen(scenes, device):
        pixels = real(scenes, device)
        acting = not run.learner.policy.training
        for scene, one in zip(scenes.tolist(), pixels, strict=True):
            if acting:
                shown[scene] = one.numpy().copy()
            np.testing.assert_array_equal(one, shown[scene])
        run.learner.policy.train(acting)
        return pixels

    object.__setattr__(run.rollout, "sight", listen)
    for _ in range(3):
        scenes = run.rollout.scenes.draw(run.rng)
        for _ in run._iterate(scenes, 0.5):
            pass
    lights = run.rollout.scenes.lights
    assert np.count_nonzero(lights.any(axis=1)) > 0 and len(shown) > 3


def test_metrics_say_how_far_cuts_are_from_the_middle_at_every_depth(trainer):
    (row,) = trainer(method="bc", epochs=1).run()
    assert all(0 <= row[f"off_middle_{depth}"] <= 0.5 for depth in range(SMALL["depth"]))


def test_a_run_computes_where_it_is_told(trainer):
    """Also where the default device is another one."""
    import torch

    run = trainer(preset="scratch", epochs=1, map_until=0.5)
    images = run.rollout.scenes.draw(run.rng)[:3]
    list(run._iterate(images, 0.5))  # PyTorch's optimisers make their own counters, once
    with torch.device("meta"):
        assert all(np.isfinite(list(one.values())).all() for one in run._iterate(images, 0.5))
        assert all(np.isfinite(list(one.values())).all() for one in run._look(images, 0.0))
        assert np.isfinite(run._validate()["validation_accuracy"])


def test_until_a_plateau_a_run_goes_on_past_any_epoch_and_resumes_to_the_same_end(trainer):
    settings = {"method": "bc", "epochs": None, "plateau": 6, "updates": 2}
    straight = trainer("straight", **settings)
    rows = straight.run()
    assert straight.plateau.decays_from is not None
    assert straight.learner.updates >= straight.plateau.decays_from + 3
    assert rows[-1]["updates"] == straight.learner.updates
    assert rows[-1]["node_samples"] == straight.node_samples > straight.plateau.node_samples > 0

    class Stopped(Exception):
        pass

    def stop(row):
        if row.get("epoch") == 3:
            raise Stopped

    with pytest.raises(Stopped):
        trainer("stopped", **settings).run(report=stop)
    resumed = trainer("stopped", **settings)
    again = resumed.run(resume=True)
    assert [row["validation_accuracy"] for row in again] == [row["validation_accuracy"] for row in rows]
    assert replace(resumed.plateau, seconds=0) == replace(straight.plateau, seconds=0)


def test_epochs_are_the_most_that_a_run_to_a_plateau_may_take(trainer):
    assert len(trainer(method="bc", epochs=2, plateau=10_000).run()) == 2


@pytest.mark.parametrize("method", ["dagger", "drag", "ddpg", "mcpg", "aggrevate-exact", "drag-exact"])
def test_a_frozen_encoder_is_seen_through_by_every_kind_of_method_and_the_parser_has_eyes(trainer, photographs, method):
    images, masks = photographs(9, 64)
    given = TrainingData(images[:6], masks[:6], images[6:], masks[6:])
    run = trainer(method=method, preset="frozen", epochs=2, given=given)
    rows = run.run()
    policy = Policy(run.preset)
    RunFolder(run.folder.path).read_model(policy)
    limits, images = run.settings.limits, run.data.validation_images
    accuracy, _ = accuracy_and_leaves(parse_images(policy, images, limits), run.data.validation_masks)
    assert accuracy.mean() == pytest.approx(max(row["validation_accuracy"] for row in rows), abs=0.02)
    assert shapeparse.load(run.folder.path).parse(images[0]).width == images.shape[2]
    assert (run.folder.path.parent / "shapeparse-features").is_dir()


def test_a_distribution_over_places_needs_a_network_that_keeps_them(trainer, refused):
    assert "keeps places" in refused(trainer, method="aggrevate-exact", preset="crop")


def test_a_method_that_knows_the_worth_of_cuts_needs_the_teacher_that_does(trainer, refused):
    assert "give optimal" in refused(trainer, method="drag-exact", teacher="igm")


# ---- what it knows of its photographs ------------------------------------------------------------------------------


def test_a_finished_run_knows_its_photographs_and_its_weights_are_those_it_kept(trainer, data, tmp_path):
    run = trainer(epochs=2)
    kept: list[bytes] = []
    run._conclude, conclude = (lambda: kept.append(run.folder.model_path.read_bytes())), run._conclude
    run.run()
    before, state = load(kept[0]), torch.get_rng_state()
    conclude()
    assert torch.equal(torch.get_rng_state(), state)
    after = load_file(run.folder.model_path)
    assert {name: after[name].tolist() for name in before} == {name: one.tolist() for name, one in before.items()}
    parser = shapeparse.load(tmp_path / "run")
    assert parser.familiarity is not None
    images = np.concatenate([data.train_images, np.full_like(data.train_images[:1], 255)])
    strange = np.array(parser.strangeness(images), float)
    assert (strange[:-1] < 1).all()
    assert strange.argmax() == len(strange) - 1


def test_a_run_that_was_complete_before_learns_its_photographs_when_it_is_resumed(trainer, tmp_path):
    run = trainer(epochs=1)
    run._conclude = lambda: None
    run.run()
    assert shapeparse.load(tmp_path / "run").familiarity is None
    trainer(epochs=1).run(resume=True)
    assert shapeparse.load(tmp_path / "run").familiarity is not None
    content = run.folder.model_path.read_bytes()
    trainer(epochs=1).run(resume=True)
    assert run.folder.model_path.read_bytes() == content
