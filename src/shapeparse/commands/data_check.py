"""``shapeparse data check``: what a dataset holds, how well the oracle could do on it, and what is wrong with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from ..support import progress
from ..support.text import one_line

if TYPE_CHECKING:
    from .findings import Findings

EXAMPLES = """
  shapeparse data check photos
  shapeparse data check annotations.json --categories door window
  shapeparse data check photos --json > findings.json
"""


@dataclass(frozen=True)
class Args:
    """Read every photograph and mask, and say what they hold and what is wrong.

    A dataset is a folder with images/ and masks/ (pairs of one name), or a COCO
    .json file. Files with a problem are named, each with a sentence; the exit code
    is 0 if there are none, and 2 if there are any or nothing can be used.
    """

    path: Positional[Annotated[Path, arg(metavar="DATASET", help_behavior_hint="")]]
    """The folder, or the COCO .json file."""
    threshold: Annotated[float, arg(metavar="SHARE")] = 0.5
    """Pixels of a mask at least this bright, as a share of white, are paint."""
    categories: Annotated[tuple[str, ...], arg(metavar="NAME [NAME ...]", help_behavior_hint="(default: all)")] = ()
    """COCO categories that are paint, by name or id."""
    image_root: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="(default: beside the file)")] = None
    """Where the photographs of a COCO file are."""
    json: Annotated[bool, arg(help_behavior_hint="")] = False
    """Print JSON instead of tables."""


def run(args: Args) -> int:
    """Examine the dataset and print the findings."""
    from ..data.source import load  # with Numba, which the help does without
    from ..oracle.ready import ready_oracle
    from .findings import examine

    dataset = load(args.path, args.threshold, categories=args.categories or None, root=args.image_root)
    ready_oracle()
    findings = examine(dataset, progress.bar("Checking"))
    if args.json:
        print(json.dumps(findings.as_json(), indent=2))
    elif findings.usable:
        print_findings(one_line(args.path), findings)
    for problem in findings.problems:
        progress.complain(problem.reason)
    if not findings.usable:
        progress.complain(
            f"{one_line(args.path)} has no photograph with a mask that can be used; mend the files above."
        )
    return 2 if findings.problems else 0


def print_findings(name: str, findings: Findings) -> None:
    """Print what was found, for people."""
    from .findings import accuracy_rows

    usable = "1 photograph with its mask" if findings.usable == 1 else f"{findings.usable} photographs with masks"
    count = len(findings.problems)
    print(f"{name}: {usable}, {count or 'no'} problem{'' if count == 1 else 's'}")
    print(f"  sizes    {findings.size_range}")
    low, mean, high = findings.paint_range
    print(f"  paint    {100 * mean:.1f} % of a photograph on average, from {100 * low:.1f} to {100 * high:.1f} %")
    if findings.unpainted:
        print(f"  note     masks without any paint: {findings.unpainted}")
    print()
    progress.print_table(("mean over the masks", "accuracy", "rectangles"), accuracy_rows(findings))
