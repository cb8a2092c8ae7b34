"""Encoders from outside the package: tried before they are used, and refused in one sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from shapeparse.networks import encoders
from shapeparse.networks.encoders import build_encoder, register_encoder
from shapeparse.networks.policy import Policy
from shapeparse.networks.presets import Preset


@pytest.fixture(autouse=True)
def unknown_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoders, "ENCODERS", {})


def test_an_encoder_is_built_by_its_name_with_its_settings():
    register_encoder("mine", lambda width, stride: nn.Conv2d(3, width, 8, stride=stride))
    built = build_encoder("mine", {"width": 16, "stride": 4}, channels=16)
    assert (built.out_channels, built.stride) == (16, (4, 4))
    assert built.training


def test_trying_an_encoder_leaves_its_statistics_alone():
    register_encoder("mine", lambda: nn.Sequential(nn.Conv2d(3, 2, 4, stride=4), nn.BatchNorm2d(2)))
    built: Any = build_encoder("mine", {}, channels=2)
    assert built[1].num_batches_tracked == 0
    assert all(parameter.grad is None for parameter in built.parameters())


def test_an_encoder_that_is_not_registered_says_how_to_do_it(refused):
    assert "import what registers it first" in refused(build_encoder, "theirs", {}, 8)
    refused(build_encoder, "\n" + "x" * 999, {}, 8)


class Lists(nn.Module):
    def forward(self, images: torch.Tensor) -> list[torch.Tensor]:
        return [images]


@pytest.mark.parametrize(
    ("module", "found"),
    [
        (nn.Conv2d(3, 5, 4, stride=4), "(1, 5, 16, 16)"),
        (nn.Sequential(nn.Conv2d(3, 8, 4, stride=4), nn.Flatten()), "(1, 2048)"),
        (Lists(), "list"),
    ],
)
def test_features_of_another_shape_are_refused_with_that_shape(refused, module, found):
    register_encoder("mine", lambda: module)
    message = refused(build_encoder, "mine", {}, 8)
    assert found in message
    assert "(images, 8, rows, columns)" in message


class Shrunk(nn.Module):
    """The image itself, at strides 2, 4 and 8."""

    def __init__(self, sizes: int = 3) -> None:
        super().__init__()
        self.sizes = sizes

    def forward(self, images: torch.Tensor) -> list[torch.Tensor]:
        return [F.avg_pool2d(images, 2 ** (level + 1)) for level in range(self.sizes)]


def test_a_pyramid_of_ones_own_carries_an_evidence_map(refused):
    register_encoder("shrunk", Shrunk)
    preset = Preset("map", side=32, look=32, widths=(4, 6, 8), channels=4, positions=8, dense=(16,), encoder="shrunk")
    trunk = Policy(preset).eval().trunk
    assert trunk.evidence_map(torch.rand(2, 3, 32, 32)).shape == (2, 16, 16)
    said = refused(Policy, replace(preset, encoder_settings={"sizes": 2}))
    assert "a list of 3 maps" in said and "32, 16, 8" in said
