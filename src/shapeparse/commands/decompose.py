"""``shapeparse decompose``: masks to rectangles, for people who already have masks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from ..support import files, progress
from ..support.errors import UserError
from ..support.text import one_line
from .options import FORMATS, Format

if TYPE_CHECKING:
    from ..data.dataset import Skipped
    from .decomposition import Row, Settings
    from .inputs import Job

EXAMPLES = """
  shapeparse decompose mask.png --out rectangles
  shapeparse decompose masks --image-dir photos --out rectangles --figure
  shapeparse decompose masks --out rectangles --depth 5 --price 0.001
"""


@dataclass(frozen=True)
class Args:
    """Turn masks into few labelled rectangles (paint or skip) that tile the image.

    Writes a parse tree (JSON) and pictures (PNG, SVG) of every mask, and a summary
    of them all. A file that cannot be used is named at the end and does not stop
    the others; the exit code is then 2.
    """

    masks: Positional[Annotated[tuple[Path, ...], arg(metavar="MASK [MASK ...]", help_behavior_hint="")]]
    """Mask files, or folders whose image files are taken."""
    out: Annotated[Path, arg(metavar="DIR")]
    """Folder for the results; it is made if need be."""
    depth: int = 7
    """Depth of the deepest rectangle in the tree: at most 2^depth rectangles."""
    min_extent: Annotated[int, arg(metavar="PIXELS")] = 1
    """A rectangle is split along a side only while that side is longer than this."""
    lookahead: Annotated[int, arg(metavar="CUTS")] = 0
    """Cuts tried along each side, each judged by how the rest would go: 4 is slower and far more accurate than 0,
    the paper's greedy oracle."""
    price: Annotated[float, arg(metavar="SHARE")] = 0.0
    """Accuracy, as a share of the image, that every additional rectangle must bring; 0.001 leaves far fewer."""
    threshold: Annotated[float, arg(metavar="SHARE")] = 0.5
    """Pixels at least this bright, as a share of white, are paint."""
    image_dir: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="(default: draw on the mask)")] = None
    """Folder with a photograph of the same name for every mask, to draw on."""
    formats: Annotated[tuple[Format, ...], arg(metavar="FORMAT [FORMAT ...]")] = FORMATS
    """What to write of every mask."""
    figure: Annotated[bool, arg(help_behavior_hint="")] = False
    """Also write the derivation of every mask as one figure: object, rectangles, tree."""


def run(args: Args) -> int:
    """Decompose the masks, write and print the summary, and name the files that could not be used."""
    if not args.masks:
        raise UserError("No masks were given; name mask files or folders of them, as in `decompose masks --out DIR`.")
    from ..oracle.ready import ready_oracle
    from .decomposition import Settings, output_files
    from .inputs import plan, refuse_overwriting
    from .summary import print_rows, write_summary

    settings = Settings(
        args.depth, args.min_extent, args.lookahead, args.price, args.threshold, args.formats, args.figure
    )
    ready_oracle()
    settings.check()
    jobs, problems = plan(args.masks, args.image_dir)
    refuse_overwriting([path for job in jobs for path in output_files(job, args.out, settings)], jobs)
    files.make_folder(args.out)
    rows, broken = decompose_all(jobs, args.out, settings)
    problems += broken
    write_summary(args.out, settings, rows, problems)
    if rows:
        print_rows(rows)
        print(f"\n{len(rows)} of {len(rows) + len(problems)} decomposed; the results are in {one_line(args.out)}.")
    for problem in problems:
        progress.complain(problem.reason)
    return 2 if problems else 0


def decompose_all(jobs: Sequence[Job], out: Path, settings: Settings) -> tuple[list[Row], list[Skipped]]:
    """Work through the jobs; what is wrong with one does not concern the others."""
    from ..data.dataset import Skipped
    from .decomposition import decompose, write

    rows, problems = [], []
    for job in progress.bar("Decomposing")(jobs):
        try:
            result = decompose(job, settings)
        except UserError as error:
            problems.append(Skipped(job.path, str(error)))
        else:  # an error in writing ends the run: the next file could not be written either
            rows.append(write(result, out, settings))
    return rows, problems
