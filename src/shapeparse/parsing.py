"""A policy's trees: how it parses images, once it has looked at them.

A policy with an evidence map can do more than take its most likely action. Its cuts are snapped to where the map says
they gain most, and with lookahead its action at every node is held against others, each judged by how much of the map
the tree that would follow can show. When the tree is complete, cuts settle where the map expects most pixels to be
right, and in a photograph that is larger than what the network saw, they move on to its own edges. A policy whose
critic was kept can have the critic look for better splits first (``beam``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F

from .beam import Beam
from .errors import UserError
from .grammar import Actions, Limits, Nodes, Rule, is_whole, valid_rules
from .methods import METHODS
from .networks import Critic, Policy
from .networks.maps import Encoded
from .oracle import Oracle
from .oracle.igm import MAX_CANDIDATES
from .oracle.kernels import EXACT_LEVELS
from .parallel import side_by_side
from .prune import prune, worth
from .refine import Photograph, refined, settled
from .rollout import Improve, PolicyActor
from .scenes import to_pixels
from .tree import Forest, ParseTree

SPLITS = [Rule.SPLIT_X, Rule.SPLIT_Y]
MOST_PLACES = 64
"""Split locations an axis that a beam may have."""
AT_ONCE = 4
"""Images that a network with an evidence map looks at together: what passes through it then stays in the cache."""


@dataclass(frozen=True)
class ParseSettings:
    """How trees are made. Lookahead, flips and refinement need an evidence map; other policies take their most likely
    actions."""

    lookahead: int = 16
    """Cuts an axis that are held against the policy's own at every node; 0 for none."""
    flips: bool = True
    """Look at every image flipped left to right too, and take the mean of both evidence maps."""
    refine: bool = True
    """Move cuts to where the photograph, at its own resolution, says the edge is; for photographs larger than the
    network's view."""
    price: float = 0.0
    """Accuracy that the model must expect of every additional rectangle, as a share of the image. With lookahead, the
    policy's own tree is pruned too, and the better of both is kept."""
    beam: int = 0
    """Split locations an axis, beside the policy's own, that the critic scores at every node; 0 for none. Needs a
    parser trained by a method with a critic."""

    def __post_init__(self) -> None:
        if not is_whole(self.lookahead) or not 0 <= self.lookahead <= MAX_CANDIDATES:
            raise UserError(f"lookahead is {self.lookahead}; give 0 for none, or cuts from 1 to {MAX_CANDIDATES}.")
        if not is_whole(self.beam) or not 0 <= self.beam <= MOST_PLACES:
            raise UserError(f"beam is {self.beam}; give 0 for none, or split locations from 1 to {MOST_PLACES}.")
        if not 0 <= self.price < float("inf"):
            raise UserError(f"price is {self.price}; give an accuracy a rectangle of at least 0, such as 0.001.")

    def check(self, critic: Critic | None) -> None:
        """Refuse a beam for a parser that has no critic."""
        if self.beam and critic is None:
            able = ", ".join(name for name, method in METHODS.items() if method.learns_q)
            raise UserError(
                "A beam needs a critic, and none was kept with this parser; train one by a method that learns it "
                f"({able}), or set beam to 0."
            )

    def ways(self) -> list[ParseSettings]:
        """How trees are made among which the price decides.

        Lookahead spends every level it may use; where rectangles are dear, the policy's own trees can be better.
        """
        return [self, replace(self, lookahead=0)] if self.price and self.lookahead else [self]

    def worthiest(self, trees: Iterable[ParseTree]) -> ParseTree:
        """Of a model's trees of a picture, the one it expects most of at the price, without splits not worth it."""
        if not self.price:
            (tree,) = trees
            return tree
        pruned = [prune(tree, expected_paint(tree), self.price) for tree in trees]
        return max(pruned, key=lambda tree: worth(tree, expected_paint(tree), self.price))


