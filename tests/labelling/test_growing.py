"""Growing a region: the kernel does what the definition says, and regions end at edges."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shapeparse.labelling.growing import fill, grow, seed_of, slow_fill

from .conftest import house, picture


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_the_kernel_fills_what_the_definition_says(seed: int, reach: float) -> None:
    rng = np.random.default_rng(seed)
    channels = rng.integers(0, 5, (7, 9, 2)).astype(np.float32) / 4
    x, y = int(rng.integers(9)), int(rng.integers(7))
    start = seed_of(channels, x, y)
    region = np.zeros((7, 9), bool)
    fill(channels, region, x, y, start, np.float32(reach), np.float32(reach / 2))
    assert np.array_equal(region, slow_fill(channels, x, y, start, np.float32(reach), np.float32(reach / 2)))


def test_a_region_ends_at_the_edge_of_what_was_clicked() -> None:
    photo = np.kron(picture(), np.ones((8, 8, 1), np.uint8))
    mask = np.kron(house(), np.ones((8, 8), bool)).astype(bool)
    region = grow(photo, None, 45, 60, 0.25)
    assert region[60, 45]
    assert (region == mask).mean() > 0.97
    assert grow(photo, None, 45, 60, 1.0).all()
    assert (grow(photo, (mask * 255).astype(np.uint8), 4, 4, 0.25) == ~mask).mean() > 0.95


def test_a_large_photograph_grows_in_a_smaller_picture() -> None:
    photo = np.zeros((300, 2000, 3), np.uint8)
    photo[:, 1000:] = 255
    region = grow(photo, None, 100, 150, 0.2)
    assert region.shape == (300, 2000)
    assert region[:, :990].all() and not region[:, 1010:].any()
