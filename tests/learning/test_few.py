"""Few photographs: every one is learned from, and each is parsed by a training that did not see it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from shapeparse import TrainSettings
from shapeparse.learning import few
from shapeparse.learning.data import TrainingData
from shapeparse.learning.few import FOLDS, cross_validated, folds, without
from shapeparse.learning.trainer import Trainer
from shapeparse.parsing.calibration import Leaves
from shapeparse.parsing.estimate import Estimate
from shapeparse.parsing.load import load


@pytest.fixture
def data(photographs: Callable[..., Any]) -> TrainingData:
    images, masks = photographs(7, 32)
    return TrainingData(images, masks, images[:0], masks[:0])


def test_each_photograph_is_in_one_fold():
    parts = list(folds(10, seed=3))
    assert len(parts) == FOLDS
    assert sorted(np.concatenate(parts).tolist()) == list(range(10))
    assert [part.tolist() for part in folds(10, 3)] == [part.tolist() for part in parts]
    assert [len(part) for part in folds(2, 0)] == [1, 1]


def test_what_is_held_out_is_not_learned_from(data):
    part = without(data, np.array([1, 4]))
    assert np.array_equal(part.train_images, data.train_images[[0, 2, 3, 5, 6]])
    assert np.array_equal(part.train_masks, data.train_masks[[0, 2, 3, 5, 6]])
    assert np.array_equal(part.validation_images, data.train_images[[1, 4]])
    assert np.array_equal(part.validation_masks, data.train_masks[[1, 4]])


def test_the_estimate_is_of_what_the_folds_trainings_say(data, tmp_path: Path):
    made: list[Any] = []

    def make(settings: TrainSettings, part: TrainingData, folder: Path) -> Any:
        held = len(part.validation_images)
        leaves = Leaves(np.full(held, 0.9), np.ones(held), np.ones(held, bool), np.full(held, 1 / held))
        number = len(made)
        found = SimpleNamespace(accuracy=np.full(held, 0.7 + 0.1 * number), leaves=leaves)
        made.append((settings, len(part.train_images)))
        run = lambda resume, report: report({"progress": 1.0})  # noqa: E731
        return SimpleNamespace(run=run, validation=lambda: found)

    shares: list[float] = []
    settings = TrainSettings("dagger", minutes=2.0)
    estimate, calibration = cross_validated(make, settings, data, tmp_path / "folds", shares.append)
    assert estimate.photographs == 7
    assert estimate.accuracy == pytest.approx((3 * 0.7 + 2 * 0.8 + 2 * 0.9) / 7)
    assert estimate.low == pytest.approx(Estimate.of([0.7] * 3 + [0.8] * 2 + [0.9] * 2, folds=3).low)
    assert shares == pytest.approx([1 / 3, 2 / 3, 1])
    assert [count for _, count in made] == [4, 5, 5]
    assert sum(brief.minutes for brief, _ in made) == pytest.approx(few.SHARE * 2.0)
    assert all(brief.map_until == 1 for brief, _ in made)
    assert calibration(np.array([0.9]))[0] > 0.9  # all that was found likely was true


def test_a_training_that_holds_none_out_says_what_to_expect_and_goes_on_to_the_same_end(
    data, tmp_path: Path, tiny_presets: dict, monkeypatch: pytest.MonkeyPatch
):
    settings = TrainSettings(
        "dagger", "scratch", epochs=2, depth=3, rollout_images=4, map_updates=1, updates=1, map_until=0.5, threads=1
    )
    whole = Trainer(settings, data, tmp_path / "whole")
    rows = whole.run()
    assert whole.estimate is not None and whole.estimate.photographs == 7
    assert not any("validation_accuracy" in row for row in rows)
    assert not (tmp_path / "whole" / "folds").exists()
    assert load(tmp_path / "whole").facts["estimate"] == whole.estimate.to_json()

    checkpoint = Trainer._checkpoint

    def stop_after_the_first(self: Trainer) -> None:
        checkpoint(self)
        if self.folder.path == tmp_path / "stopped":
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "_checkpoint", stop_after_the_first)
        with pytest.raises(KeyboardInterrupt):
            Trainer(settings, data, tmp_path / "stopped").run()
    again = Trainer(settings, data, tmp_path / "stopped")
    with monkeypatch.context() as patch:
        patch.setattr("shapeparse.learning.trainer.cross_validated", None)  # not a second time
        again.run(resume=True)
    assert again.estimate == whole.estimate
    ends = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "stopped")]
    assert ends[0] == ends[1]