def expected_paint(tree: ParseTree) -> npt.NDArray[np.floating]:
    """Object pixels that a model expects in each node of its tree."""
    assert tree.likely is not None
    expected: npt.NDArray[np.floating] = tree.likely * tree.nodes.area
    return expected


def parse_images(
    policy: Policy,
    images: npt.NDArray[np.uint8],
    limits: Limits,
    sizes: npt.NDArray[np.integer] | None = None,
    batch: int = 32,
    settings: ParseSettings = ParseSettings(),  # noqa: B008  # it is frozen
    photographs: Sequence[Photograph] = (),
    critic: Critic | None = None,
) -> Iterator[Forest]:
    """Forests of at most ``batch`` images each, of (images, side, side, 3) bytes, in order.

    ``sizes`` are the (width, height) the trees shall have, if the images were squashed for the network. Without the
    ``photographs`` that they were squashed from, trees cannot be refined, and without a ``critic`` there is no beam.
    """
    if sizes is None:
        sizes = np.tile(np.array([images.shape[2], images.shape[1]], np.int32), (len(images), 1))
    all_sizes = sizes

    def parsed(first: int) -> Forest:
        some = slice(first, first + batch)
        return parse_together(policy, images[some], limits, all_sizes[some], [settings], photographs[some], critic)[0]

    yield from side_by_side(parsed, range(0, len(images), batch))


def parse_together(
    policy: Policy,
    images: npt.NDArray[np.uint8],
    limits: Limits,
    sizes: npt.NDArray[np.integer],
    ways: Sequence[ParseSettings],
    photographs: Sequence[Photograph] = (),
    critic: Critic | None = None,
) -> list[Forest]:
    """The forests of some images, one for each way of making trees. They are looked at once, as the first way says."""
    ways[0].check(critic)
    policy.eval()
    with torch.no_grad():
        pixels = to_pixels(images)
        if policy.trunk.sees_gain:
            seen = Seen.by(policy, pixels, ways[0].flips)
            return [parse_seen(policy, seen, sizes, limits, way, photographs, critic) for way in ways]
        encoded = policy.encode(pixels)
    beams = [beam_of(policy, critic, pixels, encoded, sizes, limits, way) for way in ways]
    return [PolicyActor(policy, encoded, sizes, limits, beam).parse() for beam in beams]


def beam_of(
    policy: Policy,
    critic: Critic | None,
    pixels: torch.Tensor,
    encoded: Any,
    sizes: npt.NDArray[np.integer],
    limits: Limits,
    settings: ParseSettings,
) -> Beam | None:
    """The critic's beam over some images, if the settings want one."""
    if critic is None or not settings.beam:
        return None
    return Beam(policy, critic.eval(), pixels, encoded, sizes, limits, settings.beam)


@dataclass(frozen=True)
class Seen:
    """Images that were looked at by a policy with an evidence map."""

    pixels: torch.Tensor
    encoded: Encoded
    likely: torch.Tensor
    """(images, side, side): how likely every pixel is paint."""

    @classmethod
    def by(cls, policy: Policy, pixels: torch.Tensor, flips: bool) -> Seen:
        """Look at images, and with ``flips`` a second time at each flipped left to right, for the mean of both maps."""

        def paint(logits: torch.Tensor) -> torch.Tensor:
            return F.interpolate(logits[:, None], size=pixels.shape[2:], mode="bilinear")[:, 0].sigmoid_()

        looks, maps = [], []
        with torch.no_grad():
            for some in torch.split(pixels, AT_ONCE):
                look = policy.encode(some)
                likely = paint(look.logits)
                if flips:
                    likely.add_(paint(policy.evidence_map(some.flip(3))).flip(2)).div_(2)
                looks.append(look)
                maps.append(likely)
        return cls(pixels, Encoded.joined(looks), torch.cat(maps))


