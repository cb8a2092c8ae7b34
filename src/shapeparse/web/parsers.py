"""The models a client can choose from: trained parsers, and the oracles, which need a mask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..data import BUILT_IN
from ..grammar import BoolArray, ParseTree
from ..oracle import igm
from ..oracle.optimal import best_tree, tree_curve
from ..parsing.settings import ParseSettings
from ..parsing.shipped import PRETRAINED
from ..support.errors import UserError
from ..support.text import one_line
from .settings import LEAST_PRICE, MAX_RECTANGLES

if TYPE_CHECKING:
    from ..parsing.parser import Parser

Photo = npt.NDArray[np.uint8]

ORACLE_DEPTH = 7
LOOKAHEAD = 4
GOALS = ("rectangles", "price", "accuracy")
"""What a search for the best tree can be told; a request gives one of them at most."""
LOOKAHEAD_SIDE = 1024
"""Longest side of a mask that is looked ahead on: on noise, the work grows with its cube."""


class Found(NamedTuple):
    """What a model makes of a photograph."""

    tree: ParseTree
    strangeness: float | None = None
    """Beyond 1, the photograph is unlike those that the model has learned from; None if it does not know."""


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
        """What is worth knowing of it; always its usual "depth", None for no limit, and the "settings" it
        knows."""

    def parse(self, photo: Photo, mask: BoolArray | None, settings: ParseSettings) -> Found:
        """The tree of a photograph, and whether to rely on it; ``UserError`` says in one sentence why there is none."""


@dataclass(frozen=True)
class OracleModel:
    """The oracle: it sees the mask."""

    name: str
    title: str
    lookahead: int
    kind: Literal["oracle"] = "oracle"
    needs_mask: bool = True

    def facts(self) -> dict[str, Any]:
        return {"depth": ORACLE_DEPTH, "settings": ["depth", "price"], "lookahead": self.lookahead}

    def parse(self, photo: Photo, mask: BoolArray | None, settings: ParseSettings) -> Found:
        mask = _needed(mask, self.title)
        if settings.goal:
            raise UserError(
                f"{self.title} knows no {settings.goal}; give a price, or choose the model {BestTree.name}."
            )
        if self.lookahead and max(mask.shape) > LOOKAHEAD_SIDE:
            raise UserError(
                f"{self.title} takes pictures of at most {LOOKAHEAD_SIDE} pixels a side here; send a smaller one, or "
                "choose the plain oracle."
            )
        depth = ORACLE_DEPTH if settings.depth is None else settings.depth
        tree = igm(mask, depth, lookahead=self.lookahead, price=settings.price or 0.0, threads=1)
        assert isinstance(tree, ParseTree)  # one mask, one tree
        return Found(tree)


@dataclass(frozen=True)
class BestTree:
    """The best tree of the mask. Without a depth: to prove a shallow tree the best can take minutes, on noise."""

    name: str = "best-tree"
    title: str = "Best tree of the mask"
    kind: Literal["oracle"] = "oracle"
    needs_mask: bool = True

    def facts(self) -> dict[str, Any]:
        return {"depth": None, "settings": list(GOALS)}

    def parse(self, photo: Photo, mask: BoolArray | None, settings: ParseSettings) -> Found:
        mask = _needed(mask, self.title)
        if settings.depth is not None:
            raise UserError(f"{self.title} knows no depth; leave it out, or choose the model oracle.")
        if settings.accuracy is not None:
            return Found(_reaching(mask, settings.accuracy))
        _check_price(settings.price)
        return Found(best_tree(mask, rectangles=settings.rectangles, price=settings.price).tree)


@dataclass(frozen=True)
class LearnedModel:
    """A trained parser."""

    name: str
    title: str
    parser: Parser
    kind: Literal["model"] = "model"
    needs_mask: bool = False

    def facts(self) -> dict[str, Any]:
        if self.parser.has_map:
            return {**self.parser.facts, "depth": None, "settings": ["depth", *GOALS]}
        return {**self.parser.facts, "depth": self.parser.limits.depth, "settings": ["depth", "price"]}

    def parse(self, photo: Photo, mask: BoolArray | None, settings: ParseSettings) -> Found:
        if self.parser.has_map:
            _check_price(settings.price)
        return Found(*next(self.parser.parse_knowingly([photo], settings)))


def _needed(mask: BoolArray | None, title: str) -> BoolArray:
    if mask is None:
        raise UserError(f"{title} needs a mask of the photograph; send one, or choose a trained model.")
    return mask


def _check_price(price: float | None) -> None:
    if price is not None and price < LEAST_PRICE:
        raise UserError(f"price is {price:g}; give at least {LEAST_PRICE} here, or leave it out.")


def _reaching(mask: BoolArray, accuracy: float) -> ParseTree:
    """The tree of the fewest rectangles that reaches an accuracy, if they are not too many."""
    curve = tree_curve(mask, most=MAX_RECTANGLES)
    enough = [point for point in curve if point.accuracy >= accuracy]
    if not enough:
        raise UserError(
            f"accuracy {accuracy:g} is not reached with {MAX_RECTANGLES} rectangles, the most there are here; the best "
            f"tree has {curve[-1].accuracy:.6g}."
        )
    return enough[0].tree


def list_models(runs: Sequence[Path], device: str = "auto") -> dict[str, Model]:
    """All that is offered, by name: first the trained parsers in the order given, then the oracles."""
    oracles: tuple[Model, ...] = (
        BestTree(),
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
