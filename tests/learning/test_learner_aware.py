"""The example of teachers that know whom they teach (examples/learner_aware.py)."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from shapeparse.learning import losses
from shapeparse.learning.critic_losses import CriticInput, tree_backup
from shapeparse.learning.names import REGISTERED
from shapeparse.learning.policy_losses import imitate_place
from shapeparse.learning.settings import TrainSettings


@pytest.fixture(scope="module")
def example() -> Iterator[ModuleType]:
    path = Path(__file__).resolve().parents[2] / "examples" / "learner_aware.py"
    spec = importlib.util.spec_from_file_location("learner_aware", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    for name in [name for name in REGISTERED if name.startswith("drag-after") or name == "aggrevate-advised"]:
        del REGISTERED[name]


def test_without_a_level_of_the_oracles_the_goal_is_ddpgs(example, lesson, judge):
    learner, minibatch, rollout = lesson("drag-after-0")
    _, loss, batch = judge(learner, minibatch, rollout)
    seen = learner.critic.look(minibatch.pixels, minibatch.view, None)
    _, wanted = tree_backup(batch, CriticInput(learner.critic, seen, learner.targets))
    assert loss.item() == pytest.approx(wanted.item(), rel=1e-4)


def test_with_all_levels_the_goal_is_the_oracles_cost_to_go(example, lesson, judge):
    learner, minibatch, rollout = lesson("drag-after-0")
    _, _, batch = judge(learner, minibatch, rollout)
    given = CriticInput(learner.critic, None, learner.targets)
    found = example.goals(batch, given, levels=9)
    wanted = batch.cost_to_go(minibatch.transitions.actions)
    assert torch.allclose(found, wanted, atol=1e-5)
    some = example.goals(batch, given, levels=1)
    assert not torch.allclose(some, wanted, atol=1e-2)


def test_where_the_learner_follows_the_oracle_it_imitates_and_elsewhere_the_cost_counts(example, lesson):
    learner, minibatch, rollout = lesson("aggrevate-advised")
    assert TrainSettings("aggrevate-advised").teacher == "optimal"
    always, never = example.imitate_where_it_can(0.0), example.imitate_where_it_can(1e6)
    found = {}

    def loss(batch):
        found["always"] = always(batch)[0] - imitate_place(batch)[0]
        found["never"] = never(batch)[0] + losses.expected_worth(batch.output, batch.worth).mean()
        return example.imitate_where_it_can(2.0)(batch)

    learner.method = replace(learner.method, policy_loss=loss)
    report = learner.update(minibatch, rollout, np.random.default_rng(0))
    assert abs(found["always"].item()) < 1e-6 and abs(found["never"].item()) < 1e-6
    assert 0 < report["follows"] < 1
