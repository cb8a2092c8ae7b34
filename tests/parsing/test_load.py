"""From a run folder, or a file, to a parser."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from shapeparse import Limits
from shapeparse.networks.normalisation import BatchRenorm
from shapeparse.networks.policy import Policy
from shapeparse.networks.presets import Preset
from shapeparse.parsing.load import load
from shapeparse.parsing.runs import RunFolder

TINY = Preset("shared", side=32, widths=(4, 6, 8), channels=4, positions=8, dense=(16, 16))


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """A run folder that no training made."""
    folder = RunFolder(tmp_path / "run")
    config = {"network": dataclasses.asdict(TINY), "limits": {"depth": 4, "min_extent": 2}}
    folder.write_config({**config, "settings": {"method": "dagger"}, "title": "DAgger"})
    torch.manual_seed(0)
    policy: Any = Policy(TINY)
    policy.trunk.encoder(torch.rand(4, 3, 32, 32))  # so that its statistics are others than at first
    folder.write_model(policy, {"epoch": 3, "calibration": {"slope": 2.0, "shift": 0.5}})
    return folder


def change(run: RunFolder, **entries: object) -> None:
    config = json.loads(run.config_path.read_text())
    run.config_path.write_text(json.dumps({**config, **entries}))


def test_a_parser_knows_limits_method_title_epoch_and_calibration(run):
    parser = load(run.path)
    assert parser.limits == Limits(4, 2)
    assert (parser.side, parser.title) == (32, "DAgger")
    assert (parser.facts["method"], parser.facts["epoch"]) == ("dagger", 3)
    assert (parser.calibration.slope, parser.calibration.shift) == (2.0, 0.5)


def test_the_policy_is_folded_evaluates_and_decides_as_the_one_that_was_written(run):
    parser = load(str(run.path))
    assert not parser.policy.training
    assert not any(isinstance(module, BatchRenorm) for module in parser.policy.modules())
    policy = Policy(TINY)
    run.read_model(policy)
    images = torch.rand(2, 3, 32, 32, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(parser.policy.encode(images), policy.eval().encode(images), rtol=1e-3, atol=1e-4)


def test_without_a_name_the_pretrained_parser_is_loaded():
    assert load().facts["method"] == "dagger"


def test_a_device_that_is_not_there_is_refused(run, refused):
    assert "no device" in refused(load, run.path, device="abacus")
    assert load(run.path, device="cpu").parse(np.zeros((9, 9, 3), np.uint8)).width == 9


@pytest.mark.parametrize(
    "entries",
    [
        {"network": None},
        {"network": {"trunk": "unheard-of"}},
        {"network": {**dataclasses.asdict(TINY), "wings": 2}},
        {"network": {**dataclasses.asdict(TINY), "widths": [4, -6]}},
        {"limits": {"depth": "deep"}},
        {"limits": 7},
        {"settings": []},
    ],
)
def test_a_config_without_a_network_is_refused(run, refused, entries):
    change(run, **entries)
    refused(load, run.path)


def test_an_encoder_from_outside_must_be_registered_first(run, refused):
    change(run, network={**dataclasses.asdict(TINY), "encoder": "theirs"})
    assert "import what registers it first" in refused(load, run.path)


def test_a_calibration_that_is_none_is_refused(run, refused):
    run.write_model(Policy(TINY), {"calibration": {"slope": "steep"}})
    assert "its calibration" in refused(load, run.path)


def test_weights_of_another_network_are_refused(run, refused):
    change(run, network={**dataclasses.asdict(TINY), "channels": 5})
    assert "does not fit the network" in refused(load, run.path)
