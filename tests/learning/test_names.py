"""The names of methods, and methods of one's own."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from shapeparse.learning import names
from shapeparse.learning.methods import ABLATIONS, METHODS, Method, method_named
from shapeparse.learning.names import ABLATION_NAMES, METHOD_NAMES, check_method_name, register_method
from shapeparse.learning.settings import TrainSettings


@pytest.fixture(autouse=True)
def unknown_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    registered: dict[str, Method] = {}
    monkeypatch.setattr(names, "REGISTERED", registered)
    monkeypatch.setattr("shapeparse.learning.methods.REGISTERED", registered)
    known = set(names.KNOW_WORTH)
    monkeypatch.setattr(names, "KNOW_WORTH", known)
    monkeypatch.setattr("shapeparse.learning.settings.KNOW_WORTH", known)


def test_the_names_are_those_of_the_table_in_its_order():
    assert tuple(METHODS) == METHOD_NAMES
    assert tuple(ABLATIONS) == ABLATION_NAMES


def test_a_method_of_ones_own_is_known_by_its_name():
    mine = replace(METHODS["dagger"], title="DAgger of mine")
    register_method("mine", mine)
    check_method_name("mine")
    assert method_named("mine") is mine
    assert TrainSettings(method="mine").method == "mine"


def test_who_is_told_the_worth_of_cuts_has_the_teacher_that_knows_it():
    rows = {**METHODS, **ABLATIONS}
    assert {name for name, method in rows.items() if method.knows_worth} == names.KNOW_WORTH & rows.keys()
    register_method("mine", METHODS["drag-exact"])
    assert TrainSettings("mine").teacher == TrainSettings("drag-exact").teacher == "optimal"
    register_method("mine", METHODS["dagger"])
    assert TrainSettings("mine").teacher == "igm"


@pytest.mark.parametrize("name", ["drag", "mcpg-root"])
def test_ours_stay_ours(name):
    with pytest.raises(ValueError, match="is a method of shapeparse"):
        register_method(name, METHODS["bc"])


def test_an_unknown_name_is_answered_with_close_ones(refused):
    register_method("mine", METHODS["bc"])
    assert "did you mean dagger" in refused(check_method_name, "dager")
    assert "mine" in refused(check_method_name, "zzz")


def test_names_and_settings_are_known_without_loading_pytorch():
    code = "import sys, shapeparse.learning.names, shapeparse.learning.settings; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
