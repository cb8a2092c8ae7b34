"""Photographs to learn from and to validate with: apart from each other, and the same whenever the seed is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from shapeparse.data import Loaded, Source
from shapeparse.learning.data import TrainingData, split_data, training_data


@pytest.fixture
def data(photographs) -> TrainingData:
    images, masks = photographs(9)
    return TrainingData(images[:6], masks[:6], images[6:], masks[6:])


def loaded(count: int) -> Loaded:
    """Images whose every pixel is their number."""
    images = np.arange(count, dtype=np.uint8)[:, None, None, None].repeat(4, 1).repeat(4, 2).repeat(3, 3)
    return Loaded(images, images[..., 0] % 2 == 1, [f"photo {index}" for index in range(count)], [])


def test_none_need_to_validate_but_some_must_be_learned_from(data, refused):
    none = data.train_images[:0], data.train_masks[:0]
    assert len(TrainingData(data.train_images[:1], data.train_masks[:1], *none).validation_images) == 0
    assert "at least one image to learn from" in refused(TrainingData, *none, *none)


def test_without_validation_all_that_are_not_held_out_are_learned_from():
    data, parts = split_data(loaded(9), 0.0, 2, 0, Source())
    assert (len(data.train_images), len(data.validation_images), len(parts["test"])) == (7, 0, 2)


def test_other_images_or_masks_have_another_fingerprint(data):
    assert data.fingerprint() == replace(data, train_images=data.train_images.copy()).fingerprint()
    for name in ("train_images", "train_masks", "validation_images", "validation_masks"):
        changed = getattr(data, name).copy()
        changed.flat[7] ^= 1
        assert replace(data, **{name: changed}).fingerprint() != data.fingerprint()


def test_every_photograph_is_in_one_part_and_its_mask_goes_with_it():
    data, parts = split_data(loaded(20), 0.25, 4, seed=3, source=Source("photos"))
    names = [name for part in ("train", "validation", "test") for name in parts[part]]
    assert sorted(names) == sorted(loaded(20).names)
    assert (len(parts["train"]), len(parts["validation"]), len(parts["test"])) == (12, 4, 4)
    assert data.train_images[:, 0, 0, 0].tolist() == [int(name.split()[1]) for name in parts["train"]]
    assert data.validation_images[:, 0, 0, 0].tolist() == [int(name.split()[1]) for name in parts["validation"]]
    assert data.train_masks[:, 0, 0].tolist() == [bool(int(name.split()[1]) % 2) for name in parts["train"]]
    assert parts["source"] == "photos"


def test_the_seed_decides_who_is_in_which_part():
    parts = [split_data(loaded(20), 0.2, 5, seed, Source())[1] for seed in (1, 1, 2)]
    assert parts[0] == parts[1]
    assert parts[0]["test"] != parts[2]["test"]


def test_the_parts_of_a_run_are_found_again_by_name(refused):
    data = training_data(loaded(5), {"train": ["photo 3", "photo 0"], "validation": ["photo 2"], "test": []})
    assert data.train_images[:, 0, 0, 0].tolist() == [3, 0]
    assert data.validation_images[:, 0, 0, 0].tolist() == [2]
    assert "photo 9" in refused(training_data, loaded(5), {"train": ["photo 9"], "validation": ["photo 1"]})


@pytest.mark.parametrize(
    ("count", "validation", "test", "complaint"),
    [
        (9, -0.1, 0, "validation is -0.1"),
        (9, 1.0, 0, "validation is 1.0"),
        (9, 0.1, -1, "test is -1"),
        (1, 0.1, 0, "has 1 usable image;"),
        (4, 0.1, 3, "4 usable images and 3 are to be held out"),
    ],
)
def test_what_leaves_nothing_to_learn_from_or_to_validate_with_is_refused(refused, count, validation, test, complaint):
    assert complaint in refused(split_data, loaded(count), validation, test, 0, Source())
