"""A trained parser: parse any picture, and say how good the parses of known ones are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt
import PIL.Image

from ..data.images import check_size, read_image, resize_image, to_rgb
from ..data.source import Source
from ..grammar import Forest, Limits, ParseTree
from ..networks.policy import Policy
from ..support.errors import UserError
from ..support.text import checked_names
from .calibration import Calibration, Leaves, Reliability
from .evaluation import Evaluation, evaluate
from .familiarity import Familiarity
from .settings import ParseSettings
from .trees import WITHIN_DEPTH, parse_images, parse_together, signatures_of, worthiest

Picture: TypeAlias = str | Path | npt.NDArray[np.uint8] | PIL.Image.Image
"""A file, an array of bytes (height, width), with or without 1, 3 or 4 channels, or a PIL image."""
Follow: TypeAlias = Callable[[Iterable[int]], Iterable[int]]
BATCH = 32
"""Pictures that are parsed together."""
MOST_PIXELS = 1 << 25
"""Fewer pictures are parsed together if they have more pixels than this."""


class Parsed(NamedTuple):
    """What a parser makes of a picture, and whether it should be believed."""

    tree: ParseTree
    strangeness: float | None
    """Beyond 1, the picture is unlike those that the parser has learned from; None if it does not know."""


class Parser:
    """A learned policy, ready to parse pictures into trees of their own pixels.

    >>> import shapeparse
    >>> parser = shapeparse.load()  # the pretrained one
    >>> photo, mask = shapeparse.data.generator.generate(seed=1, index=0)
    >>> tree = parser.parse(photo, price=0.001)
    >>> tree.width, tree.height
    (256, 256)
    """

    def __init__(
        self,
        policy: Policy,
        side: int,
        limits: Limits,
        facts: dict[str, Any],
        familiarity: Familiarity | None = None,
    ) -> None:
        self.policy, self.side, self.limits, self.facts = policy.eval(), side, limits, facts
        self.familiarity = familiarity
        """What the photographs that it has learned from are like; None if nobody noted that."""
        self.calibration = Calibration.from_json(facts.get("calibration"))

    @property
    def title(self) -> str:
        """The full name of the method that it learned by."""
        return str(self.facts.get("title", self.facts.get("method", "a parser")))

    @property
    def has_map(self) -> bool:
        """Whether it sees an evidence map, in which the best tree can be searched for."""
        return self.policy.trunk.sees_gain

    @overload
    def parse(  # type: ignore[overload-overlap]  # a str is an iterable of str too, but is meant as a file
        self, pictures: Picture, settings: ParseSettings | None = None, **changes: Any
    ) -> ParseTree: ...

    @overload
    def parse(
        self, pictures: Iterable[Picture], settings: ParseSettings | None = None, **changes: Any
    ) -> list[ParseTree]: ...

    def parse(
        self, pictures: Picture | Iterable[Picture], settings: ParseSettings | None = None, **changes: Any
    ) -> ParseTree | list[ParseTree]:
        """The tree of a picture, or a list of trees for several pictures.

        Args:
            pictures: a file, an array or a PIL image of any size, or several of them, in any mixture.
            settings: how many rectangles, at which price or for which accuracy, depth, search, flips and refinement.
            changes: single settings by name, such as ``rectangles=20`` or ``price=0.001``.
        """
        if isinstance(pictures, str | Path | np.ndarray | PIL.Image.Image):
            return next(self.parse_each([pictures], settings, **changes))
        return list(self.parse_each(pictures, settings, **changes))

    def parse_each(
        self, pictures: Iterable[Picture], settings: ParseSettings | None = None, batch: int = BATCH, **changes: Any
    ) -> Iterator[ParseTree]:
        """Trees one after the other; few pictures are in memory at their own size (see ``MOST_PIXELS``)."""
        for parsed in self.parse_knowingly(pictures, settings, batch, **changes):
            yield parsed.tree

    def parse_knowingly(
        self, pictures: Iterable[Picture], settings: ParseSettings | None = None, batch: int = BATCH, **changes: Any
    ) -> Iterator[Parsed]:
        """As ``parse_each``, and of each picture how strange it is, which takes no second look."""
        checked_names("parse", changes, ParseSettings)
        settings = replace(settings or ParseSettings(), **changes)
        limits = settings.limits(self.limits)
        if settings.goal and not self.has_map:
            raise UserError(
                f"This parser has no evidence map, so it knows no {settings.goal}; give a price, or a parser of the "
                "preset best."
            )
        candidates = settings.candidates() if self.has_map else [settings]
        price = None if self.has_map and settings.search == "optimal" else settings.price
        for some in self._batches(pictures, batch):
            names, photographs, images = zip(*some, strict=True)
            sizes = np.array([one.shape[1::-1] for one in photographs], np.int32)
            together = parse_together(self.policy, np.stack(images), limits, sizes, candidates, photographs)
            trees = [self.calibrated(forest).trees(names) for forest in together.forests]
            seen = None if together.signatures is None else together.signatures.cpu().numpy()
            for several, strange in zip(zip(*trees, strict=True), self._judged(seen, len(some)), strict=True):
                yield Parsed(worthiest(several, price), strange)

    def strangeness(self, images: npt.NDArray[np.uint8]) -> list[float | None]:
        """How unlike those that it has learned from images (images, side, side, 3) are: beyond 1 they are unlike them.

        None for each, if the parser does not know. Pictures of other sizes: ``parse_knowingly``.
        """
        seen = None if self.familiarity is None else signatures_of(self.policy, images)
        return self._judged(seen, len(images))

    def _judged(self, signatures: npt.NDArray[np.float32] | None, count: int) -> list[float | None]:
        if self.familiarity is None or signatures is None:
            return [None] * count
        if signatures.shape[1] != len(self.familiarity.mean):
            raise UserError("The parser's familiarity does not fit its network; restore its model, or train again.")
        return [float(one) for one in self.familiarity(signatures)]

    def forests(
        self,
        images: npt.NDArray[np.uint8],
        follow: Follow = lambda items: items,
        settings: ParseSettings = WITHIN_DEPTH,
    ) -> list[Forest]:
        """The trees of images (images, side, side, 3), a few images per forest, for evaluation: within the depth of the
        training, unless ``settings`` say otherwise.

        ``follow`` passes the batches on and may show how many there were.
        """
        parsed = parse_images(self.policy, images, self.limits, batch=BATCH, settings=settings)
        return [next(parsed) for _ in follow(range(0, len(images), BATCH))]

    def evaluate(self, data: str | Path | Source) -> Evaluation:
        """Hold its trees of photographs with masks against the masks and against the oracle.

        ``data`` is a folder with images/ and masks/, a COCO .json file, or a ``Source``.
        """
        loaded = (data if isinstance(data, Source) else Source(str(data))).read(self.side)
        return evaluate(self.forests(loaded.images), loaded.masks, self.limits)

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
