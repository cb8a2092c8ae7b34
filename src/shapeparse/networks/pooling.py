"""Exact means of a feature map over any boxes, from its integral: what a node costs no longer depends on its size.

A feature map is read as constant within each of its cells, so its integral over a box with fractional edges is the
bilinear interpolation of the integral map at the box's four corners. Coordinates are shares of the image, 0 to 1.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor

from ..support.numba import nb
from .devices import as_tensor, exact

kernel: Any = nb.njit(cache=True, nogil=True, boundscheck=False, fastmath=True)

SMALLEST_CELL = 1e-6
"""Boxes that are thinner than this many cells count as empty: their mean is 0, and no gradient flows through them."""


@kernel
def integrate(features, sums):
    """sums[y, x] = sum of features above and left; features is (height, width, channels)."""
    height, width, channels = features.shape
    sums[0] = 0.0
    sums[:, 0] = 0.0
    row = np.zeros(channels)
    for y in range(height):
        row[:] = 0.0
        for x in range(width):
            for c in range(channels):
                row[c] += features[y, x, c]
                sums[y + 1, x + 1, c] = sums[y, x + 1, c] + row[c]


@kernel
def differentiate(grad_sums, grad):
    """The transpose of ``integrate``: grad[y, x] = sum of grad_sums below and right."""
    height, width, channels = grad.shape
    row = np.zeros(channels)
    below = np.zeros((width, channels))
    for y in range(height - 1, -1, -1):
        row[:] = 0.0
        for x in range(width - 1, -1, -1):
            for c in range(channels):
                row[c] += grad_sums[y + 1, x + 1, c]
                below[x, c] += row[c]
                grad[y, x, c] = below[x, c]


@kernel
def place(edge, cells):
    """The cell an edge lies in, and how far into it."""
    position = min(max(edge, 0.0), 1.0) * cells
    cell = min(int(position), cells - 1)
    return cell, position - cell


@kernel
def per_cell(low, high, cells):
    """1 over the length between two edges, in cells; 0 if they leave nothing between them inside the image."""
    length = (min(max(high, 0.0), 1.0) - min(max(low, 0.0), 1.0)) * cells
    return 1.0 / length if length >= SMALLEST_CELL else 0.0


@kernel
def pool_forward(sums, nodes, x_edges, y_edges, out):
    """Means over the boxes between neighbouring edges of those ``nodes`` that are of one image.

    ``out`` is (nodes of all images, rows, columns, channels).
    """
    _, rows, columns, channels = out.shape
    height, width = sums.shape[0] - 1, sums.shape[1] - 1
    corners = np.empty((2, columns + 1, channels))
    x_cells, x_shares, per_column = np.empty(columns + 1, np.int64), np.empty(columns + 1), np.empty(columns)
    for n in nodes:
        for i in range(columns + 1):
            x_cells[i], x_shares[i] = place(x_edges[n, i], width)
            if i > 0:
                per_column[i - 1] = per_cell(x_edges[n, i - 1], x_edges[n, i], width)
        for j in range(rows + 1):
            y, v = place(y_edges[n, j], height)
            now = j % 2
            for i in range(columns + 1):
                x, u = x_cells[i], x_shares[i]
                a, b, c, d = (1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v
                for k in range(channels):
                    corners[now, i, k] = (
                        a * sums[y, x, k] + b * sums[y, x + 1, k] + c * sums[y + 1, x, k] + d * sums[y + 1, x + 1, k]
                    )
            if j > 0:
                per_row = per_cell(y_edges[n, j - 1], y_edges[n, j], height)
                for i in range(columns):
                    scale = per_row * per_column[i]
                    for k in range(channels):
                        total = corners[now, i + 1, k] - corners[now, i, k]
                        total -= corners[1 - now, i + 1, k] - corners[1 - now, i, k]
                        out[n, j - 1, i, k] = total * scale


@kernel
def pool_backward(grad_out, nodes, x_edges, y_edges, grad_sums):
    """The transpose of ``pool_forward``: adds to ``grad_sums``."""
    _, rows, columns, channels = grad_out.shape
    height, width = grad_sums.shape[0] - 1, grad_sums.shape[1] - 1
    corner = np.empty((rows + 1, columns + 1, channels))
    for n in nodes:
        corner[:] = 0.0
        for j in range(rows):
            per_row = per_cell(y_edges[n, j], y_edges[n, j + 1], height)
            for i in range(columns):
                scale = per_row * per_cell(x_edges[n, i], x_edges[n, i + 1], width)
                for k in range(channels):
                    g = grad_out[n, j, i, k] * scale
                    corner[j, i, k] += g
                    corner[j, i + 1, k] -= g
                    corner[j + 1, i, k] -= g
                    corner[j + 1, i + 1, k] += g
        for j in range(rows + 1):
            y, v = place(y_edges[n, j], height)
            for i in range(columns + 1):
                x, u = place(x_edges[n, i], width)
                a, b, c, d = (1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v
                for k in range(channels):
                    g = corner[j, i, k]
                    grad_sums[y, x, k] += a * g
                    grad_sums[y, x + 1, k] += b * g
                    grad_sums[y + 1, x, k] += c * g
                    grad_sums[y + 1, x + 1, k] += d * g


Edges = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
"""x edges (nodes, columns + 1) and y edges (nodes, rows + 1), ascending along each row."""
Sums = npt.NDArray[np.float64]
"""Integral maps, as ``integrals`` makes them."""


def box_means(
    features: Tensor, image: npt.NDArray[np.integer], edges: list[Edges], sums: Sums | None = None
) -> list[Tensor]:
    """Means of ``features`` (images, channels, height, width) over grids of boxes, differentiable in the features.

    ``image`` says which image each node is of. For each pair of edges the answer is a
    (nodes, rows, columns, channels) tensor: means over the boxes between neighbouring edges. Who asks about the same
    features again and again can have them integrated once, and give the ``sums``.
    """
    if features.device.type != "cpu":
        return [box_means_anywhere(features, image, x, y) for x, y in edges]
    return list(_BoxMeans.apply(features, sums, image, *[edge for pair in edges for edge in pair]))  # type: ignore[no-untyped-call]


def box_means_anywhere(
    features: Tensor, image: npt.NDArray[np.integer], x_edges: npt.NDArray, y_edges: npt.NDArray
) -> Tensor:
    """The same by PyTorch alone, on whatever device the features are: Numba's kernels run on the processor only."""
    height, width = features.shape[2:]
    sums = F.pad(exact(features).cumsum(2).cumsum(3), (1, 0, 1, 0)).permute(0, 2, 3, 1)
    which = as_tensor(image.astype(np.int64), features.device)[:, None, None]

    def placed(edges: npt.NDArray, cells: int) -> tuple[Tensor, Tensor, Tensor]:
        position = np.clip(edges, 0, 1) * cells
        cell = np.minimum(position.astype(np.int64), cells - 1)
        length = np.diff(position, axis=1)
        per_cell = np.where(length >= SMALLEST_CELL, 1 / np.maximum(length, SMALLEST_CELL), 0.0)
        tensors = (as_tensor(part, features.device) for part in (cell, position - cell, per_cell))
        return next(tensors), next(tensors), next(tensors)

    (x, u, per_column), (y, v, per_row) = placed(x_edges, width), placed(y_edges, height)
    x, y, u, v = x[:, None, :], y[:, :, None], u[:, None, :, None], v[:, :, None, None]
    corners = (1 - v) * ((1 - u) * sums[which, y, x] + u * sums[which, y, x + 1])
    corners = corners + v * ((1 - u) * sums[which, y + 1, x] + u * sums[which, y + 1, x + 1])
    total = corners.diff(dim=1).diff(dim=2)
    return (total * per_row[:, :, None, None] * per_column[:, None, :, None]).float()


