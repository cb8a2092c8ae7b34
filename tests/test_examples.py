"""The examples: a method and a network from outside the package go through training, evaluation, parsing and a small
benchmark."""

from __future__ import annotations

import json
import subprocess
import sys
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


@pytest.mark.parametrize(
    ("name", "benchmark"),
    [("own_method", ("--methods", "focal-dagger", "bc")), ("own_network", ("--methods", "bc", "--preset", "tiny"))],
)
def test_an_example_goes_all_the_way(name: str, benchmark: tuple[str, ...], photos: Path, tmp_path: Path) -> None:
    example = EXAMPLES / f"{name}.py"
    if name == "own_method":
        assert len(example.read_text().splitlines()) < 40
    said = ran(example, photos, "run", cwd=tmp_path)
    assert "of the pixels right" in said and "ParseTree of '0000.jpg'" in said
    cli = ("-m", "shapeparse", "--import", example)
    assert json.loads(ran(*cli, "evaluate", "run", "--json", cwd=tmp_path))["images"] == 8
    ran(*cli, "parse", photos / "images" / "0001.jpg", "--model", "run", "--out", "parsed", cwd=tmp_path)
    assert (tmp_path / "parsed" / "0001.json").exists()
    ran(*cli, "benchmark", "--data", photos, "--folds", 1, "--epochs", 1, "--out", "table", *benchmark, cwd=tmp_path)
    rows = {run["row"] for run in json.loads((tmp_path / "table" / "results.json").read_text())["runs"]}
    assert rows == set(benchmark[1:]) - {"--preset", "tiny"}


def test_a_parser_with_a_network_from_outside_says_how_to_load_it(photos: Path, tmp_path: Path) -> None:
    ran(EXAMPLES / "own_network.py", photos, "run", cwd=tmp_path)
    words = [sys.executable, "-m", "shapeparse", "evaluate", "run"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "encoder 'tiny-encoder' is not part of shapeparse" in done.stderr and "--import" in done.stderr
