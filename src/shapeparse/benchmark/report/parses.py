"""The trees that the rows made of one fold's test images, read back for pictures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...data import Loaded
from ...grammar import ParseTree
from ...oracle import igm
from ...pictures import Cell
from ...support.errors import UserError
from ...support.files import read_json
from ..standings import LEARNERS, Standings, kind
from ..statistics import Group


@dataclass(frozen=True)
class Parses:
    """The test images of one fold, and what is known of their trees. Images go by their place in the test part."""

    fold: int
    depth: int
    images: npt.NDArray[np.uint8]
    masks: npt.NDArray[np.bool_]
    learners: list[Group]
    """Methods and peers with trees of this fold, the best first."""
    trees: dict[tuple[str, str], list[Any]]
    """By (preset, row): a tree an image, as JSON holds it."""

    def __len__(self) -> int:
        return len(self.images)

    def accuracies(self, groups: list[Group]) -> npt.NDArray[np.float64]:
        """(rows, images): the accuracies that the results file holds."""
        return np.array([group.runs[self.fold]["test_accuracy_each"] for group in groups])

    def photograph(self, place: int) -> Cell:
        """The photograph as it is."""
        return Cell(self.images[place])

    def truth(self, place: int) -> Cell:
        """The true mask over the photograph."""
        return Cell(self.masks[place], self.images[place])

    def oracle_tree(self, place: int) -> ParseTree:
        """The tree of IGM, which sees the mask."""
        tree = igm(self.masks[place], self.depth)
        assert isinstance(tree, ParseTree)  # one mask, one tree
        return tree

    def tree(self, group: Group, place: int) -> ParseTree | None:
        """The tree of a row; None if it cannot be read or is of another image."""
        try:
            tree = ParseTree.from_json(json.dumps(self.trees[group.preset, group.row][place]))
        except UserError:
            return None
        return tree if (tree.height, tree.width) == self.masks[place].shape else None

    def cell(self, tree: ParseTree | None, place: int) -> Cell:
        """A tree with its accuracy; an empty cell if there is none."""
        if tree is None:
            return Cell(None)
        return Cell(tree, self.images[place], tree.accuracy(self.masks[place]))


def read_parses(standings: Standings, out: Path, loaded: Loaded) -> Parses | None:
    """The parses of the fold of which most rows have trees (of equals the first); None if there are none."""
    ranked, best = standings.ranked(), None
    for fold, test in enumerate(standings.tests):
        places = _places(standings.results, loaded, test)
        if not places:
            continue
        trees = {}
        for group in ranked:
            found = _read_trees(out, group, fold, len(test))
            if found is not None:
                trees[group.preset, group.row] = found
        if trees and (best is None or len(trees) > len(best.trees)):
            learners = [group for group in ranked if (group.preset, group.row) in trees and kind(group) in LEARNERS]
            depth = int(standings.results.get("depth") or 7)
            best = Parses(fold, depth, loaded.images[places], loaded.masks[places], learners, trees)
    return best


def _places(results: dict[str, Any], loaded: Loaded, test: list[int]) -> list[int]:
    """Where the test images are in the loaded data, found by name; empty if they are not all there."""
    names = (results.get("data") or {}).get("names")
    if not names:
        return list(test) if test and max(test) < len(loaded.names) else []
    where = {name: place for place, name in enumerate(loaded.names)}
    wanted = [where.get(names[image]) if image < len(names) else None for image in test]
    places = [place for place in wanted if place is not None]
    return places if len(places) == len(test) else []


def _read_trees(out: Path, group: Group, fold: int, count: int) -> list[Any] | None:
    run = group.runs.get(fold)
    if run is None or len(run.get("test_accuracy_each") or []) != count:
        return None
    job, row = str(run.get("job")), group.row
    if any(Path(name).name != name for name in (job, row)):  # a name that leads elsewhere is not followed
        return None
    try:
        trees = read_json(out / "jobs" / job / f"{row}.test_trees.json", "run the job again")
    except UserError:
        return None
    return trees if isinstance(trees, list) and len(trees) == count else None
