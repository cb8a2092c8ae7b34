"""A trained parser: load a run folder, parse any picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import PIL.Image

from .errors import UserError
from .evaluate import parse_images
from .grammar import Limits
from .images import read_image, resize_image, shown, to_rgb
from .networks import Policy, Preset
from .runs import RunFolder
from .tree import ParseTree

Picture = str | Path | npt.NDArray[np.uint8] | PIL.Image.Image
"""A file, an array (height, width, 3) or (height, width) of bytes, or a PIL image."""


class Parser:
    """A learned policy, ready to parse pictures into trees of their own pixels."""

    def __init__(self, policy: Policy, side: int, limits: Limits, facts: dict[str, Any]) -> None:
        self.policy, self.side, self.limits, self.facts = policy.eval(), side, limits, facts

    def parse(
        self, pictures: Picture | Sequence[Picture], depth: int | None = None, min_extent: int | None = None
    ) -> ParseTree | list[ParseTree]:
        """The tree of a picture, or a list of trees for a sequence of pictures, by the policy's most likely actions.

        Args:
            pictures: files, arrays or PIL images, one or many, of any size.
            depth: depth of the deepest leaf; as in training if not given.
            min_extent: a node is split along an axis only while its extent there is greater; as in training if not
                given.
        """
        if isinstance(pictures, str | Path | np.ndarray | PIL.Image.Image):
            return next(self.parse_each([pictures], depth, min_extent))
        return list(self.parse_each(pictures, depth, min_extent))

    def parse_each(
        self, pictures: Sequence[Picture], depth: int | None = None, min_extent: int | None = None, batch: int = 32
    ) -> Iterator[ParseTree]:
        """Trees one after the other; only ``batch`` pictures are in memory at a time."""
        limits = Limits(
            self.limits.depth if depth is None else depth, self.limits.min_extent if min_extent is None else min_extent
        )
        for first in range(0, len(pictures), batch):
            some = [pixels_of(picture) for picture in pictures[first : first + batch]]
            sizes = np.array([image.shape[1::-1] for image in some], np.int32)
            squashed = np.stack([resize_image(image, self.side) for image in some])
            names = [Path(picture).name if isinstance(picture, str | Path) else "" for picture in pictures[first:]]
            (forest,) = parse_images(self.policy, squashed, limits, sizes, batch)
            yield from forest.trees(names[: len(some)])


def load(run: str | Path) -> Parser:
    """The parser that a training run kept as its best."""
    folder = RunFolder(run)
    config = folder.read_config()
    try:
        network: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in config["network"].items()
        }
        preset = Preset(**network)
        limits = Limits(**config["limits"])
        policy = Policy(preset)
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise UserError(f"{shown(folder.config_path)} does not describe a network ({error}); train again.") from error
    facts = folder.read_model(policy)
    return Parser(policy, preset.side, limits, {**facts, "method": config.get("settings", {}).get("method")})


def pixels_of(picture: Picture) -> npt.NDArray[np.uint8]:
    """Bytes (height, width, 3) of whatever a picture is given as."""
    if isinstance(picture, str | Path):
        return read_image(picture)
    if isinstance(picture, PIL.Image.Image):
        return to_rgb(picture)
    array = np.asarray(picture)
    if (
        array.dtype != np.uint8
        or array.size == 0
        or not (array.ndim == 2 or (array.ndim == 3 and array.shape[2] in (3, 4)))
    ):
        raise UserError(
            f"A picture is an array of {array.dtype} with shape {array.shape}; give bytes, height x width (x 3)."
        )
    return np.repeat(array[:, :, None], 3, axis=2) if array.ndim == 2 else array[:, :, :3]
