"""``shapeparse benchmark``: every method on the same splits, with a table and a report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from ..benchmark.rows import ENGINE_NAMES, GROUPS, JOB_ROWS
from ..networks.presets import PRESETS
from .options import Device

EXAMPLES = """
  shapeparse benchmark --data photos --out comparison --minutes 5 --jobs 1
  shapeparse benchmark --out comparison --methods dagger drag unet --folds 1
  shapeparse benchmark --data photos --out comparison --dry-run
"""


@dataclass(frozen=True)
class Args:
    """Compare methods of learning and their peers on the same photographs.

    Every method and fold is a job with the same budget. Validation photographs are cut
    from the training part and choose each job's best epoch; test photographs are parsed
    once, at the end. Stop it whenever you like: the same command goes on where it was.

    Writes results.json, table.md and report.html, and a run folder for every job.
    """

    out: Annotated[Path, arg(metavar="DIR")]
    """Where results and run folders go."""
    data: Annotated[str | None, arg(metavar="DATASET", help_behavior_hint="(default: the built-in generator)")] = None
    """Folder with images/ and masks/, or a COCO .json file."""
    methods: Annotated[
        tuple[str, ...],
        arg(metavar="ROW [ROW ...]", help=f"{', '.join(GROUPS)}, or any of {', '.join(JOB_ROWS)}."),
    ] = ("all",)
    folds: int = 3
    """How many random splits."""
    minutes: Annotated[float | None, arg(metavar="MINUTES", help_behavior_hint="(default: 5)")] = None
    """Budget of each job."""
    epochs: Annotated[int | None, arg(metavar="EPOCHS", help_behavior_hint="")] = None
    """Budget in passes over the photographs instead: repeatable to the bit."""
    plateau: Annotated[int | None, arg(metavar="UPDATES", help_behavior_hint="")] = None
    """Train each method until validation has not improved for so many updates instead."""
    jobs: Annotated[int, arg(metavar="JOBS")] = 2
    """Jobs at the same time; the cores are shared out among them."""
    engine: Annotated[str, arg(metavar="ENGINE", help=f"Where jobs run: one of {', '.join(ENGINE_NAMES)}.")] = "local"
    address: Annotated[
        str | None, arg(metavar="ADDRESS", help_behavior_hint="(default: a cluster of this machine)")
    ] = None
    """Of the Ray cluster."""
    preset: Annotated[str, arg(metavar="PRESET", help=f"The network: one of {', '.join(PRESETS)}.")] = "fast"
    depth: int = 7
    """Depth of the deepest rectangle in a tree."""
    seed: int = 0
    """Of the splits and of the trainings."""
    device: Device = "cpu"
    """Where methods are trained: auto takes a GPU if there is one. Peers are trained on the processor."""
    dry_run: Annotated[bool, arg(help_behavior_hint="")] = False
    """Only say what would be done and how long it would take."""


def run(args: Args) -> int:
    """Run what is not done yet, and write what has come of it."""
    from .benchmarking import run  # with PyTorch, which the help does without

    return run(args)
