"""One mask, decomposed and written: what ``decompose`` and ``demo`` share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..data.images import check_threshold, read_image, read_mask
from ..grammar import BoolArray, ParseTree
from ..oracle.optimal import BestTree, best_tree, tree_curve
from ..support import files
from ..support.errors import UserError
from ..support.limits import DEFAULT_PRICE, LOOKAHEAD, PROVEN_DEPTH
from ..support.progress import percent
from ..support.text import one_line
from .inputs import CURVE, FIGURE, Job
from .options import FORMATS, Format, Search
from .previews import LONGEST, preview

MOST_ON_CURVE = 60
"""Rectangles at the end of a curve."""
FIGURE_DEPTH = 7
"""Subtrees below this are drawn as one triangle each: no page holds more."""


DEPTH = 7
"""Of the paper's oracle, if nobody says."""


@dataclass(frozen=True)
class Settings:
    """How masks are read, decomposed and written; see the arguments of ``shapeparse decompose``."""

    rectangles: int | None = None
    price: float | None = None
    accuracy: float | None = None
    depth: int | None = None
    min_extent: int = 1
    missed: float = 1.0
    wasted: float = 1.0
    search: Search = "optimal"
    lookahead: int | None = None
    bound: bool = False
    curve: bool = False
    threshold: float = 0.5
    formats: tuple[Format, ...] = FORMATS
    figure: bool = False

    def __post_init__(self) -> None:
        if self.lookahead is not None and self.search == "optimal":
            object.__setattr__(self, "search", "lookahead")
        if self.search == "optimal":
            return
        usual = Settings()
        for name in ("rectangles", "accuracy", "missed", "wasted", "bound", "curve"):
            if getattr(self, name) != getattr(usual, name):
                raise UserError(
                    f"The search {self.search} knows no {name}; leave it out, or search for the optimal tree."
                )

    def check(self) -> None:
        """Refuse what no mask can be decomposed with, before any is read."""
        check_threshold(self.threshold)
        self.best(np.zeros((1, 1), bool))

    def compile(self) -> None:
        """Have the kernels of this search compiled, on a mask so small that it takes no time otherwise."""
        replace(self, accuracy=None, bound=False, curve=False).best(np.pad(np.ones((2, 3), bool), 1))

    def best(self, mask: BoolArray) -> BestTree:
        """The tree of a mask, and what is known of it."""
        if self.search == "optimal":
            return best_tree(
                mask, rectangles=self.rectangles, price=self.price, accuracy=self.accuracy, depth=self.depth,
                min_extent=self.min_extent, missed=self.missed, wasted=self.wasted, bound=self.bound,
            )  # fmt: skip
        from ..oracle import igm

        depth = DEPTH if self.depth is None else self.depth
        ahead = 0 if self.search == "greedy" else LOOKAHEAD if self.lookahead is None else self.lookahead
        tree = igm(mask, depth, self.min_extent, ahead, self.price or 0.0)
        assert isinstance(tree, ParseTree)  # one mask, one tree
        return BestTree(tree, tree.accuracy(mask), self.price, None)

    def words(self) -> str:
        """What was asked for, for those who did not say."""
        if self.search != "optimal" or (self.rectangles, self.price, self.accuracy) != (None, None, None):
            return ""
        if self.depth is not None and self.depth <= PROVEN_DEPTH:
            return f"The best trees there are of depth {self.depth}."
        return (
            f"Every rectangle brings at least {percent(DEFAULT_PRICE)} of the pixels (--price {DEFAULT_PRICE}); give "
            "--rectangles, --price or --accuracy for other trees."
        )


@dataclass(frozen=True)
class Row:
    """What the summary says of one mask."""

    name: str
    """What its output files are called."""
    mask: str
    width: int
    height: int
    paint: float
    """Share of the mask's pixels that are paint."""
    accuracy: float
    coverage: float
    waste: float
    iou: float
    bound: float | None
    """No tree of as many rectangles is more accurate than this; empty if that is not known."""
    rectangles: int
    """Leaves of the tree."""
    merged: int
    """Rectangles once neighbours of one label are joined."""
    paint_rectangles: int
    merged_paint: int
    """Of the merged ones, those to paint."""
    files: tuple[str, ...]


@dataclass(frozen=True)
class Decomposed:
    """A mask, its tree, and the photograph to draw it on if there is one."""

    job: Job
    mask: BoolArray
    photo: npt.NDArray[np.uint8] | None
    best: BestTree

    @property
    def tree(self) -> ParseTree:
        """Its tree."""
        return self.best.tree


