"""Positive pixels of any box by four look-ups: the integral images of some masks, behind each other in one array.

This is the one place outside the kernels that counts boxes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .rules import Nodes

Units = npt.NDArray[np.uint8]
"""A mask in whole units: 0 and 1 for labels, 0 to ``unit`` for probabilities."""


def integrate(units: Units, sums: npt.NDArray[np.integer], start: int) -> None:
    """Write the integral image of a mask into ``sums``, from ``start`` on; the oracle has a quicker kernel."""
    height, width = units.shape
    table = sums[start : start + (height + 1) * (width + 1)].reshape(height + 1, width + 1)
    table[0], table[:, 0] = 0, 0
    np.cumsum(np.cumsum(units, axis=0, dtype=sums.dtype), axis=1, out=table[1:, 1:])


@dataclass(frozen=True)
class BoxSums:
    """The integral images of masks of any sizes.

    >>> sums = BoxSums.of([np.eye(4, dtype=np.uint8)])
    >>> int(sums.count(Nodes.roots(sums.sizes))[0])
    4
    """

    sizes: npt.NDArray[np.int32]
    """(width, height) of each mask."""
    starts: npt.NDArray[np.int64]
    """Where the integral image of each mask begins."""
    sums: npt.NDArray[np.integer]

    @classmethod
    def of(
        cls,
        masks: Sequence[Units],
        kind: type = np.int32,
        integrate: Callable[[Units, npt.NDArray[np.integer], int], None] = integrate,
    ) -> BoxSums:
        """Those of some masks, as numbers of a ``kind`` that holds their sums."""
        sizes = np.array([mask.shape[::-1] for mask in masks], np.int32).reshape(-1, 2)
        lengths = [(mask.shape[0] + 1) * (mask.shape[1] + 1) for mask in masks]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        sums = np.empty(starts[-1], kind)
        for mask, start in zip(masks, starts[:-1], strict=True):
            integrate(mask, sums, start)
        return cls(sizes, starts, sums)

    def count(self, nodes: Nodes) -> npt.NDArray[np.int64]:
        """Positive units in each node."""
        image = nodes.image
        stride = self.sizes[image, 0].astype(np.int64) + 1
        top = self.starts[image] + nodes.y * stride + nodes.x
        bottom = top + nodes.h * stride
        sums = self.sums
        return (sums[bottom + nodes.w] - sums[bottom] - sums[top + nodes.w] + sums[top]).astype(np.int64)
