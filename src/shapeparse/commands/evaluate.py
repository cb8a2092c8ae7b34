"""``shapeparse evaluate``: how good a trained parser is on photographs with masks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from tyro.conf import Positional, arg

from ..support import progress
from ..support.errors import UserError
from ..support.text import one_line
from .options import Device
from .strangers import REMEDY, warn_of_strangers

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..data import Loaded
    from ..parsing.evaluation import Evaluation
    from ..parsing.run_data import RunData

EXAMPLES = """
  shapeparse evaluate run
  shapeparse evaluate run --part validation --json
  shapeparse evaluate run --data other-photos
  shapeparse evaluate --data photos
"""


@dataclass(frozen=True)
class Args:
    """Hold the trees of a trained parser against the masks and against the oracle.

    Regret says where accuracy was lost: at which depth, by labels or by splits. It
    adds up to the oracle's accuracy minus the parser's, exactly.
    """

    run: Positional[
        Annotated[Path | None, arg(metavar="RUN", help_behavior_hint="(default: the pretrained parser)")]
    ] = None
    """The run folder."""
    data: Annotated[str | None, arg(metavar="DATASET", help_behavior_hint="(default: the run's own)")] = None
    """Folder with images/ and masks/, or a COCO .json file."""
    part: Annotated[
        Literal["all", "train", "validation", "test"] | None,
        arg(
            metavar="all|train|validation|test", help_behavior_hint="(default: test if the run held any out, else all)"
        ),
    ] = None
    """Which of the run's photographs: all, train, validation or test."""
    device: Device = "auto"
    """Where to compute: auto takes a GPU if there is one."""
    json: Annotated[bool, arg(help_behavior_hint="")] = False
    """Print JSON, with the figures of every photograph."""


def run(args: Args) -> int:
    """Evaluate and print."""
    # Imported here, since they load PyTorch, which the help does without.
    from ..oracle.ready import ready_oracle
    from ..parsing.evaluation import accuracy_and_leaves, evaluate
    from ..parsing.load import load
    from ..parsing.run_data import RunData
    from ..parsing.settings import ParseSettings
    from ..parsing.shipped import NAME, run_or_pretrained

    folder = run_or_pretrained(args.run)
    parser, stored = load(folder, args.device), RunData.of(folder)
    part = args.part or ("test" if stored.parts["test"] and args.data is None else "all")
    ready_oracle()
    loaded = choose(stored.read(args.data, parser.side), part, stored, folder)
    forests = parser.forests(loaded.images, progress.bar("Parsing photographs"))
    found = evaluate(forests, loaded.masks, parser.limits)
    sure = parser.reliability(forests, loaded.masks)
    made = accuracy_and_leaves(parser.forests(loaded.images, settings=ParseSettings()), loaded.masks)
    as_parsed = {"accuracy": float(made[0].mean()), "rectangles": float(made[1].mean())}
    strange, constant = parser.strangeness(loaded.images), Constant.best(loaded.masks)
    method = parser.title
    if args.json:
        facts = {"method": method, "epoch": parser.facts.get("epoch"), "part": part}
        known = {
            "as_parsed": as_parsed,
            "constant_accuracy": constant.accuracy,
            "strangeness": strange,
            "calibration_error": sure.error,
            "reliability": {k: v.tolist() for k, v in sure._asdict().items()},
        }
        print(json.dumps({**facts, **evaluation_json(found, loaded.names), **known}, indent=2))
    else:
        print(heading(f"{one_line(args.run or NAME)} ({method})", part, loaded, stored, args.data) + "\n")
        print_summary(found.summary(), parser.limits.depth)
        print(
            f"\nAs `parse` makes trees by default: {progress.percent(as_parsed['accuracy'])} with "
            f"{as_parsed['rectangles']:.1f} rectangles."
        )
        print(f"How sure it is of a label is off by {progress.percent(sure.error)} on average.")
    if as_parsed["accuracy"] <= constant.accuracy:
        progress.note(constant.words())
    warn_of_strangers(strange)
    for skipped in loaded.skipped:
        progress.complain(skipped.reason)
    return 2 if loaded.skipped else 0


class Constant(NamedTuple):
    """One label for all pixels of all photographs: what every parser must beat."""

    label: str
    accuracy: float

    @classmethod
    def best(cls, masks: npt.NDArray[np.bool_]) -> Constant:
        """The better one of the two."""
        paint = float(masks.mean())
        return cls("paint", paint) if paint > 0.5 else cls("skip", 1 - paint)

    def words(self) -> str:
        """What to say of a parser that does not beat it, and what to do."""
        return (
            f"The parser is no better on these photographs than the label {self.label} for every pixel of all of them "
            f"({progress.percent(self.accuracy)}), so do not use it for them; {REMEDY}."
        )


def choose(loaded: Loaded, part: str, stored: RunData, run: Path) -> Loaded:
    """The photographs of one part of the run's data."""
    from ..data.source import pick

    if part == "all":
        return loaded
    if not stored.parts[part]:
        raise UserError(f"The run {one_line(run)} has no {part} photographs; train with --test N to hold N out.")
    return pick(loaded, stored.parts[part])


def heading(name: str, part: str, loaded: Loaded, stored: RunData, data: str | None) -> str:
    """What was evaluated on what, without flattering: photographs that were learned from are called so."""
    count = f"{len(loaded.names)} {'photograph' if len(loaded.names) == 1 else 'photographs'}"
    if part != "all":
        note = {"test": "held out of the training", "validation": "that chose the best epoch", "train": "learned from"}
        return f"{name} on {count} {note[part]}"
    if data is not None:
        return f"{name} on {count} of {one_line(data)}"
    return f"{name} on {count}, of which it learned from {len(stored.parts['train'])}"


def evaluation_json(found: Evaluation, names: list[str]) -> dict[str, Any]:
    """The means, and the figures of every photograph."""
    columns = ("accuracy", "iou", "coverage", "waste", "leaves", "oracle_accuracy", "majority_accuracy")
    return {**found.summary(), "names": names, "each": {name: getattr(found, name).tolist() for name in columns}}


def print_summary(summary: dict[str, Any], depth: int) -> None:
    """The figures as tables for people."""
    named = {
        "accuracy": "accuracy",
        "majority_accuracy": "  of the majority label of each",
        "oracle_accuracy": f"  of the oracle, depth {depth}",
        "regret": "regret: oracle minus parser",
        "iou": "IoU",
        "coverage": "coverage",
        "waste": "waste",
    }
    rows = [(text, progress.percent(summary[name])) for name, text in named.items()]
    progress.print_table(("figure", "mean"), [*rows, ("rectangles", f"{summary['leaves']:.1f}")])
    print()
    columns = ("accuracy_by_depth", "split_regret_by_depth", "label_regret_by_depth")
    table = zip(*(summary[name] for name in columns), strict=True)
    progress.print_table(
        ("depth", "accuracy if cut off here", "lost by splits", "lost by labels"),
        [(str(level), *map(progress.percent, row)) for level, row in enumerate(table)],
    )
