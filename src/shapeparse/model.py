"""A trained parser: load a run folder, parse any picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt
import PIL.Image

from .calibration import Calibration, Leaves, Reliability
from .errors import UserError
from .grammar import Limits
from .images import check_size, read_image, resize_image, shown, to_rgb
from .networks import Policy, Preset
from .parsing import ParseSettings, parse_images
from .runs import RunFolder
from .tree import ParseTree

Picture: TypeAlias = str | Path | npt.NDArray[np.uint8] | PIL.Image.Image
"""A file, an array of bytes (height, width), with or without 1, 3 or 4 channels, or a PIL image."""


class Parser:
    """A learned policy, ready to parse pictures into trees of their own pixels."""

    def __init__(self, policy: Policy, side: int, limits: Limits, facts: dict[str, Any]) -> None:
        self.policy, self.side, self.limits, self.facts = policy.eval(), side, limits, facts
        self.calibration = Calibration.from_json(facts.get("calibration"))

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
            how: lookahead, flips, and the price of a rectangle.
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
        batch: int = 32,
    ) -> Iterator[ParseTree]:
        """Trees one after the other; at their own size, only one picture is in memory at a time."""
        limits = Limits(
            self.limits.depth if depth is None else depth, self.limits.min_extent if min_extent is None else min_extent
        )
        remaining = iter(pictures)
        while some := [self._squashed(picture) for picture in islice(remaining, batch)]:
            names, sizes, images = zip(*some, strict=True)
            (forest,) = parse_images(self.policy, np.stack(images), limits, np.array(sizes, np.int32), batch, how)
            assert forest.likely is not None
            sure = replace(forest, likely=self.calibration(forest.likely))
            yield from (how.pruned(tree) for tree in sure.trees(names))

    def reliability(self, images: npt.NDArray[np.uint8], masks: npt.NDArray[np.bool_]) -> Reliability:
        """How right the labels of images (images, side, side, 3) are, held against how sure the parser is of them."""
        forests = parse_images(self.policy, images, self.limits)
        leaves = Leaves.of(forests, masks)
        return Reliability.of(leaves._replace(likely=self.calibration(leaves.likely).astype(np.float64)))

    def _squashed(self, picture: Picture) -> tuple[str, tuple[int, int], npt.NDArray[np.uint8]]:
        """The picture's name, its own (width, height), and its pixels as the network takes them."""
        pixels = pixels_of(picture)
        name = Path(picture).name if isinstance(picture, str | Path) else ""
        return name, (pixels.shape[1], pixels.shape[0]), resize_image(pixels, self.side)


def load(run: str | Path) -> Parser:
    """The parser that a training run kept as its best; or one in an ONNX file."""
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
        return Parser(policy, preset.side, limits, {**facts, "method": method})
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"{shown(folder.model_path)} is damaged (its calibration); restore it or train again."
        ) from error


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
