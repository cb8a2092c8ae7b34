"""The table of methods: the paper's Table 2, and nothing that a setting forbids."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import pytest

from shapeparse.learning.critic_losses import action_taken, baseline, many_actions
from shapeparse.learning.methods import ABLATIONS, METHODS, Method, method_named
from shapeparse.learning.policy_losses import imitate_oracle, imitate_place, imitate_taken
from shapeparse.learning.roll_in import learner, of_root, of_tree
from shapeparse.learning.settings import TUNED

TABLE_2 = {
    "mcpg": ("RL", "stochastic", False),
    "ddpg": ("RL", "deterministic", True),
    "bc": ("IL", "deterministic", False),
    "dagger": ("IL", "deterministic", False),
    "aggrevated": ("IL+RL", "stochastic", False),
    "ac-aggrevated": ("IL+RL", "stochastic", True),
    "off-mcpg": ("IL+RL", "stochastic", False),
    "off-acpg": ("IL+RL", "stochastic", True),
    "drag": ("IL+RL", "deterministic", True),
}
"""Training setting, policy representation, and whether there is a critic of actions (a baseline V is none)."""


@pytest.mark.parametrize("name", TABLE_2)
def test_a_method_is_its_row_of_the_papers_table(name):
    method = METHODS[name]
    has_critic = method.critic is not None and method.critic.loss is not baseline
    assert (method.setting, method.split_policy, has_critic) == TABLE_2[name]


@pytest.mark.parametrize("name", [*METHODS, *ABLATIONS])
def test_a_method_asks_for_no_more_than_its_setting_allows(name):
    method = method_named(name)
    if method.setting == "RL":
        assert method.acts is learner
        assert method.returns in (of_tree, of_root)
        assert not options_of(method).get("anchor")
        assert method.critic is None or method.critic.loss not in (action_taken, many_actions)
    if method.setting == "IL":
        assert method.returns is None
        assert method.critic is None
        assert method.policy_loss in (imitate_oracle, imitate_place, imitate_taken)


def options_of(method: Method) -> dict[str, Any]:
    """Price and anchor of a mixed gradient; nothing for other losses."""
    return dict(inspect.getclosurevars(method.policy_loss).nonlocals)


def test_the_papers_methods_are_pure():
    """Price and anchor are our own additions, and bear names of their own."""
    bought = {
        name
        for name, method in METHODS.items()
        if {"price", "anchor"} & set(filter(options_of(method).get, options_of(method)))
    }
    assert bought == {"drag-dense", "drag-anchored", "drag-exact-anchored", "aggrevate-exact"}
    assert [name for name, method in METHODS.items() if options_of(method).get("weighed") is False] == ["drag-control"]


def test_an_ablation_is_a_method_with_one_thing_changed():
    assert replace(ABLATIONS["dagger-taken"], title="DAgger", policy_loss=imitate_oracle) == METHODS["dagger"]
    assert replace(ABLATIONS["mcpg-root"], title="MCPG", returns=of_tree) == METHODS["mcpg"]


def test_a_dense_critic_is_taken_apart_into_rows_of_one_change_each():
    plain, dense = METHODS["drag-expected"], METHODS["drag-dense"]
    assert plain.critic is not None and dense.critic is not None
    changed = {}
    for name in [name for name in ABLATIONS if name.startswith("drag-expected-")]:
        critic = ABLATIONS[name].critic
        assert critic is not None
        different = [
            field
            for field in ("loss", "trunk", "location_noise")
            if getattr(critic, field) != getattr(plain.critic, field)
        ]
        different += ["price"] if options_of(ABLATIONS[name])["price"] != options_of(plain)["price"] else []
        different += ["entropy"] if name in TUNED else []
        (changed[name],) = different
        assert all(
            getattr(critic, field) == getattr(dense.critic, field) for field in different if hasattr(critic, field)
        )
    assert set(changed.values()) == {"loss", "trunk", "location_noise", "price", "entropy"}


def test_an_unknown_method_is_refused_with_all_names(refused):
    message = refused(method_named, "dragon")
    assert "'dragon'" in message
    assert all(name in message for name in METHODS)


def test_the_oracle_and_returns_are_for_those_whose_setting_has_them():
    for method in METHODS.values():
        assert (method.uses_oracle, method.uses_returns) == ("IL" in method.setting, "RL" in method.setting)
        assert (method.returns is not None) == method.uses_returns


def test_titles_tell_methods_apart():
    titles = [method.title for method in {**METHODS, **ABLATIONS}.values()]
    assert len(set(titles)) == len(titles)
