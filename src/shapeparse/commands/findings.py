"""What an examination of a dataset finds: what ``data check`` and ``demo`` share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from ..data.dataset import Dataset, Progress, Skipped
from ..grammar import BoolArray, ParseTree
from ..oracle import igm
from ..support.errors import UserError
from ..support.progress import percent

DEPTHS = (1, 3, 5, 7, 9)
AHEAD_DEPTH = 7
_MOST_SIZES = 3


@dataclass(frozen=True)
class Findings:
    """What a dataset holds; accuracies are means over the masks."""

    usable: int
    problems: list[Skipped]
    sizes: dict[tuple[int, int], int]
    """How many photographs there are of each (width, height), the most frequent first."""
    paint: list[float]
    """Share of paint of every mask."""
    majority: float
    """Accuracy of labelling every photograph by the more frequent of its two labels."""
    oracle: dict[int, float]
    """Accuracy of the greedy oracle by depth."""
    rectangles: dict[int, float]
    """Leaves of the oracle's trees by depth."""

    @property
    def paint_range(self) -> tuple[float, float, float]:
        """Least, mean and greatest share of paint."""
        return min(self.paint), fmean(self.paint), max(self.paint)

    @property
    def unpainted(self) -> int:
        """Masks without any paint."""
        return sum(share == 0 for share in self.paint)

    @property
    def size_range(self) -> str:
        """The sizes in words."""
        if len(self.sizes) <= _MOST_SIZES:
            return ", ".join(f"{w}x{h} ({count})" for (w, h), count in self.sizes.items())
        widths, heights = [w for w, _ in self.sizes], [h for _, h in self.sizes]
        most, count = next(iter(self.sizes.items()))
        return (
            f"{len(self.sizes)} different ones, {min(widths)} to {max(widths)} wide and {min(heights)} to "
            f"{max(heights)} high; most often {most[0]}x{most[1]} ({count})"
        )

    def as_json(self) -> dict[str, Any]:
        """The findings as JSON can hold them."""
        low, mean, high = self.paint_range if self.paint else (None, None, None)
        return {
            "usable": self.usable,
            "problems": [{"file": str(problem.path), "reason": problem.reason} for problem in self.problems],
            "sizes": [{"width": w, "height": h, "count": count} for (w, h), count in self.sizes.items()],
            "paint": {"mean": mean, "least": low, "greatest": high, "masks_without": self.unpainted},
            "accuracy": {"majority": self.majority if self.usable else None, "oracle": self.oracle},
            "rectangles": self.rectangles,
        }


def examine(dataset: Dataset, progress: Progress) -> Findings:
    """Read every sample once and measure it; what is broken is listed and does not stop the rest."""
    problems = list(dataset.skipped)
    sizes: Counter[tuple[int, int]] = Counter()
    paint: list[float] = []
    trees: dict[int, list[tuple[float, int]]] = {depth: [] for depth in DEPTHS}
    for index in progress(range(len(dataset))):
        try:
            mask = dataset.read(index).mask
        except UserError as error:
            problems.append(Skipped(dataset.image_path(index), str(error)))
            continue
        sizes[mask.shape[1], mask.shape[0]] += 1
        paint.append(float(mask.mean()))
        for depth in DEPTHS:
            trees[depth].append(measure(mask, depth))
    return Findings(
        usable=len(paint),
        problems=problems,
        sizes=dict(sizes.most_common()),
        paint=paint,
        majority=_mean([max(share, 1 - share) for share in paint]),
        oracle={depth: _mean([accuracy for accuracy, _ in found]) for depth, found in trees.items() if found},
        rectangles={depth: _mean([leaves for _, leaves in found]) for depth, found in trees.items() if found},
    )


def accuracy_rows(findings: Findings, ahead: tuple[float, float] | None = None) -> list[list[str]]:
    """The rows of a table: how labelled, accuracy, rectangles; ``ahead`` are those of lookahead at ``AHEAD_DEPTH``."""
    rows = [["majority label of each photograph", percent(findings.majority), "1.0"]]
    for depth, accuracy in findings.oracle.items():
        rows.append([f"oracle, depth {depth}", percent(accuracy), f"{findings.rectangles[depth]:.1f}"])
        if ahead and depth == AHEAD_DEPTH:
            rows.append([f"oracle with lookahead, depth {depth}", percent(ahead[0]), f"{ahead[1]:.1f}"])
    return rows


def measure(mask: BoolArray, depth: int, lookahead: int = 0) -> tuple[float, int]:
    """Accuracy and leaves of the oracle's tree of a mask."""
    tree = igm(mask, depth, lookahead=lookahead)
    assert isinstance(tree, ParseTree)  # one mask, one tree
    return tree.accuracy(mask), tree.leaf_count


def _mean(values: list[float] | list[int]) -> float:
    return fmean(values) if values else 0.0
