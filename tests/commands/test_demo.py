"""``shapeparse demo``: everything it writes is there, and its page stands alone."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from shapeparse.commands.demo import WRITTEN
from shapeparse.support.files import kind_of

from .conftest import QUICK, Result

Cli = Callable[..., Result]
pytestmark = pytest.mark.usefixtures("tiny")


@pytest.fixture
def demo(demo_once: tuple[Path, str], tmp_path: Path) -> Path:
    return Path(shutil.copytree(demo_once[0], tmp_path / "demo"))


def test_the_demo_learns_and_prints_what_was_learned_beside_the_oracle(demo_once: tuple[Path, str]) -> None:
    heading, *rows = demo_once[1].splitlines()[:5]
    assert heading.startswith("mean over 1 held-out photograph ")
    names = ("majority label", "DRAG, dense and anchored", "oracle, sees the mask", "oracle with lookahead")
    assert [row.startswith(name) for row, name in zip(rows, names, strict=True)] == [True] * 4
    assert max(map(len, [heading, *rows])) <= 80


def test_the_demo_writes_data_run_trees_figures_and_a_page_that_stands_alone(
    demo: Path, demo_once: tuple[Path, str]
) -> None:
    written = (
        "data/masks/0002.png", "decomposed/0000.svg", "derivation.svg", "comparison.png", "held-out.png",
        "run/model.safetensors", "parsed/summary.json", "evaluation.json", "report.html",
    )  # fmt: skip
    for name in written:
        assert (demo / name).stat().st_size > 0
    assert all(kind_of(demo / name) for name in WRITTEN)
    page = (demo / "report.html").read_text()
    sources = re.findall(r'(?:src|href)="([^"]{0,20})', page)
    assert sources
    assert all(source.startswith("data:image/") for source in sources)
    assert "prefers-color-scheme: dark" in page
    assert 'name="viewport"' in page
    assert page.count("<img") == page.count('alt="') == 3 + 3 + 6
    assert "DRAG, dense and anchored" in page
    assert str(demo_once[0].parent) not in page


def test_held_out_photographs_were_not_learned_from(demo: Path) -> None:
    data = json.loads((demo / "run" / "config.json").read_text())["data"]
    held_out = json.loads((demo / "evaluation.json").read_text())["names"]
    assert held_out == data["test"]
    assert not set(held_out) & {*data["train"], *data["validation"]}
    assert {path.stem for path in (demo / "parsed").glob("*.png")} == set(held_out)


def test_the_other_commands_go_on_from_the_demo(cli: Cli, demo: Path) -> None:
    assert "1 photograph held out" in cli("evaluate", demo / "run").out
    words = ("--model", demo / "run", "--out", demo / "mine", "--formats", "json")
    assert cli("parse", demo / "data" / "images", *words).code == 0


def test_the_demo_can_be_repeated_and_leaves_other_files_alone(cli: Cli, demo: Path) -> None:
    before = json.loads((demo / "evaluation.json").read_text())
    for folder in ("run", "parsed", "."):
        (demo / folder / "notes.txt").write_text("mine")
    assert cli("demo", "--out", demo, *QUICK).code == 0
    assert json.loads((demo / "evaluation.json").read_text()) == before
    assert cli("demo", "--out", demo, *QUICK, "--method", "bc", "--seed", 3).code == 0
    data = json.loads((demo / "run" / "config.json").read_text())["data"]
    assert {path.stem for path in (demo / "parsed").glob("*.png")} == set(data["test"])
    assert "Behaviour cloning" in (demo / "report.html").read_text()
    assert all((demo / folder / "notes.txt").read_text() == "mine" for folder in ("run", "parsed", "."))


@pytest.mark.parametrize("config", ['{"format": "shapeparse-run"}', "[]", "not JSON", None])
def test_a_run_that_the_demo_did_not_make_is_kept(cli: Cli, tmp_path: Path, config: str | None) -> None:
    run = tmp_path / "demo" / "run"
    run.mkdir(parents=True)
    (run / "model.safetensors").write_text("a week of work")
    if config is not None:
        (run / "config.json").write_text(config)
    result = cli("demo", "--out", tmp_path / "demo", *QUICK)
    assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
    assert (run / "model.safetensors").read_text() == "a week of work"
    assert not (tmp_path / "demo" / "data").exists()


@pytest.mark.parametrize("option", ["--count=3", "--method=magic", "--minutes=0", "--minutes=nan", "--seed=-1"])
def test_senseless_options_are_refused_before_anything_is_made(cli: Cli, tmp_path: Path, option: str) -> None:
    result = cli("demo", "--out", tmp_path / "demo", option)
    assert (result.code, len(result.sentences)) == (2, 1)
    assert not (tmp_path / "demo").exists()


def test_the_demo_refuses_an_output_that_is_a_file(cli: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("mine")
    result = cli("demo", "--out", tmp_path / "demo")
    assert (result.code, len(result.sentences)) == (2, 1)


def test_files_of_somebody_else_are_kept(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("<!doctype html>\nmine")
    result = cli("demo", "--out", tmp_path, *QUICK)
    assert "report.html is another kind of file" in result.sentences[0]
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
