"""The models a client can choose from: trained parsers, and the oracles, which need a mask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from ..data import BUILT_IN
from ..grammar import BoolArray, ParseTree
from ..oracle import igm
from ..parsing.shipped import PRETRAINED
from ..support.errors import UserError
from ..support.text import one_line

if TYPE_CHECKING:
    from ..parsing.parser import Parser

Photo = npt.NDArray[np.uint8]

ORACLE_DEPTH = 7
LOOKAHEAD = 4
LOOKAHEAD_SIDE = 1024
"""Longest side of a mask that is looked ahead on: on noise, the work grows with its cube."""


class Model(Protocol):
    """Something that makes trees of photographs."""

    @property
    def name(self) -> str:
        """What a request calls it."""

    @property
    def title(self) -> str:
        """What people call it."""

    @property
    def kind(self) -> Literal["model", "oracle"]:
        """Learned, or told by the mask."""

    @property
    def needs_mask(self) -> bool:
        """Whether a photograph alone is not enough."""

    def facts(self) -> dict[str, Any]:
        """What is worth knowing of it; always its usual "depth", and whether it can put a "price" on rectangles."""

    def parse(self, photo: Photo, mask: BoolArray | None, depth: int | None, price: float) -> ParseTree:
        """The tree of a photograph; ``UserError`` says in one sentence why there is none."""


@dataclass(frozen=True)
class OracleModel:
    """The oracle: it sees the mask."""

    name: str
    title: str
    lookahead: int
    kind: Literal["oracle"] = "oracle"
    needs_mask: bool = True

    def facts(self) -> dict[str, Any]:
        return {"depth": ORACLE_DEPTH, "price": True, "lookahead": self.lookahead}

    def parse(self, photo: Photo, mask: BoolArray | None, depth: int | None, price: float) -> ParseTree:
        if mask is None:
            raise UserError(f"{self.title} needs a mask of the photograph; send one, or choose a trained model.")
        if self.lookahead and max(mask.shape) > LOOKAHEAD_SIDE:
            raise UserError(
                f"{self.title} takes pictures of at most {LOOKAHEAD_SIDE} pixels a side here; send a smaller one, or "
                "choose the plain oracle."
            )
        tree = igm(mask, ORACLE_DEPTH if depth is None else depth, lookahead=self.lookahead, price=price, threads=1)
        assert isinstance(tree, ParseTree)  # one mask, one tree
        return tree


@dataclass(frozen=True)
class LearnedModel:
    """A trained parser."""

    name: str
    title: str
    parser: Parser
    kind: Literal["model"] = "model"
    needs_mask: bool = False

    def facts(self) -> dict[str, Any]:
        return {**self.parser.facts, "depth": self.parser.limits.depth, "price": True}

    def parse(self, photo: Photo, mask: BoolArray | None, depth: int | None, price: float) -> ParseTree:
        return self.parser.parse(photo, depth=depth, price=price or None)


def list_models(runs: Sequence[Path], device: str = "auto") -> dict[str, Model]:
    """All that is offered, by name: first the trained parsers in the order given, then the oracles."""
    oracles = (
        OracleModel("oracle", "Oracle", 0),
        OracleModel("oracle-lookahead", "Oracle with lookahead", LOOKAHEAD),
    )
    models: dict[str, Model] = {}
    taken = {oracle.name for oracle in oracles}
    for run in runs:
        learned = _load(run, taken, device)
        taken.add(learned.name)
        models[learned.name] = learned
    return models | {oracle.name: oracle for oracle in oracles}


def _load(run: Path, taken: set[str], device: str) -> LearnedModel:
    from ..parsing.load import load  # with PyTorch, which a service of oracles alone does without

    parser = load(run, device)
    own = one_line(run.resolve().name)[:60] or "model"
    name, number = own, 1
    while name in taken:
        number += 1
        name = f"{own}-{number}"
    if run == PRETRAINED:
        return LearnedModel(name, f"Pretrained on the {BUILT_IN}", parser)
    return LearnedModel(name, f"{parser.title}: {name}", parser)
