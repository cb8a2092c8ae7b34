"""What the README shows works when it is typed, and its figures are those of the files."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest

from shapeparse import cli

REPOSITORY = Path(__file__).resolve().parents[1]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_commands_of_the_tour_work_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    assert commands
    for command in commands:
        program, *words = shlex.split(command)
        assert program == "shapeparse"
        assert cli.main(words) == 0


def test_the_python_of_the_tour_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [code] = blocks("python")
    exec(compile(code, "README.md", "exec"), {})
    assert (tmp_path / "door.png").stat().st_size > 0


@pytest.mark.parametrize("page", [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))], ids=str)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_results_are_those_of_the_file() -> None:
    script = _script("readme_results")
    assert script.with_results(README, script.section(script.read_result())) == README, (
        "run `python benchmarks/readme_results.py`"
    )


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
