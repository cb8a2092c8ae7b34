"""Presets: networks as data, by name."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from shapeparse.networks import presets
from shapeparse.networks.critic import Critic
from shapeparse.networks.policy import Policy
from shapeparse.networks.presets import PRESETS, Preset, preset_named, register_preset


def test_the_paper_preset_is_the_authors_network():
    """7 convolutions of 20 filters, dense 1000 and 200; the split by 100 units; the critic by 40, then 50."""
    policy: Any = Policy(preset_named("paper"))
    critic: Any = Critic(preset_named("paper"))
    shapes = [tuple(layer.weight.shape) for layer in policy.trunk.convolutions if hasattr(layer, "weight")]
    strides = [layer.stride[0] for layer in policy.trunk.convolutions if hasattr(layer, "stride")]
    assert shapes == [(20, 3, 3, 3)] + [(20, 20, 3, 3)] * 6
    assert strides == [1, 1, 1, 2, 2, 2, 2]
    assert [layer.out_features for layer in policy.trunk.dense if hasattr(layer, "out_features")] == [1000, 200]
    assert policy.split.hidden[0].out_features == 100
    assert critic.head.narrow[0].out_features == 40
    assert critic.head.hidden[0].in_features == 40 + 1 + 4
    assert critic.head.hidden[0].out_features == 50


def test_a_preset_is_the_same_after_it_was_json():
    for preset in (*PRESETS.values(), Preset("shared", encoder="mine", encoder_settings={"width": 3})):
        assert Preset.from_json(json.loads(json.dumps(dataclasses.asdict(preset)))) == preset


@pytest.mark.parametrize(
    "name", ["side", "look", "positions", "hidden", "channels", "strips", "widths", "dense", "trunk", "cells"]
)
@pytest.mark.parametrize(
    "value", [20_000, -1, 0, "x", None, 1.5, True, [20_000], [8.5], [[]], {}, float("nan"), 10**30]
)
def test_fields_of_another_kind_or_size_are_refused_before_anything_is_built(name, value):
    content = json.loads(json.dumps(dataclasses.asdict(PRESETS["best"]))) | {name: value}
    with pytest.raises(ValueError, match=f"^{name} is "):
        Preset.from_json(content)


def test_a_list_is_no_number():
    content = json.loads(json.dumps(dataclasses.asdict(PRESETS["best"]))) | {"side": [256]}
    with pytest.raises(ValueError, match=r"^side is "):
        Preset.from_json(content)


def test_an_unknown_preset_is_answered_with_the_closest(refused):
    assert "did you mean fast?" in refused(preset_named, "fats")
    assert "choose one of paper, crop, fast, frozen, scratch, best" in refused(preset_named, "zzz")


def test_a_preset_of_ones_own_is_known_by_its_name_and_ours_stay_ours(monkeypatch):
    monkeypatch.setattr(presets, "PRESETS", dict(PRESETS))
    mine = Preset("shared", widths=(8, 16), channels=8)
    register_preset("mine", mine)
    assert preset_named("mine") is mine
    register_preset("mine", dataclasses.replace(mine, channels=4))  # who tries things changes their mind
    assert preset_named("mine").channels == 4
    for name in ("paper", "crop", "fast", "best"):
        with pytest.raises(ValueError, match="is a preset of shapeparse"):
            register_preset(name, mine)
