"""The view of a training: a line an epoch that fits a terminal."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from shapeparse.commands import watch
from shapeparse.commands.watch import Watch, epoch_line

ROW = {"epoch": 7, "seconds": 61.4, "validation_accuracy": 0.9314, "validation_leaves": 41.6}


def test_an_epoch_is_one_line_with_what_was_measured() -> None:
    assert epoch_line(ROW).split() == (["epoch", "7", "61", "s", "validation", "93.14", "%", "42", "rectangles"])
    full = epoch_line(ROW | {"epoch": 123, "seconds": 9999.0, "policy_loss": 1.5, "critic_loss": 0.25})
    assert "loss 1.500" in full
    assert "critic 0.250" in full
    assert len(full) <= 80


def test_only_epochs_are_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "_tensorboard", lambda trainer: None)
    trainer = SimpleNamespace(method=SimpleNamespace(title="DRAG"), progress=lambda: 0.5)
    with Watch(trainer) as told:
        told({"within": 0.5, "progress": 0.25})
        told(ROW)
        told({"within": 0.5, "progress": 0.75})
    assert told.epochs == 1
    assert capsys.readouterr().err.splitlines() == [epoch_line(ROW)]


def test_tensorboard_is_told_every_number_if_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple] = []
    board = SimpleNamespace(add_scalar=lambda *given: told.append(given), close=lambda: told.append(("closed",)))
    monkeypatch.setattr(watch, "_tensorboard", lambda trainer: board)
    trainer = SimpleNamespace(method=SimpleNamespace(title="DRAG"), progress=lambda: 0.5)
    with Watch(trainer) as watching:
        watching(ROW)
    assert told == [*((name, value, 7) for name, value in ROW.items()), ("closed",)]
