"""Encoders from outside the package: tried before they are used, and refused in one sentence."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from shapeparse.networks import encoders
from shapeparse.networks.encoders import build_encoder, register_encoder


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
