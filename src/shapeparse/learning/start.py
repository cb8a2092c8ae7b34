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
from ..support.processes import refuse_if_taken
from ..support.text import one_line
from .beginning import NOTHING
from .data import split_data, training_data
from .few import FEW
from .methods import method_named
from .settings import TrainSettings
from .trainer import Trainer


def new_run(
    out: Path,
    source: Source,
    settings: TrainSettings,
    validation: float | None = None,
    test: int = 0,
    device: str = "auto",
    begin_with: str | Path | None = None,
) -> Trainer:
    """A training of photographs that are read and divided now; files that cannot be used are named on the way.

    Args:
        out: the run folder.
        source: the photographs.
        settings: all else that decides the training.
        validation: share of the photographs that are not learned from; 0 to learn from all, and to estimate the
            accuracy by cross-validation. If not given, 0 for few photographs and a tenth for more.
        test: photographs to hold out altogether.
        device: auto, cpu, cuda or mps.
        begin_with: a run folder, or ``pretrained``, whose parser's weights are the first ones; ``none`` for those of no
            parser. If not given, few photographs begin with the pretrained parser where that has the same network.
    """
    refuse_if_taken(RunFolder(out).lock_path)
    if RunFolder(out).config_path.exists():  # the trainer refuses it too, but only once all data has been read
        raise UserError(f"{one_line(out)} holds a run already; add --resume to go on, or choose another --out.")
    ready_oracle()
    loaded = source.read(preset_named(settings.preset).side)
    for skipped in loaded.skipped:
        progress.complain(skipped.reason)
    if validation is None:
        validation = usual_validation(len(loaded.names) - test, settings)
    data, parts = split_data(loaded, validation, test, settings.seed, source)
    return Trainer(settings, data, out, {"data": {**parts, **_way_to(source, out)}}, device, begin_with)


def usual_validation(photographs: int, settings: TrainSettings) -> float:
    """The share of so many photographs to validate with: none of few, if what is learned is the map of them."""
    learns_map = preset_named(settings.preset).trunk == "map" and method_named(settings.method).uses_oracle
    return 0.0 if learns_map and photographs < FEW else 0.1


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
    out: Path,
    changes: Mapping[str, Any] | None = None,
    data: str | None = None,
    device: str = "auto",
    minutes: float | None = None,
    epochs: int | None = None,
) -> Trainer:
    """The run in a run folder, with its own settings; changes that contradict them are refused by the trainer.

    A budget in ``minutes`` or ``epochs`` is one more leg for a run that is complete.
    """
    refuse_if_taken(RunFolder(out).lock_path)
    known = stored_settings(out)
    settings = replace(known, **(changes or {}))
    stored, config = RunData.of(out), RunFolder(out).read_config()
    ready_oracle()
    loaded = stored.read(data, preset_named(settings.preset).side)
    facts: dict[str, Any] = {"legs": config["legs"]} if "legs" in config else {}
    facts["data"] = stored.facts
    leg = (minutes, epochs) not in ((None, None), (known.minutes, None), (None, known.epochs))
    if leg:
        if minutes is not None and epochs is not None:
            raise UserError("Both minutes and epochs were given; give one of them.")
        settings = replace(settings, minutes=minutes, epochs=epochs)
        before = facts.get("legs", [{"minutes": known.minutes, "epochs": known.epochs}])
        facts["legs"] = [*before, {"minutes": minutes, "epochs": epochs}]
    begun_with = config.get("from", NOTHING)
    trainer = Trainer(settings, training_data(loaded, stored.parts), out, facts, device, begun_with)
    trainer.new_leg = leg
    return trainer