def integrals(features: Tensor) -> Sums:
    """(images, height + 1, width + 1, channels): the integral maps of (images, channels, height, width)."""
    maps = _channels_last(features)
    count, height, width, channels = maps.shape
    sums = np.empty((count, height + 1, width + 1, channels))
    _for_each(lambda index: integrate(maps[index], sums[index]), count)
    return sums


class _BoxMeans(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, features: Tensor, known: Sums | None, image: npt.NDArray, *flat_edges: npt.NDArray
    ) -> tuple[Tensor, ...]:
        maps = _channels_last(features)
        count, height, width, channels = maps.shape
        nodes_of = _nodes_by_image(image, count)
        pairs = list(zip(flat_edges[::2], flat_edges[1::2], strict=True))
        outputs = [np.empty((len(image), y.shape[1] - 1, x.shape[1] - 1, channels), np.float32) for x, y in pairs]

        def pool(index: int) -> None:
            nodes = nodes_of[index]
            if len(nodes) == 0:
                return
            if known is None:
                sums = np.empty((height + 1, width + 1, channels))
                integrate(maps[index], sums)
            else:
                sums = known[index]
            for (x, y), out in zip(pairs, outputs, strict=True):
                pool_forward(sums, nodes, x, y, out)

        _for_each(pool, count)
        ctx.shape, ctx.nodes_of, ctx.pairs = maps.shape, nodes_of, pairs
        return tuple(torch.from_numpy(out) for out in outputs)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Any, ...]:  # type: ignore[override]
        count, height, width, channels = ctx.shape
        grad = np.zeros(ctx.shape, np.float32)
        upstream = [g.contiguous().numpy() for g in grads]

        def pool(index: int) -> None:
            nodes = ctx.nodes_of[index]
            if len(nodes) == 0:
                return
            grad_sums = np.zeros((height + 1, width + 1, channels))
            for (x, y), g in zip(ctx.pairs, upstream, strict=True):
                pool_backward(g, nodes, x, y, grad_sums)
            differentiate(grad_sums, grad[index])

        _for_each(pool, count)
        return (torch.from_numpy(grad).permute(0, 3, 1, 2), None, None, *[None] * (2 * len(ctx.pairs)))


def _channels_last(features: Tensor) -> npt.NDArray[np.float32]:
    return features.detach().permute(0, 2, 3, 1).contiguous().numpy()


def _nodes_by_image(image: npt.NDArray[np.integer], count: int) -> list[npt.NDArray[np.int64]]:
    order = np.argsort(image, kind="stable")
    return np.split(order, np.searchsorted(image[order], np.arange(1, count)))


def _for_each(work: Callable[[int], None], count: int) -> None:
    """Work through the images on all cores; each is handled by one thread, so sums are always in the same order."""
    threads = min(os.cpu_count() or 1, count, torch.get_num_threads())
    if threads <= 1:
        for index in range(count):
            work(index)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(count)))
