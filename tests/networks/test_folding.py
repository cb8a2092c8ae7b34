"""Folding: the same function in fewer steps."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from shapeparse.networks.blocks import ResidualBlock, Up
from shapeparse.networks.folding import folded
from shapeparse.networks.normalisation import BatchRenorm
from shapeparse.networks.policy import Policy


@pytest.mark.parametrize("preset", ["best", "scratch", "fast", "crop"])
def test_a_folded_network_is_the_same_function_without_normalisations(tiny_presets, preset):
    torch.manual_seed(0)
    policy: Any = Policy(tiny_presets[preset])
    convolutions = policy.trunk.convolutions if preset == "crop" else policy.trunk.encoder
    channels = 7 if preset == "crop" else 3
    for _ in range(3):  # until its statistics are not those it began with
        convolutions(torch.randn(4, channels, 32, 32) * 2 + 1)
    before = {name: value.clone() for name, value in policy.state_dict().items()}
    quick: Any = folded(policy)
    x = torch.randn(2, channels, 32, 32)
    quick_convolutions = quick.trunk.convolutions if preset == "crop" else quick.trunk.encoder
    torch.testing.assert_close(quick_convolutions(x), convolutions.eval()(x), rtol=1e-4, atol=1e-4)
    assert not any(isinstance(module, BatchRenorm) for module in quick.modules())
    assert all(torch.equal(value, before[name]) for name, value in policy.state_dict().items())


@pytest.mark.parametrize("coarse", [(3, 5), (4, 4)])
def test_a_convolution_beside_the_way_up_is_folded_away_exactly(coarse):
    torch.manual_seed(1)
    up = Up(6, 10)
    up.merge[1](torch.randn(4, 6, 8, 8) + 1)  # statistics other than it began with
    few = folded(up)
    assert isinstance(few.lateral, nn.Identity)
    small, fine = torch.randn(2, 10, *coarse), torch.randn(2, 6, 8, 9)
    torch.testing.assert_close(few(small, fine), up.eval()(small, fine), rtol=1e-4, atol=1e-4)


def test_what_a_folded_network_is_given_is_not_overwritten():
    torch.manual_seed(3)
    block, up = folded(ResidualBlock(4)), folded(Up(4, 8))
    coarse, fine = torch.randn(2, 8, 3, 3), torch.randn(2, 4, 6, 6)
    kept = coarse.clone(), fine.clone()
    assert block.in_place
    assert up.in_place
    block(fine)
    up(coarse, fine)
    assert torch.equal(coarse, kept[0])
    assert torch.equal(fine, kept[1])


def test_one_that_cannot_be_undone_stays():
    torch.manual_seed(2)
    up: Any = Up(4, 8)
    with torch.no_grad():
        up.lateral.weight[1] = up.lateral.weight[0]
    few = folded(up)
    assert isinstance(few.lateral, nn.Conv2d)
    small, fine = torch.randn(2, 8, 3, 3), torch.randn(2, 4, 6, 6)
    torch.testing.assert_close(few(small, fine), up.eval()(small, fine), rtol=1e-4, atol=1e-4)
