"""Frozen eyes: what they saw stands for the image, they do not learn, and a trained network has them again."""

from __future__ import annotations

import pytest
import torch

from shapeparse.networks.critic import Critic
from shapeparse.networks.frozen import CHANNELS, FrozenTrunk, eyes_for, with_eyes
from shapeparse.networks.lite import LiteEncoder, load_weights
from shapeparse.networks.policy import Policy
from shapeparse.networks.presets import Preset


@pytest.fixture
def shape(tiny_presets) -> Preset:
    return tiny_presets["frozen"]


def test_what_was_seen_stands_for_the_image(shape):
    policy, images = Policy(shape).eval(), torch.rand(2, 3, 64, 64)
    assert isinstance(policy.trunk, FrozenTrunk)
    seen = policy.trunk.see(images)
    assert seen.dtype == torch.float16
    assert seen.shape == (2, sum(channels * side**2 for channels, side in zip(CHANNELS, (8, 4, 2), strict=True)))
    with torch.no_grad():
        torch.testing.assert_close(policy.encode(seen), policy.encode(images), rtol=0, atol=0)


def test_eyes_are_those_of_imagenet_and_folding_them_changes_nothing(shape):
    images = torch.rand(1, 3, 64, 64)
    plain = FrozenTrunk(shape).eval()
    assert plain.encoder.eyes is not None
    load_weights(plain.encoder.eyes)
    torch.testing.assert_close(eyes_for(shape).see(images), plain.see(images), rtol=0.02, atol=0.02)


def test_a_network_that_learns_has_no_eyes_and_one_that_has_learned_has_them_again(shape):
    policy = Policy(shape)
    policy.trunk.begin()
    assert not any(name.startswith("trunk.encoder.eyes") for name in policy.state_dict())
    assert all(parameter.requires_grad for parameter in policy.parameters())
    complete = with_eyes(policy).eval()
    assert set(complete.state_dict()) == set(Policy(shape).state_dict())
    images, eyes = torch.rand(1, 3, 64, 64), eyes_for(shape)
    with torch.no_grad():
        torch.testing.assert_close(
            complete.encode(images), policy.eval().encode(eyes.see(images)), rtol=0.02, atol=0.02
        )


def test_eyes_do_not_learn(shape):
    assert not any(parameter.requires_grad for parameter in FrozenTrunk(shape).encoder.eyes.parameters())  # type: ignore[union-attr]
    critic = Critic(shape)
    assert isinstance(critic.trunk, FrozenTrunk)
    critic.trunk.begin()
    assert critic.trunk.encoder.eyes is None
    assert isinstance(FrozenTrunk(shape).encoder.eyes, LiteEncoder)
