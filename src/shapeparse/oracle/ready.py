"""Kernels compiled before they are needed, with a word to the user who waits."""

from __future__ import annotations

import numpy as np

from ..support.progress import explained
from .igm import igm


def ready_oracle() -> None:
    """Have the oracle's kernels compiled: some seconds once per machine, nothing afterwards."""
    with explained("Compiling the oracle's kernels (only this once) …"):
        igm(np.eye(4, dtype=bool), depth=2, lookahead=1, price=0.01)
