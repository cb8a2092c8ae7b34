"""What an examination of a dataset finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shapeparse import ParseTree, UserError, igm
from shapeparse.commands.findings import AHEAD_DEPTH, DEPTHS, accuracy_rows, examine, measure
from shapeparse.data import Dataset, Sample

from .conftest import house


class Houses(Dataset):
    """Masks of several sizes; the last file is broken."""

    def __init__(self, widths: list[int]) -> None:
        super().__init__(Path("houses"), [str(width) for width in [*widths, 0]], [], None)

    def image_path(self, index: int) -> Path:
        return Path(f"{self.names[index]}.png")

    def _read(self, index: int) -> Sample:
        width = int(self.names[index])
        if not width:
            raise UserError("0.png is damaged; mend it.")
        return Sample(self.names[index], np.zeros((32, width, 3), np.uint8), house(width))


def test_usable_masks_are_measured_and_broken_ones_named() -> None:
    found = examine(Houses([48, 48, 64]), lambda items: items)
    assert (found.usable, [problem.path.name for problem in found.problems]) == (3, ["0.png"])
    assert found.sizes == {(48, 32): 2, (64, 32): 1}
    assert found.size_range == "48x32 (2), 64x32 (1)"
    low, mean, high = found.paint_range
    assert low <= mean <= high
    assert list(found.oracle) == list(DEPTHS)
    assert found.oracle[9] == 1
    assert found.as_json()["accuracy"]["majority"] == found.majority


def test_many_sizes_are_summed_up_in_words() -> None:
    assert "4 different ones, 40 to 70 wide and 32 to 32 high" in (
        examine(Houses([40, 50, 60, 70]), lambda items: items).size_range
    )


def test_nothing_usable_is_findings_without_numbers() -> None:
    content = examine(Houses([]), lambda items: items).as_json()
    assert (content["usable"], content["accuracy"]["majority"], content["paint"]["mean"]) == (0, None, None)


def test_a_measure_is_that_of_the_oracles_tree() -> None:
    tree = igm(house(), 3, lookahead=2)
    assert isinstance(tree, ParseTree)
    assert measure(house(), 3, 2) == (tree.accuracy(house()), tree.leaf_count)


def test_lookahead_stands_below_the_oracle_of_the_same_depth() -> None:
    found = examine(Houses([48]), lambda items: items)
    names = [row[0] for row in accuracy_rows(found, (0.5, 7.0))]
    assert names[names.index(f"oracle, depth {AHEAD_DEPTH}") + 1] == f"oracle with lookahead, depth {AHEAD_DEPTH}"
    assert len(accuracy_rows(found)) == len(names) - 1
    with pytest.raises(StopIteration):
        next(name for name in (row[0] for row in accuracy_rows(found)) if "lookahead" in name)
