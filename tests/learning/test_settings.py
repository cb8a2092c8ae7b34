"""Settings of a training: what is not given comes from the recipe, and what makes no sense is named."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import replace

import pytest

from shapeparse import Limits
from shapeparse.learning.methods import ABLATIONS, METHODS
from shapeparse.learning.settings import (
    GENERAL,
    RECIPES,
    TUNED,
    ExplorationSettings,
    LearningSettings,
    TrainSettings,
    recipe,
)
from shapeparse.networks.presets import PRESETS


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"minutes": float("nan")}, "minutes is nan"),
        ({"beta_end": float("inf")}, "beta_end is inf"),
        ({"learning": LearningSettings(rate=float("nan"))}, "learning.rate is nan"),
        ({"exploration": ExplorationSettings(location_noise=float("-inf"))}, "exploration.location_noise is -inf"),
        ({"learning": LearningSettings(critic_rate=-1.0)}, "learning.critic_rate is -1.0"),
        ({"learning": {"fresh_actions": 1}}, "learning.fresh_actions is 1"),
        ({"learning": {"dense_actions": -1}}, "learning.dense_actions is -1"),
        ({"learning": {"target_rate": 1.5}}, "learning.target_rate and"),
        ({"learning": {"rats": 1.5}}, "did you mean rate?"),
        ({"map_zoom": 0.5}, "map_zoom is 0.5"),
        ({"schedule": "linear"}, "schedule is 'linear'"),
        ({"below": True, "switch": "step"}, "below goes with"),
        ({"below": True}, "below goes with"),
        ({"learning": {"warm_up": -1}}, "learning.warm_up is -1"),
        ({"preset": "frozen", "colour": 0.1}, "in its own light"),
        ({"method": "dragon"}, "did you mean drag or drag-"),
        ({"preset": "slow"}, "choose one of paper, crop, fast"),
        ({"epochs": 0}, "budget is empty"),
        ({"epochs": 1.5}, "budget is empty"),
        ({"minutes": 0.0}, "budget is empty"),
        ({"batch_nodes": 0}, "batch_nodes is 0"),
        ({"memory": 2.5}, "memory is 2.5"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 10**30}, "seed is 1000000"),
        ({"threads": 1_000_000}, "threads is 1000000"),
        ({"threads": 0}, "threads is 0"),
        ({"beta_end": 1.5}, "beta_end is 1.5"),
        ({"switch": "never"}, "switch is 'never'"),
        ({"depth": -1}, "depth is -1"),
        ({"min_extent": 0}, "min_extent is 0"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named(refused, settings, complaint):
    assert complaint in refused(TrainSettings, **settings)


def test_without_a_budget_training_takes_5_minutes():
    assert TrainSettings().minutes == 5.0


def test_the_paper_preset_is_trained_as_its_authors_did_unless_told_otherwise() -> None:
    settings = TrainSettings(preset="paper", method="dagger", epochs=1)
    assert (settings.min_extent, settings.schedule) == (25, "constant")
    assert settings.batch_images * settings.batch_nodes == 25
    assert (settings.learning.rate, settings.learning.weight_decay, settings.learning.clip) == (1e-4, 0.0, 10.0)
    assert TrainSettings(preset="paper", min_extent=3).min_extent == 3
    assert TrainSettings(preset="fast", method="bc", epochs=2) == TrainSettings(preset="fast", method="bc", epochs=2)


def test_what_is_given_of_the_learning_settings_leaves_the_rest_as_the_preset_has_it() -> None:
    usual = TrainSettings(preset="best", epochs=1)
    given = TrainSettings(preset="best", epochs=1, learning={"rate": 1e-3})
    assert given == replace(usual, learning=replace(usual.learning, rate=1e-3))
    assert given.learning.averaging > 0


def test_a_method_has_settings_of_its_own_only_where_they_were_tuned() -> None:
    every = [*METHODS, *ABLATIONS]
    tuned = {method for method in every if TrainSettings(preset="fast", method=method).learning != LearningSettings()}
    assert tuned == set(TUNED)
    tuned_paper, paper = (TrainSettings(preset="paper", method=method).learning for method in ("off-mcpg", "bc"))
    assert tuned_paper == paper


def test_methods_that_learn_from_the_stored_action_follow_the_oracle_half_of_the_time_at_least() -> None:
    for method in ("drag", "drag-control", "aggrevated", "ac-aggrevated"):
        assert TrainSettings(method=method, preset="fast").beta_end == 0.5
    assert TrainSettings(method="drag-expected", preset="fast").beta_end == 0.0


def test_every_setting_that_a_recipe_names_is_one_and_nothing_is_left_open() -> None:
    fields = {field.name for field in dataclasses.fields(TrainSettings)}
    assert set(GENERAL) <= fields
    assert all(set(changes) <= set(GENERAL) for changes in RECIPES.values())
    assert set(RECIPES) <= set(PRESETS)
    for preset in PRESETS:
        settings = TrainSettings(preset=preset, method="bc")
        for name, value in recipe(preset, "bc").items():
            assert getattr(settings, name) == value
        assert all(getattr(settings, name) is not None for name in GENERAL)


def test_settings_are_the_same_after_they_were_json() -> None:
    for given in ({"preset": "best", "method": "drag-dense"}, {"epochs": 3, "learning": {"rate": 1.0}}):
        settings = TrainSettings(**given)
        assert TrainSettings.from_json(json.loads(json.dumps(dataclasses.asdict(settings)))) == settings


def test_beta_falls_from_1_to_its_end_and_stays() -> None:
    settings = TrainSettings(beta_until=0.5, beta_end=0.2, map_until=0.0)
    assert [settings.beta_at(progress) for progress in (0, 0.25, 0.5, 1)] == pytest.approx([1, 0.6, 0.2, 0.2])
    assert TrainSettings(beta_until=0.0, beta_end=0.3, map_until=0.0).beta_at(0.01) == pytest.approx(0.3)


def test_where_a_map_is_learned_first_the_parsings_time_begins_after_it() -> None:
    settings = TrainSettings(preset="best", map_until=0.8, beta_until=0.5, beta_end=0.0)
    assert [settings.parsing(progress) for progress in (0, 0.8, 0.9, 1)] == pytest.approx([0, 0, 0.5, 1])
    assert [settings.beta_at(progress) for progress in (0.5, 0.8, 0.85, 0.9)] == pytest.approx([1, 1, 0.5, 0])


def test_limits_are_the_depth_and_the_extent() -> None:
    assert TrainSettings(depth=4, min_extent=3).limits == Limits(4, 3)


def test_the_encoder_settles_which_of_two_presets_is_meant() -> None:
    assert (TrainSettings().preset, TrainSettings().encoder) == ("best", "lite0")
    settings = TrainSettings(encoder="none")
    assert (settings.preset, settings.encoder, settings.map_until) == ("scratch", "none", 0.8)
    assert TrainSettings(preset="scratch", encoder="lite0") == TrainSettings()
    assert TrainSettings(preset="fast").encoder == "none"


def test_an_encoder_that_there_is_not_is_refused(refused) -> None:
    assert "lite0, none" in refused(TrainSettings, encoder="resnet")
    assert "--preset best" in refused(TrainSettings, preset="fast", encoder="lite0")


def test_the_price_of_a_teacher_who_is_not_asked_tells_no_runs_apart() -> None:
    assert TrainSettings("dagger", teacher_price=0.02) == TrainSettings("dagger")
    assert TrainSettings("dagger", teacher="optimal", teacher_price=0.02).teacher_price == 0.02
