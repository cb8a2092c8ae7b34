"""A critic that needs no learning: what cuts and labels are worth, as the optimal oracle knows it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ..networks.critic import CriticOutput


@dataclass(frozen=True)
class KnownWorth(CriticOutput):
    """Q* of nodes: exact at the cuts of a table, straight between them."""

    places: Tensor
    """(nodes, 2, points): where along each axis, ascending from 0 to 1; see ``OptimalOracle.worth``."""
    values_there: Tensor
    """(nodes, 2, points)."""
    labels: Tensor
    """(nodes, 2): Q* of paint and of skip."""

    def split_value(self, location: Tensor) -> Tensor:
        """(nodes, 2, ...): Q* of a split at ``location``, of the same shape, for each axis, with the table's slope."""
        flat = location.flatten(2) if location.ndim > 2 else location.unsqueeze(2)
        above = torch.searchsorted(self.places, flat.detach().contiguous()).clamp(1, self.places.shape[2] - 1)
        (left, right), (low, high) = (
            (table.gather(2, above - 1), table.gather(2, above)) for table in (self.places, self.values_there)
        )
        share = (flat - left) / (right - left).clamp(min=1e-6)
        return (low + share * (high - low)).view(location.shape)

    def label_values(self) -> Tensor:
        return self.labels

    def at_places(self, positions: int) -> Tensor:
        """(nodes, 2, positions): Q* of splits in the middle of equal stretches along each axis."""
        middle = (torch.arange(positions, device=self.places.device) + 0.5) / positions
        return self.split_value(middle.expand(len(self.places), 2, positions))

    def detach(self) -> KnownWorth:
        return self
