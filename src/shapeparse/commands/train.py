"""``shapeparse train``: learn a parser from photographs with masks."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tyro.conf import FlagConversionOff, arg

from ..learning.names import METHOD_NAMES
from ..learning.settings import ExplorationSettings, LearningSettings, TrainSettings
from ..networks.presets import PRESETS
from ..support import progress
from ..support.errors import UserError
from ..support.limits import TEACHER_PRICE
from ..support.text import one_line
from .options import Device

if TYPE_CHECKING:
    from ..learning.trainer import Trainer

EXAMPLES = """
  shapeparse train --data photos --out run
  shapeparse train --out run --resume
  shapeparse train --data photos --test 62 --method dagger --minutes 10 --out r2
"""


@dataclass(frozen=True)
class Args:
    """Learn, from photographs with masks, to decompose photographs without any.

    Writes a run folder: the settings, the metrics of every epoch, the best model on
    validation images, and a checkpoint from which --resume goes on exactly. Stop it
    with Ctrl-C whenever you like.
    """

    out: Annotated[Path, arg(metavar="RUN")]
    """The run folder."""
    data: Annotated[str | None, arg(metavar="DATASET", help_behavior_hint="(default: the built-in generator)")] = None
    """Folder with images/ and masks/, or a COCO .json file."""
    method: Annotated[str, arg(metavar="METHOD", help=f"One of {', '.join(METHOD_NAMES)}.")] = "drag-anchored"
    preset: Annotated[str, arg(metavar="PRESET", help=f"The network: one of {', '.join(PRESETS)}.")] = (
        TrainSettings.preset
    )
    encoder: Annotated[str | None, arg(metavar="lite0|none", help_behavior_hint="(default: lite0)")] = None
    """Begin with an encoder that has seen the world, or with random weights; with the preset best."""
    minutes: Annotated[float | None, arg(metavar="MINUTES", help_behavior_hint="(default: 5)")] = None
    """How long to train."""
    epochs: Annotated[int | None, arg(metavar="EPOCHS", help_behavior_hint="")] = None
    """How often to go through the photographs, instead of minutes: repeatable to the bit."""
    plateau: Annotated[int | None, arg(metavar="UPDATES", help_behavior_hint="")] = None
    """Train until validation has not improved for so many updates instead."""
    resume: Annotated[bool, arg(help_behavior_hint="")] = False
    """Go on with the run in the run folder, with its settings; no other option is needed. With --minutes or --epochs, a
    complete run is trained on."""
    begin_with: Annotated[
        str | None,
        arg(
            name="from",
            metavar="RUN|pretrained|none",
            help_behavior_hint="(default: pretrained for fewer than 40 photographs, else none)",
        ),
    ] = None
    """Begin with the weights of another parser of the same preset."""
    test: Annotated[int, arg(metavar="IMAGES")] = 0
    """Photographs to hold out altogether, for `shapeparse evaluate`."""
    validation: Annotated[
        float | None, arg(metavar="SHARE", help_behavior_hint="(default: 0.1, or 0 of fewer than 40)")
    ] = None
    """Share of the others that are not learned from, but say what to expect. With 0, cross-validation says it."""
    seed: int = 0
    """Of everything random."""
    patience: Annotated[int | None, arg(metavar="EPOCHS", help_behavior_hint="(default: never)")] = None
    """Stop early when validation has not improved for so many epochs."""
    device: Device = "auto"
    """Where to compute: auto takes a GPU if there is one."""
    threads: Annotated[int | None, arg(metavar="THREADS", help_behavior_hint="(default: all cores)")] = None
    """How many threads compute."""
    depth: int = 7
    """Depth of the deepest rectangle in the tree."""
    min_extent: Annotated[int, arg(metavar="PIXELS", help_behavior_hint="(default: 1; paper: 25)")] = 1
    """A rectangle is split along a side only while that side is longer than this."""
    teacher: Literal["igm", "lookahead", "optimal"] = "igm"
    """Who is imitated: the paper's greedy oracle, one that looks ahead, or the best tree there is at a price."""
    teacher_price: Annotated[float, arg(name="price", metavar="SHARE")] = TEACHER_PRICE
    """Accuracy that every rectangle of the optimal teacher must bring."""
    lookahead: Annotated[int, arg(metavar="CUTS")] = 0
    """Cuts along each side that the teaching oracle looks ahead; 0 is the paper's."""
    switch: Annotated[Literal["every", "depth", "step"], arg(help_behavior_hint="(default: every; paper: depth)")] = (
        "every"
    )
    """Nodes that methods with a switch to the oracle learn from: of every level, of one level, or one."""
    threshold: Annotated[float, arg(metavar="SHARE")] = 0.5
    """Pixels of a mask at least this bright, as a share of white, are paint."""
    categories: Annotated[tuple[str, ...], arg(metavar="NAME [NAME ...]", help_behavior_hint="(default: all)")] = ()
    """COCO categories that are paint, by name or id."""
    image_root: Annotated[str | None, arg(metavar="DIR", help_behavior_hint="(default: beside the file)")] = None
    """Where the photographs of a COCO file are."""
    learning: Annotated[LearningSettings, FlagConversionOff] = field(default_factory=LearningSettings)
    exploration: ExplorationSettings = field(default_factory=ExplorationSettings)


