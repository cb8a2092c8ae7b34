"""What ``shapeparse parse`` does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ..data.dataset import Skipped
from ..data.images import pixel_count, read_image
from ..grammar import ParseTree
from ..parsing.load import load
from ..parsing.parallel import side_by_side
from ..parsing.parser import Parser
from ..parsing.settings import ParseSettings
from ..parsing.shipped import NAME, pretrained_folder, run_or_pretrained
from ..scale import shards as bulk
from ..support import files, progress
from ..support.errors import UserError
from ..support.text import one_line
from .decomposition import Settings, output_files, write_tree
from .doubts import Doubts
from .inputs import PARSED, Job, plan, refuse_overwriting
from .options import FORMATS
from .parse import Args
from .strangers import warn_of_strangers
from .summary import MOST_ROWS, as_csv, problems_json

if TYPE_CHECKING:
    from ..explorer import Exploration
    from ..painting import PaintPlan, PaintSettings

AT_A_TIME, LARGE = 8, 16_000_000
"""Photographs, and their pixels, that a thread has in memory at a time; larger ones are parsed one after the other."""
PAGE, REVIEW = "explorer.html", "review.csv"
MOST_SHOWN = 24
"""Photographs on the page: with more of them it would open slowly."""


class Done(NamedTuple):
    """A photograph that was parsed."""

    job: Job
    photo: npt.NDArray[np.uint8]
    tree: ParseTree
    strangeness: float | None


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
    strangeness: float | None
    """Beyond 1, it is unlike what the parser has learned from; None if the parser does not know."""
    files: tuple[str, ...]


def run(args: Args) -> int:
    """Parse the photographs, write the results, and name the files that could not be used."""
    if not args.images:
        raise UserError("No photographs were given; name image files or folders of them.")
    parser = load(run_or_pretrained(args.model), args.device)
    settings = Settings(formats=args.formats)
    search = "lookahead" if args.lookahead is not None and args.search == "optimal" else args.search
    ahead = ParseSettings.lookahead if args.lookahead is None else args.lookahead
    parse = ParseSettings(
        depth=args.depth, min_extent=args.min_extent, search=search, lookahead=ahead,
        flips=not args.no_flips, refine=not args.no_refine, rectangles=args.rectangles, price=args.price,
        accuracy=args.accuracy,
    )  # fmt: skip
    jobs, problems = plan(args.images, None)
    if args.engine == "ray":
        return parse_in_shards(args, parser, parse, jobs, problems)
    if args.format is not None:
        raise UserError("The option --format goes with --engine ray; give --formats, or that engine.")
    album = Album(parser, args.brush) if args.html else None
    doubts = Doubts(args.review) if args.review is not None else None
    if album is None and args.brush is not None:
        raise UserError("The option --brush goes with --html; give both, or plan the painting with `shapeparse paint`.")
    outputs = [path for job in jobs for path in output_files(job, args.out, settings)]
    outputs += [args.out / PAGE] * bool(album) + [args.out / REVIEW] * bool(doubts)
    refuse_overwriting(outputs, jobs)
    files.refuse_other_kind(args.out / "summary.json", PARSED)
    files.make_folder(args.out)
    rows = []
    for done in parse_jobs(parser, jobs, parse, problems):
        if album is not None:
            album.add(done.photo, done.tree, done.strangeness)
        if doubts is not None:
            doubts.add(done.tree)
        rows.append(write_parse(done, args.out, settings))
    write_summary(args.out, args.model or NAME, parser, parse, settings, rows, problems)
    if rows:
        print_rows(rows)
        print(f"\n{len(rows)} of {len(rows) + len(problems)} parsed; the results are in {one_line(args.out)}.")
    if rows and album:
        files.write_text(args.out / PAGE, album.html())
        print(f"{one_line(args.out / PAGE)} shows {album.extent(len(rows))}; open it in a browser.")
    if rows and doubts:
        files.write_text(args.out / REVIEW, doubts.csv())
        print(f"{one_line(args.out / REVIEW)} names {doubts.words()}.")
    warn_of_strangers([row.strangeness for row in rows])
    for problem in problems:
        progress.complain(problem.reason)
    return 2 if problems else 0


class Album:
    """The first photographs and their trees, kept for the page of ``--html``."""

    def __init__(self, parser: Parser, brush: float | None) -> None:
        self.title = parser.title
        self.settings = None if brush is None else _settings(brush)
        self.explorations: list[Exploration] = []

    def add(self, photo: npt.NDArray[np.uint8], tree: ParseTree, strangeness: float | None) -> None:
        """Keep a photograph, reduced, if there is still room for it."""
        from ..explorer import Exploration, Shown, reduced

        if len(self.explorations) < MOST_SHOWN:
            plan = None if self.settings is None else _plan(tree, self.settings)
            shown = Shown(self.title, tree, plan, strangeness=strangeness)
            self.explorations.append(Exploration(tree.name, reduced(photo), (shown,)))

    def html(self) -> str:
        """The page."""
        from ..explorer import explorer_page

        return explorer_page(self.explorations, f"Parsed by {self.title}")

    def extent(self, count: int) -> str:
        """How many of the photographs the page has, in words."""
        kept = len(self.explorations)
        return f"the first {kept} of them" if kept < count else "it" if count == 1 else f"all {count}"


def _settings(brush: float) -> PaintSettings:
    from ..painting import PaintSettings  # with its router, which no other page needs

    return PaintSettings(brush=brush)


def _plan(tree: ParseTree, settings: PaintSettings) -> PaintPlan:
    from ..painting import plan_painting

    try:
        return plan_painting(tree, settings)
    except UserError as error:
        raise UserError(f"No strokes can be shown for {one_line(tree.name)}: {error}") from error


def parse_jobs(parser: Parser, jobs: Sequence[Job], settings: ParseSettings, problems: list[Skipped]) -> Iterator[Done]:
    """Parse photographs, some at a time; those that cannot be read are added to ``problems``."""

    def parsed(some: Sequence[Job]) -> list[Done | Skipped]:
        read, unread = [], []
        for job in some:
            try:
                read.append((job, read_image(job.path)))
            except UserError as error:
                unread.append(Skipped(job.path, str(error)))
        found = parser.parse_knowingly((photo for _, photo in read), settings)
        done = [
            Done(job, photo, replace(tree, name=job.path.name), strange)
            for (job, photo), (tree, strange) in zip(read, found, strict=True)
        ]
        return [*done, *unread]

    results = (
        one
        for is_large, batches in groupby(batches_of(jobs), key=lambda batch: batch[0] > LARGE)
        for several in (map if is_large else side_by_side)(parsed, [some for _, some in batches])
        for one in several
    )
    for one in progress.bar("Parsing", len(jobs))(results):
        if isinstance(one, Skipped):
            problems.append(one)
        else:
            yield one


def batches_of(jobs: Sequence[Job]) -> Iterator[tuple[int, list[Job]]]:
    """Photographs that are parsed together, in order, and how many pixels they have."""
    some: list[Job] = []
    held = 0
    for job in jobs:
        count = pixel_count(job.path)
        if some and (len(some) == AT_A_TIME or held + count > LARGE):
            yield held, some
            some, held = [], 0
        some.append(job)
        held += count
    if some:
        yield held, some


def parse_in_shards(
    args: Args, parser: Parser, parse: ParseSettings, jobs: Sequence[Job], problems: list[Skipped]
) -> int:
    """Parse very many photographs with Ray; the exit code."""
    from ..scale.ray_stream import stream

    if args.formats != FORMATS:
        raise UserError("The option --formats goes with --engine local; give --format, or that engine.")
    if args.html or args.brush is not None or args.review is not None:
        raise UserError(
            "The options --html, --brush and --review go with --engine local; leave them out, or give that engine."
        )
    inputs = [bulk.Input(job.name, str(job.path)) for job in jobs]
    model = bulk.fingerprint(args.model or pretrained_folder())
    settings = bulk.Settings(model, parse, args.format or "jsonl", bulk.SHARD)
    shards = bulk.Shards(args.out, inputs, settings)
    left = shards.start()
    with closing(stream(inputs, left, args.model, parse)) as results:
        shards.collect(result for _, result in zip(progress.bar("Parsing")(left), results, strict=True))
    skipped = shards.finish({"model": str(args.model or NAME), "method": parser.facts["method"]}, problems)
    total = len(inputs) + len(problems)
    if total > len(skipped):
        print(f"{total - len(skipped)} of {total} parsed; the shards are in {one_line(args.out)}.")
    for problem in skipped[:MOST_ROWS]:
        progress.complain(problem.reason)
    if len(skipped) > MOST_ROWS:
        progress.complain(f"{len(skipped) - MOST_ROWS} more are named in {one_line(shards.skipped_path)}.")
    return 2 if skipped else 0


def write_parse(done: Done, out: Path, settings: Settings) -> Row:
    """Write the files of one photograph and return its row of the summary."""
    job, photo, tree, strangeness = done
    written = output_files(job, out, settings)
    for path in written:
        write_tree(path, tree, photo)
    leaves, merged = tree.segments(), tree.segments(merge=True)
    return Row(
        name=job.name, image=str(job.path), width=tree.width, height=tree.height,
        painted=float(tree.labels().mean()), rectangles=len(leaves), merged=len(merged),
        paint_rectangles=sum(leaf.paint for leaf in leaves), merged_paint=sum(leaf.paint for leaf in merged),
        strangeness=strangeness, files=tuple(path.name for path in written),
    )  # fmt: skip


def write_summary(
    out: Path,
    model: str | Path,
    parser: Parser,
    parse: ParseSettings,
    settings: Settings,
    rows: Sequence[Row],
    problems: Sequence[Skipped],
) -> None:
    """Write summary.json and summary.csv."""
    content = {
        "format": PARSED,
        "model": str(model),
        "method": parser.facts["method"],
        "settings": {**asdict(parse), "formats": settings.formats},
        "photographs": [asdict(row) for row in rows],
        "problems": problems_json(problems),
    }
    files.write_json(out / "summary.json", content)
    files.write_text(out / "summary.csv", as_csv(rows, Row))


def print_rows(rows: Sequence[Row]) -> None:
    """Print the table: a row a photograph."""
    cells = [
        [
            one_line(row.name),
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
