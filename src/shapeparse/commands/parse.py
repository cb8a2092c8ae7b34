"""``shapeparse parse``: photographs to rectangles, by a trained model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from ..parsing.settings import ParseSettings, Search
from .options import FORMATS, Device, Format

EXAMPLES = """
  shapeparse parse photo.jpg
  shapeparse parse photo.jpg --model run --out rectangles
  shapeparse parse photos --model run --out rectangles --formats json
  shapeparse parse photos --model run --out rectangles --html --brush 12
  shapeparse parse photos --model run --out few --rectangles 10 --review 0.8
  shapeparse parse photos --model run --out shards --engine ray --format parquet
"""

DEFAULTS = ParseSettings()


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
    depth: Annotated[
        int | None, arg(metavar="DEPTH", help_behavior_hint="(default: none; as trained if not optimal)")
    ] = None
    """Depth of the deepest rectangle in the tree: at most 2^depth rectangles."""
    min_extent: Annotated[int | None, arg(metavar="PIXELS", help_behavior_hint="(default: as trained)")] = None
    """A rectangle is split along a side only while that side is longer than this."""
    rectangles: Annotated[int | None, arg(metavar="COUNT", help_behavior_hint="")] = None
    """The best tree of at most so many rectangles. Parsers of the preset best only."""
    price: Annotated[
        float | None, arg(metavar="SHARE", help_behavior_hint="(default: 0.0005 for the optimal search)")
    ] = None
    """Accuracy, as a share of the photograph, that the parser must expect of every additional rectangle; 0.002 leaves
    few."""
    accuracy: Annotated[float | None, arg(metavar="SHARE", help_behavior_hint="")] = None
    """The fewest rectangles that are expected to label this share right. Parsers of the preset best only."""
    search: Search = DEFAULTS.search
    """The best tree of the evidence map; or the policy's own actions, with or without looking ahead. Parsers of the
    preset best only."""
    lookahead: Annotated[int | None, arg(metavar="CUTS", help_behavior_hint="(default: 16)")] = None
    """Candidate cuts per axis of the search that looks ahead, which this chooses."""
    no_flips: Annotated[bool, arg(help_behavior_hint="")] = False
    """Look at each photograph once, not mirrored too. Quicker, a little less accurate. Parsers of the preset best
    only."""
    no_refine: Annotated[bool, arg(help_behavior_hint="")] = False
    """Leave cuts in the network's grid, instead of moving them to where the photograph, at its own resolution, says
    the edge is. Parsers of the preset best only."""
    review: Annotated[float | None, arg(metavar="SHARE", help_behavior_hint="")] = None
    """Also write review.csv: the rectangles of whose label the parser is less sure than this, least sure first."""
    device: Device = "auto"
    """Where to compute: auto takes a GPU if there is one."""
    formats: Annotated[tuple[Format, ...], arg(metavar="FORMAT [FORMAT ...]")] = FORMATS
    """What to write of every photograph."""
    html: Annotated[bool, arg(help_behavior_hint="")] = False
    """Also write explorer.html, one page to explore the trees with in a browser; of the first 24 photographs."""
    brush: Annotated[float | None, arg(metavar="PIXELS", help_behavior_hint="")] = None
    """With --html: also show the strokes that a brush so wide would paint with."""
    engine: Literal["local", "ray"] = "local"
    """Ray is for very many photographs: it writes shards of rows instead, and goes on where it was stopped."""
    format: Annotated[
        Literal["jsonl", "parquet"] | None, arg(metavar="FORMAT", help_behavior_hint="(default: jsonl)")
    ] = None
    """Of the shards: jsonl or parquet."""


def run(args: Args) -> int:
    """Parse the photographs, write the results, and name the files that could not be used."""
    from .parsing import run  # with PyTorch, which the help does without

    return run(args)
