"""A training begun, or gone on with: what ``shapeparse.train`` and the command ``train`` share."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..data import BUILT_IN, Source
from ..networks.presets import preset_named
from ..oracle.ready import ready_oracle
from ..parsing.run_data import RunData
from ..parsing.runs import RunFolder
from ..support import progress
from ..support.errors import UserError
from ..support.text import one_line
from .data import split_data, training_data
from .settings import TrainSettings
from .trainer import Trainer


def new_run(
    out: Path,
    source: Source,
    settings: TrainSettings,
    validation: float = 0.1,
    test: int = 0,
    device: str = "auto",
) -> Trainer:
    """A training of photographs that are read and divided now; files that cannot be used are named on the way."""
    if RunFolder(out).config_path.exists():  # the trainer refuses it too, but only once all data has been read
        raise UserError(f"{one_line(out)} holds a run already; add --resume to go on, or choose another --out.")
    ready_oracle()
    loaded = source.read(preset_named(settings.preset).side)
    for skipped in loaded.skipped:
        progress.complain(skipped.reason)
    data, parts = split_data(loaded, validation, test, settings.seed, source)
    return Trainer(settings, data, out, {"data": {**parts, **_way_to(source, out)}}, device)


def _way_to(source: Source, out: Path) -> dict[str, str]:
    """The data as seen from the run folder, so that it is found from wherever the run is used."""
    if source.source == BUILT_IN:
        return {}
    with contextlib.suppress(ValueError):  # on another drive, there is none
        return {"from_run": os.path.relpath(source.source, out)}
    return {}


def stored_settings(out: Path) -> TrainSettings:
    """The settings that a run was begun with."""
    folder = RunFolder(out)
    if not folder.config_path.exists():
        raise UserError(f"{one_line(out)} holds no run to go on with; leave --resume out to start one.")
    config = folder.read_config()
    try:
        return TrainSettings.from_json(config["settings"])
    except UserError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise folder.not_a_training(error) from error


def resumed_run(
    out: Path, changes: Mapping[str, Any] | None = None, data: str | None = None, device: str = "auto"
) -> Trainer:
    """The run in a run folder, with its own settings; changes that contradict them are refused by the trainer."""
    settings = replace(stored_settings(out), **(changes or {}))
    stored = RunData.of(out)
    ready_oracle()
    loaded = stored.read(data, preset_named(settings.preset).side)
    return Trainer(settings, training_data(loaded, stored.parts), out, {"data": stored.facts}, device)