FEW = 10
"""Photographs; the mean over fewer says little."""
SETTINGS = [entry.name for entry in fields(Args) if entry.name in {entry.name for entry in fields(TrainSettings)}]
"""The options that are settings of a training."""


def usual(args: Args) -> Args:
    """The same options, those that settle a training as its preset and method have them, or the run to go on with."""
    if args.resume and (args.out / "config.json").exists():
        from ..learning.start import stored_settings

        settings = stored_settings(args.out)
    else:
        settings = TrainSettings(
            args.method, args.preset, args.epochs, args.minutes, args.encoder, plateau=args.plateau
        )
    known = {name: getattr(settings, name) for name in SETTINGS}
    if args.resume:  # its own budget is not one more leg
        known |= {"epochs": None, "minutes": None}
    return replace(args, resume=False, **known)


def run(args: Args) -> int:
    """Train, showing how it goes, and say what came of it."""
    from ..data import BUILT_IN, Source
    from ..learning.beginning import NOTHING
    from ..learning.start import new_run, resumed_run  # with PyTorch, which the help does without
    from .watch import Watch

    if args.resume:
        check_parts(args)
        same = {name: value for name, value in chosen(args).items() if name not in ("epochs", "minutes")}
        trainer = resumed_run(args.out, same, args.data, args.device, args.minutes, args.epochs)
    else:
        if args.epochs is not None and args.minutes is not None:
            raise UserError("Both --epochs and --minutes were given; give one of them.")
        source = Source(args.data or BUILT_IN, args.threshold, args.categories, args.image_root)
        settings = TrainSettings(**chosen(args))
        trainer = new_run(args.out, source, settings, args.validation, args.test, args.device, args.begin_with)
        if args.begin_with is None and trainer.begins_with != NOTHING:
            progress.note("So few photographs begin with the weights of the pretrained parser (--from none: without).")
    try:
        with Watch(trainer) as watch:
            rows = trainer.run(args.resume, watch)
    except KeyboardInterrupt:
        again = f"`shapeparse train --out {one_line(args.out)} --resume` goes on from there"
        progress.complain(f"Stopped after epoch {len(trainer.rows)}; {again}.")
        return 130
    if watch.epochs == 0:
        print("The run was complete already.")
    print(f"{trainer.method.title}: {outcome(trainer)}")
    print(f"The model is in {one_line(args.out)}, after epoch {trainer.best_epoch} of {len(rows)}.")
    return 0


def outcome(trainer: Trainer) -> str:
    """What to expect of the parser, and how that is known."""
    estimate = trainer.estimate
    if estimate is None:
        return "complete."
    how = "that it did not learn from" if trainer.holds_out else "by cross-validation; it learned from all of them"
    little = " So few say little: label more." if estimate.photographs < FEW else ""
    return f"accuracy {estimate} {how}.{little}"


def chosen(args: Args) -> dict[str, Any]:
    """The settings of a training that the options are."""
    return {name: getattr(args, name) for name in SETTINGS}


def check_parts(args: Args) -> None:
    """The parts of the data were settled when the run began; saying so again is fine, changing them is not."""
    from ..learning.start import stored_settings
    from ..parsing.run_data import RunData

    stored_settings(args.out)  # which refuses a folder without a run
    parts = RunData.of(args.out).parts
    held, known = len(parts["test"]), len(parts["train"]) + len(parts["validation"])
    if args.test not in (Args.test, held):
        raise UserError(
            f"{one_line(args.out)} was started with --test {held}, not {args.test}; use that or another --out."
        )
    if args.validation is None:
        return
    count = max(1, round(args.validation * known)) if 0 < args.validation < 1 else 0
    if count != len(parts["validation"]):
        raise UserError(
            f"{one_line(args.out)} was started with another --validation than {args.validation}; leave it out."
        )
