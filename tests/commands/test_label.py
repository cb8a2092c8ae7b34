"""The command: what is refused before anything is served."""

from __future__ import annotations

from pathlib import Path

import pytest

from shapeparse.commands.cli import main


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["none"], "does not exist"), (["empty"], "no photograph"), (["empty", "--every", "1"], "give from 2"),
        (["empty", "--host", "0.0.0.0"], "--public"), (["empty", "--preset", "bes"], "did you mean best"),
        (["empty", "--model", "nowhere"], "nowhere"),
    ],
)  # fmt: skip
def test_what_cannot_be_labelled_is_one_sentence(
    tmp_path: Path, words: list[str], sentence: str, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    assert main(["label", *words, "--port", "0"]) == 2
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") == 1
