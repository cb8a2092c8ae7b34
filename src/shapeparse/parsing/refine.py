"""Cuts that move, when a tree is complete, to where most pixels are expected to be right.

First by the evidence map itself (``settled``). A parser looks at a photograph squashed, though, and cuts it in a grid
no finer than what it saw; so each cut moves on to the pixel at which the photograph itself shows the edge
(``refined``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor

from ..grammar import Forest, Nodes, Rule
from ..oracle.igm import SOFT_UNITS
from ..support.numba import nb

Photograph = npt.NDArray[np.uint8]
"""Bytes (height, width, 3)."""
Evidence = npt.NDArray[np.uint8]
"""(height, width): how likely each pixel is paint, in ``SOFT_UNITS``."""
Table = npt.NDArray[np.int64]

WINDOW = 64
"""Evidence follows the colours within windows that reach to every side by the grid's extent divided by this."""
FLAT = 1e-3
"""Colours from 0 to 1 whose variance is far below this show no edge."""
REACH = 2
"""Pixels of the grid by which a cut may move in one sweep at the photograph's own resolution."""
FAR_REACH = 8
"""Pixels by which it may move in the grid itself."""
SWEEPS = 3

_Function = TypeVar("_Function", bound=Callable)
_compiled: Any = nb.njit(cache=True, nogil=True)
kernel: Callable[[_Function], _Function] = _compiled
PAINT, SKIP = int(Rule.PAINT), int(Rule.SKIP)


class Cuts(NamedTuple):
    """The trees of a forest with edges that can be moved."""

    rule: npt.NDArray[np.int8]
    children: Table
    """(nodes, 2): where they are in the forest; -1 at leaves."""
    edges: Table
    """(nodes, 4): left, top, right, bottom."""

    @classmethod
    def of(cls, forest: Forest) -> Cuts:
        """Those of a forest, which stays as it is."""
        nodes, siblings = forest.nodes, np.flatnonzero(forest.parent >= 0).reshape(-1, 2)  # always side by side
        children = np.full((len(forest), 2), -1, np.int64)
        children[forest.parent[siblings[:, 0]]] = siblings
        edges = np.stack([nodes.x, nodes.y, nodes.x + nodes.w, nodes.y + nodes.h], axis=1)
        return cls(forest.rule.copy(), children, edges.astype(np.int64))

    def forest(self, before: Forest, likely: npt.NDArray[np.float32]) -> Forest:
        """The forest that this has become."""
        x, y, right, bottom = self.edges.T.astype(np.int32)
        nodes = Nodes(before.nodes.image, x, y, right - x, bottom - y, before.nodes.depth)
        kept = nodes.take(self.children[:, 0]).extent(self.rule)
        cut = np.where(self.rule < Rule.PAINT, kept, 0)
        return Forest(nodes, self.rule, cut, before.parent, before.sizes, likely)


def settled(forest: Forest, maps: Sequence[npt.NDArray[np.floating]], min_extent: int = 1) -> Forest:
    """The same splits, each cut where the evidence maps, (height, width) as large as the trees, expect most of it.

    What the maps expect of the trees never falls.
    """
    evidence = (np.rint(likely * SOFT_UNITS).astype(np.uint8) for likely in maps)
    return _moved(forest, evidence, np.full((len(maps), 2), FAR_REACH), min_extent)


