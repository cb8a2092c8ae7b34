"""Batch renormalisation: one function in training and in use, with the gradients of batch normalisation."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from shapeparse.networks.normalisation import BatchRenorm


def batches(count: int, seed: int = 0) -> list[torch.Tensor]:
    chance = torch.Generator().manual_seed(seed)
    shift, spread = torch.tensor([3.0, -1.0, 0.0]), torch.tensor([0.5, 2.0, 1.0])
    return [
        torch.randn(4, 3, 5, 6, generator=chance) * spread.view(1, 3, 1, 1) + shift.view(1, 3, 1, 1)
        for _ in range(count)
    ]


def test_the_first_batch_is_normalised_by_its_own_statistics():
    (x,) = batches(1)
    ours, theirs = BatchRenorm(3), nn.BatchNorm2d(3)
    torch.testing.assert_close(ours(x), theirs(x), rtol=1e-4, atol=1e-5)


def test_training_and_use_are_the_same_function():
    norm = BatchRenorm(3)
    for x in batches(30):
        trained = norm(x)
    used = norm.eval()(x)
    torch.testing.assert_close(trained, used, rtol=1e-4, atol=1e-4)
    assert (nn.BatchNorm2d(3)(x) - used).abs().max() > 0.01  # which the batch's own statistics do not give


def test_running_statistics_come_near_the_true_ones():
    norm = BatchRenorm(3)
    for x in batches(200):
        norm(x)
    assert norm.mean.tolist() == pytest.approx([3, -1, 0], abs=0.2)
    assert norm.variance.tolist() == pytest.approx([0.25, 4, 1], rel=0.2)


def test_gradients_are_those_of_batch_normalisation_stretched():
    """As if the statistics were the batch's: a shift of the whole batch would change nothing, so its gradient is 0."""
    norm = BatchRenorm(3)
    for x in batches(10):
        norm(x)
    x = batches(1, seed=1)[0].requires_grad_()
    weight = torch.randn(x.shape, generator=torch.Generator().manual_seed(2))
    (norm(x) * weight).sum().backward()
    plain = x.detach().clone().requires_grad_()
    variance = plain.var(dim=(0, 2, 3), correction=0)
    stretch = ((variance + norm.epsilon) / (norm.variance + norm.epsilon)).sqrt().detach()
    (nn.BatchNorm2d(3)(plain) * stretch.view(1, 3, 1, 1) * weight).sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(x.grad, plain.grad, rtol=1e-3, atol=1e-4)
    torch.testing.assert_close(x.grad.sum(dim=(0, 2, 3)), torch.zeros(3), rtol=0, atol=1e-3)


def test_a_batch_far_from_all_before_is_not_trusted_without_bounds():
    norm = BatchRenorm(1)
    norm(torch.randn(4, 1, 5, 5, generator=torch.Generator().manual_seed(0)))
    out = norm(1e4 * torch.ones(4, 1, 5, 5))
    assert torch.isfinite(out).all()
    assert out.abs().max() < 1.1 * BatchRenorm.most_shift


def test_a_constant_channel_gives_no_nan():
    norm = BatchRenorm(2)
    x = torch.zeros(2, 2, 3, 3, requires_grad=True)
    norm(x).sum().backward()
    assert torch.isfinite(x.grad).all()


def test_quick_is_batch_normalisation_as_everybody_knows_it():
    ours, theirs = BatchRenorm(3), nn.BatchNorm2d(3, momentum=None)  # whose running statistics are plain means
    ours.quick = True
    for x in batches(10):  # as many as those of ours are plain means too
        torch.testing.assert_close(ours(x), theirs(x))
    torch.testing.assert_close(ours.mean, theirs.running_mean)
    torch.testing.assert_close(ours.variance, theirs.running_var)
