"""A run folder: what is written comes back, and what is damaged is refused in one sentence."""

from __future__ import annotations

import csv
import json
import os

import pytest
import torch
from safetensors.numpy import load_file, save_file
from torch import nn

from shapeparse.networks.policy import Policy
from shapeparse.parsing.runs import RunFolder, load_state, packed_tensors, read_tensors, write_tensors


@pytest.mark.parametrize("damage", ["cut short", "garbage", "empty", "missing", "other network", "hostile notes"])
def test_a_damaged_model_is_refused(refused, tmp_path, tiny_presets, damage):
    folder = RunFolder(tmp_path)
    folder.write_model(Policy(tiny_presets["fast"]), {"epoch": 1})
    content = folder.model_path.read_bytes()
    if damage == "missing":
        folder.model_path.unlink()
    elif damage == "hostile notes":
        save_file(load_file(folder.model_path), folder.model_path, {"facts": "[" * 100_000})
    elif damage != "other network":
        spoiled = {"cut short": content[: len(content) // 2], "garbage": b"\xff" * 1000, "empty": b""}
        folder.model_path.write_bytes(spoiled[damage])
    preset = tiny_presets["crop" if damage == "other network" else "fast"]
    assert "model.safetensors" in refused(folder.read_model, Policy(preset))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "has no config.json"),
        ("", "is empty"),
        ("{", "cannot be read"),
        (b"\xff\xfe\x00", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
        ("[[[]]]", "is not the config of a shapeparse run"),
        ("null", "is not the config of a shapeparse run"),
        ('{"format": ["shapeparse-run"], "version": 1}', "is not the config of a shapeparse run"),
        ('{"format": "shapeparse-run"}', "another version"),
        ('{"format": "shapeparse-run", "version": 2}', "another version"),
        ('{"format": "shapeparse-run", "version": {"a": [[1]]}}', "another version"),
        ('{"format": "shapeparse-run", "version": "\\n' + "1" * 9999 + '"}', "another version"),
    ],
)
def test_a_config_that_is_none_is_refused(refused, tmp_path, content, complaint):
    if content is not None:
        (tmp_path / "config.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    assert complaint in refused(RunFolder(tmp_path).read_config)


def test_a_config_that_is_a_pipe_or_a_device_is_refused_at_once(refused, tmp_path):
    (tmp_path / "config.json").symlink_to("/dev/zero")
    assert "is not a regular file" in refused(RunFolder(tmp_path).read_config)
    (tmp_path / "config.json").unlink()
    os.mkfifo(tmp_path / "config.json")
    assert "is not a regular file" in refused(RunFolder(tmp_path).read_config)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [(float("nan"), "is not finite"), (float("inf"), "is not finite"), (3, "has numbers of type torch.int64")],
)
def test_weights_that_are_no_numbers_are_refused_by_the_name_of_their_tensor(refused, tmp_path, value, complaint):
    network = nn.Linear(2, 1)
    tensors = network.state_dict() | {"weight": torch.tensor([[1, value]])}
    sentence = refused(load_state, network, tensors, tmp_path / "model.safetensors")
    assert f"model.safetensors is damaged (its tensor weight {complaint})" in sentence


def test_a_run_folder_that_is_not_there_is_refused(refused, tmp_path):
    assert "is not a folder" in refused(RunFolder(tmp_path / "nowhere").read_config)
    (tmp_path / "file").touch()
    assert "is not a folder" in refused(RunFolder(tmp_path / "file").read_config)


def test_a_config_comes_back_with_its_format(tmp_path):
    folder = RunFolder(tmp_path / "new" / "run")
    folder.write_config({"settings": {"a": [1]}})
    assert folder.read_config() == {"format": "shapeparse-run", "version": 1, "settings": {"a": [1]}}


def test_weights_come_back_with_their_facts_whatever_their_precision_in_the_file(tmp_path):
    folder, network, again = RunFolder(tmp_path), nn.Linear(3, 2), nn.Linear(3, 2)
    folder.write_model(network.half(), {"epoch": 7})
    assert folder.read_model(again) == {"epoch": 7}
    assert again.weight.dtype == torch.float32
    torch.testing.assert_close(again.weight, network.weight.float())


def test_metrics_have_a_column_for_whatever_any_epoch_measured(tmp_path):
    folder = RunFolder(tmp_path)
    folder.write_metrics([{"epoch": 1, "map_loss": 0.5}, {"epoch": 2, "policy_loss": 0.25}])
    with folder.metrics_path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {"epoch": "1", "map_loss": "0.5", "policy_loss": ""}
    assert rows[1]["policy_loss"] == "0.25"


def test_tensors_and_notes_come_back_also_those_that_lie_otherwise_in_memory(tmp_path):
    turned = torch.arange(6.0).view(2, 3).T
    write_tensors(tmp_path / "t.safetensors", {"turned": turned}, {"note": json.dumps([1])})
    tensors, notes = read_tensors(tmp_path / "t.safetensors")
    assert torch.equal(tensors["turned"], turned)
    assert notes == {"note": "[1]"}
    assert packed_tensors({"turned": turned}, {"note": "[1]"}) == (tmp_path / "t.safetensors").read_bytes()


def test_weights_replace_weights_whatever_is_noted_in_them(tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    notes = {"config": "made by shapeparse demo", "rows": "0" * 5000, "state": "{}"}
    for number in range(20):  # safetensors draws the order of notes
        write_tensors(path, {"weight": torch.full((1,), float(number))}, notes)
    assert read_tensors(path)[0]["weight"] == 19


def test_tensors_must_fit_exactly(refused, tmp_path):
    network = nn.Linear(3, 2)
    good = network.state_dict()
    load_state(network, good, tmp_path)
    for bad in ({"weight": good["weight"]}, {**good, "more": good["bias"]}, {**good, "bias": torch.zeros(3)}):
        assert "does not fit the network" in refused(load_state, network, bad, tmp_path)


def test_half_written_files_are_removed_and_others_stay(tmp_path):
    for name in (".model.safetensors.ab.part", "part", ".hidden"):
        (tmp_path / name).touch()
    RunFolder(tmp_path).remove_leftovers()
    assert {path.name for path in tmp_path.iterdir()} == {"part", ".hidden"}
