"""The optimal oracle's actions and cost-to-go against twins that try all trees on its lines."""

from __future__ import annotations

import numpy as np
import pytest

from shapeparse import Actions, Limits, Nodes, Rule, UserError, expand
from shapeparse.oracle.optimal.kernels import Costs
from shapeparse.oracle.optimal.teacher import OptimalOracle
from shapeparse.oracle.optimal.twins import Exhaustive, leaf_costs, tree_cost

PRICE = 1 / 64  # of 8 x 8 pixels: one pixel


def blocks(seed: int, side: int = 8) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.kron(rng.random((side // 2, side // 2)) < 0.5, np.ones((2, 2), bool)) ^ (rng.random((side, side)) < 0.05)


def random_nodes(rng, count, side, depth):
    x, y = rng.integers(0, side, (2, count))
    w, h = (rng.integers(1, side - start + 1) for start in (x, y))
    columns = (np.zeros(count), x, y, w, h, rng.integers(0, depth + 1, count))
    return Nodes(*(column.astype(np.int32) for column in columns))


def twin_of(oracle, mask):
    table = oracle._tables[0]
    return Exhaustive(mask.astype(np.uint8), table.costs, table.xs, table.ys, oracle.limits.min_extent)


def box_of(nodes, n):
    return tuple(int(v) for v in (nodes.x[n], nodes.x[n] + nodes.w[n], nodes.y[n], nodes.y[n] + nodes.h[n]))


@pytest.mark.parametrize(("gaps", "min_extent"), [(3, 1), (8, 1), (5, 2)])
@pytest.mark.parametrize("seed", range(3))
def test_actions_and_cost_to_go_are_the_best_at_nodes_on_and_between_lines(seed, gaps, min_extent):
    mask, limits = blocks(seed), Limits(3, min_extent)
    oracle = OptimalOracle([mask], limits, PRICE, gaps)
    twin, nodes = twin_of(oracle, mask), random_nodes(np.random.default_rng(seed), 60, 8, 3)
    actions = oracle(nodes)
    best = oracle.cost_to_go(nodes, actions)
    for n in range(len(nodes)):
        least = twin.least(box_of(nodes, n), 3 - int(nodes.depth[n]))
        assert best[n] == nodes.area[n] - 2 * least
        axis, _ = twin.first_cut(box_of(nodes, n), 3 - int(nodes.depth[n]))
        assert actions.rule[n] == axis if axis >= 0 else actions.rule[n] >= Rule.PAINT


def test_the_cost_to_go_of_any_cut_is_that_of_its_best_children():
    mask, rng = blocks(7), np.random.default_rng(7)
    oracle = OptimalOracle([mask], Limits(3), PRICE, 4)
    twin, nodes = twin_of(oracle, mask), random_nodes(rng, 80, 8, 2)
    nodes = nodes.take(nodes.w > 1)
    actions = Actions.at_locations(nodes, np.zeros(len(nodes)), rng.random(len(nodes)))
    found = oracle.cost_to_go(nodes, actions)
    for n in range(len(nodes)):
        (x0, x1, y0, y1), left = box_of(nodes, n), 2 - int(nodes.depth[n])
        line = x0 + int(actions.cut[n])
        least = twin.least((x0, line, y0, y1), left) + twin.least((line, x1, y0, y1), left)
        assert found[n] == nodes.area[n] - 2 * least


def test_a_label_returns_its_pixels_minus_the_price_of_one_leaf():
    mask = blocks(1)
    oracle, root = OptimalOracle([mask], Limits(3), PRICE), Nodes.roots([(8, 8)])
    painted, skipped = leaf_costs(mask.astype(np.uint8), Costs(1, 1.0, 1.0, 1.0), (0, 8, 0, 8))
    for rule, cost in ((Rule.PAINT, painted), (Rule.SKIP, skipped)):
        action = Actions(np.array([rule], np.int8), np.zeros(1, np.int32))
        assert oracle.cost_to_go(root, action)[0] == 64 - 2 * cost


def test_expanding_with_the_oracle_gives_the_return_it_promises():
    masks = [blocks(seed) for seed in range(4)]
    oracle = OptimalOracle(masks, Limits(4), PRICE, 8)
    roots = Nodes.roots(oracle.sizes)
    promised = oracle.cost_to_go(roots, oracle(roots))
    for tree, mask, value in zip(expand(oracle.sizes, oracle, oracle.limits).trees(), masks, promised, strict=True):
        assert tree.returns(mask)[0] - 2 * tree.leaf_count == value
        rows = np.stack([tree.x, tree.y, tree.w, tree.h, tree.depth, tree.parent, tree.rule, tree.cut])
        assert tree_cost(mask.astype(np.uint8), Costs(1, 1.0, 1.0, 1.0), rows) == (64 - value) / 2


def test_maps_return_what_is_expected():
    chances = np.full((4, 6), 0.8)
    oracle, root = OptimalOracle([chances], Limits(2), 0.01), Nodes.roots([(6, 4)])
    action = oracle(root)
    assert action.rule[0] == Rule.PAINT
    assert oracle.cost_to_go(root, action)[0] == pytest.approx(24 * (0.8 - 0.2) - 2 * 0.01 * 24, abs=1e-4)


def test_a_mask_can_be_replaced_by_one_of_its_size():
    oracle, other = OptimalOracle([blocks(0), blocks(1)], Limits(3), PRICE), blocks(2)
    oracle.replace(1, other)
    fresh, roots = OptimalOracle([blocks(0), other], Limits(3), PRICE), Nodes.roots([(8, 8), (8, 8)])
    np.testing.assert_array_equal(oracle.cost_to_go(roots, oracle(roots)), fresh.cost_to_go(roots, fresh(roots)))
    with pytest.raises(ValueError, match="same size"):
        oracle.replace(0, other[:4])


def test_nodes_outside_their_image_are_refused():
    oracle = OptimalOracle([blocks(0)], Limits(3), PRICE)
    with pytest.raises(ValueError, match="outside"):
        oracle(Nodes.roots([(9, 8)]))
    with pytest.raises(ValueError, match="not among"):
        oracle(Nodes.roots([(8, 8), (8, 8)]))


@pytest.mark.parametrize("bad", [{"price": 0.0}, {"price": float("nan")}, {"gaps": 1}, {"gaps": 2.5}])
def test_bad_settings_are_refused_in_a_sentence(bad):
    with pytest.raises(UserError, match=next(iter(bad))):
        OptimalOracle([blocks(0)], **bad)


@pytest.mark.parametrize("gaps", [3, 8])
def test_the_worth_of_every_cut_along_a_line_is_its_cost_to_go(gaps):
    """Which the tests above hold against all trees; here for all lines inside nodes on and between lines at once."""
    mask, rng = blocks(5), np.random.default_rng(5)
    oracle = OptimalOracle([mask], Limits(3), PRICE, gaps)
    nodes = random_nodes(rng, 60, 8, 2)
    nodes = nodes.take((nodes.w > 1) & (nodes.h > 1))
    places, values, labels = oracle.worth(nodes)
    assert places.shape == values.shape == (len(nodes), 2, oracle.points)
    assert (np.diff(places, axis=2) >= 0).all() and (places[:, :, 0] == 0).all() and (places[:, :, -1] == 1).all()
    compared = 0
    for n in range(len(nodes)):
        node = nodes.take(np.array([n]))
        for axis, extent in ((0, node.w[0]), (1, node.h[0])):
            cuts = np.rint(places[n, axis] * extent).astype(np.int32)
            inside = np.flatnonzero((cuts > 0) & (cuts < extent))
            assert len(inside)  # the middle, if no line is inside
            actions = Actions(np.full(len(inside), axis, np.int8), cuts[inside])
            true = oracle.cost_to_go(node.take(np.zeros(len(inside), int)), actions) / node.area[0]
            np.testing.assert_allclose(values[n, axis, inside], true, atol=1e-5)
            compared += len(inside)
        for place, rule in enumerate((Rule.PAINT, Rule.SKIP)):
            true = oracle.cost_to_go(node, Actions(np.array([rule], np.int8), np.zeros(1, np.int32))) / node.area
            np.testing.assert_allclose(labels[n, place], true, atol=1e-5)
    assert compared > 50
