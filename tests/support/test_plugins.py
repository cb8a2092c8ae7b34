"""Code from outside: imported when the user asks, once, and refused in one sentence."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from shapeparse.support import plugins


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is imported here is unknown afterwards."""
    monkeypatch.setattr(plugins, "IMPORTED", [])
    monkeypatch.setattr(sys, "modules", dict(sys.modules))


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A file that counts how often it was run."""
    path = tmp_path / "plugin_of_a_test.py"
    path.write_text("from pathlib import Path\nlog = Path(__file__ + '.log')\nwith log.open('a') as f: f.write('x')\n")
    return path


def runs(plugin: Path) -> int:
    return len(Path(f"{plugin}.log").read_text())


def test_a_file_is_imported_by_its_path_and_once_only(plugin):
    plugins.import_plugin(str(plugin))
    plugins.import_plugin(str(plugin))
    assert runs(plugin) == 1
    assert sys.modules["plugin_of_a_test"].__file__ == str(plugin)


def test_a_module_is_imported_by_its_name(plugin, monkeypatch):
    monkeypatch.syspath_prepend(str(plugin.parent))
    plugins.import_plugin("plugin_of_a_test")
    assert runs(plugin) == 1


def test_what_was_asked_for_is_noted_once_for_other_processes(plugin):
    for name in (str(plugin), "json", str(plugin)):
        plugins.import_plugin(name)
    assert [str(plugin), "json"] == plugins.IMPORTED


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("nowhere.py", None),
        ("no_such_module_anywhere", None),
        ("folder.py", "a folder"),
        ("broken.py", "def"),
        ("greedy.py", "import no_such_module_anywhere"),
    ],
)
def test_what_cannot_be_imported_is_refused_and_not_noted(tmp_path, refused, name, content):
    path = tmp_path / name
    if content == "a folder":
        path.mkdir()
    elif content is not None:
        path.write_text(content)
    message = refused(plugins.import_plugin, str(path) if name.endswith(".py") else name)
    assert "give a module or a .py file" in message
    assert plugins.IMPORTED == []
