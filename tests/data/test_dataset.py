"""Whatever a dataset is made of, it is read lazily, at one size, without its broken samples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shapeparse.data import Dataset, Sample, Skipped
from shapeparse.data.dataset import natural_order
from shapeparse.support.errors import UserError


class Squares(Dataset):
    """Samples made up on the spot: number i is 2i x 2i and grey i; the broken ones cannot be read."""

    def __init__(self, count: int, broken: frozenset[int] = frozenset(), side: int | None = None) -> None:
        super().__init__(Path("squares"), [str(index) for index in range(count)], [], side)
        self.broken = broken
        self.reads: list[int] = []

    def image_path(self, index: int) -> Path:
        return Path(f"{index}.png")

    def _read(self, index: int) -> Sample:
        self.reads.append(index)
        if index in self.broken:
            raise UserError(f"{index}.png is damaged; mend it.")
        shape = (2 * index + 2, 2 * index + 2)
        return Sample(self.names[index], np.full((*shape, 3), index, np.uint8), np.ones(shape, np.bool_))


def test_nothing_is_read_before_it_is_asked_for():
    dataset = Squares(3)
    assert len(dataset) == 3
    assert dataset.reads == []
    dataset.read(1)
    assert dataset.reads == [1]


def test_a_side_squashes_every_sample():
    sample = Squares(5, side=3).read(4)
    assert sample.image.shape == (3, 3, 3)
    assert sample.mask.shape == (3, 3)


def test_read_all_skips_broken_samples_with_their_reason():
    images, masks, names, skipped = Squares(4, broken=frozenset({1})).read_all(side=8)
    assert names == ["0", "2", "3"]
    assert images.shape == (3, 8, 8, 3)
    assert images[:, 0, 0, 0].tolist() == [0, 2, 3]
    assert masks.dtype == np.bool_
    assert masks.all()
    assert skipped == [Skipped(Path("1.png"), "1.png is damaged; mend it.")]


def test_read_all_refuses_to_return_nothing():
    with pytest.raises(UserError, match=r"no sample that can be used \(the first of 2: 0.png is damaged; mend it\)"):
        Squares(2, broken=frozenset({0, 1})).read_all(side=8)


def test_check_lists_all_that_is_wrong_and_keeps_going():
    dataset = Squares(4, broken=frozenset({1, 3}))
    dataset.skipped.append(Skipped(Path("x.png"), "x.png has no mask; add one."))
    assert [entry.path.name for entry in dataset.check()] == ["x.png", "1.png", "3.png"]
    assert dataset.reads == [0, 1, 2, 3]
    assert len(dataset.skipped) == 1


def test_progress_sees_every_sample():
    seen: list[int] = []

    def watch(indices):
        for index in indices:
            seen.append(index)
            yield index

    Squares(3).read_all(side=4, progress=watch)
    assert seen == [0, 1, 2]


@pytest.mark.parametrize("side", [0, -1, 10_000_000])
def test_a_senseless_side_is_refused(side):
    with pytest.raises(UserError, match="side"):
        Squares(2).read_all(side=side)
    with pytest.raises(UserError, match="side"):
        Squares(2, side=side)


def test_natural_order_counts():
    names = ["b1", "a10", "a9", "a", "10", "9", "a9b", "٣", "a09"]
    assert sorted(names, key=natural_order) == ["9", "10", "a", "a09", "a9", "a9b", "a10", "b1", "٣"]
