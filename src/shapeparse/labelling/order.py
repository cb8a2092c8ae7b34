"""Which photograph to label next: the one where a correction teaches most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from PIL import Image

from ..support.text import unknown

Order: TypeAlias = Literal["chosen", "random", "name"]
ORDERS: tuple[Order, ...] = get_args(Order)
SIDE = 12
"""Pixels a side in which photographs are compared."""


def looks(thumbnail: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """What a photograph looks like, as numbers to compare: its colours and their changes, coarsely."""
    small = np.asarray(Image.fromarray(thumbnail).resize((SIDE, SIDE), Image.Resampling.BOX), np.float32) / 255
    changes = np.concatenate([np.abs(np.diff(small, axis=0)).ravel(), np.abs(np.diff(small, axis=1)).ravel()])
    return np.concatenate([small.ravel(), 2 * changes]).astype(np.float32)


def ranked(
    order: Order,
    seen: Sequence[npt.NDArray[np.float32]],
    labelled: Sequence[int],
    others: Sequence[int],
    doubts: Mapping[int, float],
    seed: int = 0,
    most: int | None = None,
) -> list[int]:
    """The photographs that are not labelled yet, the next one first; at most so many of them.

    ``seen`` has the looks of all photographs. In the chosen order, a photograph counts the more the less the parser is
    sure of it (uncertainty), and the farther it is from those that are labelled (familiarity) and from those that come
    before it (diversity): the distance to the nearest of them, times the doubt. Without doubts, distance alone counts.
    """
    if order not in ORDERS:
        raise unknown("order", order, ORDERS)
    if order == "name":
        return list(others)[:most]
    if order == "random":
        return [others[place] for place in np.random.default_rng(seed).permutation(len(others))][:most]
    table = np.stack(seen)
    known = table[list(labelled)] if labelled else table.mean(axis=0, keepdims=True)
    candidates = table[list(others)]
    away = np.full(len(others), np.inf)
    for one in known:
        away = np.minimum(away, np.linalg.norm(candidates - one, axis=1))
    typical = float(np.mean(list(doubts.values()))) if doubts else 1.0
    weight = np.array([doubts.get(number, typical) for number in others])
    found: list[int] = []
    for _ in others[:most]:
        best = int((away * weight).argmax())
        found.append(others[best])
        away = np.minimum(away, np.linalg.norm(candidates - candidates[best], axis=1))
        away[best] = -1.0
    return found
