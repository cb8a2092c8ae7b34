"""What a network is told of a node besides pixels: where it lies, as shares of the image, and which rules are valid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..grammar import Limits, Nodes, valid_rules
from .devices import CPU, as_tensor

GEOMETRY = 12
"""How many numbers describe a node's place."""


@dataclass(frozen=True)
class NodeView:
    """Nodes in the coordinates networks use. Pixels of the original image appear nowhere, so any size can be parsed."""

    image: npt.NDArray[np.int32]
    """Which image of the batch each node is of."""
    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    w: npt.NDArray[np.float64]
    h: npt.NDArray[np.float64]
    depth: npt.NDArray[np.float64]
    """Share of the depth limit."""
    valid: Tensor
    """(nodes, 4): which rules may be applied; on the device where the network computes."""

    @classmethod
    def of(cls, nodes: Nodes, sizes: npt.NDArray[np.integer], limits: Limits, device: torch.device = CPU) -> NodeView:
        """The view of ``nodes`` of images with the given (width, height), for a network on a device."""
        width, height = sizes[nodes.image].T.astype(np.float64)
        return cls(
            image=nodes.image,
            x=nodes.x / width,
            y=nodes.y / height,
            w=nodes.w / width,
            h=nodes.h / height,
            depth=nodes.depth / max(limits.depth, 1),
            valid=as_tensor(valid_rules(nodes, limits), device),
        )

    def __len__(self) -> int:
        return len(self.x)

    @property
    def device(self) -> torch.device:
        """Where the network computes."""
        return self.valid.device

    def tensor(self, column: npt.NDArray) -> Tensor:
        """One of the columns as a tensor there."""
        return as_tensor(column, self.device)

    def geometry(self) -> Tensor:
        """(nodes, GEOMETRY): place, size (also as logarithms), shape and depth, each around 0."""
        x, y, w, h = self.x, self.y, self.w, self.h
        log_w, log_h = np.log2(w) / 8, np.log2(h) / 8
        columns = [x, y, x + w, y + h, x + w / 2, y + h / 2, w, h, log_w, log_h, log_w - log_h, self.depth]
        return self.tensor((np.stack(columns, axis=1) - 0.5).astype(np.float32))

    def edges(
        self, columns: int, rows: int, margin: float = 0.0
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The x and y edges of a grid over each node, widened on every side by ``margin`` of its size."""

        def along(low: npt.NDArray[np.float64], size: npt.NDArray[np.float64], cells: int) -> npt.NDArray[np.float64]:
            steps = np.linspace(-margin, 1 + margin, cells + 1)
            return low[:, None] + size[:, None] * steps

        return along(self.x, self.w, columns), along(self.y, self.h, rows)


def to_pixels(images: npt.NDArray[np.uint8], device: torch.device = CPU) -> Tensor:
    """(images, 3, side, side) from 0 to 1, of (images, side, side, 3) bytes."""
    return as_tensor(np.ascontiguousarray(images), device).permute(0, 3, 1, 2).float().div_(255)
