"""Samples: made once, the same every time, and PNG files of what they hold."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from shapeparse.web.samples import SAMPLES, SIZE, find_sample


@pytest.mark.parametrize("name", SAMPLES)
def test_the_files_of_a_sample_hold_its_pixels(name: str) -> None:
    sample = find_sample(name)
    assert sample.photo.shape == (SIZE, SIZE, 3)
    assert 0.1 < sample.mask.mean() < 0.9
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(sample.photo_png))), sample.photo)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(sample.mask_png))), sample.mask * np.uint8(255))


def test_a_sample_is_made_once() -> None:
    assert find_sample("window") is find_sample("window")


def test_an_unknown_sample_is_answered_with_all_there_are(refused: Callable[..., str]) -> None:
    message = refused(find_sample, "x" * 500)
    assert all(name in message for name in SAMPLES)
