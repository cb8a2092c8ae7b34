"""The U-Net: a logit for every pixel, whatever the size, of pixels made comparable by the training images."""

from __future__ import annotations

import pytest
import torch

from shapeparse.peers.unet import LiteUNet, UNet


@pytest.mark.parametrize("shape", [(32, 32), (37, 50), (1, 1)])
def test_every_pixel_gets_a_logit_whatever_the_size(shape):
    assert UNet((4, 6, 8)).eval()(torch.rand(2, 3, *shape)).shape == (2, *shape)


def test_pixels_are_seen_relative_to_the_statistics_of_the_training_images() -> None:
    torch.manual_seed(0)
    network, images = UNet((4, 6)).eval(), torch.rand(1, 3, 16, 16)
    expected = network(images)
    network.pixel_mean += 1
    assert not torch.allclose(network(images), expected)
    assert torch.allclose(network(images + 1), expected, atol=1e-5)


def test_every_level_sees_half_the_side_of_the_one_before() -> None:
    network, sides = UNet((4, 6, 8)).eval(), []
    for block in (network.stem, *network.down):
        block.register_forward_hook(lambda _, __, seen: sides.append(seen.shape[-1]))
    network(torch.rand(1, 3, 32, 32))
    assert sides == [16, 8, 4]


def test_what_the_finest_level_saw_reaches_the_logits() -> None:
    torch.manual_seed(0)
    network, images = UNet((4, 6)).eval(), torch.rand(1, 3, 16, 16)
    before = network(images)
    network.down[0].register_forward_hook(lambda _, __, seen: torch.zeros_like(seen))  # nothing from further down
    changed = network(images)
    assert not torch.allclose(before, changed)
    assert changed.std() > 0


def test_a_unet_on_a_pretrained_encoder_gives_every_pixel_a_logit_too() -> None:
    network = LiteUNet((4, 6, 8, 8, 8)).eval()
    assert network(torch.rand(2, 3, 64, 48)).shape == (2, 64, 48)
    assert not any(name.startswith("pyramid.features") for name, _ in network.named_parameters())
