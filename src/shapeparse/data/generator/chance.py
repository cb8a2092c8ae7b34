"""Choosing at random among Python values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Option = TypeVar("Option")


def pick(rng: np.random.Generator, options: Sequence[Option]) -> Option:
    """One of the options, each as likely; list an option twice to make it twice as likely.

    Unlike ``rng.choice`` it returns the option itself; a NumPy scalar would turn float32 arrays into float64.
    """
    return options[int(rng.integers(len(options)))]


def happens(rng: np.random.Generator, probability: float) -> bool:
    """True with the given probability."""
    return rng.random() < probability
