"""Refinement: cuts move to the photograph's own edges, exactly as far as brute force would move them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
import tyro
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import Limits, Rule, igm
from shapeparse.commands.parse import Args
from shapeparse.grammar import Forest, ParseTree, expand
from shapeparse.networks.policy import Policy
from shapeparse.networks.views import to_pixels
from shapeparse.parsing.parser import Parser
from shapeparse.parsing.refine import Cuts, coefficients, guided, label_leaves, move_cuts, refined, settled
from shapeparse.parsing.settings import ParseSettings
from shapeparse.parsing.trees import Seen, parse_images

UNIT = 255


def boxes_of(forest: Forest, cuts: dict[int, int]) -> list[tuple[int, int, int, int]]:
    """(left, top, right, bottom) of every node, if splits are cut at these pixels of the image."""
    width, height = (int(side) for side in forest.sizes[0])
    boxes = [(0, 0, width, height)]
    later = set()
    for node in range(1, len(forest)):
        parent = int(forest.parent[node])
        box, axis = list(boxes[parent]), forest.rule[parent]
        box[axis if parent in later else axis + 2] = cuts[parent]
        later.add(parent)
        left, top, right, bottom = box
        boxes.append((left, top, right, bottom))
    return boxes


def expected(forest: Forest, boxes: list, evidence: np.ndarray) -> int:
    """Units that are expected to be right."""
    right = evidence.astype(np.int64)
    for (left, top, end, bottom), rule in zip(boxes, forest.rule, strict=True):
        if rule == Rule.SKIP:
            right[top:bottom, left:end] = UNIT - right[top:bottom, left:end]
    return int(right.sum())


def moved_slowly(forest: Forest, evidence: np.ndarray, reach: np.ndarray, min_extent: int) -> list:
    """The twin of ``move_cuts``: every place of every cut is tried, and all pixels are counted anew."""
    nodes = forest.nodes
    corner = np.where(forest.rule == Rule.SPLIT_X, nodes.x, nodes.y)
    cuts = {int(node): int(corner[node] + forest.cut[node]) for node in np.flatnonzero(forest.rule < Rule.PAINT)}

    def allowed(boxes: list) -> bool:
        for box, rule in zip(boxes, forest.rule, strict=True):
            extents = [box[2] - box[0], box[3] - box[1]]
            if min(extents) < 1 or (rule < Rule.PAINT and extents[rule] <= min_extent):
                return False
        return True

    for node, cut in cuts.items():
        far = int(reach[forest.rule[node]])
        tried = [cut, *range(cut + 1, cut + far + 1), *range(cut - 1, cut - far - 1, -1)]
        boxes = [boxes_of(forest, {**cuts, node: place}) for place in tried]
        worth = [expected(forest, one, evidence) if allowed(one) else -1 for one in boxes]
        cuts[node] = tried[int(np.argmax(worth))]  # the first of equals
    return boxes_of(forest, cuts)


@given(limits=..., seed=st.integers(0, 999), reach=st.tuples(st.integers(0, 4), st.integers(0, 4)))
def test_cuts_move_as_brute_force_would_move_them(random_actor, limits: Limits, seed, reach):
    random = np.random.default_rng(seed)
    size = random.integers(1, 16, 2)
    forest = expand(size[None], random_actor(seed, limits), limits)
    evidence = random.integers(0, 256, size[::-1], np.uint8) if seed % 2 else random.choice([0, 200], size[::-1])
    evidence = evidence.astype(np.uint8)
    cuts, nodes = Cuts.of(forest), np.arange(len(forest))
    before = cuts.edges.copy()
    moved = move_cuts(evidence, cuts, nodes, np.array(reach), limits.min_extent)
    slow = moved_slowly(forest, evidence, np.array(reach), limits.min_extent)
    assert [tuple(row) for row in cuts.edges.tolist()] == slow
    assert moved == (cuts.edges != before).any()
    assert expected(forest, slow, evidence) >= expected(forest, before.tolist(), evidence)


@given(limits=..., seed=st.integers(0, 99))
def test_settled_trees_tile_their_images_and_their_maps_never_expect_less(random_actor, limits: Limits, seed):
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 16, (3, 2))
    forest = expand(sizes, random_actor(seed, limits), limits)
    maps = [random.random(size[::-1]) for size in sizes]
    forest = replace(forest, likely=np.zeros(len(forest), np.float32))
    better = settled(forest, maps, limits.min_extent)
    for before, after, one in zip(forest.trees(), better.trees(), maps, strict=True):
        evidence = np.rint(one * UNIT)
        old, new = (np.where(tree.labels(), evidence, UNIT - evidence).sum() for tree in (before, after))
        assert new >= old
        assert ParseTree.from_json(after.to_json()).rule.tolist() == after.rule.tolist()


@given(limits=..., seed=st.integers(0, 99))
def test_leaves_get_the_likelier_label_and_nodes_know_their_share(random_actor, limits: Limits, seed):
    random = np.random.default_rng(seed)
    forest = expand([(9, 7)], random_actor(seed, limits), limits)
    evidence = random.integers(0, 256, (7, 9), np.uint8)
    cuts = Cuts.of(forest)
    likely = label_leaves(evidence, cuts, np.arange(len(forest)))
    for (left, top, right, bottom), share, rule in zip(cuts.edges, likely, cuts.rule, strict=True):
        assert share == pytest.approx(evidence[top:bottom, left:right].mean() / UNIT)
        assert rule < Rule.PAINT or (rule == Rule.PAINT) == (share >= 0.5)


def squashed(photograph: np.ndarray, mask: np.ndarray, width: int, height: int) -> torch.Tensor:
    """What a network that never errs would see in a grid."""
    both = np.dstack([photograph / 255, mask]).astype(np.float32)
    return F.interpolate(torch.from_numpy(both).permute(2, 0, 1)[None], size=(height, width), mode="area")[0]


def test_an_edge_between_two_pixels_of_the_grid_is_found_exactly():
    photograph, mask = np.full((120, 400, 3), 40, np.uint8), np.zeros((120, 400), bool)
    photograph[:, 157:], mask[:, 157:] = (200, 90, 90), True
    seen = squashed(photograph, mask, 40, 30)
    small = igm(seen[3].numpy(), depth=1)
    assert isinstance(small, ParseTree)
    forest = Forest.of([small])
    scaled = replace(forest.scaled(np.array([[400, 120]], np.int32)), likely=np.zeros(3, np.float32))
    (tree,) = refined(scaled, [seen], [photograph]).trees()
    assert (scaled.cut[0], tree.cut[0]) == (160, 157)
    assert tree.accuracy(mask) == 1
    (plain,) = refined(scaled, [F.interpolate(seen[None], (120, 400))[0]], [photograph]).trees()
    assert plain == scaled.trees()[0]  # the network has seen every pixel


def test_without_colours_to_follow_evidence_is_interpolated():
    likely = torch.rand(5, 7, generator=torch.Generator().manual_seed(0))
    photograph = np.zeros((40, 30, 3), np.uint8)
    grid = F.pad(likely[..., None], (3, 0)).numpy()
    smooth = F.interpolate(likely[None, None], size=(40, 30), mode="bilinear")[0, 0]
    np.testing.assert_allclose(guided(grid, photograph), smooth * UNIT, atol=0.51)


def test_evidence_that_follows_colours_does_so_in_every_pixel():
    photograph = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
    paint = photograph @ np.array([0.5, 0.3, 0.1]) / 255
    evidence = guided(coefficients(squashed(photograph, paint, 32, 32)).numpy(), photograph)
    assert np.abs(evidence - paint * UNIT).mean() < 5
    assert np.abs(paint.mean() - paint).mean() * UNIT > 30


@pytest.fixture
def parser(tiny_presets) -> Parser:
    """One of preset best whose map has something to see in it."""
    torch.manual_seed(3)
    policy: Any = Policy(tiny_presets["scratch"]).eval()
    torch.nn.init.normal_(policy.trunk.encoder.evidence.weight, std=3.0)
    return Parser(policy, 32, Limits(4), {})


@pytest.mark.parametrize("size", [(150, 90), (20, 150), (33, 32), (32, 32), (1, 300), (40, 3)])
def test_refined_trees_have_the_same_splits_and_tile_the_photograph(parser, photographs, size):
    photograph = np.ascontiguousarray(photographs(1, 300)[0][0, : size[1], : size[0]])
    plain, tree = (parser.parse(photograph, ParseSettings(refine=refine)) for refine in (False, True))
    assert ParseTree.from_json(tree.to_json()) == tree  # which checks that every child is what its cut makes
    assert (tree.rule[~tree.is_leaf] == plain.rule[~plain.is_leaf]).all()
    assert (tree.w > 0).all() and (tree.h > 0).all()
    assert (tree.confidence[tree.is_leaf] >= 0.5).all()
    if max(size) <= 32:
        assert tree == plain


def test_the_evidence_never_expects_less_of_a_refined_tree(parser, photographs):
    images = photographs(3, 128)[0]
    pixels = to_pixels(images[:, ::4, ::4])
    likely = Seen.by(parser.policy, pixels, flips=True).likely
    seen = list(torch.cat([pixels, likely[:, None]], dim=1))
    limits = Limits(5, min_extent=2)
    (forest,) = parse_images(parser.policy, images[:, ::4, ::4], limits)
    scaled = forest.scaled(np.full((3, 2), 128, np.int32))
    better = refined(scaled, seen, list(images), limits.min_extent)
    gained = 0.0
    for one, image, before, after in zip(seen, images, scaled.trees(), better.trees(), strict=True):
        evidence = guided(coefficients(one).numpy(), image) / UNIT
        old, new = (np.where(tree.labels(), evidence, 1 - evidence).mean() for tree in (before, after))
        assert new >= old
        gained += new - old
        assert (after.nodes.extent(after.rule)[~after.is_leaf] > limits.min_extent).all()
    assert gained > 0


@pytest.mark.parametrize("preset", ["scratch", "fast"])
def test_trees_may_be_deeper_than_those_learned_from(tiny_presets, parser, photographs, preset):
    policy = parser.policy if preset == "scratch" else Policy(tiny_presets["fast"]).eval()
    if preset == "fast":
        torch.nn.init.constant_(policy.rule.bias[:2], 1.0)  # it shall split
    photograph = np.ascontiguousarray(photographs(1, 600)[0][0, :400])
    deep, shallow = (
        Parser(policy, 32, Limits(7), {}).parse(photograph, depth=depth, search="lookahead") for depth in (11, None)
    )
    assert 7 < deep.depth.max() <= 11
    assert ParseTree.from_json(deep.to_json()) == deep
    if preset == "scratch":
        sure = [(np.where(tree.is_leaf, tree.confidence, 0) * tree.nodes.area).sum() for tree in (deep, shallow)]
        assert sure[0] >= sure[1]


def test_the_command_line_can_leave_cuts_where_they_are():
    left = [tyro.cli(Args, args=["photo.jpg", *options]).no_refine for options in ([], ["--no-refine"])]
    assert left == [False, True]
