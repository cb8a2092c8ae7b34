"""What the table knows: straight between its cuts, and gradients that are those of the true objective."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from shapeparse import Actions, Limits, Nodes, Rule
from shapeparse.grammar import expand
from shapeparse.learning import losses, policy_losses
from shapeparse.learning.known import KnownWorth
from shapeparse.networks.policy import PolicyOutput
from shapeparse.oracle.optimal import OptimalOracle

SIDE = 12


@pytest.fixture
def oracle(monkeypatch) -> OptimalOracle:
    """Of a small image, with a line at every pixel."""
    monkeypatch.setattr(OptimalOracle, "_lines", lambda *_: np.arange(SIDE + 1))
    rng = np.random.default_rng(3)
    mask = np.kron(rng.random((4, 4)) < 0.5, np.ones((3, 3), bool)) ^ (rng.random((SIDE, SIDE)) < 0.15)
    return OptimalOracle([mask], Limits(3), price=0.004, gaps=SIDE)


@pytest.fixture
def nodes(oracle, random_actor) -> Nodes:
    """All that may still be split, of some random trees."""
    found = [expand(oracle.sizes, random_actor(seed, oracle.limits), oracle.limits).nodes for seed in range(4)]
    every = Nodes.concatenate(found)
    return every.take((every.depth < 3) & (every.w > 2) & (every.h > 2))


def known(oracle: OptimalOracle, nodes: Nodes) -> KnownWorth:
    return KnownWorth(*(torch.from_numpy(column) for column in oracle.worth(nodes)))


def true_value(oracle: OptimalOracle, node: Nodes, axis: int, location: float) -> float:
    """Q* between the whole-pixel cuts beside a location, each asked of the oracle."""
    extent = int(node.w[0] if axis == 0 else node.h[0])
    low = int(np.clip(np.floor(location * extent), 1, extent - 2))
    cuts = Actions(np.full(2, axis, np.int8), np.array([low, low + 1], np.int32))
    left, right = oracle.cost_to_go(node.take(np.zeros(2, int)), cuts) / node.area
    return left + (location * extent - low) * (right - left)


def test_cuts_and_labels_are_worth_what_the_oracle_says(oracle, nodes):
    worth = known(oracle, nodes)
    for n in range(len(nodes)):
        node = nodes.take(np.array([n]))
        for axis in (0, 1):
            extent = int(node.extent(np.array([axis]))[0])
            for location in np.linspace(1.5, extent - 1.5, 4) / extent:
                at = torch.full((len(nodes), 2), float(location))
                assert worth.split_value(at)[n, axis].item() == pytest.approx(
                    true_value(oracle, node, axis, location), abs=1e-5
                )
        for place, rule in enumerate((Rule.PAINT, Rule.SKIP)):
            label = Actions(np.array([rule], np.int8), np.zeros(1, np.int32))
            assert worth.labels[n, place].item() == pytest.approx(
                oracle.cost_to_go(node, label)[0] / node.area[0], abs=1e-5
            )


def test_the_gradient_of_exact_drag_is_that_of_the_true_objective(oracle, nodes, hand_made):
    """Eq. 3 to 5 and 8 by finite differences: mean over nodes of sum over r of pi(r) Q*(s, r, mu)."""
    generator = torch.Generator().manual_seed(0)
    scores, logit = torch.randn(4, generator=generator).double(), 0.3 * torch.randn(2, generator=generator).double()

    def objective(scores: torch.Tensor, logit: torch.Tensor) -> float:
        rules, where = torch.softmax(scores, dim=0).tolist(), torch.sigmoid(logit).tolist()
        total = 0.0
        for n in range(len(nodes)):
            node = nodes.take(np.array([n]))
            both = Actions(np.array([2, 3], np.int8), np.zeros(2, np.int32))
            labels = oracle.cost_to_go(node.take(np.zeros(2, int)), both)
            values = [true_value(oracle, node, axis, where[axis]) for axis in (0, 1)]
            total += sum(p * q for p, q in zip(rules, [*values, *(labels / node.area[0])], strict=True))
        return total / len(nodes)

    leaves = [scores.clone().requires_grad_(), logit.clone().requires_grad_()]
    many = len(nodes)
    output = PolicyOutput(
        torch.log_softmax(leaves[0], dim=0).expand(many, 4), leaves[1].expand(many, 2), torch.zeros(many, 2)
    )
    columns = {f"worth_{name}": column.astype(np.float64) for name, column in oracle.worth(nodes)._asdict().items()}
    batch = hand_made(nodes, output, limits=oracle.limits, **columns)
    loss, _ = policy_losses.exact_gradient()(batch)
    assert loss.item() == pytest.approx(-objective(scores, logit), abs=1e-6)
    found = torch.cat(torch.autograd.grad(-loss, leaves))
    step, true = 1e-5, []
    for place in range(6):
        moved = torch.zeros(6).double()
        moved[place] = step
        ahead, behind = (objective(scores + sign * moved[:4], logit + sign * moved[4:]) for sign in (1, -1))
        true.append((ahead - behind) / (2 * step))
    np.testing.assert_allclose(found, true, atol=1e-5)
    assert np.abs(true).max() > 0.01 and np.abs(true[4:]).max() > 1e-3


def test_the_expected_worth_of_a_distribution_over_places_is_the_sum_over_all_actions(oracle, nodes):
    positions, generator = 6, torch.Generator().manual_seed(1)
    log_rule = torch.log_softmax(torch.randn(len(nodes), 4, generator=generator), dim=1)
    log_place = torch.log_softmax(torch.randn(len(nodes), 2, positions, generator=generator), dim=2)
    output = PolicyOutput(log_rule, torch.zeros(len(nodes), 2), torch.zeros(len(nodes), 2), log_place)
    worth = known(oracle, nodes)
    found = losses.expected_worth(output, worth)
    for n in (0, len(nodes) // 2, len(nodes) - 1):
        total = sum(float(log_rule[n, 2 + label].exp() * worth.labels[n, label]) for label in (0, 1))
        for axis in (0, 1):
            for place in range(positions):
                at = torch.full((len(nodes), 2), (place + 0.5) / positions)
                chance = float(log_rule[n, axis].exp() * log_place[n, axis, place].exp())
                total += chance * float(worth.split_value(at)[n, axis])
        assert found[n].item() == pytest.approx(total, abs=1e-5)


def test_a_cut_at_an_edge_wastes_a_level_and_a_leaf(oracle):
    root = Nodes.roots([(SIDE, SIDE)])
    shallower = OptimalOracle([oracle_mask(oracle)], Limits(2), price=0.004, gaps=SIDE)
    best = shallower.cost_to_go(root, shallower(root))[0] / SIDE**2
    edges = known(oracle, root).split_value(torch.tensor([[0.0, 1.0]]))
    np.testing.assert_allclose(edges, best - 2 * 0.004, atol=1e-5)


def oracle_mask(oracle: OptimalOracle) -> np.ndarray:
    sums = oracle._tables[0].sums
    return np.diff(np.diff(sums, axis=0), axis=1).astype(bool)
