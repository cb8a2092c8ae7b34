"""The evidence map on top of a pyramid of maps, such as EfficientNet-Lite0's."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn

from shapeparse import METHODS, Limits
from shapeparse.learning.learner import Learner
from shapeparse.learning.settings import LearningSettings
from shapeparse.networks import lite
from shapeparse.networks.folding import folded
from shapeparse.networks.lite import LiteEncoder, load_weights
from shapeparse.networks.normalisation import BatchRenorm
from shapeparse.networks.presets import PRESETS
from shapeparse.networks.pyramid import Joined, PyramidEncoder
from shapeparse.networks.views import to_pixels

needs_wheel = pytest.mark.skipif(importlib.util.find_spec(lite.PACKAGE) is None, reason="the wheel is not installed")
WIDTHS = (4, 6, 8, 10, 12)


def lite_pyramid(widths: tuple[int, ...]) -> PyramidEncoder:
    eyes = LiteEncoder(32)
    return PyramidEncoder(eyes, eyes.channels, widths, channels=5)


@pytest.fixture(scope="module")
def encoder() -> PyramidEncoder:
    torch.manual_seed(0)
    return lite_pyramid(WIDTHS).eval()


def test_features_leave_at_a_quarter_of_the_side_and_the_map_at_half(encoder):
    features, evidence, coarsest = encoder(torch.rand(2, 3, 64, 96))
    assert features.shape == (2, 5, 16, 24)
    assert evidence.shape == (2, 1, 32, 48)
    assert coarsest.shape == (2, 320, 2, 3)


def test_the_map_alone_is_the_same_map(encoder):
    images = torch.rand(1, 3, 64, 64)
    assert torch.equal(encoder.evidence_map(images), encoder(images)[1])


def test_a_coarse_map_is_laid_onto_what_was_seen_finer():
    join = Joined(3, 5, 4).eval()
    join.merge = nn.Sequential(nn.Identity())
    coarse, seen = torch.rand(1, 3, 2, 2), torch.rand(1, 5, 4, 4)
    flat = coarse.mean(dim=(2, 3), keepdim=True).expand_as(coarse)
    torch.testing.assert_close(join(flat, seen), join.narrow(flat[..., :1, :1]) + join.lateral(seen))


def test_both_answers_move_the_encoder(encoder):
    encoder.train()
    features, evidence, _ = encoder(torch.rand(2, 3, 64, 64))
    for answer in (features, evidence):
        found = torch.autograd.grad(answer.square().sum(), encoder.eyes.stem.weight, retain_graph=True)
        assert found[0].abs().max() > 0
    encoder.eval()


@needs_wheel
@pytest.mark.parametrize("rate", [0.0, 1e-3])
def test_a_training_begins_with_imagenets_weights_and_moves_what_it_may(
    photographs: Callable[..., Any], rate: float
) -> None:
    preset = replace(PRESETS["best"], side=64, look=64, widths=(4, 6, 8, 8, 8), channels=4, positions=8, dense=(16,))
    settings = LearningSettings(encoder_rate=rate, frozen_stages=3)
    learner = Learner(METHODS["dagger"], preset, Limits(2), settings, seed=0)
    encoder = learner.policy.trunk.encoder
    assert isinstance(encoder, PyramidEncoder)
    known = LiteEncoder(32)
    load_weights(known)
    images, masks = photographs(2, 64)
    learner.update_map(to_pixels(images), torch.from_numpy(masks).float())
    moved = {name for name, held in encoder.eyes.state_dict().items() if not held.equal(known.state_dict()[name])}
    learns = {name for name, one in encoder.eyes.named_parameters() if one.requires_grad}
    assert moved == learns
    assert bool(moved) == bool(rate)
    assert not any(name.startswith(("stem", "stages.0", "stages.1", "stages.2")) for name in moved)


def test_a_parser_is_the_same_function_when_its_normalisations_are_folded() -> None:
    torch.manual_seed(0)
    encoder = lite_pyramid((4, 6, 8, 8, 8))
    for module in encoder.modules():
        if isinstance(module, BatchRenorm):
            nn.init.uniform_(module.weight, 0.5, 1.5)
            module.mean.uniform_(-0.5, 0.5)
            module.variance.uniform_(0.5, 2.0)
    images = torch.randn(1, 3, 64, 64)
    encoder.eval()
    quick = folded(encoder)
    assert not any(isinstance(module, BatchRenorm) for module in quick.modules())
    for one, other in zip(encoder(images), quick(images), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)
