"""What every training has in common: budget, epochs, the best kept, resuming; here of a training that only counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from shapeparse.learning.data import TrainingData
from shapeparse.learning.run import Training
from shapeparse.parsing.runs import RunFolder, read_tensors


@dataclass(frozen=True)
class Budget:
    epochs: int | None = 3
    minutes: float | None = None
    seed: int = 0
    threads: int | None = None


class Counting(Training):
    """Each epoch adds a random number; accuracies are given."""

    def __init__(self, budget: Budget, data: TrainingData, folder: Any, accuracies: list[float], name: str) -> None:
        super().__init__(budget, data, folder)
        self.network, self.accuracies, self.name = nn.Linear(1, 1, bias=False), accuracies, name
        nn.init.zeros_(self.network.weight)

    def config(self) -> dict[str, Any]:
        return {"settings": {"name": self.name, "deep": {"er": 1}}, "fingerprint": self.fingerprint}

    def model(self) -> nn.Module:
        return self.network

    def model_facts(self) -> dict[str, Any]:
        return {"known": self.epoch}

    def _one_epoch(self, started: float, report: Callable) -> dict[str, Any]:
        self.network.weight.data += self.rng.random()
        self.epoch += 1
        self.seconds += 30.0
        return {"epoch": self.epoch, "validation_accuracy": self.accuracies[self.epoch - 1]}

    def _pack(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
        return {"weight": self.network.weight.data}, {"mine": self.epoch}

    def _unpack(self, tensors: dict[str, torch.Tensor], values: dict[str, Any]) -> None:
        assert values["mine"] == values["epoch"]
        self.network.weight.data[:] = tensors["weight"]


@pytest.fixture
def counting(photographs, tmp_path) -> Callable[..., Counting]:
    images, masks = photographs(2)

    def make(folder: str = "run", budget: Budget = Budget(), accuracies=(0.5, 0.9, 0.7), name: str = "x") -> Counting:
        data = TrainingData(images[:1], masks[:1], images[1:], masks[1:])
        return Counting(budget, data, tmp_path / folder, list(accuracies), name)

    return make


def stop_after(epoch: int) -> Callable[[dict], None]:
    def report(row: dict) -> None:
        if row["epoch"] == epoch:
            raise KeyboardInterrupt

    return report


def test_while_it_trains_nobody_else_may(counting, refused):
    first, second = counting(), counting()
    sentences: list[str] = []
    first.run(report=lambda _: sentences.append(refused(second.run, resume=True)))
    assert len(sentences) == 3
    assert "is being worked in by another process" in sentences[0]
    assert not first.folder.lock_path.exists()


def test_a_run_ends_with_its_epochs_and_reports_each(counting):
    told: list[dict] = []
    rows = counting().run(report=told.append)
    assert rows == told
    assert [row["epoch"] for row in rows] == [1, 2, 3]


def test_minutes_are_a_budget_and_epochs_come_first(counting):
    run = counting(budget=Budget(epochs=None, minutes=1.0))
    assert len(run.run()) == 2  # of half a minute each
    assert run.progress() == 1
    assert counting(budget=Budget(epochs=4, minutes=0.001)).progress(within=0.5) == 0.125


def test_the_best_epochs_model_is_kept_with_its_facts(counting, tmp_path):
    run = counting(accuracies=(0.5, 0.9, 0.9))
    run.run()
    kept = nn.Linear(1, 1, bias=False)
    facts = RunFolder(tmp_path / "run").read_model(kept)
    assert facts == {"epoch": 2, "validation_accuracy": 0.9, "known": 2}
    assert kept.weight.item() < run.network.weight.item()


@pytest.mark.parametrize("stopped", [1, 2])
def test_a_stopped_run_goes_on_as_if_it_had_not_been(counting, tmp_path, stopped):
    whole = counting("whole")
    rows = whole.run()
    with pytest.raises(KeyboardInterrupt):
        counting("stopped").run(report=stop_after(stopped))
    again = counting("stopped")
    assert again.run(resume=True) == rows
    assert torch.equal(again.network.weight, whole.network.weight)
    assert (again.best, again.best_epoch) == (whole.best, whole.best_epoch) == (0.9, 2)
    for name in ("metrics.csv", "model.safetensors"):
        assert (tmp_path / "stopped" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_folder_that_holds_a_run_is_not_trained_into_unless_it_resumes(counting, refused):
    counting().run()
    assert "add --resume" in refused(counting().run)


def test_resuming_with_other_settings_or_data_names_what_is_other(counting, refused, monkeypatch):
    counting().run()
    assert "(name)" in refused(counting(name="y").run, resume=True)
    other = counting()
    other.fingerprint += 1
    assert "(fingerprint)" in refused(other.run, resume=True)


def test_half_written_files_of_a_killed_run_are_removed(counting, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        counting().run(report=stop_after(1))
    (tmp_path / "run" / ".model.safetensors.x.part").touch()
    counting().run(resume=True)
    assert not list((tmp_path / "run").glob(".*"))


def test_a_checkpoint_holds_chance_and_rows(counting, tmp_path):
    run = counting()
    run.run()
    _, notes = read_tensors(tmp_path / "run" / "checkpoint.safetensors")
    assert set(notes) == {"state", "rng", "rows", "config"}
    fresh = np.random.default_rng(0).random(3)
    assert run.network.weight.item() == pytest.approx(fresh.sum())
