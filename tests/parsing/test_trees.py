"""Parsing with an evidence map: cuts snap to it, lookahead never expects less of a tree, any size can be had."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from shapeparse import Actions, Limits, Nodes, Oracle, Parser, ParseTree, Rule
from shapeparse.grammar import Forest, expand
from shapeparse.networks.policy import Policy
from shapeparse.networks.views import to_pixels
from shapeparse.parsing.actors import MapActor
from shapeparse.parsing.settings import ParseSettings
from shapeparse.parsing.trees import AT_ONCE, Seen, parse_images

LIMITS = Limits(depth=4)


@pytest.fixture
def policy(tiny_presets) -> Policy:
    torch.manual_seed(3)
    policy = Policy(tiny_presets["best"]).eval()
    torch.nn.init.normal_(policy.trunk.encoder.evidence.weight, std=3.0)  # a map with something to see in it
    return policy


@pytest.fixture
def images(photographs) -> np.ndarray:
    return photographs(3, 32)[0]


def expected_accuracy(forest: Forest, maps: np.ndarray) -> np.ndarray:
    """What the maps expect of trees."""
    right = [np.where(tree.labels(), one, 1 - one).mean() for tree, one in zip(forest.trees(), maps, strict=True)]
    return np.array(right)


def test_lookahead_never_expects_less_and_usually_more(policy, images):
    maps = Seen.by(policy, to_pixels(images), flips=False).likely.numpy()
    (plain,) = parse_images(policy, images, LIMITS, settings=ParseSettings(lookahead=0, flips=False))
    (ahead,) = parse_images(policy, images, LIMITS, settings=ParseSettings(lookahead=8, flips=False))
    before, after = expected_accuracy(plain, maps), expected_accuracy(ahead, maps)
    assert (after >= before - 1e-3).all()
    assert after.mean() > before.mean()


@pytest.mark.parametrize("lookahead", [0, 8])
def test_nodes_that_show_one_label_are_never_split(policy, images, lookahead):
    actor, forest = acted(policy, images, LIMITS, lookahead)
    share = actor.labels.paint_share(forest.nodes)
    splits = forest.rule < Rule.PAINT
    assert splits.any()
    assert ((share[splits] > 0) & (share[splits] < 1)).all()
    assert ((forest.likely >= 0.5) == (forest.rule == Rule.PAINT))[~splits].all()


def test_the_policy_is_not_asked_where_the_search_is_exact(policy, images, monkeypatch):
    asked = []
    monkeypatch.setattr(
        MapActor, "output", lambda self, nodes: asked.append(nodes) or super(MapActor, self).output(nodes)
    )
    limits = Limits(depth=5)
    actor, forest = acted(policy, images, limits, 8)
    assert {int(depth) for nodes in asked for depth in nodes.depth} <= {0, 1}
    below = forest.nodes.take(np.flatnonzero(forest.nodes.depth == 2))
    exact = actor.searching(below)
    assert (exact.rule == forest.rule[forest.nodes.depth == 2])[exact.splits].all()


def acted(policy: Policy, images: np.ndarray, limits: Limits, lookahead: int) -> tuple[MapActor, Forest]:
    """Who acted, and the trees before their cuts settle."""
    seen = Seen.by(policy, to_pixels(images), flips=True)
    maps = list(seen.likely.numpy())
    actor = MapActor(policy, seen.encoded, np.full((len(images), 2), 32), limits, maps, lookahead)
    return actor, actor.parse()


def test_every_node_knows_how_likely_it_is_paint(policy, images):
    maps = Seen.by(policy, to_pixels(images), flips=True).likely.numpy()
    (forest,) = parse_images(policy, images, LIMITS)
    for tree, one in zip(forest.trees(), maps, strict=True):
        assert tree.likely is not None
        for x, y, w, h, likely in zip(tree.x, tree.y, tree.w, tree.h, tree.likely, strict=True):
            assert likely == pytest.approx(one[y : y + h, x : x + w].mean(), abs=0.003)
        confidence = tree.confidence
        assert (confidence[tree.is_leaf] >= 0.497).all()
        assert np.isnan(confidence[~tree.is_leaf]).all()


def test_a_flipped_image_has_the_flipped_map(policy, images):
    pixels = to_pixels(images)
    one, other = (Seen.by(policy, some, flips=True).likely for some in (pixels, pixels.flip(3)))
    torch.testing.assert_close(one, other.flip(2), atol=1e-5, rtol=1e-4)


def test_images_that_are_looked_at_a_few_at_a_time_are_seen_as_by_one_look(policy, photographs):
    pixels = to_pixels(photographs(AT_ONCE + 1, 32)[0])
    seen = Seen.by(policy, pixels, flips=False).encoded
    with torch.no_grad():
        together = policy.encode(pixels)
    torch.testing.assert_close(seen.features, together.features, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(seen.logits, together.logits, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("size", [(320, 200), (32, 32), (7, 90), (1, 1), (3, 2)])
def test_trees_are_in_the_pixels_of_the_image_whatever_its_size(policy, images, size):
    sizes = np.tile(np.array([size], np.int32), (len(images), 1))
    (forest,) = parse_images(policy, images, LIMITS, sizes)
    for tree in forest.trees():
        assert (tree.width, tree.height) == size
        covered = np.zeros((tree.height, tree.width), int)
        for leaf in tree.segments():
            covered[leaf.y : leaf.y + leaf.h, leaf.x : leaf.x + leaf.w] += 1
        assert (covered == 1).all()


def test_a_cut_snaps_to_the_greatest_gain_within_reach():
    mask = np.zeros((8, 16))
    mask[:, 5:] = 0.9
    oracle = Oracle([mask], Limits(3))
    root = Nodes.roots(oracle.sizes)
    for cut, reach, expected in ((7, 2, 5), (7, 1, 6), (5, 3, 5), (2, 2, 4), (15, 20, 5), (1, 0, 1)):
        snapped = oracle.snap(root, Actions(np.array([0]), np.array([cut])), np.array([reach]))
        assert (snapped.rule[0], snapped.cut[0]) == (Rule.SPLIT_X, expected)
    label = oracle.snap(root, Actions(np.array([Rule.PAINT]), np.array([0])), np.array([3]))
    assert (label.rule[0], label.cut[0]) == (Rule.PAINT, 0)


def test_the_share_of_paint_is_that_of_the_pixels():
    mask = np.random.default_rng(0).random((9, 13))
    oracle = Oracle([np.zeros_like(mask), mask], Limits(3))
    nodes = Nodes(*(np.array([value], np.int32) for value in (1, 2, 3, 7, 5, 0)))
    assert oracle.paint_share(nodes)[0] == pytest.approx(mask[3:8, 2:9].mean(), abs=0.003)


def test_scaled_trees_keep_their_rules_and_tile_the_larger_image():
    mask = np.random.default_rng(1).random((16, 16)) > 0.5
    oracle = Oracle([mask], Limits(5))
    forest = expand(oracle.sizes, oracle, oracle.limits)
    scaled = forest.scaled(np.array([[37, 50]], np.int32))
    assert np.array_equal(scaled.rule, forest.rule)
    (tree,) = scaled.trees()
    again = ParseTree.from_json(tree.to_json())  # which checks that every child is what its parent's cut makes
    assert again == tree


def test_a_price_undoes_splits_that_are_not_expected_to_earn_it(policy, images):
    plain, dear = ParseSettings(), ParseSettings(price=0.01)
    (forest,) = parse_images(policy, images, LIMITS)
    for tree in forest.trees():
        assert plain.worthiest([tree]) is tree
        pruned = dear.worthiest([tree])
        assert pruned.leaf_count < tree.leaf_count
        assert np.array_equal(pruned.likely[0], tree.likely[0])


def test_at_a_price_the_tree_that_is_expected_to_be_worth_most_is_kept(policy, images):
    def expected(tree: ParseTree) -> float:
        right = np.where(tree.rule == Rule.PAINT, tree.likely, 1 - tree.likely) * tree.w * tree.h
        return right[tree.is_leaf].sum() / (tree.width * tree.height) - how.price * tree.leaf_count

    parser = Parser(policy, images.shape[1], LIMITS, {"method": "dagger"})
    for price in (0.0003, 0.01):
        how = ParseSettings(price=price)
        assert [way.lookahead for way in how.ways()] == [how.lookahead, 0]
        alone = [[how.worthiest([tree]) for tree in parser_trees(parser, images, way)] for way in how.ways()]
        for tree, *others in zip(parser.parse(list(images), how=how), *alone, strict=True):
            assert expected(tree) == max(map(expected, others))
    assert len(ParseSettings().ways()) == len(ParseSettings(lookahead=0, price=0.1).ways()) == 1


def parser_trees(parser: Parser, images: np.ndarray, how: ParseSettings) -> list[ParseTree]:
    (forest,) = parse_images(parser.policy, images, LIMITS, settings=how)
    return parser.calibrated(forest).trees()


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"lookahead": -1}, "lookahead is -1"),
        ({"lookahead": 1.5}, "lookahead"),
        ({"price": float("nan")}, "price is nan"),
    ],
)
def test_settings_that_make_no_sense_are_named(refused, settings, complaint):
    assert complaint in refused(ParseSettings, **settings)
