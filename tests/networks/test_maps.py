"""The trunk with an evidence map: what it promises of cuts is what the oracle would compute from such a mask."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from shapeparse import Limits, Nodes
from shapeparse.networks.maps import Encoded, stretch_gains
from shapeparse.networks.policy import Policy
from shapeparse.networks.views import NodeView


def entropy(share: float) -> float:
    return -sum(p * np.log(p) for p in (share, 1 - share) if p > 0)


def gain(shares: list[float], cut: int) -> float:
    """Information gain of cutting before stretch ``cut``, by its definition."""
    parts = np.split(np.array(shares), [cut])
    return entropy(np.mean(shares)) - sum(len(part) / len(shares) * entropy(part.mean()) for part in parts)


@pytest.mark.parametrize("shares", [[0, 0, 1, 1], [0.2, 0.9, 0.4, 0.7, 0.1], [1, 1, 1], [0, 1, 0, 1], [0.5, 0.5]])
def test_the_gain_of_a_stretch_is_that_of_the_better_of_its_ends(shares):
    ends = [0.0, *(gain(shares, cut) for cut in range(1, len(shares))), 0.0]
    expected = [max(pair) for pair in pairwise(ends)]
    found = stretch_gains(torch.tensor([shares], dtype=torch.float64))
    np.testing.assert_allclose(found.numpy()[0], expected, atol=1e-9)


def test_an_image_is_looked_at_once_for_features_and_map(tiny_presets):
    policy = Policy(tiny_presets["scratch"]).eval()
    encoded = policy.encode(torch.rand(2, 3, 32, 32))
    assert isinstance(encoded, Encoded)
    assert encoded.features.shape == (2, tiny_presets["scratch"].channels + 1, 8, 8)
    assert encoded.logits.shape == (2, 16, 16)
    pooled = torch.sigmoid(encoded.logits).view(2, 8, 2, 8, 2).mean(dim=(2, 4))
    torch.testing.assert_close(encoded.features[:, -1], pooled)


def test_the_map_alone_is_the_same_map(tiny_presets):
    policy = Policy(tiny_presets["scratch"]).eval()
    images = torch.rand(2, 3, 32, 32)
    assert torch.equal(policy.evidence_map(images), policy.encode(images).logits)


def test_splits_start_where_the_map_gains_most(tiny_presets):
    """Before anything is learned of splits, the location is near the edge in the map."""
    policy = Policy(tiny_presets["scratch"]).eval()
    encoded = policy.encode(torch.rand(1, 3, 32, 32))
    likely = torch.zeros(1, 1, 8, 8)
    likely[..., 6:] = 1.0
    encoded = Encoded(torch.cat([encoded.features[:, :-1], likely], dim=1), encoded.logits)
    root = Nodes.roots(np.array([[32, 32]], np.int32))
    output = policy(encoded, NodeView.of(root, np.array([[32, 32]]), Limits(3)))
    assert output.location[0, 0].item() == pytest.approx(0.75, abs=0.07)
