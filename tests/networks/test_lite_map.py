"""The evidence map on top of EfficientNet-Lite0."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from shapeparse.networks.lite_map import Joined, LiteMapEncoder

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
    join.merge = nn.Identity()
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
