"""Who teaches: the oracles that can act at any node of known masks and say what any action there is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from ..grammar import Actions, Limits, Nodes
from ..support.limits import LOOKAHEAD, TEACHER_PRICE
from .igm import Oracle
from .optimal import OptimalOracle

TeacherName = Literal["igm", "lookahead", "optimal"]


class Teacher(Protocol):
    """What learning asks of an oracle."""

    @property
    def sizes(self) -> npt.NDArray[np.int32]:
        """(width, height) of each mask."""

    def __call__(self, nodes: Nodes) -> Actions:
        """Its action at every node."""

    def cost_to_go(self, nodes: Nodes, actions: Actions) -> npt.NDArray[np.float64]:
        """Q*: the return of each node when its action is taken and the teacher finishes."""

    def replace(self, index: int, mask: npt.NDArray[np.bool_]) -> None:
        """Put another mask of the same size in the place of one."""


def make_teacher(
    masks: Sequence[npt.NDArray[np.bool_]],
    limits: Limits,
    name: TeacherName = "igm",
    lookahead: int = 0,
    price: float = TEACHER_PRICE,
    threads: int | None = None,
) -> Teacher:
    """The teacher of some masks.

    ``igm`` is the paper's; ``lookahead`` judges every cut by how the rest would go; ``optimal`` knows the best tree of
    every node at a ``price`` per rectangle, so that stopping is worth something. The first two
    share many nodes among so many ``threads``, or all cores.
    """
    if name == "optimal":
        return OptimalOracle(masks, limits, price)
    return Oracle(masks, limits, (lookahead or LOOKAHEAD) if name == "lookahead" else lookahead, threads)