def parse_seen(
    policy: Policy,
    seen: Seen,
    sizes: npt.NDArray[np.integer],
    limits: Limits,
    settings: ParseSettings,
    photographs: Sequence[Photograph] = (),
    critic: Critic | None = None,
) -> Forest:
    """The trees of images that were looked at, made in a grid no finer than the network's own pixels."""
    grids = np.minimum(sizes, seen.pixels.shape[-1]).astype(np.int32)
    maps = [_resized(one[None], grid)[0].numpy() for one, grid in zip(seen.likely, grids, strict=True)]
    beam = beam_of(policy, critic, seen.pixels, seen.encoded, grids, limits, settings)
    forest = MapActor(policy, seen.encoded, grids, limits, maps, settings.lookahead, beam).parse()
    forest = settled(forest, maps, limits.min_extent)
    if (grids == sizes).all():
        return forest
    forest = forest.scaled(np.asarray(sizes, np.int32))
    if not (settings.refine and len(photographs)):
        return forest
    colours_and_paint = torch.cat([seen.pixels, seen.likely[:, None]], 1)
    squashed = [_resized(one, grid) for one, grid in zip(colours_and_paint, grids, strict=True)]
    return refined(forest, squashed, photographs, limits.min_extent)


class MapActor(PolicyActor):
    """The policy's most likely action with its cut snapped to the evidence, or what lookahead finds to be better.

    Labels are those that the evidence map finds likelier. Where they do not differ within a node, or nothing can be
    split any more, nobody has to be asked; nor is the policy where the search that looks ahead is exact.
    """

    def __init__(
        self,
        policy: Policy,
        encoded: Any,
        sizes: npt.NDArray[np.integer],
        limits: Limits,
        maps: list[npt.NDArray[np.float32]],
        lookahead: int,
        improve: Improve | None = None,
    ) -> None:
        super().__init__(policy, encoded, sizes, limits, improve)
        threads = torch.get_num_threads()  # one, where batches are parsed side by side
        self.judge = Oracle(maps, limits, threads=threads)
        # Looking ahead on labels is many times quicker than on the map, where no rectangle is ever pure, and as good.
        self.labels = Oracle([likely >= 0.5 for likely in maps], limits, threads=threads)
        self.searching = self.labels.looking_ahead(lookahead) if lookahead else None
        self.positions = policy.trunk.preset.positions

    def __call__(self, nodes: Nodes) -> Actions:
        likely = self.judge.paint_share(nodes)
        self.likely.append(likely.astype(np.float32))
        rule = np.where(likely >= 0.5, Rule.PAINT, Rule.SKIP).astype(np.int8)
        cut = np.zeros(len(nodes), np.int32)
        labelled = self.labels.paint_share(nodes)
        mixed = np.flatnonzero((labelled > 0) & (labelled < 1) & valid_rules(nodes, self.limits)[:, SPLITS].any(axis=1))
        if len(mixed):
            found = self.split(nodes.take(mixed))
            rule[mixed], cut[mixed] = np.where(found.splits, found.rule, rule[mixed]), found.cut
        return Actions(rule, cut)

    def split(self, nodes: Nodes) -> Actions:
        """How to split nodes, or that they are better left whole."""
        if self.searching is None:
            return self.snapped(nodes)
        levels = self.limits.depth - int(nodes.depth[0])  # of all of them, since trees grow level by level
        return self.searching(nodes, self.snapped(nodes) if levels > EXACT_LEVELS else None)

    def snapped(self, nodes: Nodes) -> Actions:
        """The policy's own actions, their cuts moved to where the map says they gain most."""
        own = self.most_likely(nodes, self.output(nodes))
        return self.judge.snap(nodes, own, np.maximum(nodes.extent(own.rule) // self.positions, 1))


def _resized(seen: torch.Tensor, grid: npt.NDArray[np.integer]) -> torch.Tensor:
    size = grid[::-1].tolist()
    return seen if size == list(seen.shape[1:]) else F.interpolate(seen[None], size=size, mode="area")[0]
