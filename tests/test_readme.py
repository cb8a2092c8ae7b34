"""What the README and the page on training show works when it is typed, and figures are those of the files."""

from __future__ import annotations

import importlib
import re
import shlex
from pathlib import Path

import pytest

from shapeparse.commands import cli
from shapeparse.data import source
from shapeparse.learning.methods import METHODS
from shapeparse.networks.presets import OURS

REPOSITORY = Path(__file__).resolve().parents[1]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


TRAINING = (REPOSITORY / "docs" / "training.md").read_text(encoding="utf-8")
PAGES = {"README.md": README, "docs/training.md": TRAINING}


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGES[page], re.DOTALL)


@pytest.mark.usefixtures("tiny_presets")
@pytest.mark.parametrize("page", PAGES)
def test_commands_and_python_work_in_their_order(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With tiny networks, trained for a second instead of minutes on fewer photographs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(source, "BUILT_IN_COUNT", 66)
    commands = [line for block in blocks(page, "sh") for line in block.splitlines()]
    assert commands
    for command in commands:
        quick = re.sub(r"--minutes \d+", "--minutes 0.02", command).replace("--count 60", "--count 12")
        program, *words = shlex.split(quick)
        assert program == "shapeparse"
        assert cli.main(words) == 0, command
    [code] = blocks(page, "python")
    exec(compile(code, page, "exec"), {})


@pytest.mark.usefixtures("tiny_presets")
def test_the_python_of_the_tour_plans_a_door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [code] = blocks("README.md", "python")
    exec(compile(code, "README.md", "exec"), {})
    assert (tmp_path / "door.gcode").stat().st_size > 0


def test_the_page_on_training_lists_every_method_and_preset_and_no_other() -> None:
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.+?) \|", TRAINING, re.MULTILINE))
    assert {name: rows.get(name) for name in METHODS} == {name: method.title for name, method in METHODS.items()}
    assert set(rows) - {"--method", "--preset"} == {*METHODS, *OURS}


@pytest.mark.parametrize("page", [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))], ids=str)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_results_are_those_of_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY / "benchmarks"))
    script = importlib.import_module("readme_results")
    for page in script.PAGES:
        text = page.read_text(encoding="utf-8")
        assert script.with_all_results(page) == text, "run `python benchmarks/readme_results.py`"
