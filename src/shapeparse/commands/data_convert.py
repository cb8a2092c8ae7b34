"""``shapeparse data convert``: masks from CVAT or Label Studio, and to them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from ..data.exchange import WRITERS, read_labelled
from ..support import progress
from ..support.errors import UserError
from ..support.text import one_line

EXAMPLES = """
  shapeparse data convert label-studio.json --to folder --out photos
  shapeparse data convert photos --to coco --out photos/instances.json
  shapeparse data convert photos --to label-studio --out tasks.json
"""


@dataclass(frozen=True)
class Args:
    """Convert masks between a folder, COCO and Label Studio.

    Reads a folder with images/ and masks/, a COCO .json file (CVAT writes it) or JSON of Label Studio. Masks that
    cannot be read are named and left out; the exit code is then 2.
    """

    path: Positional[Annotated[Path, arg(metavar="DATASET", help_behavior_hint="")]]
    """The folder or file to read."""
    to: Literal["folder", "coco", "label-studio"]
    """What to write: masks/ in a folder, a COCO file, or tasks for Label Studio."""
    out: Annotated[Path, arg(metavar="OUT")]
    """The folder, or the file, to write."""


def run(args: Args) -> int:
    """Convert, and say how many masks there were."""
    if args.to != "folder" and args.out.exists():
        raise UserError(f"{one_line(args.out)} is there already; choose another --out.")
    masks, skipped = read_labelled(args.path)
    count = WRITERS[args.to](args.out, masks)
    for one in skipped:
        progress.complain(one.reason)
    print(f"{count} mask{'' if count == 1 else 's'} written to {one_line(args.out)}.")
    return 2 if skipped else 0
