"""The plan: which images are for what, which jobs there are, and what it is as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from shapeparse.benchmark.plan import Job, Plan, settings_json
from shapeparse.data import Loaded, random_splits
from shapeparse.learning.settings import TrainSettings


def numbered(count: int) -> Loaded:
    """Images of four pixels, each of which is the image's number."""
    images = np.arange(count, dtype=np.uint8)[:, None, None, None] * np.ones((1, 2, 2, 3), np.uint8)
    masks = images[..., 0] % 2 == 1
    return Loaded(images, masks, [f"photo {index}" for index in range(count)], [])


def plan_of(count: int = 40, folds: int = 3, seed: int = 5, epochs: int | None = 2, **options: object) -> Plan:
    return Plan.of("numbers", numbered(count), folds, options.pop("minutes", None), epochs, seed=seed, **options)


# ---- splits --------------------------------------------------------------------------------------------------------


def test_splits_are_random_ones_with_validation_cut_from_the_training_part():
    plan = plan_of()
    drawn = random_splits(40, 33, 3, seed=5)  # 33 of 40 is the paper's 300 of 362
    for split, known in zip(plan.splits, drawn, strict=True):
        assert split.test == known.test
        assert sorted(split.train + split.validation) == list(known.train)
        assert (len(split.train), len(split.validation), len(split.test)) == (30, 3, 7)
    assert len({split.test for split in plan.splits}) == 3


@pytest.mark.parametrize("count", [4, 5, 6, 12, 40])
def test_no_image_is_in_two_parts_and_none_is_left_out(count):
    for split in plan_of(count).splits:
        assert sorted(split.train + split.validation + split.test) == list(range(count))
        assert all((split.train, split.validation, split.test))


def test_362_images_are_split_as_in_the_paper():
    split = plan_of(362, folds=1).splits[0]
    assert (len(split.train) + len(split.validation), len(split.test)) == (300, 62)


def test_the_parts_are_the_images_of_the_split():
    plan, loaded = plan_of(), numbered(40)
    for fold, split in enumerate(plan.splits):
        for part in ("train", "validation", "test"):
            images, masks = plan.part(loaded, fold, part)
            assert images[:, 0, 0, 0].tolist() == list(getattr(split, part))
            assert masks[:, 0, 0].tolist() == [index % 2 == 1 for index in getattr(split, part)]
        data = plan.training_data(loaded, fold)
        assert data.train_images[:, 0, 0, 0].tolist() == list(split.train)
        assert data.validation_images[:, 0, 0, 0].tolist() == list(split.validation)


def test_the_same_seed_gives_the_same_plan_and_another_seed_other_splits():
    assert plan_of(seed=5) == plan_of(seed=5)
    assert plan_of(seed=5).splits != plan_of(seed=6).splits


def test_other_images_masks_or_one_changed_pixel_give_another_fingerprint():
    loaded = numbered(8)
    known = {Plan.of("numbers", loaded, 1, None, 1).fingerprint}
    loaded.images[3, 1, 0, 2] += 1
    known.add(Plan.of("numbers", loaded, 1, None, 1).fingerprint)
    loaded.masks[3, 0, 0] ^= True
    known.add(Plan.of("numbers", loaded, 1, None, 1).fingerprint)
    assert len(known) == 3


# ---- jobs ----------------------------------------------------------------------------------------------------------


def test_there_is_a_job_for_every_row_and_fold_the_first_fold_first():
    names = [job.name for job in plan_of(folds=2).jobs(["drag", "unet"])]
    assert names == ["fast-drag-0", "fast-unet-0", "fast-drag-1", "fast-unet-1"]


def test_every_fold_has_a_seed_of_its_own():
    plan = plan_of(seed=5)
    assert [plan.settings(job).seed for job in plan.jobs(["bc"])] == [5, 6, 7]


def test_settings_are_those_of_the_plan_and_the_job():
    settings = plan_of(epochs=3, depth=4, preset="paper").settings(Job("dagger", 1, "paper"), threads=2)
    assert (settings.method, settings.preset, settings.epochs, settings.minutes) == ("dagger", "paper", 3, None)
    assert (settings.depth, settings.min_extent, settings.threads) == (4, 25, 2)


def test_every_row_has_the_limits_of_the_methods():
    for preset, least in (("fast", 1), ("paper", 25)):
        limits = plan_of(preset=preset, depth=5).limits
        assert (limits.depth, limits.min_extent) == (5, least)


def test_without_a_budget_every_job_takes_5_minutes():
    plan = plan_of(epochs=None)
    assert (plan.minutes, plan.settings(Job("bc", 0, "fast")).minutes) == (5.0, 5.0)


# ---- as JSON -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [{"epochs": 2}, {"epochs": 2, "device": "cuda"}, {"epochs": None, "minutes": 0.5}])
def test_a_plan_comes_back_from_json(budget):
    plan = plan_of(seed=9, depth=6, preset="crop", **budget)
    assert Plan.from_json(json.loads(json.dumps(plan.to_json()))) == plan


def test_settings_are_compared_without_threads():
    settings = TrainSettings("bc", "fast", epochs=2, threads=1)
    content = settings_json(settings)
    assert "threads" not in content
    assert content == settings_json(replace(settings, threads=2)) == json.loads(json.dumps(content))
    assert content != settings_json(replace(settings, depth=3))
    assert content["learning"]["rate"] == settings.learning.rate


# ---- mistakes ------------------------------------------------------------------------------------------------------


def test_three_images_are_too_few(refused):
    assert "3 usable images" in refused(plan_of, 3)
    assert len(plan_of(4).names) == 4


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"preset": "magic"}, "no preset 'magic'"),
        ({"epochs": 0}, "budget is empty"),
        ({"epochs": None, "minutes": 0.0}, "budget is empty"),
        ({"epochs": None, "minutes": float("nan")}, "minutes is nan"),
        ({"depth": 99}, "depth"),
        ({"folds": 0}, "at least 1, not 0"),
        ({"seed": -1}, "-1"),
    ],
)
def test_what_makes_no_sense_is_named(refused, options, complaint):
    assert complaint in refused(plan_of, **options)
