"""Absurd numbers for every option of every command that takes one: one sentence each, and exit code 2."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest
from PIL import Image

from shapeparse import decompose
from shapeparse.commands.cli import COMMANDS
from shapeparse.data.generator import write_dataset

from .conftest import Result

Cli = Callable[..., Result]

ABSURD = ("-1", "nan", "-inf", "1e30", "1" + 30 * "0", "many")
BESIDE: dict[str, tuple[str, ...]] = {
    "demo": ("--count", "6", "--size", "32"),
    "decompose": ("mask.png",),
    "train": ("--data", "photos", "--out", "run", "--preset", "fast", "--method", "bc"),
    "parse": ("photos/images", "--html"),
    "paint": ("mask.png", "--out", "plans"),
    "rectify": ("photos/images", "--corners", "1,1", "30,1", "30,30", "1,30", "--size", "60x60mm", "--out", "flat"),
    "serve": (),
    "label": ("photos/images",),
    "edit": ("tree.json",),
    "benchmark": ("--data", "photos", "--out", "table", "--methods", "lines"),
    "data make": ("--out", "made"),
    "data check": ("photos",),
}
"""What else a command needs to be given, to be refused for its number alone."""
LENGTHS = ("brush", "margin", "smallest-island", "smallest-segment", "overrun", "lead-in", "lead-out", "approach")
"""Options of ``paint`` that are numbers with units."""
OTHER_NAMES = {"teacher-price": "price"}


def takes_numbers(hint: Any) -> bool:
    return hint in (int, float) or any(takes_numbers(part) for part in get_args(hint))


def numeric(args: type, prefix: str = "") -> Iterator[str]:
    for name, hint in get_type_hints(args).items():
        if is_dataclass(hint) and isinstance(hint, type):
            yield from numeric(hint, f"{prefix}{name}.")
        elif takes_numbers(hint) and name in {entry.name for entry in fields(args)}:
            option = name.replace("_", "-")
            yield prefix + OTHER_NAMES.get(option, option)


def options() -> Iterator[tuple[str, str]]:
    for command in COMMANDS:
        module = importlib.import_module(f"shapeparse.commands.{command.module}")
        for option in (*numeric(module.Args), *(LENGTHS if command.words == "paint" else ())):
            yield command.words, option


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    write_dataset(folder / "photos", 3, 0, 32)
    mask = np.eye(16, dtype=bool)
    Image.fromarray(mask.astype(np.uint8) * 255).save(folder / "mask.png")
    decompose(mask).save(folder / "tree.json")
    return folder


@pytest.mark.parametrize(("command", "option"), list(options()))
def test_an_absurd_number_is_one_sentence(
    cli: Cli, inputs: Path, monkeypatch: pytest.MonkeyPatch, command: str, option: str
) -> None:
    monkeypatch.chdir(inputs)
    before = set(inputs.rglob("*"))
    for value in ABSURD:
        result = cli(*command.split(), *BESIDE[command], f"--{option}", value)
        said = [line for line in result.err.splitlines() if "pretrained parser is used" not in line]
        assert (result.code, result.out, len(said)) == (2, "", 1), (value, result)
        assert said[0].startswith("shapeparse: ") and said[0].endswith("."), said
        assert set(inputs.rglob("*")) == before, value


def test_every_command_with_a_number_is_asked() -> None:
    assert {command for command, _ in options()} == set(BESIDE)
