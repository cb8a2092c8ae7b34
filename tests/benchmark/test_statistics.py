"""Means over folds, and intervals of paired differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shapeparse.benchmark.statistics import (
    Group,
    Interval,
    grouped,
    image_differences,
    mean_curve,
    paired_bootstrap,
    spread,
)


def run(row: str, fold: int, accuracy: float = 0.5, **more: Any) -> dict[str, Any]:
    return {"preset": "fast", "row": row, "fold": fold, "test": {"accuracy": accuracy}, **more}


def group_of(*each: list[float]) -> Group:
    return Group("fast", "x", {fold: run("x", fold, test_accuracy_each=values) for fold, values in enumerate(each)})


def test_mean_and_sample_deviation_are_those_of_hand_computation() -> None:
    found = spread([0.90, 0.92, 0.97])
    assert found is not None
    assert found.mean == pytest.approx(0.93)
    assert found.deviation == pytest.approx(np.sqrt((0.03**2 + 0.01**2 + 0.04**2) / 2))
    assert found.folds == 3


def test_one_fold_has_no_deviation_and_none_no_mean() -> None:
    assert spread([0.5]) == (0.5, None, 1)
    assert spread([]) is None


def test_runs_are_grouped_by_preset_and_row_in_order_of_folds() -> None:
    runs = [run("drag", 2), run("bc", 0), run("drag", 0), run("drag", 1) | {"preset": "paper"}]
    groups = grouped(runs)
    assert {key: list(group.runs) for key, group in groups.items()} == {
        ("fast", "drag"): [0, 2],
        ("fast", "bc"): [0],
        ("paper", "drag"): [1],
    }


def test_a_run_without_preset_gets_the_usual_one_and_the_later_of_two_counts() -> None:
    (group,) = grouped([run("oracle", 0, 0.1) | {"preset": None}, run("oracle", 0, 0.9)], "fast").values()
    assert group.over_folds("accuracy", "test") == (0.9, None, 1)


def test_a_group_has_means_of_what_its_runs_know() -> None:
    runs = [run("x", 0, 0.4, seconds=60.0), run("x", 1, 0.6, seconds=None, train=None)]
    (group,) = grouped(runs).values()
    accuracy = group.over_folds("accuracy", "test")
    assert accuracy is not None and accuracy.mean == pytest.approx(0.5)
    assert group.over_folds("seconds") == (60.0, None, 1)
    assert group.over_folds("accuracy", "train") is None
    assert group.by_depth("accuracy_by_depth") == []


def test_figures_by_depth_are_means_over_the_depths_that_all_folds_have() -> None:
    tables = [[0.1, 0.3, 0.5], [0.3, 0.5]]
    runs = [run("x", fold) | {"test": {"accuracy": 0.5, "by": table}} for fold, table in enumerate(tables)]
    (group,) = grouped(runs).values()
    assert group.by_depth("by") == pytest.approx([0.2, 0.4])


def test_differences_are_taken_on_folds_both_were_run_on() -> None:
    first, second = group_of([0.9, 0.8], [0.7, 0.7]), group_of([0.5, 0.9])
    (fold,) = image_differences(first, second, [[4, 7], [1, 4]])
    assert fold == pytest.approx({4: 0.4, 7: -0.1})


def test_accuracies_that_do_not_fit_the_fold_are_left_out() -> None:
    whole, cut_short = group_of([0.9, 0.8]), group_of([0.9])
    assert image_differences(whole, cut_short, [[0, 1]]) == []
    assert image_differences(whole, whole, []) == []


def test_identical_rows_differ_by_exactly_zero() -> None:
    group = group_of([0.913, 0.71, 0.33], [0.2, 0.4, 0.1])
    assert paired_bootstrap(image_differences(group, group, [[0, 1, 2], [2, 3, 4]])) == (0, 0, 0)


def test_a_constant_difference_is_certain() -> None:
    assert paired_bootstrap([dict.fromkeys(range(20), 0.25)] * 2) == pytest.approx((0.25, 0.25, 0.25))


def test_the_interval_is_the_same_every_time_and_another_with_another_seed() -> None:
    fold = dict(enumerate(np.random.default_rng(0).normal(size=30)))
    assert paired_bootstrap([fold]) == paired_bootstrap([fold])
    assert paired_bootstrap([fold], seed=1) != paired_bootstrap([fold])


def test_the_mean_is_the_mean_of_the_folds_though_they_differ_in_size() -> None:
    found = paired_bootstrap([{0: 0.1, 1: 0.3}, {1: 0.6}], samples=50)
    assert found.mean == pytest.approx((0.2 + 0.6) / 2)


def test_an_image_in_several_folds_is_no_news() -> None:
    """Repeating the same images adds no certainty; as many other images would."""
    values = np.random.default_rng(1).normal(0.1, 1, 120)
    once = dict(enumerate(values[:40]))
    apart = [dict(enumerate(values[first : first + 40], first)) for first in (0, 40, 80)]
    single, repeated, other = paired_bootstrap([once]), paired_bootstrap([once] * 3), paired_bootstrap(apart)
    assert repeated == pytest.approx(single)
    assert other.high - other.low < 0.75 * (single.high - single.low)


def test_the_interval_covers_the_true_difference_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(5)
    covered = 0
    for trial in range(400):
        own = random.normal(0.02, 0.05, 60)  # each image's own difference; its folds add a little
        tests = [random.permutation(60)[:25] for _ in range(3)]
        folds = [{int(i): float(own[i] + random.normal(0, 0.01)) for i in test} for test in tests]
        found = paired_bootstrap(folds, samples=400, seed=trial)
        covered += found.low <= 0.02 <= found.high
    assert 0.91 <= covered / 400 <= 0.98


def test_a_higher_level_gives_a_wider_interval() -> None:
    fold = dict(enumerate(np.random.default_rng(2).normal(size=30)))
    narrow, wide = paired_bootstrap([fold], level=0.5), paired_bootstrap([fold], level=0.99)
    assert wide.low < narrow.low < narrow.mean < narrow.high < wide.high


def test_many_images_are_drawn_in_parts() -> None:
    fold = dict(enumerate(np.random.default_rng(3).normal(1.0, 1.0, 30_000)))
    found = paired_bootstrap([fold], samples=300)
    assert found.low < found.mean < found.high
    assert found.high - found.low == pytest.approx(2 * 1.96 / np.sqrt(30_000), rel=0.2)


def test_nothing_to_resample_is_refused(refused: Callable[..., str]) -> None:
    assert "nothing to resample" in refused(paired_bootstrap, [])
    refused(paired_bootstrap, [{}])


def test_an_interval_knows_its_sign() -> None:
    above, unsure = Interval(0.2, 0.1, 0.3), Interval(0.2, -0.1, 0.5)
    assert above.is_positive and not above.is_negative
    assert not unsure.is_positive and not unsure.is_negative
    assert Interval(-0.2, -0.3, -0.1).is_negative


def test_curves_are_averaged_over_the_time_that_all_of_them_cover() -> None:
    found = mean_curve([[[0, 0.0], [10, 1.0]], [[2, 0.4], [8, 0.4], [20, 0.9]], []], points=3)
    assert found is not None
    assert found.x.tolist() == [2, 6, 10]
    assert found.mean == pytest.approx([(0.2 + 0.4) / 2, (0.6 + 0.4) / 2, (1 + 0.4 + 0.5 / 6) / 2])
    assert found.low == pytest.approx([0.2, 0.4, 0.4 + 0.5 / 6])
    assert mean_curve([[], []]) is None
    ratios = mean_curve([[[1, 0.0], [100, 0.99]]], points=3, by_ratio=True)
    assert ratios is not None
    assert np.allclose(ratios.x, [1, 10, 100]) and np.allclose(ratios.mean, [0, 0.09, 0.99])


def test_curves_that_share_no_time_are_one_point() -> None:
    found = mean_curve([[[0, 0.2], [1, 0.4]], [[5, 0.6]]])
    assert found is not None
    assert len(found.x) == len(found.mean) == 1
