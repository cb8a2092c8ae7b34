"""A policy's trees: how it parses images, once it has looked at them.

A policy with an evidence map can do more than take its most likely action. Its cuts are snapped to where the map says
they gain most, and with lookahead its action at every node is compared with others, each judged by how much of the map
the tree that would follow can show. When the tree is complete, cuts settle where the map expects most pixels to be
right, and in a photograph that is larger than what the network saw, they move on to its own edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F

from ..grammar import Forest, Limits, ParseTree, prune
from ..grammar.prune import worth
from ..networks.devices import device_of
from ..networks.maps import Encoded
from ..networks.policy import Policy
from ..networks.views import to_pixels
from ..oracle import Oracle
from ..oracle.optimal import best_tree
from .actors import MapActor, PolicyActor, check_numbers
from .parallel import side_by_side
from .refine import Photograph, refined, settled
from .settings import ParseSettings

AT_ONCE = 4
"""Images that a network with an evidence map looks at together: what passes through it then stays in the cache."""
WITHIN_DEPTH = ParseSettings(search="lookahead")
"""How trees are made for the study of methods: within the depth of the training, so that all can be compared."""


def parse_images(
    policy: Policy,
    images: npt.NDArray[np.uint8],
    limits: Limits,
    sizes: npt.NDArray[np.integer] | None = None,
    batch: int = 32,
    settings: ParseSettings = WITHIN_DEPTH,
    photographs: Sequence[Photograph] = (),
) -> Iterator[Forest]:
    """Forests of at most ``batch`` images each, of (images, side, side, 3) bytes, in order.

    ``sizes`` are the (width, height) the trees shall have, if the images were squashed for the network. Without the
    ``photographs`` that they were squashed from, trees cannot be refined.
    """
    if sizes is None:
        sizes = np.tile(np.array([images.shape[2], images.shape[1]], np.int32), (len(images), 1))
    all_sizes = sizes

    def parsed(first: int) -> Forest:
        some = slice(first, first + batch)
        together = parse_together(policy, images[some], limits, all_sizes[some], [settings], photographs[some])
        return together.forests[0]

    yield from side_by_side(parsed, range(0, len(images), batch))


class Together(NamedTuple):
    """What came of some images that were looked at once."""

    forests: list[Forest]
    """One per candidate settings."""
    signatures: torch.Tensor | None
    """See ``Trunk.signature``."""


def parse_together(
    policy: Policy,
    images: npt.NDArray[np.uint8],
    limits: Limits,
    sizes: npt.NDArray[np.integer],
    candidates: Sequence[ParseSettings],
    photographs: Sequence[Photograph] = (),
) -> Together:
    """The forests of some images, one per candidate settings. They are looked at once, as the first says."""
    policy.eval()
    with torch.no_grad():
        pixels = to_pixels(images, device_of(policy))
        if policy.trunk.sees_gain:
            seen = Seen.by(policy, pixels, candidates[0].flips)
            forests = [parse_seen(policy, seen, sizes, limits, settings, photographs) for settings in candidates]
            return Together(forests, policy.trunk.signature(seen.encoded))
        encoded = policy.encode(pixels)
        forests = [PolicyActor(policy, encoded, sizes, limits).parse() for _ in candidates]
        return Together(forests, policy.trunk.signature(encoded))


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
                check_numbers(likely)
                looks.append(look)
                maps.append(likely)
        return cls(pixels, Encoded.joined(looks), torch.cat(maps))


def signatures_of(policy: Policy, images: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32] | None:
    """The signatures of (images, side, side, 3) bytes, without parsing them; None if the policy gives none."""
    found = []
    with torch.no_grad():
        for first in range(0, len(images), AT_ONCE):
            pixels = to_pixels(images[first : first + AT_ONCE], device_of(policy))
            signature = policy.trunk.signature(policy.encode(pixels))
            if signature is None:
                return None
            found.append(signature.cpu().numpy())
    return np.concatenate(found) if found else None


def parse_seen(
    policy: Policy,
    seen: Seen,
    sizes: npt.NDArray[np.integer],
    limits: Limits,
    settings: ParseSettings,
    photographs: Sequence[Photograph] = (),
) -> Forest:
    """The trees of images that were looked at, made in a grid no finer than the network's own pixels."""
    grids = np.minimum(sizes, seen.pixels.shape[-1]).astype(np.int32)
    maps = [_resized(one[None], grid)[0].cpu().numpy() for one, grid in zip(seen.likely, grids, strict=True)]
    if settings.search == "optimal":
        forest = best_forest(maps, settings, limits.min_extent)
    else:
        ahead = settings.lookahead if settings.search == "lookahead" else 0
        forest = MapActor(policy, seen.encoded, grids, limits, maps, ahead).parse()
        forest = settled(forest, maps, limits.min_extent)
    if (grids == sizes).all():
        return forest
    forest = forest.scaled(np.asarray(sizes, np.int32))
    if not (settings.refine and len(photographs)):
        return forest
    colours_and_paint = torch.cat([seen.pixels, seen.likely[:, None]], 1).cpu()
    squashed = [_resized(one, grid) for one, grid in zip(colours_and_paint, grids, strict=True)]
    return refined(forest, squashed, photographs, limits.min_extent)


def best_forest(maps: Sequence[npt.NDArray[np.floating]], settings: ParseSettings, min_extent: int) -> Forest:
    """The best trees of evidence maps: expected accuracy is a sum over pixels, so the maps are all that matters."""
    found = [
        best_tree(
            one, rectangles=settings.rectangles, price=settings.price or None, accuracy=settings.accuracy,
            depth=settings.depth, min_extent=min_extent,
        ).tree
        for one in maps
    ]  # fmt: skip
    forest = Forest.of(found)
    share = Oracle(maps, threads=1).paint_share(forest.nodes)
    return replace(forest, likely=share.astype(np.float32))


def worthiest(trees: Iterable[ParseTree], price: float | None) -> ParseTree:
    """Of a model's trees of a picture, the one it expects most of at the price, without splits not worth it."""
    if not price:
        (tree,) = trees
        return tree
    pruned = [prune(tree, expected_paint(tree), price) for tree in trees]
    return max(pruned, key=lambda tree: worth(tree, expected_paint(tree), price))


def expected_paint(tree: ParseTree) -> npt.NDArray[np.floating]:
    """Object pixels that a model expects in each node of its tree."""
    assert tree.likely is not None
    expected: npt.NDArray[np.floating] = tree.likely * tree.nodes.area
    return expected


def _resized(seen: torch.Tensor, grid: npt.NDArray[np.integer]) -> torch.Tensor:
    size = grid[::-1].tolist()
    return seen if size == list(seen.shape[1:]) else F.interpolate(seen[None], size=size, mode="area")[0]
