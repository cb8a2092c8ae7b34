"""A training that diverges ends with a sentence, not with a traceback."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from shapeparse.learning.divergence import check_finite, check_output
from shapeparse.networks.policy import PolicyOutput


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_what_is_not_finite_is_refused(bad: float, refused: Callable[..., str]) -> None:
    assert "diverged" in refused(check_finite, [torch.zeros(2), torch.tensor([0.0, bad])])


@pytest.mark.parametrize("place", range(3))
def test_a_policy_that_answers_no_numbers_is_refused(place: int, refused: Callable[..., str]) -> None:
    parts = [torch.zeros(1, columns) for columns in (4, 2, 2)]
    parts[place][0, 0] = float("nan")
    assert "lower learning rate" in refused(check_output, PolicyOutput(*parts))


def test_impossible_rules_are_no_divergence() -> None:
    for impossible in (-1e9, -float("inf")):
        check_output(PolicyOutput(torch.full((1, 4), impossible), torch.zeros(1, 2), torch.zeros(1, 2)))
