"""Splits are disjoint, complete and the same for the same seed."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapeparse.data import Split, k_fold, random_splits
from shapeparse.support.errors import UserError


def everything(split: Split) -> list[int]:
    return sorted(split.train + split.validation + split.test)


def test_the_papers_splits_are_three_of_300_and_62():
    splits = random_splits(362, 300, folds=3, seed=0)
    assert [(len(split.train), len(split.test)) for split in splits] == [(300, 62)] * 3
    assert len({split.test for split in splits}) == 3


def test_the_first_random_split_tests_on_the_head_of_the_seeded_permutation():
    head = np.random.default_rng(0).permutation(362)[:62]
    assert random_splits(362, 300, seed=0)[0].test == tuple(sorted(head))


@settings(deadline=None)
@given(st.data(), st.integers(2, 60), st.integers(1, 4), st.integers(0, 2**32))
def test_random_splits_are_disjoint_complete_and_deterministic(data, count, folds, seed):
    train = data.draw(st.integers(1, count - 1))
    splits = random_splits(count, train, folds, seed)
    assert splits == random_splits(count, train, folds, seed)
    assert len(splits) == folds
    for split in splits:
        assert everything(split) == list(range(count))
        assert len(split.train) == train


@settings(deadline=None)
@given(st.data(), st.integers(2, 60), st.integers(0, 2**32))
def test_k_fold_tests_on_every_image_once(data, count, seed):
    folds = data.draw(st.integers(2, count))
    splits = k_fold(count, folds, seed)
    assert splits == k_fold(count, folds, seed)
    assert sorted(index for split in splits for index in split.test) == list(range(count))
    assert all(everything(split) == list(range(count)) for split in splits)
    sizes = [len(split.test) for split in splits]
    assert max(sizes) - min(sizes) <= 1


@settings(deadline=None)
@given(st.integers(2, 60), st.integers(0, 2**32), st.floats(0.01, 0.9))
def test_validation_is_cut_out_of_the_training_part_only(train, seed, fraction):
    split = random_splits(train + 5, train, 1, seed)[0]
    if round(fraction * train) >= train:
        return
    cut = split.with_validation(fraction, seed)
    assert cut == split.with_validation(fraction, seed)
    assert cut.test == split.test
    assert sorted(cut.train + cut.validation) == list(split.train)
    assert len(cut.validation) == max(1, round(fraction * train))


def test_validation_may_be_a_number_of_images():
    assert len(random_splits(50, 40)[0].with_validation(7).validation) == 7


def test_a_split_survives_json():
    split = random_splits(20, 15)[0].with_validation(0.2)
    assert Split.from_json(json.loads(json.dumps(split.to_json()))) == split


def test_a_split_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Split((0,), (), (1,)).train = (2,)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Split((0, 1), (), (1,)), "twice"),
        (lambda: Split((0, 0), (), (1,)), "twice"),
        (lambda: Split((-1,), (), ()), "start at 0"),
        (lambda: Split((0.5,), (), ()), "whole numbers"),  # type: ignore[arg-type]
        (lambda: Split.from_json([1]), "lists train"),
        (lambda: Split.from_json({"train": [0], "test": [1]}), "lists train"),
        (lambda: Split.from_json({"train": ["0"], "validation": [], "test": [1]}), "whole numbers"),
        (lambda: random_splits(10, 10), "fewer than there are"),
        (lambda: random_splits(10, 0), "at least 1"),
        (lambda: random_splits(1, 1), "Cannot train"),
        (lambda: random_splits(10, 5, folds=0), "number of splits"),
        (lambda: random_splits(10, 5, seed=-1), "seed"),
        (lambda: k_fold(10, 1), "from 2 to 10"),
        (lambda: k_fold(10, 11), "from 2 to 10"),
        (lambda: random_splits(10, 5)[0].with_validation(5), "leaves at least one"),
        (lambda: random_splits(10, 5)[0].with_validation(0), "leaves at least one"),
        (lambda: random_splits(10, 5)[0].with_validation(1.0), "leaves at least one"),
        (lambda: random_splits(10, 5)[0].with_validation(float("nan")), "leaves at least one"),
        (lambda: random_splits(10, 5)[0].with_validation(1).with_validation(1), "already"),
    ],
)
def test_impossible_splits_are_refused_in_a_sentence(call, words):
    with pytest.raises(UserError, match=words):
        call()
