"""The table of methods: the paper's Table 2, and nothing that a setting forbids."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shapeparse.learning.methods import ABLATIONS, METHODS, method_named

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
    has_critic = method.critic in ("action", "backup", "dense")
    assert (method.setting, method.split_policy, has_critic) == TABLE_2[name]


@pytest.mark.parametrize("name", [*METHODS, *ABLATIONS])
def test_a_method_asks_for_no_more_than_its_setting_allows(name):
    method = method_named(name)
    if method.setting == "RL":
        assert method.roll_in == "learner"
        assert method.returns == "own"
        assert not method.anchor
        assert method.critic not in ("action", "dense")
    if method.setting == "IL":
        assert method.returns == "none"
        assert method.critic == "none"
        assert method.actor == "imitation"


def test_the_papers_methods_are_pure():
    """Price and anchor are our own additions, and bear names of their own."""
    assert {name for name, method in METHODS.items() if method.price or method.anchor} == set(METHODS) - set(TABLE_2)


def test_an_ablation_is_a_method_with_one_thing_changed():
    assert replace(ABLATIONS["dagger-taken"], title="DAgger", imitates="oracle") == METHODS["dagger"]
    assert replace(ABLATIONS["mcpg-root"], title="MCPG", credit="node") == METHODS["mcpg"]


def test_an_unknown_method_is_refused_with_all_names(refused):
    message = refused(method_named, "dragon")
    assert "'dragon'" in message
    assert all(name in message for name in METHODS)
