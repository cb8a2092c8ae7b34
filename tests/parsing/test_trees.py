"""Parsing with an evidence map: cuts snap to it, lookahead never expects less of a tree, any size can be had."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from shapeparse import Limits, Parser, ParseTree, Rule
from shapeparse.grammar import Forest
from shapeparse.networks.policy import Policy
from shapeparse.networks.views import to_pixels
from shapeparse.parsing import trees
from shapeparse.parsing.settings import ParseSettings
from shapeparse.parsing.trees import (
    AT_ONCE,
    WITHIN_DEPTH,
    Seen,
    expected_paint,
    parse_images,
    parse_seen,
    parse_together,
    worthiest,
)

LIMITS = Limits(depth=4)


@pytest.fixture
def policy(tiny_presets) -> Policy:
    torch.manual_seed(3)
    policy: Any = Policy(tiny_presets["scratch"]).eval()
    torch.nn.init.normal_(policy.trunk.encoder.evidence.weight, std=3.0)  # a map with something to see in it
    return policy


@pytest.fixture
def images(photographs) -> np.ndarray:
    return photographs(3, 32)[0]


def expected_accuracy(forest: Forest, maps: np.ndarray) -> np.ndarray:
    """What the maps expect of trees."""
    right = [np.where(tree.labels(), one, 1 - one).mean() for tree, one in zip(forest.trees(), maps, strict=True)]
    return np.array(right)


def test_batches_are_parsed_side_by_side_and_each_image_once(policy, images, monkeypatch):
    asked: list[list[int]] = []

    def side_by_side(work, items):
        asked.append(list(items))
        return map(work, items)

    monkeypatch.setattr(trees, "side_by_side", side_by_side)
    found = list(parse_images(policy, images, LIMITS, batch=2))
    assert asked == [[0, 2]]
    assert [len(forest.trees()) for forest in found] == [2, 1]


def test_lookahead_never_expects_less_and_usually_more(policy, images):
    maps = Seen.by(policy, to_pixels(images), flips=False).likely.numpy()
    (plain,) = parse_images(policy, images, LIMITS, settings=ParseSettings(search="policy", flips=False))
    (ahead,) = parse_images(
        policy, images, LIMITS, settings=ParseSettings(search="lookahead", lookahead=8, flips=False)
    )
    before, after = expected_accuracy(plain, maps), expected_accuracy(ahead, maps)
    assert (after >= before - 1e-3).all()
    assert after.mean() > before.mean()


def test_every_node_knows_how_likely_it_is_paint(policy, images):
    maps = Seen.by(policy, to_pixels(images), flips=True).likely.numpy()
    (forest,) = parse_images(policy, images, LIMITS)
    for tree, one in zip(forest.trees(), maps, strict=True):
        assert tree.likely is not None
        for x, y, w, h, likely in zip(tree.x, tree.y, tree.w, tree.h, tree.likely, strict=True):
            assert likely == pytest.approx(one[y : y + h, x : x + w].mean(), abs=0.003)
        confidence = tree.confidence
        assert confidence is not None
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


def test_a_price_undoes_splits_that_are_not_expected_to_earn_it(policy, images):
    (forest,) = parse_images(policy, images, LIMITS)
    for tree in forest.trees():
        assert worthiest([tree], 0.0) is tree
        pruned = worthiest([tree], 0.01)
        assert pruned.leaf_count < tree.leaf_count
        assert pruned.likely is not None and tree.likely is not None
        assert np.array_equal(pruned.likely[0], tree.likely[0])


def test_at_a_price_the_tree_that_is_expected_to_be_worth_most_is_kept(policy, images):
    def expected(tree: ParseTree) -> float:
        assert tree.likely is not None
        right = np.where(tree.rule == Rule.PAINT, tree.likely, 1 - tree.likely) * tree.w * tree.h
        return right[tree.is_leaf].sum() / (tree.width * tree.height) - price * tree.leaf_count

    parser = Parser(policy, images.shape[1], LIMITS, {"method": "dagger"})
    for price in (0.0003, 0.01):
        settings = ParseSettings(search="lookahead", price=price)
        candidates = settings.candidates()
        assert [one.search for one in candidates] == ["lookahead", "policy"]
        alone = [[worthiest([tree], price) for tree in parser_trees(parser, images, one)] for one in candidates]
        for tree, *others in zip(parser.parse(list(images), settings), *alone, strict=True):
            assert expected(tree) == max(map(expected, others))


def parser_trees(parser: Parser, images: np.ndarray, settings: ParseSettings) -> list[ParseTree]:
    (forest,) = parse_images(parser.policy, images, LIMITS, settings=settings)
    return parser.calibrated(forest).trees()


def test_candidates_share_one_look_and_have_trees_as_if_alone(policy, images, monkeypatch):
    looks: list[int] = []
    real = Policy.encode

    def encode(self: Policy, pixels: torch.Tensor) -> Any:
        looks.append(len(pixels))
        return real(self, pixels)

    monkeypatch.setattr(Policy, "encode", encode)
    sizes = np.full((3, 2), 32, np.int32)
    candidates = [ParseSettings(search="lookahead", lookahead=4), ParseSettings(search="policy")]
    both = parse_together(policy, images, LIMITS, sizes, candidates).forests
    assert looks == [3]
    for forest, one in zip(both, candidates, strict=True):
        assert forest.trees() == parse_together(policy, images, LIMITS, sizes, [one]).forests[0].trees()


def test_what_was_seen_once_can_be_parsed_to_any_depth(policy, images):
    seen = Seen.by(policy, to_pixels(images), flips=True)
    sizes = np.full((3, 2), 32, np.int32)
    for depth in (0, 2):
        forest = parse_seen(policy, seen, sizes, Limits(depth), WITHIN_DEPTH)
        assert forest.nodes.depth.max() == depth


def test_the_optimal_search_expects_most_for_as_many_rectangles(policy, images):
    maps = Seen.by(policy, to_pixels(images), flips=True).likely.numpy()
    (ahead,) = parse_images(policy, images, LIMITS)
    (best,) = parse_images(policy, images, LIMITS, settings=ParseSettings(price=1e-6))
    assert (expected_accuracy(best, maps) >= expected_accuracy(ahead, maps) - 1e-6).all()
    (few,) = parse_images(policy, images, LIMITS, settings=ParseSettings(rectangles=3))
    assert all(tree.leaf_count <= 3 for tree in few.trees())
    assert [len(tree) for tree in few.trees()] == np.bincount(few.nodes.image).tolist()


def test_a_policy_without_a_map_knows_no_number_of_rectangles(tiny_presets, images, refused):
    parser = Parser(Policy(tiny_presets["fast"]), 32, LIMITS, {"method": "bc"})
    assert "no evidence map" in refused(parser.parse, list(images), rectangles=5)


def test_images_of_any_batch_size_come_in_order(policy, photographs):
    images = photographs(5, 32)[0]
    together = [tree for forest in parse_images(policy, images, LIMITS) for tree in forest.trees()]
    forests = list(parse_images(policy, images, LIMITS, batch=2))
    assert [len(forest.sizes) for forest in forests] == [2, 2, 1]
    for one, other in zip(together, [tree for forest in forests for tree in forest.trees()], strict=True):
        assert np.array_equal(one.rule, other.rule) and np.array_equal(one.cut, other.cut)


def test_expected_paint_is_the_share_times_the_area(policy, images):
    (forest,) = parse_images(policy, images, LIMITS)
    (tree, *_) = forest.trees()
    assert tree.likely is not None
    np.testing.assert_allclose(expected_paint(tree), tree.likely * tree.w * tree.h)


def test_no_parse_makes_a_tensor_on_the_default_device(tiny_presets, images, preset_name):
    preset = tiny_presets[preset_name]
    policy = Policy(preset)
    resized = np.ascontiguousarray(images.repeat(2, 1).repeat(2, 2)[:, : preset.side, : preset.side])
    sizes = np.full((3, 2), 90, np.int32)
    photographs = [image.repeat(3, 0).repeat(3, 1)[:90, :90] for image in images]
    with torch.device("meta"):
        (inside,) = parse_images(policy, resized, LIMITS, sizes, photographs=photographs)
    (outside,) = parse_images(policy, resized, LIMITS, sizes, photographs=photographs)
    assert inside.trees() == outside.trees()


@pytest.fixture(params=["best", "scratch", "fast", "crop", "paper"])
def preset_name(request) -> str:
    return request.param
