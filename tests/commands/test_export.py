"""``shapeparse export``: a parser as one ONNX file; tests/parsing/test_onnx_file.py holds it against the original."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from shapeparse import Parser, load
from shapeparse.parsing import onnx_file

from .conftest import Result, Trained

Cli = Callable[..., Result]


def test_the_parser_of_the_run_is_exported(cli: Cli, trained: Trained, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Parser] = []

    def write(parser: Parser, path: Path) -> None:
        written.append(parser)
        path.write_bytes(bytes(1_500_000))

    monkeypatch.setattr(onnx_file, "export_onnx", write)
    result = cli("export", "run", "--onnx", "parser.onnx")
    assert (result.code, result.sentences) == (0, [])
    assert result.out == "The parser is in parser.onnx (1.5 MB).\n"
    assert written[0].parse("photos/images/0000.jpg") == load("run").parse("photos/images/0000.jpg")


def test_a_name_that_would_not_be_known_again_is_refused(cli: Cli, trained: Trained) -> None:
    result = cli("export", "run", "--onnx", "parser.bin")
    assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
    assert "does not end in .onnx" in result.err
    assert not Path("parser.bin").exists()


def test_a_folder_that_is_no_run_is_refused(cli: Cli, tmp_path: Path) -> None:
    result = cli("export", tmp_path, "--onnx", tmp_path / "parser.onnx")
    assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
