"""The layers of the package: what the folder listing promises, import-linter checks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
SOURCES = REPOSITORY / "src" / "shapeparse"


def test_the_root_of_the_package_shows_the_architecture() -> None:
    entries = [path for path in SOURCES.iterdir() if path.name != "__pycache__"]
    assert len(entries) <= 20
    assert sum(path.is_dir() for path in entries) > len(entries) / 2


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("layers")
    shutil.copytree(SOURCES, folder / "src" / "shapeparse", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "pyproject.toml", folder)
    return folder


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    words = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_lower_layers_do_not_import_higher_ones(copied: Path) -> None:
    done = lint(copied)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("grammar/rules.py", "from ..parsing import load"),
        ("parsing/parser.py", "from ..learning import methods"),
        ("oracle/igm.py", "from .. import __version__"),
    ],
)
def test_an_import_of_a_higher_layer_is_noticed(copied: Path, module: str, line: str) -> None:
    path = copied / "src" / "shapeparse" / module
    before = path.read_text()
    path.write_text(f"{before}\n{line}\n")
    try:
        assert lint(copied).returncode == 1
    finally:
        path.write_text(before)


def test_every_module_has_a_test_file_of_its_name() -> None:
    quiet = {"__init__.py", "__main__.py", "version.py"}
    modules = [path.relative_to(SOURCES) for path in SOURCES.rglob("*.py") if path.name not in quiet]
    missing = [
        str(path) for path in modules if not (REPOSITORY / "tests" / path.with_name(f"test_{path.name}")).exists()
    ]
    assert not missing
