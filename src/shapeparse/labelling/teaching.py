"""How a parser learns from the photographs that were accepted so far. This is the one place that knows how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..support.checks import is_whole
from ..support.errors import UserError

LEAST = 2
"""Accepted photographs to begin with: one to learn from, one to validate with."""
MOST = 1_000_000


@dataclass(frozen=True)
class Teaching:
    """When a parser learns, and for how long."""

    every: int = 3
    """Photographs to accept before the next parser learns."""
    preset: str = "best"
    """Its network."""
    minutes: float = 0.75
    """How long it learns."""
    epochs: int | None = None
    """How often it goes through the photographs, instead of minutes."""

    def __post_init__(self) -> None:
        if not is_whole(self.every) or not LEAST <= self.every <= MOST:
            raise UserError(f"A parser learns after every {self.every} photographs; give from {LEAST} to {MOST:,}.")
        if not 0 < self.minutes <= 600:
            raise UserError(f"A parser learns for {self.minutes} minutes; give more than 0 and at most 600.")
        if self.epochs is not None and not (is_whole(self.epochs) and 1 <= self.epochs <= MOST):
            raise UserError(f"A parser learns for {self.epochs} epochs; give from 1 to {MOST:,}.")


def teach(
    teaching: Teaching,
    data: Path,
    out: Path,
    threads: int,
    report: Callable[[dict[str, Any]], None],
    last: str | None = None,
) -> None:
    """Train a parser on a folder with images/ and masks/ into the run folder ``out``; a run that was begun goes on.

    A network with an evidence map begins with the weights of the ``last`` parser, a run folder, if that has the same;
    else as a training of few photographs usually does. It learns from all photographs: what would be held out now, the
    last one may have learned from.
    """
    from ..data import Source
    from ..learning.beginning import can_begin_with
    from ..learning.settings import TrainSettings
    from ..learning.start import new_run, resumed_run
    from ..networks.presets import preset_named
    from ..parsing.runs import RunFolder

    folder = RunFolder(out)
    resume = folder.checkpoint_path.exists()
    if resume:
        trainer = resumed_run(out)
    else:
        folder.config_path.unlink(missing_ok=True)  # of a run that was killed before it had learned anything
        minutes = None if teaching.epochs else teaching.minutes
        settings = TrainSettings(preset=teaching.preset, epochs=teaching.epochs, minutes=minutes, threads=threads)
        source, has_map = Source(str(data)), settings.map_until > 0
        fits = has_map and last is not None and can_begin_with(last, preset_named(teaching.preset))
        trainer = new_run(out, source, settings, validation=0.0 if has_map else None, begin_with=last if fits else None)
    trainer.run(resume, lambda row: report({**row, "progress": trainer.progress()}))
