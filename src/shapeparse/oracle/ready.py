"""Kernels compiled before they are needed, with a word to the user who waits for that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numba.core import event

from ..support.progress import waiting
from .igm import igm


def ready_oracle() -> None:
    """Have the oracle's kernels compiled: some seconds once per machine, nothing afterwards."""
    with explained_compiling("Compiling the oracle's kernels (only this once) …"):
        igm(np.eye(4, dtype=bool), depth=2, lookahead=1, price=0.01)


@contextmanager
def explained_compiling(message: str) -> Iterator[None]:
    """Say why the user is waiting if kernels really are compiled within, not if they come from Numba's cache."""
    with waiting(message) as begin:

        class Listener(event.Listener):  # type: ignore[misc]
            def on_start(self, event: Any) -> None:
                begin()

            def on_end(self, event: Any) -> None:
                pass

        with event.install_listener("numba:compile", Listener()):
            yield
