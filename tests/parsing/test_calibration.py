"""How sure a parser may be: a correction that is found where there is one, and certainties that are what they say."""

from __future__ import annotations

import numpy as np
import pytest

from shapeparse import Oracle
from shapeparse.grammar import Forest, expand
from shapeparse.parsing.calibration import Calibration, Leaves, Reliability


def leaves(likely: np.ndarray, paint: np.ndarray) -> Leaves:
    return Leaves(likely, paint, likely >= 0.5, np.full(len(likely), 1 / len(likely)))


def test_a_parser_that_is_twice_as_sure_as_it_should_be_is_found_out():
    logit = np.linspace(-4, 4, 400)
    paint = 1 / (1 + np.exp(-(0.5 * logit + 0.3)))
    found = Calibration.fit(leaves(1 / (1 + np.exp(-logit)), paint))
    assert (found.slope, found.shift) == (pytest.approx(0.5, abs=0.03), pytest.approx(0.3, abs=0.03))
    np.testing.assert_allclose(found(1 / (1 + np.exp(-logit))), paint, atol=0.02)


def test_correcting_makes_the_calibration_error_small():
    random = np.random.default_rng(0)
    truth = random.random(4000)
    likely = 1 / (1 + ((1 - truth) / truth) ** 3)  # far too sure
    paint = (random.random(4000) < truth).astype(float)
    given = leaves(likely, paint)
    corrected = Calibration.fit(given)(likely).astype(float)
    assert Reliability.of(given).error > 0.1
    assert Reliability.of(leaves(corrected, paint)).error < 0.03


@pytest.mark.parametrize("paint", [0.0, 1.0])
def test_images_of_one_label_give_a_finite_correction(paint):
    found = Calibration.fit(leaves(np.full(5, 0.9), np.full(5, paint)))
    assert np.isfinite([found.slope, found.shift]).all()


def test_no_correction_changes_nothing_but_certainty_itself():
    likely = np.array([0.0, 0.25, 0.5, 1.0], np.float32)
    np.testing.assert_allclose(Calibration()(likely), [1e-4, 0.25, 0.5, 1 - 1e-4], rtol=1e-3)


def test_leaves_are_those_of_all_forests_with_their_true_shares():
    random = np.random.default_rng(1)
    masks = random.random((3, 8, 8)) < 0.5
    forests = []
    for part in (masks[:2], masks[2:]):
        oracle = Oracle(list(part))
        forest = expand(oracle.sizes, oracle, oracle.limits)
        likely = random.random(len(forest)).astype(np.float32)
        forests.append(Forest(forest.nodes, forest.rule, forest.cut, forest.parent, forest.sizes, likely))
    found = Leaves.of(forests, list(masks))
    assert found.weight.sum() == pytest.approx(1)
    assert (found.weight * found.paint).sum() == pytest.approx(masks.mean())
    assert (found.weight * np.where(found.is_paint, found.paint, 1 - found.paint)).sum() == pytest.approx(
        np.mean([tree.accuracy(mask) for forest, part in zip(forests, (masks[:2], masks[2:]), strict=True)
                 for tree, mask in zip(forest.trees(), part, strict=True)])
    )  # fmt: skip


@pytest.mark.parametrize(
    "content", [[], {"slope": 1.0}, {"slope": "a", "shift": 0}, {"slope": float("nan"), "shift": 0}]
)
def test_damaged_notes_are_refused(content):
    with pytest.raises((KeyError, TypeError, ValueError)):
        Calibration.from_json(content)
    assert Calibration.from_json(None) == Calibration()
    assert Calibration.from_json({"slope": 2, "shift": 0.5}) == Calibration(2.0, 0.5)
