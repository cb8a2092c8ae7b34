"""Trainings that go on until validation no longer improves, and only then let the learning rate fall."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

LEAST = 0.001
"""Accuracy by which validation must improve to count."""
RISE = 0.03
"""Share of the wait in which the learning rate rises."""


@dataclass
class Plateau:
    """How far such a training is, in updates.

    For ``wait`` updates beta falls, and methods that begin with imitation imitate. Then validation must improve, by
    ``LEAST`` within ``wait`` updates. If it does not, that was the plateau: the learning rate falls along a cosine for
    half as many updates again, and the training is over.
    """

    wait: int
    best: float = -1.0
    """The best validation accuracy before the decay."""
    updates: int = 0
    """When it was reached, in updates,"""
    node_samples: int = 0
    """in nodes learned from, each counted as often as it was,"""
    seconds: float = 0.0
    """and in time."""
    decays_from: int | None = None
    """The update after which the learning rate falls."""

    def note(self, accuracy: float, updates: int, node_samples: int, seconds: float) -> None:
        """Take notice of a validation."""
        if self.decays_from is not None:
            return
        if accuracy > self.best + LEAST:
            self.best, self.updates, self.node_samples, self.seconds = accuracy, updates, node_samples, seconds
        elif updates - max(self.updates, self.wait) >= self.wait:
            self.decays_from = updates

    def progress(self, updates: int) -> float:
        """From 0 to 1: half while beta falls, no more until the plateau, and the rest in the decay."""
        if self.decays_from is None:
            return 0.5 * min(updates / self.wait, 1)
        return 0.5 + 0.5 * self._decayed(updates)

    def share(self, updates: int) -> float:
        """Of the highest learning rate."""
        if self.decays_from is None:
            return min(0.1 + 0.9 * updates / (RISE * self.wait), 1.0)
        return 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * self._decayed(updates)))

    def _decayed(self, updates: int) -> float:
        assert self.decays_from is not None
        return min((updates - self.decays_from) / max(self.wait // 2, 1), 1.0)

    def to_json(self) -> dict[str, Any]:
        """As checkpoints and results hold it."""
        return asdict(self)
