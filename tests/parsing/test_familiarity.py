"""Familiarity: distances are Mahalanobis', strangers lie beyond the edge, and damaged files are refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import stats

from shapeparse.parsing.familiarity import MOST_DIRECTIONS, MOST_STORED, PREFIX, Familiarity

BY_HAND = Familiarity(np.array([1.0, 0.0, 2.0]), np.array([[0.0, 1.0, 0.0]]), np.array([4.0]), 0.25, 2.0)


def kind(seed: int, count: int, shift: float = 0.0, numbers: int = 40) -> np.ndarray:
    """Photographs of a kind: they differ along 4 hidden directions, and a little everywhere."""
    ways = np.random.default_rng(0).normal(size=(4, numbers))
    rng = np.random.default_rng([seed, count])
    return rng.normal(size=(count, 4)) @ ways + 0.3 * rng.normal(size=(count, numbers)) + shift


def test_strangeness_by_hand():
    """Two along the direction is one of its standard deviations, two beside it are four; the edge is at two."""
    given = np.array([[1, 0, 2], [1, 2, 2], [3, 0, 2], [1, -4, 0]])
    np.testing.assert_allclose(BY_HAND.distance(given), [0, 1, 4, np.sqrt(4 + 16)])
    np.testing.assert_allclose(BY_HAND(given), BY_HAND.distance(given) / 2)


def test_distances_are_those_by_the_inverse_of_the_covariance():
    found = Familiarity.fit(kind(1, 60))
    assert found is not None
    others = kind(2, 9)
    beside = np.eye(40) - found.directions.T @ found.directions
    covariance = found.directions.T @ np.diag(found.variance) @ found.directions + found.rest * beside
    apart = others - found.mean
    expected = np.sqrt(np.einsum("ij,jk,ik->i", apart, np.linalg.inv(covariance), apart))
    np.testing.assert_allclose(found.distance(others), expected, rtol=1e-6)


def test_what_is_kept_are_mean_directions_and_variances():
    known = kind(3, 190)
    found = Familiarity.fit(known)
    assert found is not None
    np.testing.assert_allclose(found.mean, known.mean(axis=0))
    np.testing.assert_allclose(found.directions @ found.directions.T, np.eye(MOST_DIRECTIONS), atol=1e-9)
    spread = np.linalg.eigvalsh(np.cov(known.T))[::-1]
    np.testing.assert_allclose(found.variance, spread[:MOST_DIRECTIONS])
    assert found.rest == pytest.approx(spread[MOST_DIRECTIONS:].mean())


@pytest.mark.parametrize("count", [5, 12, 80])
def test_others_of_the_kind_are_familiar_and_strangers_are_not(count):
    found = Familiarity.fit(kind(4, count))
    assert found is not None
    assert (found(kind(5, 500)) < 1).mean() > 0.97
    assert (found(kind(6, 500, shift=30.0)) > 1).all()


def test_the_edge_is_from_photographs_left_out_in_turn():
    """With six photographs, each of them, and Student's distribution says how far out."""
    known = kind(7, 6)
    found = Familiarity.fit(known)
    assert found is not None
    logs = []
    for place in range(6):
        without = Familiarity.fit(np.delete(known, place, axis=0))
        assert without is not None
        logs.append(np.log(without.distance(known[place : place + 1])[0]))
    reach = stats.t.ppf(0.975, 5) * np.sqrt(1 + 1 / 6)
    assert found.edge == pytest.approx(np.exp(np.mean(logs) + reach * np.std(logs, ddof=1)), rel=0.01)


@pytest.mark.parametrize(
    "known", [np.zeros((2, 4)), np.full((9, 4), np.nan), np.full((9, 4), np.inf), np.zeros((9, 9000))]
)
def test_of_too_little_nothing_is_known(known):
    assert Familiarity.fit(known) is None


def test_photographs_that_are_all_alike_are_familiar_and_others_strange():
    found = Familiarity.fit(np.ones((6, 4)))
    assert found is not None
    familiar, strange = found(np.array([[1, 1, 1, 1], [1, 1, 1, 3]]))
    assert familiar == 0
    assert strange > 1


@pytest.mark.parametrize(("count", "numbers"), [(5, 40), (90, 40), (60, 1500)])
def test_what_is_written_comes_back_and_is_small(count, numbers):
    found = Familiarity.fit(kind(9, count, numbers=numbers))
    assert found is not None
    tensors = found.tensors()
    assert sum(tensor.nbytes for tensor in tensors.values()) <= 60_000
    again = Familiarity.from_tensors({"policy.weight": torch.ones(3), **tensors})
    assert again is not None
    others = kind(10, 20, numbers=numbers)
    np.testing.assert_allclose(again(others), found(others), rtol=1e-3)


def test_files_without_it_know_nothing():
    assert Familiarity.from_tensors({"policy.weight": torch.ones(3)}) is None


@pytest.mark.parametrize(
    ("name", "tensor"),
    [
        ("mean", torch.zeros(4)),
        ("mean", torch.zeros(1, 3)),
        ("mean", torch.tensor([0.0, np.nan, 0.0])),
        ("mean", torch.zeros(3, dtype=torch.int64)),
        ("directions", torch.zeros(2, 3)),
        ("directions", torch.zeros(MOST_STORED, 3)),
        ("variance", torch.tensor([-1.0])),
        ("variance", torch.tensor(1.0)),
        ("scales", torch.tensor([1.0, 0.0])),
        ("scales", torch.ones(3)),
        ("scales", None),
    ],
)
def test_what_does_not_belong_together_is_refused(name, tensor):
    tensors = BY_HAND.tensors() | {PREFIX + name: tensor}
    given = {key: one for key, one in tensors.items() if one is not None}
    with pytest.raises((ValueError, KeyError, TypeError)):
        Familiarity.from_tensors(given)
