"""The logit-normal: its density is scipy's, and its cuts are as likely as drawing and rounding makes them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import integrate, stats
from scipy.special import logit as scipy_logit

from shapeparse.grammar import cut_from_location
from shapeparse.learning.distributions import (
    logit_normal_cut_log_probability,
    logit_normal_cut_probability,
    logit_normal_log_density,
)

SHAPES = [(0.0, -0.5), (1.3, 0.4), (-2.0, -2.0)]
"""Some logits of mu with log sigmas."""


def double(*values: float) -> list[torch.Tensor]:
    return [torch.tensor(value, dtype=torch.float64) for value in values]


@pytest.mark.parametrize(("mu", "log_sigma"), SHAPES)
def test_the_log_density_is_the_normals_on_the_logit_with_its_jacobian(mu, log_sigma):
    location = np.linspace(0.01, 0.99, 33)
    expected = stats.norm(mu, np.exp(log_sigma)).logpdf(scipy_logit(location)) - np.log(location * (1 - location))
    found = logit_normal_log_density(torch.from_numpy(location), *double(mu, log_sigma))
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize(("mu", "log_sigma"), SHAPES)
def test_the_density_integrates_to_1(mu, log_sigma):
    def density(location: float) -> float:
        return float(logit_normal_log_density(*double(location, mu, log_sigma)).exp())

    peak = 1 / (1 + np.exp(-mu))
    assert integrate.quad(density, 1e-6, 1 - 1e-6, points=[peak], limit=200)[0] == pytest.approx(1, abs=1e-4)


def test_locations_on_the_border_have_a_finite_density():
    assert logit_normal_log_density(torch.tensor([0.0, 1.0]), torch.zeros(2), torch.zeros(2)).isfinite().all()


@pytest.mark.parametrize("extent", [2, 3, 7, 256])
@pytest.mark.parametrize(("mu", "log_sigma"), SHAPES)
def test_the_probabilities_of_all_cuts_sum_to_1(extent, mu, log_sigma):
    cut = torch.arange(1, extent, dtype=torch.float64)
    shape = [value.expand(len(cut)) for value in double(extent, mu, log_sigma)]
    assert float(logit_normal_cut_probability(cut, *shape).sum()) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(("mu", "log_sigma"), SHAPES)
def test_a_cut_is_as_likely_as_drawing_a_location_and_rounding_it(mu, log_sigma):
    extent, draws = 9, 200_000
    logit = mu + np.exp(log_sigma) * np.random.default_rng(0).standard_normal(draws)
    cuts = cut_from_location(1 / (1 + np.exp(-logit)), np.full(draws, extent))
    frequency = np.bincount(cuts, minlength=extent)[1:] / draws
    cut = torch.arange(1, extent, dtype=torch.float64)
    shape = [value.expand(len(cut)) for value in double(extent, mu, log_sigma)]
    np.testing.assert_allclose(logit_normal_cut_probability(cut, *shape), frequency, atol=5e-3)


def test_an_only_cut_is_certain_and_pulls_on_nothing():
    mu, log_sigma = torch.tensor([1.7], requires_grad=True), torch.tensor([-3.0], requires_grad=True)
    log_probability = logit_normal_cut_log_probability(torch.tensor([1.0]), torch.tensor([2.0]), mu, log_sigma)
    log_probability.sum().backward()
    assert log_probability.item() == 0
    assert mu.grad is not None and log_sigma.grad is not None
    assert mu.grad.item() == log_sigma.grad.item() == 0


def test_a_cut_far_from_mu_has_a_finite_log_probability_that_pulls_towards_it():
    """Its probability is 0 in floating point; an oracle's cut may lie there all the same."""
    for sign in (-1.0, 1.0):
        mu = torch.full((3,), sign * 8, requires_grad=True)
        cut = torch.tensor([4.0, 5.0, 6.0])
        found = logit_normal_cut_log_probability(cut, torch.full((3,), 10.0), mu, torch.full((3,), -3.0))
        assert (found < -1000).all()
        assert found.isfinite().all()
        found.sum().backward()
        assert mu.grad is not None
        assert (mu.grad * sign < 0).all()


def test_the_log_probability_of_a_cut_has_the_gradient_of_finite_differences():
    cut, extent = torch.tensor([1.0, 3.0, 9.0, 40.0]).double(), torch.tensor([8.0, 8.0, 10.0, 64.0]).double()
    mu = torch.tensor([0.3, -1.0, 2.0, 0.1], dtype=torch.float64, requires_grad=True)
    log_sigma = torch.tensor([-0.5, -1.0, 0.3, -2.5], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda m, s: logit_normal_cut_log_probability(cut, extent, m, s), (mu, log_sigma))
