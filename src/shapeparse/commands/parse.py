"""``shapeparse parse``: photographs to rectangles, by a trained model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from tyro.conf import Positional, arg

from ..data.dataset import Skipped
from ..data.images import read_image
from ..grammar import Limits, ParseTree
from ..parsing.load import load
from ..parsing.parallel import side_by_side
from ..parsing.parser import Parser
from ..parsing.settings import ParseSettings
from ..parsing.shipped import NAME, pretrained_folder, run_or_pretrained
from ..scale import shards as bulk
from ..support import files, progress
from ..support.errors import UserError
from ..support.text import one_line
from .decomposition import FORMATS, Format, Settings, output_files, write_tree
from .doubts import Doubts
from .inputs import Job, plan, refuse_overwriting
from .summary import MOST_ROWS, as_csv, problems_json

if TYPE_CHECKING:
    from ..explorer import Exploration
    from ..painting import PaintPlan, PaintSettings

EXAMPLES = """
  shapeparse parse photo.jpg
  shapeparse parse photo.jpg --model run --out rectangles
  shapeparse parse photos --model run --out rectangles --formats json
  shapeparse parse photos --model run --out rectangles --html --brush 12
  shapeparse parse photos --model run --out few --price 0.001 --review 0.8
  shapeparse parse photos --model run --out shards --engine ray --format parquet
"""

Parsed: TypeAlias = tuple[Job, npt.NDArray[np.uint8], ParseTree]
AT_A_TIME = 8
"""Photographs that a thread has in memory at a time, at their own size."""
DEFAULTS = ParseSettings()
PAGE, REVIEW = "explorer.html", "review.csv"
MOST_SHOWN = 24
"""Photographs on the page: with more of them it would open slowly."""


@dataclass(frozen=True)
class Args:
    """Decompose photographs into labelled rectangles with a trained parser.

    It needs no masks. Photographs may have any size and shape: the trees are in
    their own pixels, and tile them. A file that cannot be used is named at the end and does not stop the
    others; the exit code is then 2.
    """

    images: Positional[Annotated[tuple[Path, ...], arg(metavar="IMAGE [IMAGE ...]", help_behavior_hint="")]]
    """Photographs, or folders whose image files are taken."""
    model: Annotated[Path | None, arg(metavar="RUN", help_behavior_hint="(default: the pretrained parser)")] = None
    """The run folder of the parser, made by `shapeparse train`."""
    out: Annotated[Path, arg(metavar="DIR")] = Path("rectangles")
    """Folder for the results; it is made if need be."""
    depth: Annotated[int | None, arg(metavar="DEPTH", help_behavior_hint="(default: as trained)")] = None
    """Depth of the deepest rectangle in the tree: at most 2^depth rectangles."""
    min_extent: Annotated[int | None, arg(metavar="PIXELS", help_behavior_hint="(default: as trained)")] = None
    """A rectangle is split along a side only while that side is longer than this."""
    price: Annotated[float, arg(metavar="SHARE")] = 0.0
    """Accuracy, as a share of the photograph, that the parser must expect of every additional rectangle; 0.001 leaves
    far fewer."""
    lookahead: Annotated[int, arg(metavar="CUTS")] = DEFAULTS.lookahead
    """Cuts tried along each side, each judged by how the rest would go; 0 for none. Parsers of the preset best only."""
    flips: bool = DEFAULTS.flips
    """Look at each photograph mirrored too, and take the mean. Parsers of the preset best only."""
    refine: bool = DEFAULTS.refine
    """Move cuts to where the photograph, at its own resolution, says the edge is; for photographs larger than the
    network's view. Parsers of the preset best only."""
    review: Annotated[float | None, arg(metavar="SHARE", help_behavior_hint="")] = None
    """Also write review.csv: the rectangles of whose label the parser is less sure than this, least sure first."""
    formats: Annotated[tuple[Format, ...], arg(metavar="FORMAT [FORMAT ...]")] = FORMATS
    """What to write of every photograph."""
    html: Annotated[bool, arg(help_behavior_hint="")] = False
    """Also write explorer.html, one page to explore the trees with in a browser; of the first 24 photographs."""
    brush: Annotated[float | None, arg(metavar="PIXELS", help_behavior_hint="")] = None
    """With --html: also show the strokes that a brush so wide would paint with."""
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
    parser = load(run_or_pretrained(args.model))
    limits = Limits(
        parser.limits.depth if args.depth is None else args.depth,
        parser.limits.min_extent if args.min_extent is None else args.min_extent,
    )
    settings = Settings(limits.depth, limits.min_extent, price=args.price, formats=args.formats)
    parse = ParseSettings(limits.depth, limits.min_extent, args.lookahead, args.flips, args.refine, args.price)
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
    files.make_folder(args.out)
    rows = []
    for job, photo, tree in parse_jobs(parser, jobs, parse, problems):
        if album is not None:
            album.add(photo, tree)
        if doubts is not None:
            doubts.add(tree)
        rows.append(write_parse(job, photo, tree, args.out, settings))
    write_summary(args.out, args.model or NAME, parser, settings, rows, problems)
    if rows:
        print_rows(rows)
        print(f"\n{len(rows)} of {len(rows) + len(problems)} parsed; the results are in {one_line(args.out)}.")
    if rows and album:
        files.write_text(args.out / PAGE, album.html())
        print(f"{one_line(args.out / PAGE)} shows {album.extent(len(rows))}; open it in a browser.")
    if rows and doubts:
        files.write_text(args.out / REVIEW, doubts.csv())
        print(f"{one_line(args.out / REVIEW)} names {doubts.words()}.")
    for problem in problems:
        progress.complain(problem.reason)
    return 2 if problems else 0


