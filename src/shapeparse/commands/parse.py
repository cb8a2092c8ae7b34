"""``shapeparse parse``: photographs to rectangles, by a trained model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from tyro.conf import Positional, arg

from .. import bulk, files, progress
from ..data.dataset import Skipped
from ..errors import UserError
from ..grammar import Limits
from ..images import read_image, shown
from ..model import Parser, load
from ..tree import ParseTree
from .decomposition import FORMATS, Format, Settings, output_files, write_tree
from .inputs import Job, plan, refuse_overwriting
from .summary import MOST_ROWS, as_csv, problems_json

EXAMPLES = """
  shapeparse parse photo.jpg --model run --out rectangles
  shapeparse parse photos --model run --out rectangles --formats json
  shapeparse parse photos --model run --out shards --engine ray --format parquet
"""

AT_A_TIME = 8
"""Photographs in memory at a time, at their own size."""


@dataclass(frozen=True)
class Args:
    """Decompose photographs into labelled rectangles with a trained parser.

    It needs no masks. Photographs may have any size and shape: the trees are in
    their own pixels, and tile them. A file that cannot be used is named at the end and does not stop the
    others; the exit code is then 2.
    """

    images: Positional[Annotated[tuple[Path, ...], arg(metavar="IMAGE [IMAGE ...]", help_behavior_hint="")]]
    """Photographs, or folders whose image files are taken."""
    model: Annotated[Path, arg(metavar="RUN")]
    """The run folder of the parser, made by `shapeparse train`."""
    out: Annotated[Path, arg(metavar="DIR")]
    """Folder for the results; it is made if need be."""
    depth: Annotated[int | None, arg(metavar="DEPTH", help_behavior_hint="(default: as trained)")] = None
    """Depth of the deepest rectangle in the tree: at most 2^depth rectangles."""
    min_extent: Annotated[int | None, arg(metavar="PIXELS", help_behavior_hint="(default: as trained)")] = None
    """A rectangle is split along a side only while that side is longer than this."""
    formats: Annotated[tuple[Format, ...], arg(metavar="FORMAT [FORMAT ...]")] = FORMATS
    """What to write of every photograph."""
    engine: Literal["local", "ray"] = "local"
    """Ray is for very many photographs: it writes shards of rows instead, and goes on where it was stopped."""
    format: Annotated[bulk.Format | None, arg(metavar="FORMAT", help_behavior_hint="(default: jsonl)")] = None
    """Of the shards: jsonl or parquet."""


@dataclass(frozen=True)
class Row:
    """What the summary says of one photograph."""

    name: str
    """What its output files are called."""
    image: str
    width: int
    height: int
    painted: float
    """Share of its pixels that are labelled paint."""
    rectangles: int
    """Leaves of the tree."""
    merged: int
    """Rectangles once neighbours of one label are joined."""
    paint_rectangles: int
    merged_paint: int
    """Of the merged ones, those to paint."""
    files: tuple[str, ...]


def run(args: Args) -> int:
    """Parse the photographs, write the results, and name the files that could not be used."""
    if not args.images:
        raise UserError("No photographs were given; name image files or folders of them.")
    parser = load(args.model)
    limits = Limits(
        parser.limits.depth if args.depth is None else args.depth,
        parser.limits.min_extent if args.min_extent is None else args.min_extent,
    )
    settings = Settings(limits.depth, limits.min_extent, formats=args.formats)
    jobs, problems = plan(args.images, None)
    if args.engine == "ray":
        return parse_in_shards(args, parser, limits, jobs, problems)
    if args.format is not None:
        raise UserError("The option --format goes with --engine ray; give --formats, or that engine.")
    refuse_overwriting([path for job in jobs for path in output_files(job, args.out, settings)], jobs)
    files.make_folder(args.out)
    rows = list(parse_jobs(parser, jobs, args.out, settings, problems))
    write_summary(args.out, args.model, parser, settings, rows, problems)
    if rows:
        print_rows(rows)
        print(f"\n{len(rows)} of {len(rows) + len(problems)} parsed; the results are in {shown(args.out)}.")
    for problem in problems:
        progress.complain(problem.reason)
    return 2 if problems else 0


def parse_jobs(
    parser: Parser, jobs: Sequence[Job], out: Path, settings: Settings, problems: list[Skipped]
) -> Iterator[Row]:
    """Parse photographs and write their files; those that cannot be read are added to ``problems``."""
    follow = progress.bar("Parsing")
    read: list[tuple[Job, npt.NDArray[np.uint8]]] = []
    for place, job in enumerate(follow(jobs), start=1):
        try:
            read.append((job, read_image(job.mask)))
        except UserError as error:
            problems.append(Skipped(job.mask, str(error)))
        if len(read) == AT_A_TIME or place == len(jobs):
            trees = parser.parse((photo for _, photo in read), settings.depth, settings.min_extent)
            for (one, photo), tree in zip(read, trees, strict=True):
                yield write_parse(one, photo, tree, out, settings)
            read.clear()


def parse_in_shards(args: Args, parser: Parser, limits: Limits, jobs: Sequence[Job], problems: list[Skipped]) -> int:
    """Parse very many photographs with Ray; the exit code."""
    from ..bulk_ray import stream

    if args.formats != FORMATS:
        raise UserError("The option --formats goes with --engine local; give --format, or that engine.")
    inputs = [bulk.Input(job.name, str(job.mask)) for job in jobs]
    settings = bulk.Settings(
        bulk.fingerprint(args.model), limits.depth, limits.min_extent, args.format or "jsonl", bulk.SHARD
    )
    shards = bulk.Shards(args.out, inputs, settings)
    refuse_overwriting(shards.outputs(), jobs)
    left = shards.start()
    with closing(stream(inputs, left, args.model, limits)) as results:
        shards.collect(result for _, result in zip(progress.bar("Parsing")(left), results, strict=True))
    skipped = shards.finish({"model": str(args.model), "method": parser.facts["method"]}, problems)
    total = len(inputs) + len(problems)
    if total > len(skipped):
        print(f"{total - len(skipped)} of {total} parsed; the shards are in {shown(args.out)}.")
    for problem in skipped[:MOST_ROWS]:
        progress.complain(problem.reason)
    if len(skipped) > MOST_ROWS:
        progress.complain(f"{len(skipped) - MOST_ROWS} more are named in {shown(shards.skipped_path)}.")
    return 2 if skipped else 0


def write_parse(job: Job, photo: npt.NDArray[np.uint8], tree: ParseTree, out: Path, settings: Settings) -> Row:
    """Write the files of one photograph and return its row of the summary."""
    written = output_files(job, out, settings)
    for path in written:
        write_tree(path, replace(tree, name=job.mask.name), photo)
    leaves, merged = tree.segments(), tree.segments(merge=True)
    return Row(
        name=job.name, image=str(job.mask), width=tree.width, height=tree.height,
        painted=float(tree.labels().mean()), rectangles=len(leaves), merged=len(merged),
        paint_rectangles=sum(leaf.paint for leaf in leaves), merged_paint=sum(leaf.paint for leaf in merged),
        files=tuple(path.name for path in written),
    )  # fmt: skip


def write_summary(
    out: Path, model: Path, parser: Parser, settings: Settings, rows: Sequence[Row], problems: Sequence[Skipped]
) -> None:
    """Write summary.json and summary.csv."""
    content = {
        "model": str(model),
        "method": parser.facts["method"],
        "settings": {name: getattr(settings, name) for name in ("depth", "min_extent", "formats")},
        "photographs": [asdict(row) for row in rows],
        "problems": problems_json(problems),
    }
    files.write_json(out / "summary.json", content)
    files.write_text(out / "summary.csv", as_csv(rows, Row))


def print_rows(rows: Sequence[Row]) -> None:
    """Print the table: a row a photograph."""
    cells = [
        [
            shown(row.name),
            f"{row.width}x{row.height}",
            progress.percent(row.painted),
            f"{row.rectangles}",
            f"{row.merged}",
        ]
        for row in rows[:MOST_ROWS]
    ]
    progress.print_table(("photograph", "size", "painted", "rectangles", "merged"), cells)
    if len(rows) > MOST_ROWS:
        print(f"\n{len(rows) - MOST_ROWS} more are in summary.csv and summary.json.")
