"""Actions drawn by chance."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from shapeparse import Nodes, Rule
from shapeparse.learning.draws import draw_actions, draw_rules
from shapeparse.networks.policy import PolicyOutput


def test_an_impossible_rule_is_never_drawn_not_even_at_the_edges_of_chance():
    probability = np.array([[0.0, 0.0, 0.6, 0.4], [0.0, 0.5, 0.5, 0.0], [0.0, 0.0, 0.0, 0.9999999]])

    class Edge:
        def __init__(self, value: float) -> None:
            self.value = value

        def random(self, shape: tuple) -> np.ndarray:
            return np.full(shape, self.value)

    assert draw_rules(probability, Edge(0.0)).tolist() == [2, 1, 3]
    assert draw_rules(probability, Edge(np.nextafter(1, 0))).tolist() == [3, 2, 3]  # skip is always valid
    assert draw_rules(np.array([[0.25] * 4]), Edge(0.25)).tolist() == [1]


def test_rules_are_drawn_with_their_probabilities():
    probability = np.array([0.1, 0.0, 0.6, 0.3])
    drawn = draw_rules(np.tile(probability, (50_000, 1)), np.random.default_rng(0))
    np.testing.assert_allclose(np.bincount(drawn, minlength=4) / len(drawn), probability, atol=0.01)


MANY = 4000
NODES = Nodes.roots([(1000, 200)]).take(np.zeros(MANY, int))
OUTPUT = PolicyOutput(
    *(torch.tensor([part]).expand(MANY, -1) for part in ([0.0] * 4, [0.4, -1.0], [np.log(0.5), np.log(0.1)]))
)


def drawn(rule: Rule, spread: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Rules and logits of locations, where one rule is certain."""
    probability = np.tile(np.eye(4)[rule], (MANY, 1))
    actions = draw_actions(NODES, OUTPUT, probability, spread, np.random.default_rng(0))
    share = actions.cut / NODES.extent(np.minimum(actions.rule, 1))
    with np.errstate(divide="ignore"):
        return actions.rule, np.log(share / (1 - share))


@pytest.mark.parametrize(
    ("rule", "spread", "mean", "deviation"),
    [
        (Rule.SPLIT_X, None, 0.4, 0.5),  # the policy's own
        (Rule.SPLIT_Y, None, -1.0, 0.1),
        (Rule.SPLIT_X, 0.3, 0.4, 0.3),
        (Rule.SPLIT_X, 0.0, 0.4, 0.0),
        (Rule.SPLIT_Y, 0.0, -1.0, 0.0),
    ],
)
def test_locations_stray_around_mu_of_their_axis_by_the_spread(rule, spread, mean, deviation):
    rules, logit = drawn(rule, spread)
    assert (rules == rule).all()
    assert logit.mean() == pytest.approx(mean, abs=0.03)
    assert logit.std() == pytest.approx(deviation, abs=0.02)


def test_labels_have_no_cut():
    actions = draw_actions(NODES, OUTPUT, np.tile([0, 0, 0.5, 0.5], (MANY, 1)), None, np.random.default_rng(0))
    assert set(actions.rule.tolist()) == {Rule.PAINT, Rule.SKIP}
    assert (actions.cut == 0).all()


def test_the_same_chance_draws_the_same():
    one, other = (draw_actions(NODES, OUTPUT, np.full((MANY, 4), 0.25), None, np.random.default_rng(5)) for _ in "ab")
    assert np.array_equal(one.rule, other.rule)
    assert np.array_equal(one.cut, other.cut)
