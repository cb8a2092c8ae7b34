"""``shapeparse data make``: a dataset from the built-in generator."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import arg

from ..data.generator import write_dataset
from ..support import progress
from ..support.text import one_line

EXAMPLES = """
  shapeparse data make --out photos
  shapeparse data make --out small --count 20 --size 128 --seed 1
  shapeparse data make --out parts --world plain
"""


@dataclass(frozen=True)
class Args:
    """Write photographs of parts, fields and more, with masks of what to paint.

    They are drawn by the built-in generator. The same seed gives the same files,
    every time; nothing is downloaded.
    """

    out: Annotated[Path, arg(metavar="DIR")]
    """Folder for images/ and masks/; one that holds other pictures is refused."""
    count: int = 362
    """How many photographs."""
    seed: int = 0
    """Another seed gives other photographs."""
    size: Annotated[int, arg(metavar="PIXELS")] = 256
    """Width and height of a photograph."""
    world: Literal["wide", "plain"] = "wide"
    """Many kinds of things, or only the plates, windows and car doors of the stored tables."""


def run(args: Args) -> int:
    """Make the dataset and say where it is."""
    bar = progress.bar("Making photographs")
    write_dataset(args.out, args.count, args.seed, args.size, args.world, progress=bar)
    photographs = "photograph with its mask" if args.count == 1 else "photographs with their masks"
    print(f"Wrote {args.count} {photographs}, {args.size}x{args.size} pixels, to {one_line(args.out)}.")
    return 0
