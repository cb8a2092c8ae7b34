"""What every training has in common: a budget, epochs, the best kept, checkpoints and exact resume."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from ..parsing.runs import RunFolder, read_tensors, write_tensors
from ..support.errors import UserError
from ..support.memory import keep_freed_memory
from ..support.processes import alone
from ..support.text import one_line
from .checkpoints import restore_rng, rng_note
from .data import TrainingData

LEG = ("legs", "settings.epochs", "settings.minutes")
"""What a new leg changes of a run's config."""
Report = Callable[[dict[str, Any]], None]
"""Is told the metrics after every epoch, and within epochs what goes on."""


class Budget(Protocol):
    """What a training needs to know of its settings."""

    @property
    def epochs(self) -> int | None: ...
    @property
    def minutes(self) -> float | None: ...
    @property
    def seed(self) -> int: ...
    @property
    def threads(self) -> int | None: ...


class Training(ABC):
    """One run in a run folder. ``run`` trains to the end of the budget, from the last checkpoint if it resumes."""

    def __init__(self, settings: Budget, data: TrainingData, folder: str | Path) -> None:
        self.budget, self.data, self.folder = settings, data, RunFolder(folder)
        self.fingerprint = data.fingerprint()
        torch.set_num_threads(settings.threads or torch.get_num_threads())
        self.rng = np.random.default_rng(settings.seed)
        self.epoch, self.seconds, self.best = 0, 0.0, -1.0
        self.best_epoch = 0
        self.leg_epoch, self.leg_seconds = 0, 0.0
        """When the current leg began: a finished run that is trained on has another."""
        self.new_leg = False
        """Whether what is resumed is complete, and trained on with a budget of its own."""
        self.leg_is_complete = False
        self.learning_share = 1.0
        """Of the minutes; the rest is for what is prepared."""
        self.rows: list[dict[str, Any]] = []

    @abstractmethod
    def config(self) -> dict[str, Any]:
        """What ``config.json`` holds; a run is only resumed with the same."""

    @abstractmethod
    def model(self) -> nn.Module:
        """The network of which the best epoch is kept."""

    def model_facts(self) -> dict[str, Any]:
        """What is written beside the best model, apart from its epoch and accuracy."""
        return {}

    @abstractmethod
    def _one_epoch(self, started: float, report: Report) -> dict[str, Any]:
        """An epoch and its metrics, among them ``validation_accuracy``."""

    @abstractmethod
    def _pack(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All else that decides the rest of the run: tensors, and plain values."""

    @abstractmethod
    def _unpack(self, tensors: dict[str, Tensor], values: dict[str, Any]) -> None:
        """Put back what ``_pack`` gave."""

    def run(self, resume: bool = False, report: Report = lambda _: None) -> list[dict[str, Any]]:
        """Train; the metrics of every epoch. Meanwhile the run folder is this process's alone."""
        keep_freed_memory()
        with alone(self.folder.lock_path):
            return self._run(resume, report)

    def _run(self, resume: bool, report: Report) -> list[dict[str, Any]]:
        started_before = self.folder.checkpoint_path.exists() or self.folder.config_path.exists()
        if started_before and not resume:
            raise UserError(
                f"{one_line(self.folder.path)} holds a run already; add --resume to go on, or choose another --out."
            )
        if self.folder.checkpoint_path.exists():
            self._resume()
            self._begin_leg()
        elif started_before:  # it was stopped before its first checkpoint, so there is nothing to go on from
            self._check_config(self.folder.read_config())
        else:
            self.folder.write_config(self.config())
        self._prepare(report)
        started = time.perf_counter() - self.seconds
        while not self._finished():
            row = self._one_epoch(started, report)
            self.rows.append(row)
            self._keep_best(row)
            self._checkpoint()
            report(row)
        self._conclude()
        return self.rows

    def _prepare(self, report: Report) -> None:  # noqa: B027  # most have nothing to prepare
        """What is to be done before the first epoch, unless it was before the run was resumed."""

    def _conclude(self) -> None:  # noqa: B027  # most have nothing to conclude
        """What is to be done when the budget is used up and the best model is known."""

    def progress(self, within: float = 0.0) -> float:
        """Share of the budget of this leg that is used up; ``within`` is the share of the current epoch."""
        if self.budget.epochs is not None:
            return min((self.epoch - self.leg_epoch + within) / self.budget.epochs, 1.0)
        assert self.budget.minutes is not None
        return min((self.seconds - self.leg_seconds) / (60 * self.budget.minutes * self.learning_share), 1.0)

    def _finished(self) -> bool:
        return self.progress() >= 1

    def _keep_best(self, row: dict[str, Any]) -> None:
        accuracy = row.get("validation_accuracy")  # none where all photographs are learned from
        if accuracy is None or accuracy > self.best:
            self.best, self.best_epoch = (self.best if accuracy is None else accuracy), self.epoch
            known = {"epoch": self.epoch, "validation_accuracy": accuracy, **self.model_facts()}
            self.folder.write_model(self.model(), known)

    def _checkpoint(self) -> None:
        self.folder.write_metrics(self.rows)
        tensors, values = self._pack()
        state = {
            "epoch": self.epoch, "seconds": self.seconds, "best": self.best, "best_epoch": self.best_epoch,
            "leg_epoch": self.leg_epoch, "leg_seconds": self.leg_seconds, "complete": self._finished(),
        }  # fmt: skip
        notes = {
            "state": json.dumps(state | values),
            "rng": rng_note(self.rng),
            "rows": json.dumps(self.rows),
            "config": json.dumps(self.config(), sort_keys=True),
        }
        write_tensors(self.folder.checkpoint_path, tensors, notes)

    def _resume(self) -> None:
        path = self.folder.checkpoint_path
        tensors, notes = read_tensors(path)
        try:
            theirs, state, rows = (json.loads(notes[name]) for name in ("config", "state", "rows"))
            self._check_config(theirs)
            self._unpack(tensors, state)
            self.epoch, self.seconds = state["epoch"], state["seconds"]
            self.best, self.best_epoch = state["best"], state["best_epoch"]
            self.leg_epoch, self.leg_seconds = state.get("leg_epoch", 0), state.get("leg_seconds", 0.0)
            self.leg_is_complete = bool(state.get("complete", True))
            self.rows = rows
            restore_rng(self.rng, notes["rng"])
        except UserError:
            raise
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            raise UserError(f"{one_line(path)} is damaged; start again with another --out.") from error
        self.folder.remove_leftovers()

    def _begin_leg(self) -> None:
        """Train on from the end of the last leg, if this is a new one: its schedules begin anew."""
        if not self.new_leg:
            return
        if not self.leg_is_complete:
            raise UserError(
                f"{one_line(self.folder.path)} is not complete yet; finish it with --resume alone, and train on then."
            )
        self.leg_epoch, self.leg_seconds, self.new_leg = self.epoch, self.seconds, False
        self.folder.write_config(self.config())
        self._checkpoint()

    def _as_now(self, theirs: dict[str, Any]) -> dict[str, Any]:
        """A config of an older version, with what it could not know of yet."""
        return theirs

    def _check_config(self, theirs: dict[str, Any]) -> None:
        """Refuse to go on with other settings or other data than a run was started with."""
        ours = json.loads(json.dumps(self.config()))
        theirs = self._as_now(theirs)
        free = ("format", "version", "title") + (LEG if self.new_leg else ())
        changed = [name for name in _differences(theirs, ours) if name not in free]
        if changed:
            named = ", ".join(name.removeprefix("settings.") for name in changed[:8])
            raise UserError(
                f"{one_line(self.folder.path)} was started with other settings ({named}); use those, or another --out."
            )


def _differences(theirs: dict[str, Any], ours: dict[str, Any], prefix: str = "") -> list[str]:
    names: list[str] = []
    for name in sorted(set(theirs) | set(ours)):
        one, other = theirs.get(name), ours.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            names += _differences(one, other, f"{prefix}{name}.")
        elif one != other:
            names.append(prefix + name)
    return names
