"""The demo's learning: a parser trained on most of the photographs, and what it makes of the others."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from ..data import Loaded
from ..data.source import Source, pick
from ..grammar import ParseTree
from ..learning.data import split_data
from ..learning.settings import TrainSettings
from ..learning.trainer import Trainer
from ..networks.presets import preset_named
from ..parsing.calibration import Reliability
from ..parsing.evaluation import Evaluation, evaluate
from ..parsing.load import load
from ..parsing.parser import Parser
from ..parsing.runs import RunFolder
from ..parsing.settings import ParseSettings
from ..support import files, progress
from ..support.errors import UserError
from ..support.progress import percent
from ..support.text import one_line
from .decomposition import Settings
from .evaluate import evaluation_json
from .findings import AHEAD_DEPTH, measure
from .inputs import plan
from .parsing import parse_jobs, write_parse, write_summary
from .watch import Watch

MADE_BY = "shapeparse demo"
EVALUATION = "shapeparse-evaluation"
"""The format of the file that has the figures."""
HELD_OUT = 62 / 362
"""Share of the photographs that the parser never sees before the end, as in the paper."""
LOOKAHEAD = 4


@dataclass(frozen=True)
class Learned:
    """A trained parser and how it does on photographs held out of its training."""

    title: str
    """The method's full name."""
    trained_on: int
    validated_on: int
    metrics: list[dict[str, Any]]
    """A row an epoch."""
    held_out: Loaded
    trees: list[ParseTree]
    """The parser's, of the held-out photographs."""
    evaluation: Evaluation
    reliability: Reliability
    oracle: list[tuple[float, int]]
    """Accuracy and leaves of the oracle on each held-out mask."""
    ahead: list[tuple[float, int]]
    """The same with lookahead."""

    def rows(self) -> list[list[str]]:
        """The rows of a table: how labelled, accuracy, rectangles."""
        found = self.evaluation
        return [
            ["majority label of each", percent(float(found.majority_accuracy.mean())), "1.0"],
            [self.title, percent(float(found.accuracy.mean())), f"{found.leaves.mean():.1f}"],
            *(
                [name, percent(fmean(accuracy for accuracy, _ in trees)), f"{fmean(leaves for _, leaves in trees):.1f}"]
                for name, trees in (("oracle, sees the mask", self.oracle), ("oracle with lookahead", self.ahead))
            ),
        ]


def check_run(run: Path) -> None:
    """Refuse a run folder that the demo did not make, before anything is done."""
    folder = RunFolder(run)
    if any(path.exists() for path in _files(folder)) and not _is_own(folder):
        raise UserError(
            f"{one_line(run)} holds a run that the demo did not make; move it away or choose another --out."
        )


def clear_run(run: Path) -> None:
    """Remove the files of the demo's former run, and no others; the one that says whose they are goes last."""
    check_run(run)
    for path in _files(RunFolder(run)):
        path.unlink(missing_ok=True)


def learn(out: Path, settings: TrainSettings) -> Learned:
    """Train in ``out``/run on most photographs of ``out``/data, and evaluate and write parses of the others."""
    source = Source(str(out / "data"))
    loaded = source.read(preset_named(settings.preset).side)
    test = max(1, round(HELD_OUT * len(loaded.names)))
    data, facts = split_data(loaded, 0.1, test, settings.seed, source)
    clear_run(out / "run")
    trainer = Trainer(settings, data, out / "run", {"made_by": MADE_BY, "data": facts})
    budget = f"{settings.minutes:g} minutes" if settings.epochs is None else f"{settings.epochs} epochs"
    count = len(data.train_images)
    progress.errors().print(f"Training on {count} photographs with {trainer.method.title} for {budget} …")
    with Watch(trainer) as watch:
        metrics = trainer.run(report=watch)
    parser, held = load(out / "run"), pick(loaded, facts["test"])
    forests = parser.forests(held.images)
    found = evaluate(forests, held.masks, parser.limits)
    files.write_json(out / "evaluation.json", {"format": EVALUATION} | evaluation_json(found, held.names))
    write_parses(parser, out, held.names)
    return Learned(
        trainer.method.title, count, len(data.validation_images), metrics, held,
        [tree for forest in forests for tree in parser.calibrated(forest).trees()],
        found, parser.reliability(forests, held.masks),
        oracle=[measure(mask, AHEAD_DEPTH) for mask in held.masks],
        ahead=[measure(mask, AHEAD_DEPTH, LOOKAHEAD) for mask in progress.bar("Looking ahead")(held.masks)],
    )  # fmt: skip


def write_parses(parser: Parser, out: Path, names: list[str]) -> None:
    """Parse held-out photographs into ``out``/parsed, as ``shapeparse parse`` would."""
    folder = files.make_folder(out / "parsed")
    for path in _former_parses(folder):  # other photographs may have been held out then
        path.unlink(missing_ok=True)
    jobs, problems = plan([out / "data" / "images" / f"{name}.jpg" for name in names], None)
    settings = Settings(formats=("json", "png"))
    parse = ParseSettings()
    parsed = parse_jobs(parser, jobs, parse, problems)
    rows = [write_parse(done, folder, settings) for done in parsed]
    write_summary(folder, out / "run", parser, parse, settings, rows, problems)


def _former_parses(folder: Path) -> list[Path]:
    """The files that the summary of a former demo lists."""
    try:
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        names = [str(name) for row in summary["photographs"] for name in row["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [folder / name for name in names if Path(name).name == name]


def _files(folder: RunFolder) -> list[Path]:
    boards = sorted((folder.path / "tensorboard").glob("events.out.tfevents.*"))
    kept = (folder.checkpoint_path, folder.model_path, folder.metrics_path, folder.config_path)
    return [*boards, *kept]


def _is_own(folder: RunFolder) -> bool:
    try:
        config = json.loads(folder.config_path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and config.get("made_by") == MADE_BY