def refined(forest: Forest, seen: Sequence[Tensor], photographs: Sequence[Photograph], min_extent: int = 1) -> Forest:
    """The same splits, each cut where the photograph has it, and leaves labelled by what is in them then.

    What the evidence at the photographs' own resolution expects of the trees never falls.

    Args:
        forest: trees in the photographs' own pixels.
        seen: of each photograph (4, height, width), in the grid in which its tree was made: its colours and how likely
            paint is, from 0 to 1. If that grid is as fine as the photograph, the tree stays as it is.
        photographs: the photographs at their own size.
        min_extent: a node that is split stays longer than this.
    """
    cells = np.array([grid.shape[:0:-1] for grid in seen])
    finer = (cells != forest.sizes).any(axis=1)
    evidence = (  # one photograph's at a time, since it is as large
        guided(coefficients(grid).numpy(), photograph) if better else None
        for grid, photograph, better in zip(seen, photographs, finer, strict=True)
    )
    return _moved(forest, evidence, REACH * forest.sizes.astype(np.int64) // cells, min_extent)


def _moved(forest: Forest, evidence: Iterable[Evidence | None], reach: Table, min_extent: int) -> Forest:
    """Cuts moved by the evidence, and leaves labelled by it, where there is some; reach is (images, 2)."""
    assert forest.likely is not None
    cuts, likely = Cuts.of(forest), forest.likely.copy()
    order = np.argsort(forest.nodes.image, kind="stable")
    starts = np.searchsorted(forest.nodes.image[order], np.arange(len(forest.sizes) + 1))
    for image, shown in enumerate(evidence):
        if shown is None:
            continue
        nodes = order[starts[image] : starts[image + 1]]
        for _ in range(SWEEPS):
            moved = move_cuts(shown, cuts, nodes, reach[image], min_extent)
            likely[nodes] = label_leaves(shown, cuts, nodes)
            if not moved:
                break
    return cuts.forest(forest, likely)


# ---- evidence at the photograph's own resolution: the fast guided filter (He and Sun 2015) ---------------------------


def coefficients(seen: Tensor) -> Tensor:
    """(height, width, 4): how paint follows from the colours around each place: a factor a colour, and a constant.

    They are those of least squares in a window, averaged over all windows that a place is in.
    """
    colours, paint, (height, width) = seen[:3], seen[3:], seen.shape[1:]
    reach = [max(height // WINDOW, 1), max(width // WINDOW, 1)]

    def mean(values: Tensor) -> Tensor:
        window = [2 * reach[0] + 1, 2 * reach[1] + 1]
        return F.avg_pool2d(values[None], window, stride=1, padding=reach, count_include_pad=False)[0]

    colour, likely = mean(colours), mean(paint)
    products = mean((colours[:, None] * colours).flatten(0, 1)).view(3, 3, height, width)
    spread = (products - colour[:, None] * colour).permute(2, 3, 0, 1) + FLAT * torch.eye(
        3, device=seen.device, dtype=seen.dtype
    )
    shared = (mean(colours * paint) - colour * likely).permute(1, 2, 0)
    factor = torch.linalg.solve(spread, shared[..., None])[..., 0].permute(2, 0, 1)
    constant = likely - (factor * colour).sum(dim=0, keepdim=True)
    return mean(torch.cat([factor, constant])).permute(1, 2, 0).contiguous()


@kernel
def guided(grid: npt.NDArray[np.float32], photograph: Photograph) -> Evidence:
    """Evidence of every pixel of a photograph from its colours, by coefficients interpolated from those in a grid."""
    height, width, _ = photograph.shape
    evidence = np.empty((height, width), np.uint8)
    none, most, half = np.float32(0), np.float32(SOFT_UNITS), np.float32(0.5)
    left, right, across = between(width, grid.shape[1])
    above, below, down = between(height, grid.shape[0])
    for y in range(height):
        line = grid[above[y]] + down[y] * (grid[below[y]] - grid[above[y]])
        for x in range(width):
            one, other = line[left[x]], line[right[x]]
            value = most * (one[3] + across[x] * (other[3] - one[3]))
            for c in range(3):  # a byte is a colour in units
                value += photograph[y, x, c] * (one[c] + across[x] * (other[c] - one[c]))
            evidence[y, x] = np.uint8(min(max(value, none), most) + half)
    return evidence


@kernel
def between(pixels: int, cells: int) -> tuple[Table, Table, npt.NDArray[np.float32]]:
    """For each of some pixels: the two cells on the same stretch between whose centres its own lies, and how far it is
    from the first to the second."""
    first, second, share = np.empty(pixels, np.int64), np.empty(pixels, np.int64), np.empty(pixels, np.float32)
    for i in range(pixels):
        place = min(max((i + 0.5) * cells / pixels - 0.5, 0.0), cells - 1.0)
        first[i] = int(place)
        second[i] = min(first[i] + 1, cells - 1)
        share[i] = place - first[i]
    return first, second, share


# ---- moving cuts -----------------------------------------------------------------------------------------------------
# While a cut stays between the far edges of the nodes that touch it, no node becomes empty, and only the pixels that it
# moves over change their label, from that of the leaf on one side to that of the leaf on the other. So the gain of a
# move is exactly a sum over these pixels.


@kernel
def move_cuts(evidence: Evidence, cuts: Cuts, nodes: Table, reach: Table, min_extent: int) -> bool:
    """Move every cut to where most pixels are expected to be right, those of parents first; whether any moved.

    It moves by at most ``reach`` pixels, along x and along y, and only if that gains something.
    """
    rule, children, edges = cuts
    moved = False
    beside = np.empty(len(nodes), np.int64)
    for node in nodes:
        axis = rule[node]
        if axis >= PAINT:
            continue
        first, second = children[node]
        before = add_touching(beside, 0, cuts, first, axis, 1)
        total = add_touching(beside, before, cuts, second, axis, 0)
        cut = edges[second, axis]
        low, high = cut - reach[axis], cut + reach[axis]
        for place, one in enumerate(beside[:total]):
            shortest = min_extent + 1 if rule[one] == axis else 1
            if place < before:
                low = max(low, edges[one, axis] + shortest)
            else:
                high = min(high, edges[one, axis + 2] - shortest)
        gains = np.zeros(high - low, np.int64)  # of each line of pixels, when it comes to lie before the cut
        for place, one in enumerate(beside[:total]):
            if rule[one] >= PAINT:
                sign = 1 if (rule[one] == PAINT) == (place < before) else -1
                add_lines(gains, evidence, edges[one], axis, low, sign)
        best = low + best_place(gains, cut - low)
        if best != cut:
            moved = True
            for place, one in enumerate(beside[:total]):
                edges[one, axis + 2 if place < before else axis] = best
    return moved


@kernel
def add_touching(found: Table, count: int, cuts: Cuts, top: int, axis: int, end: int) -> int:
    """Add a node, and all below it that share its first (0) or last (1) edge along an axis; how many are found then."""
    found[count] = top
    place, count = count, count + 1
    while place < count:
        node = found[place]
        if cuts.rule[node] < PAINT:
            for child in range(2):
                if cuts.rule[node] != axis or child == end:
                    found[count] = cuts.children[node, child]
                    count += 1
        place += 1
    return count


@kernel
def add_lines(gains: Table, evidence: Evidence, leaf: Table, axis: int, low: int, sign: int) -> None:
    """Add what is gained by painting each line of pixels across an axis, from ``low`` on, as long as a leaf's edge."""
    left, top, right, bottom = leaf
    if axis == 0:
        left, right = low, low + len(gains)
    else:
        top, bottom = low, low + len(gains)
    for y in range(top, bottom):
        for x in range(left, right):
            gains[x - low if axis == 0 else y - low] += sign * (2 * np.int64(evidence[y, x]) - SOFT_UNITS)


@kernel
def best_place(gains: Table, start: int) -> int:
    """Where the running sum of gains is greatest, from 0 to their number; ``start`` unless it is greater elsewhere."""
    best, most, total = start, 0, 0
    for place in range(start, len(gains)):
        total += gains[place]
        if total > most:
            best, most = place + 1, total
    total = 0
    for place in range(start - 1, -1, -1):
        total -= gains[place]
        if total > most:
            best, most = place, total
    return best


@kernel
def label_leaves(evidence: Evidence, cuts: Cuts, nodes: Table) -> npt.NDArray[np.float64]:
    """Give every leaf its likelier label, ties to paint; how likely paint is in each node."""
    paint = np.zeros(len(cuts.rule), np.int64)
    likely = np.empty(len(nodes), np.float64)
    for place in range(len(nodes) - 1, -1, -1):  # children stand behind their parents
        node = nodes[place]
        left, top, right, bottom = cuts.edges[node]
        area = SOFT_UNITS * (right - left) * (bottom - top)
        if cuts.rule[node] < PAINT:
            paint[node] = paint[cuts.children[node, 0]] + paint[cuts.children[node, 1]]
        else:
            for y in range(top, bottom):
                for x in range(left, right):
                    paint[node] += evidence[y, x]
            cuts.rule[node] = PAINT if 2 * paint[node] >= area else SKIP
        likely[place] = paint[node] / area
    return likely
