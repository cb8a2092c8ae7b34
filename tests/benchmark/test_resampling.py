"""Intervals and ranks over folds, seeds and images: as wide as they must be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from shapeparse.benchmark.resampling import difference_interval, ranks, resample


def drawn(random, folds: int, fold_spread: float, image_spread: float = 0.05, mean: float = 0.02):
    """Differences on random tests of 60 images: an image, and a fold with its seed, have a difference of their own."""
    own = random.normal(0, image_spread, 60)
    found = []
    for _ in range(folds):
        shift = random.normal(mean, fold_spread)
        found.append({int(i): float(own[i] + shift + random.normal(0, 0.01)) for i in random.permutation(60)[:12]})
    return found


@pytest.mark.parametrize(("folds", "fold_spread"), [(3, 0.02), (5, 0.02), (5, 0.0)])
def test_the_interval_covers_the_true_difference_at_least_as_often_as_it_says(folds, fold_spread):
    random = np.random.default_rng(folds)
    covered, widths = 0, []
    for trial in range(300):
        found = difference_interval(drawn(random, folds, fold_spread), samples=300, seed=trial)
        covered += found.low <= 0.02 <= found.high
        widths.append(found.high - found.low)
    assert covered / 300 >= 0.92
    true = np.hypot(fold_spread / np.sqrt(folds), 0.05 / np.sqrt(12 * folds))
    assert np.median(widths) < 2.2 * 2 * stats.t.ppf(0.975, folds - 1) * true  # and not much wider than it must be


def test_folds_that_disagree_make_it_wide_however_many_images_there_are():
    images = [range(100 * fold, 100 * fold + 100) for fold in range(3)]
    alike = [dict.fromkeys(some, 0.02) for some in images]
    apart = [dict.fromkeys(some, value) for some, value in zip(images, (0.05, 0.02, -0.01), strict=True)]
    assert difference_interval(alike) == pytest.approx((0.02, 0.02, 0.02))
    found = difference_interval(apart)
    assert found.mean == pytest.approx(0.02)
    assert not found.is_positive and found.low < -0.04 and found.high > 0.08


def test_a_single_fold_says_nothing_of_others():
    found = difference_interval([{0: 0.1, 1: 0.3}])
    assert found.mean == pytest.approx(0.2)
    assert math.isnan(found.low) and not found.is_positive and not found.is_negative


def test_where_all_images_of_a_fold_agree_the_interval_is_that_of_students_t():
    values = (0.05, 0.02, -0.01, 0.03)
    found = difference_interval(
        [dict.fromkeys(range(9 * f, 9 * f + 9), value) for f, value in enumerate(values)], 40_000
    )
    half = stats.t.ppf(0.975, 3) * np.std(values, ddof=1) / 2
    assert (found.low, found.high) == pytest.approx((found.mean - half, found.mean + half), abs=0.002)


def test_where_folds_agree_the_interval_is_that_of_the_images():
    random = np.random.default_rng(2)
    images = random.normal(0, 0.1, 200)
    images -= images.mean()
    folds = [{100 * f + i: float(images[i]) for i in range(200)} for f in (0, 2, 4)]
    found = difference_interval(folds, 20_000)
    assert found.high - found.low == pytest.approx(2 * 1.96 * images.std() / np.sqrt(600), rel=0.1)


def test_the_same_seed_gives_the_same_interval_however_many_are_drawn_at_once():
    folds = drawn(np.random.default_rng(0), 3, 0.01)
    assert difference_interval(folds) == difference_interval(folds)
    np.testing.assert_allclose(resample([folds], 50).means, np.mean([np.mean(list(fold.values())) for fold in folds]))


def test_ranks_are_sure_where_rows_are_apart_and_open_where_they_are_alike():
    random = np.random.default_rng(1)
    base = drawn(random, 4, 0.005)

    def shifted(by: float) -> list[dict[int, float]]:
        return [{image: value + by + random.normal(0, 0.01) for image, value in fold.items()} for fold in base]

    best, second, alike, last = ranks([shifted(0.3), shifted(0.101), shifted(0.1), shifted(0.0)], samples=2000)
    assert best == (1, 1, 1, 1.0)
    assert last[:3] == (4, 4, 4)
    assert {second.low, alike.low} == {2} and {second.high, alike.high} == {3}


def test_rows_without_folds_are_refused(refused):
    assert "nothing to resample" in refused(resample, [])
    assert "nothing to resample" in refused(difference_interval, [{}, {}])
