"""The command line as a whole: help, version, typos, interrupts, and how quickly it starts."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

import shapeparse
from shapeparse.commands import cli


def test_help_fits_a_terminal_and_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    for command in cli.COMMANDS:
        assert command.words in text


def test_no_words_at_all_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    assert "commands:" in capsys.readouterr().out


def test_a_group_lists_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["data"]) == 0
    text = capsys.readouterr().out
    assert "data make" in text
    assert "decompose" not in text


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"shapeparse {shapeparse.__version__}\n"


@pytest.mark.parametrize("command", cli.COMMANDS, ids=lambda command: command.words)
def test_every_command_has_help_with_examples_that_are_its_own(
    command: cli.Command, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main([*command.words.split(), "--help"])
    assert end.value.code in (0, None)
    text = capsys.readouterr().out
    assert f"shapeparse {command.words}" in text.split("examples:")[1]
    assert all(len(line) <= 80 for line in text.splitlines() if not line.startswith("usage"))


def test_an_options_help_has_no_line_breaks_of_its_docstring(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    with pytest.raises(SystemExit):
        cli.main(["train", "--help"])
    assert "With --minutes or --epochs, a complete run is trained on." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("decompse", "decompose"), ("data mkae", "data make"), ("check", "data check"), ("xyzzy", "shapeparse --help")],
)
def test_a_typo_is_one_sentence_with_a_hint(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(typed.split()) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    assert f"`{meant}`" in output.err


def test_a_wrong_option_is_refused_with_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["data", "make", "--out", "x", "--cuont", "3"]) == 2
    assert "--count" in capsys.readouterr().err


def test_ctrl_c_ends_with_130_and_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(words: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_dispatch", interrupted)
    assert cli.main(["demo"]) == 130
    assert capsys.readouterr().err == "shapeparse: stopped.\n"


def test_a_bug_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(words: list[str]) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "_dispatch", broken)
    with pytest.raises(ZeroDivisionError):
        cli.main(["demo"])


def test_help_starts_quickly_because_it_loads_nothing_heavy() -> None:
    heavy = ("torch", "numba", "matplotlib", "PIL", "tyro", "rich")
    script = (
        "import sys, shapeparse.commands.cli as cli; cli.main(['--help']);"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


def test_the_help_of_a_command_loads_neither_torch_nor_numba() -> None:
    modules = [command.module for command in cli.COMMANDS if command.module != "paint"]
    imports = ", ".join(f"shapeparse.commands.{module}" for module in modules)
    script = f"import sys, {imports}; print([name for name in ('torch', 'numba', 'matplotlib') if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_the_process_ends_with_the_exit_code_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = gc.get_threshold()
    try:
        monkeypatch.setattr(sys, "argv", ["shapeparse", "nonsense"])
        assert cli.process() == 2
    finally:
        gc.unfreeze()
        gc.set_threshold(*usual)


def test_trees_alone_need_neither_torch_nor_matplotlib() -> None:
    script = (
        "import sys, shapeparse.commands.decompose, shapeparse.commands.data_check, shapeparse.commands.data_make;"
        "print([name for name in ('torch', 'matplotlib') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_a_reader_that_leaves_early_is_no_error() -> None:
    script = f"{sys.executable} -m shapeparse --help | true"
    result = subprocess.run(script, shell=True, capture_output=True, text=True, check=True)
    assert result.stderr == ""
