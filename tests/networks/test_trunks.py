"""Trunks: from an image and a node to features."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from shapeparse import Limits, Nodes
from shapeparse.networks import encoders
from shapeparse.networks.maps import MapTrunk
from shapeparse.networks.policy import Policy
from shapeparse.networks.trunks import Encoder, SharedTrunk, blurred, dense_layers, means_and_spreads
from shapeparse.networks.views import NodeView
from shapeparse.networks.ways import TRUNKS

ROOT = NodeView.of(Nodes.roots([(8, 8)]), np.array([[8, 8]]), Limits(3, 2))


def test_features_have_the_shapes_that_the_trunk_promises(preset, some_nodes, pictures):
    trunk = TRUNKS[preset.trunk](preset)
    features = trunk(trunk.encode(pictures(preset.side)), NodeView.of(*some_nodes))
    assert features.vector.shape == (5, trunk.vector_size)
    if trunk.profile_channels:
        assert features.mean.shape == (5, trunk.mean_channels)
        assert features.profiles.shape == (5, 2, preset.positions, trunk.profile_channels)
    else:
        assert features.mean is None and features.profiles is None
    assert (features.gain is not None) == trunk.sees_gain


def test_profiles_run_along_their_own_axis(tiny_presets):
    """What varies from left to right shows in the profile along x, and is flat in the one along y."""
    trunk = Policy(tiny_presets["fast"]).trunk
    columns = torch.arange(8.0).expand(1, 4, 8, 8)  # a feature map whose value is the column
    features = trunk(columns, ROOT)
    along_x, along_y = features.profiles[0]
    torch.testing.assert_close(along_x[:, 0], torch.arange(8.0))
    assert along_y.std(dim=0).max() == 0


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_pixels_are_normalised_by_their_channel_wherever_they_lie_in_memory(tiny_presets, layout):
    trunk = Policy(tiny_presets["scratch"]).trunk
    trunk.pixel_mean.copy_(torch.tensor([0.1, 0.2, 0.3]))
    trunk.pixel_std.copy_(torch.tensor([0.4, 0.5, 0.6]))
    images = torch.rand(2, 3, 5, 7).contiguous(memory_format=layout)
    found = trunk.normalise(images)
    for channel in range(3):
        expected = (images[:, channel] - 0.1 * (channel + 1)) / (0.4 + 0.1 * channel)
        torch.testing.assert_close(found[:, channel], expected)
    assert found.is_contiguous(memory_format=torch.channels_last)


def test_the_paper_preset_sees_nothing_outside_the_node(tiny_presets, shaken, pictures, ask):
    policy, images = shaken(Policy(tiny_presets["paper"])), pictures(48, 1)
    node = Nodes(*(np.array([value], np.int32) for value in (0, 12, 12, 24, 24, 1)))
    changed = images.clone()
    changed[:, :, :12] = 0
    changed[:, :, :, 36:] = 1
    sizes = np.array([[48, 48]])
    torch.testing.assert_close(ask(policy, images, node, sizes).log_rule, ask(policy, changed, node, sizes).log_rule)
    changed[:, :, 20, 20] = 5
    inside = ask(policy, changed, node, sizes).log_rule
    assert (inside - ask(policy, images, node, sizes).log_rule).abs().max() > 1e-5


def test_a_crop_marks_in_the_small_image_what_the_node_covers(tiny_presets):
    trunk: Any = TRUNKS["crop"](tiny_presets["crop"])
    node = Nodes(*(np.array([value], np.int32) for value in (0, 4, 0, 10, 16, 1)))
    marked = trunk._mark(NodeView.of(node, np.array([[32, 32]]), Limits(3)))[0, 0]
    assert marked.shape == (16, 16)
    assert marked[0].tolist() == [0, 0, 1, 1, 1, 1, 1] + [0] * 9  # pixels 4 to 14 of 32 are cells 2 to 7 of 16
    assert marked[:, 2].tolist() == [1.0] * 8 + [0.0] * 8


def test_a_shared_trunk_shrinks_images_that_are_larger_than_its_look(tiny_presets):
    trunk = SharedTrunk(replace(tiny_presets["fast"], look=16)).eval()
    images = torch.rand(1, 3, 32, 32)
    torch.testing.assert_close(trunk.shrink(images), nn.functional.avg_pool2d(images, 2))
    assert trunk.shrink(images[..., :16, :16]).shape[-1] == 16
    assert trunk.encode(images).shape[-2:] == (4, 4)


def test_a_shared_trunk_can_look_with_an_encoder_from_outside(tiny_presets, monkeypatch):
    monkeypatch.setattr(encoders, "ENCODERS", {"mine": lambda width: nn.Conv2d(3, width, 4, stride=4)})
    preset = replace(tiny_presets["fast"], encoder="mine", encoder_settings={"width": 4})
    trunk = SharedTrunk(preset).eval()
    assert isinstance(trunk.encoder, nn.Conv2d)
    assert trunk(trunk.encode(torch.rand(1, 3, 32, 32)), ROOT).vector.shape == (1, 16)


def test_the_encoders_features_are_at_a_quarter_of_the_side():
    assert Encoder((4, 6, 8), 5)(torch.rand(2, 3, 64, 48)).shape == (2, 5, 16, 12)


def test_dense_layers_have_a_relu_behind_each():
    layers = dense_layers((5, 4, 3))
    assert [type(layer) for layer in layers] == [nn.Linear, nn.ReLU] * 2
    assert layers(torch.randn(2, 5)).min() >= 0


def test_a_signature_is_what_was_seen_of_each_image_as_a_whole(preset, pictures):
    trunk = TRUNKS[preset.trunk](preset).eval()
    images = pictures(preset.side, 3)
    found = trunk.signature(trunk.encode(images))
    assert found is not None and found.ndim == 2 and len(found) == 3
    assert not found.requires_grad or not isinstance(trunk, MapTrunk)
    one = trunk.signature(trunk.encode(images[1:2]))
    assert one is not None
    torch.testing.assert_close(found[1:2], one, rtol=1e-4, atol=1e-5)


def test_means_and_spreads_by_hand():
    features = torch.tensor([[[[1.0, 3.0], [1.0, 3.0]], [[5.0, 5.0], [5.0, 5.0]]]])
    assert means_and_spreads(features).tolist() == [[2.0, 5.0, 1.0, 0.0]]


def test_a_blurred_image_has_the_colours_of_large_places():
    pixels = torch.zeros(1, 3, 8, 8)
    pixels[:, 0, :2, :2] = 1.0  # one of the places, in red
    assert blurred(pixels).tolist() == [[1.0] + [0.0] * 47]
