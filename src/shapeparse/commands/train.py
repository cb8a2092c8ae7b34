"""``shapeparse train``: learn a parser from photographs with masks."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from tyro.conf import arg

from .. import progress
from ..images import shown
from ..learner import LearningSettings
from ..methods import METHODS
from ..networks.presets import PRESETS, preset_named
from ..rollout import Exploration
from ..train import Trainer, TrainSettings
from .learning import Watch, open_data, training_parts

EXAMPLES = """
  shapeparse train --data photos --method drag --out run
  shapeparse train --data photos --method dagger --minutes 10 --out run
  shapeparse train --method drag --out run --resume
"""


@dataclass(frozen=True)
class Args:
    """Learn to decompose photographs into rectangles, by imitating the oracle or without it.

    Writes a run folder: the settings, the metrics of every epoch, the best model on
    validation images, and a checkpoint from which --resume goes on exactly.
    """

    out: Annotated[Path, arg(metavar="RUN")]
    """The run folder."""
    data: Annotated[str | None, arg(metavar="DIR", help_behavior_hint="(default: the built-in generator)")] = None
    """Folder with images/ and masks/, or a COCO .json file."""
    method: Annotated[str, arg(metavar="METHOD", help=f"One of {', '.join(METHODS)}.")] = "drag-anchored"
    preset: Annotated[str, arg(metavar="PRESET", help=f"The network: one of {', '.join(PRESETS)}.")] = "fast"
    minutes: Annotated[float | None, arg(help_behavior_hint="(default: 5)")] = None
    """Budget in minutes."""
    epochs: Annotated[int | None, arg(help_behavior_hint="")] = None
    """Budget in passes over the images, instead of minutes: repeatable to the bit."""
    seed: int = 0
    """Of everything random."""
    resume: Annotated[bool, arg(help_behavior_hint="")] = False
    """Go on from the last checkpoint of the run folder."""
    validation: float = 0.1
    """Share of the training images that choose the best epoch and are not learned from."""
    test: int = 0
    """Images to hold out altogether, for `shapeparse evaluate`."""
    depth: int = 7
    """Depth of the deepest rectangle in the tree."""
    min_extent: Annotated[int, arg(metavar="PIXELS")] = 1
    """A rectangle is split along a side only while that side is longer than this."""
    lookahead: Annotated[int, arg(metavar="CUTS")] = 0
    """Cuts along each side that the teaching oracle looks ahead; 0 is the paper's."""
    switch: Literal["depth", "step"] = "depth"
    """What the random switch to the oracle counts."""
    patience: Annotated[int | None, arg(metavar="EPOCHS", help_behavior_hint="(default: never)")] = None
    """Stop early when validation has not improved for so long."""
    threads: Annotated[int | None, arg(help_behavior_hint="(default: all cores)")] = None
    """How many threads compute."""
    learning: LearningSettings = field(default_factory=LearningSettings)
    exploration: Exploration = field(default_factory=Exploration)


def run(args: Args) -> int:
    """Train, showing how it goes, and say what came of it."""
    settings = TrainSettings(
        method=args.method, preset=args.preset, epochs=args.epochs, minutes=args.minutes, seed=args.seed,
        depth=args.depth, min_extent=args.min_extent, lookahead=args.lookahead, switch=args.switch,
        patience=args.patience, threads=args.threads, learning=args.learning, exploration=args.exploration,
    )  # fmt: skip
    progress.ready_oracle()
    loaded = open_data(args.data, preset_named(args.preset).side)
    for skipped in loaded.skipped:
        progress.complain(skipped.reason)
    data, parts = training_parts(loaded, args.validation, args.test, args.seed)
    facts: dict[str, Any] = {"data": {"source": args.data or "built-in generator", **parts}}
    trainer = Trainer(settings, data, args.out, facts)
    with Watch(trainer) as watch:
        rows = trainer.run(args.resume, watch)
    title, count = METHODS[args.method].title, len(data.validation_images)
    print(
        f"{title}: {progress.percent(trainer.best)} of the pixels of {count} validation images right, "
        f"at epoch {trainer.best_epoch} of {len(rows)}; the model is in {shown(args.out)}."
    )
    return 0
