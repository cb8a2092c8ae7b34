"""Facts of the machine for results files: what matters, and nothing private."""

from __future__ import annotations

import getpass
import json
import os
import platform
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from shapeparse.support import machine


def test_facts_name_date_machine_and_versions():
    facts = machine.facts("pytest")
    assert date.fromisoformat(facts["date"]) <= date.today()
    assert facts["machine"]["cores"] == os.cpu_count()
    assert facts["versions"]["python"] == platform.python_version()
    assert facts["versions"]["pytest"] == version("pytest")
    assert {"shapeparse", "torch", "numpy", "numba"} <= set(facts["versions"])


def test_facts_hold_no_paths_and_no_names_and_fit_into_json():
    text = json.dumps(machine.facts())
    assert str(Path.home()) not in text
    assert platform.node() not in text or platform.node() in platform.system()
    assert getpass.getuser() == "root" or getpass.getuser() not in text


def test_the_processor_has_a_name_even_where_the_system_does_not_tell(monkeypatch):
    assert machine.cpu_model()

    def missing(*_: object) -> str:
        raise OSError

    monkeypatch.setattr(Path, "read_text", missing)
    assert machine.cpu_model() == (platform.processor() or platform.machine())


def test_the_first_model_name_of_the_system_is_taken(monkeypatch):
    monkeypatch.setattr(Path, "read_text", lambda _: "cores : 2\nmodel name\t: Brain: 3000\nmodel name\t: Other\n")
    assert machine.cpu_model() == "Brain: 3000"


def test_a_package_that_is_not_there_is_an_error():
    with pytest.raises(PackageNotFoundError):
        machine.facts("no-such-package-anywhere")
