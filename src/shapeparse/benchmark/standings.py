"""Who stands where: the rows of a results file in order, and the differences between any two."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..learning.methods import METHODS
from ..learning.names import ABLATION_NAMES, METHOD_NAMES, REGISTERED
from ..support.text import printable
from .paper import PAPER_TABLE
from .resampling import Rank, difference_interval, ranks
from .statistics import Group, Interval, grouped, image_differences

ROWS = (
    "majority-set", "majority-image", *METHOD_NAMES, *ABLATION_NAMES,
    "colours", "segment", "segment-lookahead", "segment-lite", "segment-lite-lookahead", "oracle", "oracle-lookahead",
)  # fmt: skip
"""The order of the table."""

SHORT_TITLES = {
    "majority-set": "majority of set",
    "majority-image": "majority of image",
    "bc": "cloning",
    "drag-control": "DRAG weight 1",
    "aggrevated-expected": "AggreVaTeD exp.",
    "ac-aggrevated-expected": "AC-AggreV. exp.",
    "drag-expected": "DRAG expected",
    "drag-dense": "DRAG dense",
    "drag-anchored": "DRAG anchored",
    "dagger-optimal": "DAgger best tree",
    "dagger-places": "DAgger places",
    "drag-exact": "DRAG exact",
    "drag-exact-anchored": "DRAG exact anch.",
    "aggrevate-exact": "AggreVaTe exact",
    "colours": "colours",
    "segment": "U-Net + IGM",
    "segment-lookahead": "U-Net, lookahead",
    "segment-lite": "lite U-Net + IGM",
    "segment-lite-lookahead": "lite U-Net, lookahead",
    "oracle": "oracle",
    "oracle-lookahead": "oracle, lookahead",
}
"""For charts, where long titles have no room."""

LEARNERS = ("method", "ablation", "peer")
"""Kinds of rows that see no mask of a test image; the lines are for orientation."""


class Standings:
    """The rows of a results file that have something to show, in the order of the table."""

    def __init__(self, results: dict[str, Any]) -> None:
        self.results = results
        self.preset: str = results.get("preset") or ""
        runs = [run for run in results.get("runs") or [] if (run.get("test") or {}).get("accuracy") is not None]
        self.groups = sorted(grouped(runs, self.preset).values(), key=self._order)
        self.tests: list[list[int]] = [split["test"] for split in results.get("splits") or []]
        self._differences: dict[tuple[str, str, str, str], Interval | None] = {}

    @property
    def folds(self) -> int:
        """How many folds there are to run."""
        return len(self.tests)

    @property
    def incomplete(self) -> list[Group]:
        """Rows that lack some of the folds."""
        return [group for group in self.groups if len(group.runs) < self.folds]

    def named(self, row: str, preset: str | None = None) -> Group | None:
        """The row of that name and preset (the results' own if not given), if it was run."""
        key = (self.preset if preset is None else preset, row)
        return next((group for group in self.groups if (group.preset, group.row) == key), None)

    def drag_beside(self, group: Group) -> Group | None:
        """DRAG with the network of ``group``, or else with the usual one."""
        return self.named("drag", group.preset) or self.named("drag")

    def ranked(self, kinds: Collection[str] = LEARNERS) -> list[Group]:
        """Rows of some kinds, the most accurate on test images first."""
        return sorted((group for group in self.groups if kind(group) in kinds), key=test_accuracy, reverse=True)

    def ranked_nine(self) -> list[Group]:
        """Those of the paper's nine methods that were run, the best first."""
        return [group for group in self.ranked(("method",)) if group.row in PAPER_TABLE and self.is_usual(group)]

    def is_usual(self, group: Group) -> bool:
        """Whether the row was run with the results' own preset."""
        return group.preset == self.preset

    def difference(self, first: Group, second: Group) -> Interval | None:
        """By how much ``first`` is more accurate, on the images both were tested on; None if there are none."""
        key = (first.preset, first.row, second.preset, second.row)
        if key not in self._differences:
            differences = image_differences(first, second, self.tests)
            self._differences[key] = difference_interval(differences) if differences else None
        return self._differences[key]

    def ranks(self) -> list[tuple[Group, Rank]]:
        """The learners that were run on all of at least two folds, the best first, and how sure their ranks are."""
        found = {group.row: (group, self._accuracies(group)) for group in self.ranked() if self.is_usual(group)}
        complete = [(group, folds) for group, folds in found.values() if len(folds) == self.folds > 1]
        if len(complete) < 2:
            return []
        placed = ranks([folds for _, folds in complete])
        return [(group, rank) for (group, _), rank in zip(complete, placed, strict=True)]

    def _accuracies(self, group: Group) -> list[dict[int, float]]:
        """For each fold that the row was run on: its accuracy on each test image."""
        folds = []
        for fold, run in group.runs.items():
            images, each = self.tests[fold] if fold < len(self.tests) else [], run.get("test_accuracy_each") or []
            if images and len(images) == len(each):
                folds.append(dict(zip(images, each, strict=True)))
        return folds

    def title(self, group: Group) -> str:
        """The row's name as people read it, with its preset if that is not the usual one."""
        return self._with_preset(group, printable(str(group.any_run.get("title") or group.row)))

    def short_title(self, group: Group) -> str:
        """The same for charts."""
        title = SHORT_TITLES.get(group.row) or printable(str(group.any_run.get("title") or group.row), 18)
        return self._with_preset(group, title)

    def _with_preset(self, group: Group, title: str) -> str:
        return title if self.is_usual(group) else f"{title} ({printable(group.preset, 12)})"

    def _order(self, group: Group) -> tuple[bool, str, int]:
        place = ROWS.index(group.row) if group.row in ROWS else len(ROWS)
        return not self.is_usual(group), group.preset, place


def kind(group: Group) -> str:
    """Method, ablation, peer or line."""
    return str(group.any_run.get("kind") or "method")


def setting(group: Group) -> str:
    """What a method may use, RL, IL or IL+RL; ablations, peers and lines are called so."""
    method = METHODS.get(group.row) or REGISTERED.get(group.row)
    return method.setting if method else kind(group)


def test_accuracy(group: Group) -> float:
    """Mean over the folds, from 0 to 1."""
    found = group.over_folds("accuracy", "test")
    assert found is not None  # rows without it are not in the standings
    return found.mean
