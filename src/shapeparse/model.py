"""A trained parser: load a run folder, parse any picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt
import PIL.Image

from .calibration import Calibration, Leaves, Reliability
from .errors import UserError
from .grammar import Limits
from .images import check_size, read_image, resize_image, shown, to_rgb
from .methods import method_named
from .networks import Critic, Policy, Preset
from .networks.folding import folded
from .parsing import ParseSettings, parse_images, parse_together
from .runs import RunFolder
from .shipped import pretrained_folder
from .tree import Forest, ParseTree

Picture: TypeAlias = str | Path | npt.NDArray[np.uint8] | PIL.Image.Image
"""A file, an array of bytes (height, width), with or without 1, 3 or 4 channels, or a PIL image."""
Follow: TypeAlias = Callable[[Iterable[int]], Iterable[int]]
BATCH = 32
"""Pictures that are parsed together."""
MOST_PIXELS = 1 << 25
"""Fewer pictures are parsed together if they have more pixels than this."""


class Parser:
    """A learned policy, ready to parse pictures into trees of their own pixels."""

    def __init__(
        self,
        policy: Policy,
        side: int,
        limits: Limits,
        facts: dict[str, Any],
        read_critic: Callable[[], Critic | None] = lambda: None,
    ) -> None:
        self.policy, self.side, self.limits, self.facts = policy.eval(), side, limits, facts
        self.calibration = Calibration.from_json(facts.get("calibration"))
        self._read_critic = read_critic

    @cached_property
    def critic(self) -> Critic | None:
        """What scores splits for a beam, if it was kept; read when first asked for, since most parses need none."""
        return self._read_critic()

    def check(self, how: ParseSettings) -> None:
        """Refuse settings that ask for what this parser does not have."""
        how.check(self.critic if how.beam else None)

    @overload
    def parse(  # type: ignore[overload-overlap]  # a str is an iterable of str too, but is meant as a file
        self,
        pictures: Picture,
        depth: int | None = None,
        min_extent: int | None = None,
        how: ParseSettings = ParseSettings(),  # noqa: B008  # it is frozen
    ) -> ParseTree: ...

    @overload
    def parse(
        self,
        pictures: Iterable[Picture],
        depth: int | None = None,
        min_extent: int | None = None,
        how: ParseSettings = ParseSettings(),  # noqa: B008
    ) -> list[ParseTree]: ...

    def parse(
        self,
        pictures: Picture | Iterable[Picture],
        depth: int | None = None,
        min_extent: int | None = None,
        how: ParseSettings = ParseSettings(),  # noqa: B008
    ) -> ParseTree | list[ParseTree]:
        """The tree of a picture, or a list of trees for several pictures.

        Args:
            pictures: a file, an array or a PIL image of any size, or several of them, in any mixture.
            depth: depth of the deepest leaf; as in training if not given.
            min_extent: a node is split along an axis only while its extent there is greater; as in training if not
                given.
            how: lookahead, flips, refinement, the price of a rectangle, and a beam over splits.
        """
        if isinstance(pictures, str | Path | np.ndarray | PIL.Image.Image):
            return next(self.parse_each([pictures], depth, min_extent, how))
        return list(self.parse_each(pictures, depth, min_extent, how))

    def parse_each(
        self,
        pictures: Iterable[Picture],
        depth: int | None = None,
        min_extent: int | None = None,
        how: ParseSettings = ParseSettings(),  # noqa: B008
        batch: int = BATCH,
    ) -> Iterator[ParseTree]:
        """Trees one after the other; few pictures are in memory at their own size (see ``MOST_PIXELS``)."""
        limits = Limits(
            self.limits.depth if depth is None else depth, self.limits.min_extent if min_extent is None else min_extent
        )
        critic = self.critic if how.beam else None
        for some in self._batches(pictures, batch):
            names, photographs, images = zip(*some, strict=True)
            sizes = np.array([one.shape[1::-1] for one in photographs], np.int32)
            ways = how.ways() if self.policy.trunk.sees_gain else [how]
            forests = parse_together(self.policy, np.stack(images), limits, sizes, ways, photographs, critic)
            trees = [self.calibrated(forest).trees(names) for forest in forests]
            yield from map(how.worthiest, zip(*trees, strict=True))

    def forests(self, images: npt.NDArray[np.uint8], follow: Follow = lambda items: items) -> list[Forest]:
        """The trees of images (images, side, side, 3), a few images a forest, for evaluation.

        ``follow`` passes the batches on and may show how many there were.
        """
        return [
            forest
            for first in follow(range(0, len(images), BATCH))
            for forest in parse_images(self.policy, images[first : first + BATCH], self.limits)
        ]

    def calibrated(self, forest: Forest) -> Forest:
        """A forest of its own that says how sure one may be of its labels."""
        assert forest.likely is not None
        return replace(forest, likely=self.calibration(forest.likely))

    def reliability(self, forests: Iterable[Forest], masks: npt.NDArray[np.bool_]) -> Reliability:
        """How right the labels of forests of its own are, held against how sure the parser is of them."""
        leaves = Leaves.of(forests, masks)
        return Reliability.of(leaves._replace(likely=self.calibration(leaves.likely).astype(np.float64)))

    def _batches(
        self, pictures: Iterable[Picture], batch: int
    ) -> Iterator[list[tuple[str, npt.NDArray[np.uint8], npt.NDArray[np.uint8]]]]:
        """Each picture's name, its pixels, and its pixels as the network takes them, some pictures at a time."""
        some, held = [], 0
        for picture in pictures:
            pixels = pixels_of(picture)
            name = Path(picture).name if isinstance(picture, str | Path) else ""
            some.append((name, pixels, resize_image(pixels, self.side)))
            held += pixels.shape[0] * pixels.shape[1]
            if len(some) == batch or held >= MOST_PIXELS:
                yield some
                some, held = [], 0
        if some:
            yield some