def decompose(job: Job, settings: Settings) -> Decomposed:
    """Read and decompose one mask; UserError says in one sentence why it cannot be done."""
    mask = read_mask(job.path, settings.threshold)
    photo = None if job.photo is None else _read_photo(job.photo, job.path, mask)
    best = settings.best(mask)
    tree = replace(best.tree, name=(job.photo or job.path).name)
    return Decomposed(job, mask, photo, replace(best, tree=tree))


def write(result: Decomposed, out: Path, settings: Settings) -> Row:
    """Write the files of one mask and return its row of the summary."""
    tree, written = result.tree, output_files(result.job, out, settings)
    for path in written:
        if path.stem == result.job.name:
            write_tree(path, tree, result.mask if result.photo is None else result.photo)
    if settings.figure:
        write_figure(out / f"{result.job.name}{FIGURE}", result)
    if settings.curve:
        write_curve(out / f"{result.job.name}{CURVE}", result, settings)
    merged, leaves, scores = tree.segments(merge=True), tree.segments(), tree.scores(result.mask)
    return Row(
        name=result.job.name, mask=str(result.job.path),
        width=tree.width, height=tree.height, paint=float(result.mask.mean()),
        accuracy=scores.accuracy, coverage=scores.coverage, waste=scores.waste, iou=scores.iou, bound=result.best.bound,
        rectangles=len(leaves), merged=len(merged),
        paint_rectangles=sum(leaf.paint for leaf in leaves), merged_paint=sum(leaf.paint for leaf in merged),
        files=tuple(path.name for path in written),
    )  # fmt: skip


def output_files(job: Job, out: Path, settings: Settings) -> list[Path]:
    """The files that will be written of one mask."""
    formats = dict.fromkeys(settings.formats)  # asked for twice is written once
    files_ = [out / f"{job.name}.{extension}" for extension in formats]
    if settings.curve:
        files_ += [out / f"{job.name}{CURVE}.{extension}" for extension in ("csv", "png")]
    if settings.figure:
        files_ += [out / f"{job.name}{FIGURE}.{extension}" for extension in ("png", "svg")]
    return files_


def _read_photo(path: Path, mask_path: Path, mask: BoolArray) -> npt.NDArray[np.uint8]:
    photo = read_image(path)
    if photo.shape[:2] != mask.shape:
        raise UserError(
            f"The mask {one_line(mask_path)} is {mask.shape[1]} x {mask.shape[0]} pixels but its photograph "
            f"{one_line(path)} is {photo.shape[1]} x {photo.shape[0]}; export the mask at the photograph's size."
        )
    return photo


def write_tree(path: Path, tree: ParseTree, ground: npt.NDArray[Any]) -> None:
    # Imported here, since trees alone (--formats json) need no matplotlib.
    if path.suffix == ".json":
        tree.save(path)
    elif path.suffix == ".svg":
        from ..pictures import tree_svg

        files.write_text(path, tree_svg(tree, ground))
    else:
        from ..pictures import overlay, write_png

        write_png(path, overlay(*preview(tree, ground)))


def write_curve(base: Path, result: Decomposed, settings: Settings) -> None:
    """Write accuracy over rectangles as ``base``.csv and ``base``.png, from one search."""
    from ..pictures import figure_png, rectangles_curve

    points = tree_curve(
        result.mask, most=MOST_ON_CURVE, depth=settings.depth, min_extent=settings.min_extent, missed=settings.missed,
        wasted=settings.wasted,
    )  # fmt: skip
    rows = "".join(f"{point.rectangles},{point.accuracy:.6f}\n" for point in points)
    files.write_text(base.with_name(f"{base.name}.csv"), f"rectangles,accuracy\n{rows}")
    figure = rectangles_curve([point.rectangles for point in points], [point.accuracy for point in points])
    files.write_bytes(base.with_name(f"{base.name}.png"), figure_png(figure))


def write_figure(base: Path, result: Decomposed) -> None:
    """Write the derivation figure as ``base``.png and ``base``.svg."""
    from ..pictures import derivation_figure, figure_png, figure_svg

    tree, photo, mask = result.tree, result.photo, result.mask
    if max(tree.width, tree.height) > LONGEST:  # without the mask: scores of a reduced one would not be the true ones
        figure = derivation_figure(*preview(tree, mask if photo is None else photo), max_depth=FIGURE_DEPTH)
    else:
        figure = derivation_figure(tree, photo, mask, max_depth=FIGURE_DEPTH)
    files.write_bytes(base.with_name(f"{base.name}.png"), figure_png(figure))
    files.write_bytes(base.with_name(f"{base.name}.svg"), figure_svg(figure))
