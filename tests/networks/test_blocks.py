"""The pieces of convolutional networks."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from shapeparse.networks.blocks import ResidualBlock, Up, convolution
from shapeparse.networks.normalisation import BatchRenorm


@pytest.mark.parametrize(("stride", "side"), [(1, 9), (2, 5)])
def test_a_convolution_keeps_or_halves_the_side_and_is_never_negative(stride, side):
    found = convolution(3, 6, stride)(torch.randn(2, 3, 9, 9))
    assert found.shape == (2, 6, side, side)
    assert found.min() == 0


def test_whatever_normalises_can_be_chosen():
    for made in (
        convolution(3, 6, norm=nn.BatchNorm2d),
        ResidualBlock(6, norm=nn.BatchNorm2d),
        Up(3, 6, nn.BatchNorm2d),
    ):
        kinds = {type(module) for module in made.modules()}
        assert nn.BatchNorm2d in kinds and BatchRenorm not in kinds


def test_a_residual_block_that_has_learned_nothing_passes_on_what_it_was_given():
    block = ResidualBlock(4).eval()
    nn.init.zeros_(block.second[0].weight)
    x = torch.randn(2, 4, 5, 5)
    torch.testing.assert_close(block(x), torch.relu(x))


def test_a_coarse_map_is_laid_onto_the_finer_one_whatever_their_sides():
    up = Up(2, 3).eval()
    nn.init.zeros_(up.lateral.weight)
    nn.init.zeros_(up.lateral.bias)
    up.merge = nn.Sequential(nn.Identity())
    coarse, fine = torch.randn(1, 3, 2, 2), torch.randn(1, 2, 5, 4)
    found = up(coarse, fine)
    narrowed = up.narrow(coarse)
    assert found.shape == fine.shape
    torch.testing.assert_close(found[..., 0, 0], narrowed[..., 0, 0])
    torch.testing.assert_close(found[..., 4, 3], narrowed[..., 1, 1])


def test_adding_in_place_gives_the_same_sum():
    given = torch.randn(1, 4, 5, 5)
    block = ResidualBlock(4).eval()
    plain = block(given)
    block.in_place = True
    torch.testing.assert_close(block(given), plain)
