"""``shapeparse demo``: the main job on built-in data, with pictures and a page."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated

from tyro.conf import arg

from ..learning.names import METHOD_NAMES
from ..learning.settings import TrainSettings
from ..support import files, progress
from ..support.errors import UserError
from ..support.text import one_line

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from .decomposition import Decomposed

EXAMPLES = """
  shapeparse demo
  shapeparse demo --out quick --count 24 --minutes 0.2
"""

WRITTEN = ("report.html", "evaluation.json", "comparison.png", "held-out.png", "derivation.png", "derivation.svg")
"""Files beside the folders of data, run and trees."""
FEWEST = 4
"""Photographs: two to learn from, one to validate with, one to hold out."""
SHOWN = 12
"""Photographs that are decomposed into files and shown on the page."""
FIGURE_PRICE = 0.002
FIGURE_LEAVES = 16
"""The derivation figure shows a tree of at most this many leaves, few enough to follow by eye."""


@dataclass(frozen=True)
class Args:
    """Make photographs, learn to parse them, parse held-out ones, and show it all.

    Needs no data and no network. Writes data/ (photographs and masks), run/ (the
    trained parser), parsed/ (what it makes of held-out photographs), decomposed/
    (the oracle's trees), figures, and report.html, one page to open in a browser.
    It can be repeated; files that it did not make stay as they are.
    """

    out: Annotated[Path, arg(metavar="DIR")] = Path("demo")
    """Folder for everything."""
    minutes: Annotated[float, arg(metavar="MINUTES")] = 2.0
    """How long to train."""
    epochs: Annotated[int | None, arg(metavar="EPOCHS", help_behavior_hint="")] = None
    """How often to go through the photographs, instead of minutes."""
    method: Annotated[str, arg(metavar="METHOD", help=f"One of {', '.join(METHOD_NAMES)}.")] = "drag-anchored"
    count: int = 362
    """How many photographs to make; 62 of 362 are held out."""
    seed: int = 0
    """Another seed gives other photographs."""
    size: Annotated[int, arg(metavar="PIXELS")] = 256
    """Width and height of a photograph."""


def run(args: Args) -> int:
    """Run the demo and say where to look."""
    # Imported here, since they load PyTorch and Numba, which the help does without.
    from ..data.generator import write_dataset
    from ..data.source import load
    from ..oracle.ready import ready_oracle
    from .decomposition import write_figure
    from .demo_learning import check_run, learn
    from .demo_page import Shown, write_page
    from .findings import AHEAD_DEPTH, examine

    started = time.perf_counter()
    if args.count < FEWEST:
        raise UserError(f"The demo cannot learn from {args.count} photographs; give a --count of at least {FEWEST}.")
    budget = {"minutes": args.minutes} if args.epochs is None else {"epochs": args.epochs}
    settings = TrainSettings(method=args.method, seed=args.seed, depth=AHEAD_DEPTH, **budget)
    check_run(args.out / "run")
    files.refuse_foreign(args.out / name for name in WRITTEN)
    out = args.out
    write_dataset(out / "data", args.count, args.seed, args.size, progress=progress.bar("Making photographs"))
    ready_oracle()
    dataset = load(out / "data")
    findings = examine(dataset, progress.bar("Measuring the oracle"))
    ahead = look_ahead(dataset)
    results = decompose_some(out)
    chosen = followable(results)
    write_figure(out / "derivation", chosen)
    learned = learn(out, settings)
    spent = f"--minutes {args.minutes:g}" if args.epochs is None else f"--epochs {args.epochs}"
    command = f"shapeparse demo --count {args.count} --seed {args.seed} --method {args.method} {spent}"
    write_page(out, Shown(command, findings, ahead, results, chosen, learned))
    held = len(learned.held_out.names)
    heading = f"mean over {held} held-out photograph{'' if held == 1 else 's'}"
    progress.print_table((heading, "accuracy", "rectangles"), learned.rows())
    seconds = time.perf_counter() - started
    print(f"\nOpen {one_line(out / 'report.html')} in a browser (all took {seconds:.0f} s).")
    run = one_line(out / "run")
    print(f"The parser is in {run}; `shapeparse parse PHOTO --model {run} --out DIR` uses it.")
    return 0


def look_ahead(dataset: Dataset) -> tuple[float, float]:
    """Mean accuracy and leaves of the lookahead oracle."""
    from .demo_learning import LOOKAHEAD
    from .findings import AHEAD_DEPTH, measure

    indices = progress.bar("Looking ahead")(range(len(dataset)))
    found = [measure(dataset.read(index).mask, AHEAD_DEPTH, LOOKAHEAD) for index in indices]
    return fmean(accuracy for accuracy, _ in found), fmean(leaves for _, leaves in found)


def decompose_some(out: Path) -> list[Decomposed]:
    """Decompose the first photographs' masks and write their files, as ``shapeparse decompose`` would."""
    from .decomposition import Settings, decompose, write
    from .findings import AHEAD_DEPTH
    from .inputs import plan
    from .summary import write_summary

    settings = Settings(depth=AHEAD_DEPTH, search="greedy")
    jobs, _ = plan([out / "data" / "masks"], out / "data" / "images")
    results = [decompose(job, settings) for job in jobs[:SHOWN]]
    folder = files.make_folder(out / "decomposed")
    rows = [write(result, folder, settings) for result in progress.bar("Drawing")(results)]
    write_summary(folder, settings, rows, [])
    return results


def followable(results: Sequence[Decomposed]) -> Decomposed:
    """The most accurate decomposition whose tree is small enough to follow by eye."""
    from .decomposition import Settings
    from .findings import AHEAD_DEPTH

    settings = Settings(depth=AHEAD_DEPTH, price=FIGURE_PRICE, search="greedy")
    small = [replace(result, best=settings.best(result.mask)) for result in results]
    fitting = [result for result in small if 4 <= result.tree.leaf_count <= FIGURE_LEAVES] or small
    return max(fitting, key=lambda result: result.tree.accuracy(result.mask))
