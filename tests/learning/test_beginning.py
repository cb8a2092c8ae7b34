"""What a training begins with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from shapeparse import TrainSettings
from shapeparse.learning.beginning import NOTHING, fill, fits, pretrained_map, usual_beginning
from shapeparse.learning.data import TrainingData
from shapeparse.learning.few import FEW
from shapeparse.learning.trainer import Trainer
from shapeparse.networks import lite
from shapeparse.networks.policy import Policy
from shapeparse.networks.presets import PRESETS
from shapeparse.parsing import shipped
from shapeparse.parsing.runs import RunFolder


def test_few_photographs_begin_with_the_pretrained_parser_if_it_has_the_same_network():
    assert usual_beginning(PRESETS["best"], FEW - 1) == "pretrained"
    assert usual_beginning(replace(PRESETS["best"], location="mode"), FEW - 1) == "pretrained"
    assert usual_beginning(PRESETS["best"], FEW) == NOTHING
    assert usual_beginning(replace(PRESETS["best"], channels=8), 5) == NOTHING
    assert usual_beginning(PRESETS["fast"], 5) == NOTHING


def test_without_a_pretrained_parser_they_begin_with_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shipped, "PRETRAINED", tmp_path)
    assert usual_beginning(PRESETS["best"], 5) == NOTHING


def test_only_what_has_weights_must_be_the_same():
    assert fits(PRESETS["best"], replace(PRESETS["best"], location="mode"))
    assert not fits(PRESETS["best"], replace(PRESETS["best"], dense=(16,)))


def test_another_network_is_refused_in_words(refused):
    pytest.importorskip(lite.PACKAGE)
    said = refused(fill, [Policy(PRESETS["fast"])], PRESETS["fast"], "pretrained")
    assert said == (
        "The parser in pretrained has another network (preset best) than this training; begin with one of the same "
        "preset."
    )


@pytest.fixture
def own_pretrained(tmp_path: Path, tiny_presets: dict, photographs, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny parser in the place of the one that comes with the package."""
    images, masks = photographs(4, 64)
    small = {"epochs": 1, "depth": 2, "map_updates": 1, "updates": 1, "rollout_images": 2, "threads": 1}
    data = TrainingData(images[:3], masks[:3], images[3:], masks[3:])
    folder = tmp_path / "pretrained"
    Trainer(TrainSettings("dagger", "scratch", **small), data, folder, begin_with=NOTHING).run()
    monkeypatch.setattr(shipped, "PRETRAINED", folder)
    return folder


def weights(run: Path, name: str) -> torch.Tensor:
    policy = Policy(PRESETS["scratch"])
    RunFolder(run).read_model(policy)
    return policy.state_dict()[name]


def test_a_training_of_few_begins_with_it_and_so_do_the_trainings_of_its_folds(
    own_pretrained: Path, tmp_path: Path, photographs, monkeypatch: pytest.MonkeyPatch
):
    images, masks = photographs(4, 64)
    few = TrainingData(images, masks, images[:0], masks[:0])
    settings = TrainSettings("dagger", "scratch", epochs=1, depth=2, map_updates=1, updates=1, threads=1)
    first = "trunk.encoder.evidence.weight"
    begun: list[tuple[str, bool]] = []
    constructed = Trainer.__init__

    def noted(self: Trainer, *args, **named) -> None:
        constructed(self, *args, **named)
        known = weights(own_pretrained, first)
        begun.append(
            (self.begins_with, all(torch.equal(one.state_dict()[first], known) for one in self.learner.policies()))
        )

    monkeypatch.setattr(Trainer, "__init__", noted)
    Trainer(settings, few, tmp_path / "usual").run()
    assert begun == [("pretrained", True)] * 4  # the training, and one per fold
    begun.clear()
    Trainer(settings, few, tmp_path / "own", begin_with=NOTHING).run()
    assert begun == [(NOTHING, False)] * 4
    begun.clear()
    Trainer(settings, few, tmp_path / "on", begin_with=tmp_path / "own").run()
    assert begun[0] == (str(tmp_path / "own"), False)
    assert begun[1:] == [("pretrained", True)] * 3  # nobody knows what the other run has seen


def test_a_run_goes_on_when_what_it_began_with_is_gone(own_pretrained: Path, tmp_path: Path, photographs):
    images, masks = photographs(4, 64)
    few = TrainingData(images, masks, images[:0], masks[:0])
    settings = TrainSettings("dagger", "scratch", epochs=1, depth=2, map_updates=1, updates=1, threads=1)
    gone = own_pretrained.rename(tmp_path / "elsewhere")
    Trainer(settings, few, tmp_path / "run", begin_with=gone).run()
    gone.rename(tmp_path / "nowhere")
    again = Trainer(settings, few, tmp_path / "run", begin_with=gone)
    assert len(again.run(resume=True)) == 1


def test_the_map_of_the_pretrained_parser_is_there_for_a_peer():
    pytest.importorskip(lite.PACKAGE)
    found = pretrained_map(PRESETS["best"]).state_dict()
    policy = Policy(PRESETS["best"])
    RunFolder(shipped.pretrained_folder()).read_model(policy)
    assert torch.equal(found["evidence.weight"], policy.state_dict()["trunk.encoder.evidence.weight"])
