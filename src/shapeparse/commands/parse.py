"""``shapeparse parse``: photographs to rectangles, by a trained model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
from tyro.conf import Positional, arg

from .. import files, progress
from ..data.dataset import Skipped
from ..errors import UserError
from ..images import read_image, shown
from ..model import Parser, load
from ..tree import ParseTree
from .decomposition import FORMATS, Format, Settings, output_files, write_tree
from .inputs import Job, plan, refuse_overwriting

EXAMPLES = """
  shapeparse parse photo.jpg --model run --out rectangles
  shapeparse parse photos --model run --out rectangles --formats json
"""

AT_A_TIME = 32
"""Photographs in memory at a time."""


@dataclass(frozen=True)
class Args:
    """Decompose photographs into labelled rectangles, without any mask, with a trained model.

    Photographs may have any size and shape: the trees are in their own pixels. A file
    that cannot be used is named at the end and does not stop the others; the exit
    code is then 2.
    """

    images: Positional[Annotated[tuple[Path, ...], arg(metavar="IMAGE [IMAGE ...]", help_behavior_hint="")]]
    """Photographs, or folders of them."""
    model: Annotated[Path, arg(metavar="RUN")]
    """The run folder of the model."""
    out: Annotated[Path, arg(metavar="DIR")]
    """Folder for the results; it is made if need be."""
    depth: Annotated[int | None, arg(help_behavior_hint="(default: as trained)")] = None
    """Depth of the deepest rectangle in the tree."""
    min_extent: Annotated[int | None, arg(metavar="PIXELS", help_behavior_hint="(default: as trained)")] = None
    """A rectangle is split along a side only while that side is longer than this."""
    formats: Annotated[tuple[Format, ...], arg(metavar="FORMAT [FORMAT ...]")] = FORMATS
    """What to write of every photograph."""


def run(args: Args) -> int:
    """Parse the photographs, write the results, and name the files that could not be used."""
    if not args.images:
        raise UserError("No photographs were given; name image files or folders of them.")
    parser = load(args.model)
    settings = Settings(formats=args.formats)
    jobs, problems = plan(args.images, None)
    refuse_overwriting([path for job in jobs for path in output_files(job, args.out, settings)], jobs)
    files.make_folder(args.out)
    rows: list[tuple[Job, ParseTree]] = []
    for first in progress.bar("Parsing")(range(0, len(jobs), AT_A_TIME)):
        some, broken = read_some(jobs[first : first + AT_A_TIME])
        problems += broken
        trees = parser.parse_each([photo for _, photo in some], args.depth, args.min_extent)
        for (job, photo), tree in zip(some, trees, strict=True):
            named = replace(tree, name=job.mask.name)
            for path in output_files(job, args.out, settings):
                write_tree(path, named, photo)
            rows.append((job, named))
    finish(rows, problems, args.out, parser)
    return 2 if problems else 0


def read_some(jobs: Sequence[Job]) -> tuple[list[tuple[Job, npt.NDArray[np.uint8]]], list[Skipped]]:
    """The photographs of some jobs, and those that cannot be read."""
    read, problems = [], []
    for job in jobs:
        try:
            read.append((job, read_image(job.mask)))
        except UserError as error:
            problems.append(Skipped(job.mask, str(error)))
    return read, problems


def finish(rows: Sequence[tuple[Job, ParseTree]], problems: Sequence[Skipped], out: Path, parser: Parser) -> None:
    """Print what was made of each photograph, and what could not be used."""
    if rows:
        cells = [
            (
                shown(job.name), f"{tree.width}x{tree.height}", progress.percent(float(tree.labels().mean())),
                str(tree.leaf_count), str(len(tree.segments(merge=True))),
            )
            for job, tree in rows[:20]
        ]  # fmt: skip
        progress.print_table(("photograph", "size", "painted", "rectangles", "merged"), cells)
        more = f" ({len(rows) - 20} more are not listed)" if len(rows) > 20 else ""
        print(f"\n{len(rows)} of {len(rows) + len(problems)} parsed{more}; the results are in {shown(out)}.")
    for problem in problems:
        progress.complain(problem.reason)
