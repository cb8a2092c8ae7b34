"""Until validation no longer improves: what is noted, how the rate goes, and when it is over."""

from __future__ import annotations

import json

import pytest

from shapeparse.learning.plateau import Plateau


def walked(accuracies: list[float], every: int = 50, wait: int = 100) -> Plateau:
    plateau = Plateau(wait)
    for number, accuracy in enumerate(accuracies, start=1):
        plateau.note(accuracy, number * every, 10 * number * every, float(number))
    return plateau


def test_the_best_is_noted_with_when_it_was_reached():
    found = walked([0.5, 0.7, 0.7005, 0.69])
    assert (found.best, found.updates, found.node_samples, found.seconds) == (0.7, 100, 1000, 2.0)


def test_it_decays_after_so_many_updates_without_an_improvement_that_counts():
    assert walked([0.5, 0.7, 0.71, 0.7105]).decays_from is None
    assert walked([0.5, 0.7, 0.71, 0.7105, 0.7102]).decays_from == 250
    assert walked([0.5, 0.7, 0.71, 0.72, 0.73, 0.74, 0.75]).decays_from is None


def test_patience_begins_when_beta_has_fallen():
    assert walked([0.7, 0.6, 0.6]).decays_from is None
    assert walked([0.7, 0.6, 0.6, 0.6]).decays_from == 200


def test_what_the_decay_brings_is_not_the_plateau():
    found = walked([0.7, 0.6, 0.6, 0.6, 0.9])
    assert (found.best, found.updates) == (0.7, 50)


def test_half_of_the_way_is_waiting_and_the_rest_decay():
    plateau = Plateau(100)
    assert [plateau.progress(updates) for updates in (0, 50, 100, 10_000)] == [0, 0.25, 0.5, 0.5]
    plateau.decays_from = 400
    assert [plateau.progress(updates) for updates in (400, 425, 450, 475)] == [0.5, 0.75, 1, 1]


def test_the_rate_rises_stays_and_falls_along_a_cosine():
    plateau = Plateau(100)
    assert [plateau.share(updates) for updates in (0, 3, 5000)] == pytest.approx([0.1, 1, 1])
    plateau.decays_from = 400
    assert [plateau.share(updates) for updates in (400, 425, 450)] == pytest.approx([1, 0.505, 0.01])


def test_it_is_the_same_after_it_was_json():
    plateau = walked([0.7, 0.6, 0.6, 0.6])
    assert Plateau(**json.loads(json.dumps(plateau.to_json()))) == plateau
