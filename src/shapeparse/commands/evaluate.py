"""``shapeparse evaluate``: how good a trained parser is on photographs with masks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from tyro.conf import Positional, arg

from .. import progress
from ..data import Loaded
from ..errors import UserError
from ..evaluate import evaluate
from ..images import shown
from ..model import load
from ..runs import RunFolder
from .learning import open_data

EXAMPLES = """
  shapeparse evaluate run --data photos
  shapeparse evaluate run --part test --json
"""


@dataclass(frozen=True)
class Args:
    """Parse photographs with a trained model and hold the trees against the masks and the oracle.

    Regret says where accuracy was lost: at which depth, by labels or by splits. It
    adds up to the oracle's accuracy minus the model's.
    """

    run: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The run folder."""
    data: Annotated[str | None, arg(metavar="DIR", help_behavior_hint="(default: what the run was trained on)")] = None
    """Folder with images/ and masks/, or a COCO .json file."""
    part: Literal["all", "train", "validation", "test"] = "all"
    """Which of the run's parts of the data, by the names of the photographs."""
    json: Annotated[bool, arg(help_behavior_hint="")] = False
    """Print JSON, with the figures of every photograph."""


def run(args: Args) -> int:
    """Evaluate and print."""
    parser, config = load(args.run), RunFolder(args.run).read_config()
    known = config.get("data", {})
    source = args.data or (None if known.get("source") == "built-in generator" else known.get("source"))
    progress.ready_oracle()
    loaded = choose(open_data(source, parser.side), args.part, known, args.run)
    for skipped in loaded.skipped:
        progress.complain(skipped.reason)
    found = evaluate(
        parser.policy, loaded.images, loaded.masks, parser.limits, progress=progress.bar("Parsing photographs")
    )
    summary = found.summary()
    if args.json:
        each = {name: getattr(found, name).tolist() for name in ("accuracy", "iou", "coverage", "waste", "leaves")}
        print(json.dumps({**summary, "names": loaded.names, "each": each}, indent=2))
    else:
        print_summary(summary)
    return 2 if loaded.skipped else 0


def choose(loaded: Loaded, part: str, known: dict[str, Any], path: Path) -> Loaded:
    """The photographs of one part of the run's data."""
    if part == "all":
        return loaded
    wanted = set(known.get(part, []))
    kept = [index for index, name in enumerate(loaded.names) if name in wanted]
    if not kept:
        raise UserError(f"The run {shown(path)} has no {part} images among these; evaluate --part all, or other data.")
    return Loaded(loaded.images[kept], loaded.masks[kept], [loaded.names[i] for i in kept], loaded.skipped)


def print_summary(summary: dict[str, Any]) -> None:
    """The figures as tables for people."""
    named = ("accuracy", "iou", "coverage", "waste", "oracle_accuracy", "majority_accuracy", "regret")
    rows = [(name.replace("_", " "), progress.percent(summary[name])) for name in named]
    progress.print_table(("figure", f"mean of {summary['images']}"), [*rows, ("leaves", f"{summary['leaves']:.1f}")])
    print()
    columns = ("accuracy_by_depth", "label_regret_by_depth", "split_regret_by_depth")
    table = np.array([summary[name] for name in columns]).T
    progress.print_table(
        ("depth", "accuracy if cut off here", "lost by labels", "lost by splits"),
        [(str(depth), *map(progress.percent, row)) for depth, row in enumerate(table)],
    )