def load(run: str | Path | None = None) -> Parser:
    """The parser that a training run kept as its best; or one in an ONNX file; the pretrained one if none is given."""
    run = pretrained_folder() if run is None else run
    if Path(run).suffix.lower() == ".onnx":
        from .onnx_file import load_onnx

        return load_onnx(run)
    folder = RunFolder(run)
    config = folder.read_config()
    try:
        preset = Preset.from_json(config["network"])
        limits = Limits(**config["limits"])
        policy = Policy(preset)
        method = config["settings"]["method"]
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError, MemoryError) as error:
        raise UserError(
            f"{shown(folder.config_path)} does not describe a network; restore it or train again."
        ) from error
    facts = folder.read_model(policy)
    try:
        return Parser(
            folded(policy), preset.side, limits, {**facts, "method": method},
            lambda: read_critic(folder, preset, policy, method, facts),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"{shown(folder.model_path)} is damaged (its calibration); restore it or train again."
        ) from error


def read_critic(folder: RunFolder, preset: Preset, policy: Policy, method: str, facts: dict[str, Any]) -> Critic | None:
    """The critic that a run kept beside its best policy, of which these ``facts`` are known; None if it kept none."""
    if not folder.critic_path.exists():
        return None
    critic = Critic(preset, policy.trunk if method_named(method).critic_trunk == "shared" else None)
    folder.read_critic(critic, facts)
    return critic.eval()


def pixels_of(picture: Picture) -> npt.NDArray[np.uint8]:
    """Bytes (height, width, 3) of whatever a picture is given as; what is transparent is laid on white."""
    if isinstance(picture, str | Path):
        return read_image(picture)
    if isinstance(picture, PIL.Image.Image):
        return to_rgb(picture)
    array = np.asarray(picture)
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.dtype != np.uint8 or not (array.ndim == 2 or (array.ndim == 3 and array.shape[2] in (3, 4))):
        raise UserError(
            f"A picture is an array of {array.dtype} with shape {array.shape}; give bytes (uint8) of the shape "
            "(height, width) or (height, width, 3), one array a picture."
        )
    check_size("A picture", array.shape[1], array.shape[0])
    return to_rgb(PIL.Image.fromarray(array))