class Album:
    """The first photographs and their trees, kept for the page of ``--html``."""

    def __init__(self, parser: Parser, brush: float | None) -> None:
        self.title = parser.title
        self.settings = None if brush is None else _settings(brush)
        self.explorations: list[Exploration] = []

    def add(self, photo: npt.NDArray[np.uint8], tree: ParseTree) -> None:
        """Keep a photograph, reduced, if there is still room for it."""
        from ..explorer import Exploration, Shown, reduced

        if len(self.explorations) < MOST_SHOWN:
            plan = None if self.settings is None else _plan(tree, self.settings)
            self.explorations.append(Exploration(tree.name, reduced(photo), (Shown(self.title, tree, plan),)))

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


def parse_jobs(
    parser: Parser, jobs: Sequence[Job], settings: ParseSettings, problems: list[Skipped]
) -> Iterator[Parsed]:
    """Parse photographs, some at a time; those that cannot be read are added to ``problems``."""

    def parsed(some: Sequence[Job]) -> list[Parsed | Skipped]:
        read, unread = [], []
        for job in some:
            try:
                read.append((job, read_image(job.path)))
            except UserError as error:
                unread.append(Skipped(job.path, str(error)))
        trees = parser.parse((photo for _, photo in read), settings)
        done = zip(read, trees, strict=True)
        return [*((job, photo, replace(tree, name=job.path.name)) for (job, photo), tree in done), *unread]

    batches = [jobs[first : first + AT_A_TIME] for first in range(0, len(jobs), AT_A_TIME)]
    results = (one for several in side_by_side(parsed, batches) for one in several)
    for one in progress.bar("Parsing", len(jobs))(results):
        if isinstance(one, Skipped):
            problems.append(one)
        else:
            yield one


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
    settings = bulk.Settings(model, parse, args.format or "jsonl")
    shards = bulk.Shards(args.out, inputs, settings)
    refuse_overwriting(shards.outputs(), jobs)
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


def write_parse(job: Job, photo: npt.NDArray[np.uint8], tree: ParseTree, out: Path, settings: Settings) -> Row:
    """Write the files of one photograph and return its row of the summary."""
    written = output_files(job, out, settings)
    for path in written:
        write_tree(path, tree, photo)
    leaves, merged = tree.segments(), tree.segments(merge=True)
    return Row(
        name=job.name, image=str(job.path), width=tree.width, height=tree.height,
        painted=float(tree.labels().mean()), rectangles=len(leaves), merged=len(merged),
        paint_rectangles=sum(leaf.paint for leaf in leaves), merged_paint=sum(leaf.paint for leaf in merged),
        files=tuple(path.name for path in written),
    )  # fmt: skip


def write_summary(
    out: Path, model: str | Path, parser: Parser, settings: Settings, rows: Sequence[Row], problems: Sequence[Skipped]
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
