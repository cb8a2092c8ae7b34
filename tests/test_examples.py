"""The examples: a method and a network from outside the package go through training, evaluation, parsing and a small
benchmark."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from shapeparse.data.generator import write_dataset

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples") / "photos"
    write_dataset(folder, count=8, seed=0, size=64)
    return folder


def ran(*words: object, cwd: Path) -> str:
    done = subprocess.run([sys.executable, *map(str, words)], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def trained(photos: Path) -> Callable[[str], Path]:
    """A function that runs an example, once, and answers the folder it ran in."""

    @cache
    def run(name: str) -> Path:
        folder = photos.parent / name
        folder.mkdir()
        said = ran(EXAMPLES / f"{name}.py", photos, "run", cwd=folder)
        assert "of the pixels right" in said and "ParseTree of '0000.jpg'" in said
        return folder

    return run


@pytest.mark.parametrize(
    ("name", "benchmark"),
    [("own_method", ("--methods", "focal-dagger")), ("own_network", ("--methods", "bc", "--preset", "tiny"))],
)
def test_an_example_goes_all_the_way(
    name: str, benchmark: tuple[str, ...], photos: Path, trained: Callable[[str], Path]
) -> None:
    folder, example = trained(name), EXAMPLES / f"{name}.py"
    if name == "own_method":
        assert len(example.read_text().splitlines()) < 40
    cli = ("-m", "shapeparse", "--import", example)
    assert json.loads(ran(*cli, "evaluate", "run", "--json", cwd=folder))["images"] == 8
    ran(*cli, "parse", photos / "images" / "0001.jpg", "--model", "run", "--out", "parsed", cwd=folder)
    assert (folder / "parsed" / "0001.json").exists()
    ran(*cli, "benchmark", "--data", photos, "--folds", 1, "--epochs", 1, "--out", "table", *benchmark, cwd=folder)
    rows = {run["row"] for run in json.loads((folder / "table" / "results.json").read_text())["runs"]}
    assert rows == set(benchmark[1:]) - {"--preset", "tiny"}


def test_a_parser_with_a_network_from_outside_says_how_to_load_it(trained: Callable[[str], Path]) -> None:
    words = [sys.executable, "-m", "shapeparse", "evaluate", "run"]
    done = subprocess.run(words, cwd=trained("own_network"), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "encoder 'tiny-encoder' is not part of shapeparse" in done.stderr and "--import" in done.stderr
