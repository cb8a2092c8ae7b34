"""Choices at random: as likely as said, and the options themselves."""

from __future__ import annotations

import numpy as np
import pytest

from shapeparse.data.generator.chance import happens, pick


def test_every_option_is_as_likely_as_often_as_it_is_listed() -> None:
    rng = np.random.default_rng(0)
    drawn = [pick(rng, ("a", "a", "b")) for _ in range(3000)]
    assert set(drawn) == {"a", "b"}
    assert drawn.count("a") / len(drawn) == pytest.approx(2 / 3, abs=0.03)


def test_an_option_is_returned_as_it_is_and_not_as_a_numpy_scalar() -> None:
    assert type(pick(np.random.default_rng(0), (0.25, 0.5))) is float


@pytest.mark.parametrize("probability", [0, 0.3, 1])
def test_something_happens_as_often_as_it_is_likely(probability: float) -> None:
    rng = np.random.default_rng(1)
    assert np.mean([happens(rng, probability) for _ in range(3000)]) == pytest.approx(probability, abs=0.03)
