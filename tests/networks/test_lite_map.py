"""The evidence map on top of EfficientNet-Lite0."""

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
from shapeparse.networks.lite_map import Joined, LiteMapEncoder
from shapeparse.networks.presets import PRESETS
from shapeparse.networks.views import to_pixels

needs_wheel = pytest.mark.skipif(importlib.util.find_spec(lite.PACKAGE) is None, reason="the wheel is not installed")
WIDTHS = (4, 6, 8, 10, 12)


@pytest.fixture(scope="module")
def encoder() -> LiteMapEncoder:
    torch.manual_seed(0)
    return LiteMapEncoder(WIDTHS, channels=5).eval()


def test_features_leave_at_a_quarter_of_the_side_and_the_map_at_half(encoder):
    features, evidence = encoder(torch.rand(2, 3, 64, 96))
    assert features.shape == (2, 5, 16, 24)
    assert evidence.shape == (2, 1, 32, 48)


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
    features, evidence = encoder(torch.rand(2, 3, 64, 64))
    for answer in (features, evidence):
        found = torch.autograd.grad(answer.square().sum(), encoder.eyes.stem[0].weight, retain_graph=True)
        assert found[0].abs().max() > 0
    encoder.eval()


@needs_wheel
def test_a_training_begins_with_imagenets_weights_and_leaves_them_as_they_are(photographs: Callable[..., Any]) -> None:
    preset = replace(PRESETS["lite"], side=64, look=64, widths=(4, 6, 8, 8, 8), channels=4, positions=8, dense=(16,))
    learner = Learner(METHODS["dagger"], preset, Limits(2), LearningSettings(), seed=0)
    encoder = learner.policy.trunk.encoder
    assert isinstance(encoder, LiteMapEncoder)
    known = LiteEncoder(32)
    load_weights(known)
    images, masks = photographs(2, 64)
    learner.update_map(to_pixels(images), torch.from_numpy(masks).float())
    for name, held in encoder.eyes.state_dict().items():
        assert torch.equal(held, known.state_dict()[name])
    assert any(parameter.requires_grad for parameter in encoder.up.parameters())


def test_a_parser_is_the_same_function_when_its_normalisations_are_folded() -> None:
    torch.manual_seed(0)
    encoder = LiteMapEncoder((4, 6, 8, 8, 8), channels=5)
    for module in encoder.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(module.weight, 0.5, 1.5)
            assert module.running_mean is not None and module.running_var is not None
            module.running_mean.uniform_(-0.5, 0.5)
            module.running_var.uniform_(0.5, 2.0)
    images = torch.randn(1, 3, 64, 64)
    encoder.eval()
    quick = folded(encoder)
    assert not any(isinstance(module, torch.nn.BatchNorm2d) for module in quick.modules())
    for one, other in zip(encoder(images), quick(images), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)
