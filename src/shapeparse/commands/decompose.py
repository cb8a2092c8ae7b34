"""``shapeparse decompose``: masks to rectangles, for people who already have masks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from ..support import files, progress
from ..support.errors import UserError
from ..support.text import one_line
from .options import FORMATS, Format, Search

if TYPE_CHECKING:
    from ..data.dataset import Skipped
    from .decomposition import Row, Settings
    from .inputs import Job

EXAMPLES = """
  shapeparse decompose mask.png --out rectangles
  shapeparse decompose masks --image-dir photos --out rectangles --figure
  shapeparse decompose masks --out twenty --rectangles 20 --curve
  shapeparse decompose masks --out exact --accuracy 0.98
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
    rectangles: Annotated[int | None, arg(metavar="COUNT", help_behavior_hint="")] = None
    """The most accurate tree of at most so many rectangles."""
    price: Annotated[float | None, arg(metavar="SHARE", help_behavior_hint="(default: 0.0005)")] = None
    """Accuracy, as a share of the image, that every rectangle must bring; 0.002 leaves few."""
    accuracy: Annotated[float | None, arg(metavar="SHARE", help_behavior_hint="")] = None
    """The fewest rectangles that label this share of the pixels right, such as 0.98."""
    depth: Annotated[int | None, arg(metavar="DEPTH", help_behavior_hint="(default: no limit; 7 if not optimal)")] = (
        None
    )
    """Depth of the deepest rectangle in the tree: at most 2^depth rectangles."""
    min_extent: Annotated[int, arg(metavar="PIXELS")] = 1
    """A rectangle is split along a side only while that side is longer than this."""
    missed: Annotated[float, arg(metavar="COST")] = 1.0
    """What a pixel costs that should be painted and is not; beside --wasted."""
    wasted: Annotated[float, arg(metavar="COST")] = 1.0
    """What a pixel costs that is painted and should not be."""
    bound: Annotated[bool, arg(help_behavior_hint="")] = False
    """Also compute how accurate any tree of as many rectangles can be: some seconds per mask."""
    curve: Annotated[bool, arg(help_behavior_hint="")] = False
    """Also write accuracy over 1 to 60 rectangles, as CSV and as a picture."""
    search: Search = "optimal"
    """The best tree, or the paper's oracle: greedy by information gain, or looking ahead."""
    lookahead: Annotated[int | None, arg(metavar="CUTS", help_behavior_hint="(default: 8)")] = None
    """Candidate cuts per axis of the search that looks ahead, which this chooses."""
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
    from ..oracle.ready import explained_compiling
    from .decomposition import Settings, output_files
    from .inputs import DECOMPOSED, plan, refuse_overwriting
    from .summary import print_rows, write_summary

    settings = Settings(**{field.name: getattr(args, field.name) for field in fields(Settings)})
    settings.check()
    with explained_compiling("Compiling the search's kernels (only this once) …"):
        settings.compile()
    jobs, problems = plan(args.masks, args.image_dir)
    refuse_overwriting([path for job in jobs for path in output_files(job, args.out, settings)], jobs)
    files.refuse_other_kind(args.out / "summary.json", DECOMPOSED)
    files.make_folder(args.out)
    rows, broken = decompose_all(jobs, args.out, settings)
    problems += broken
    write_summary(args.out, settings, rows, problems)
    if rows:
        print_rows(rows)
        print(f"\n{len(rows)} of {len(rows) + len(problems)} decomposed; the results are in {one_line(args.out)}.")
        for sentence in (settings.words(), bound_words(rows)):
            if sentence:
                print(sentence)
    for problem in problems:
        progress.complain(problem.reason)
    return 2 if problems else 0


def bound_words(rows: Sequence[Row]) -> str:
    """How far the trees can be from the best possible ones, where that is known."""
    gaps = [row.bound - row.accuracy for row in rows if row.bound is not None]
    if not gaps:
        return ""
    known = "" if len(gaps) == len(rows) else f" ({len(gaps)} of {len(rows)} masks; the others have no bound)"
    return f"At most {progress.percent(max(gaps))} from the best possible tree of as many rectangles{known}."


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
