"""Bars, waits that are explained, and tables."""

from __future__ import annotations

import pytest

from shapeparse.support import progress


def test_a_bar_passes_everything_through_and_is_silent_when_piped(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(progress.bar("Counting")(range(5))) == [0, 1, 2, 3, 4]
    assert capsys.readouterr() == ("", "")


def test_a_wait_is_explained_once_and_only_if_it_comes(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.waiting("Waiting"):
        pass
    assert capsys.readouterr() == ("", "")
    with progress.waiting("Waiting") as begin:
        begin()
        begin()
    assert capsys.readouterr() == ("", "Waiting\n")


def test_a_table_is_aligned_text(capsys: pytest.CaptureFixture[str]) -> None:
    progress.print_table(("name", "share"), [("a", "1.00 %"), ("long name", "10.00 %")], footer=("mean", "5.50 %"))
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == ["name         share", "a           1.00 %", "long name  10.00 %", "mean        5.50 %"]


def test_complaints_and_notes_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    progress.complain("It is empty.")
    progress.note("Take care.")
    assert capsys.readouterr() == ("", "shapeparse: It is empty.\nTake care.\n")


def test_names_are_printed_as_they_are_and_never_cut(capsys: pytest.CaptureFixture[str]) -> None:
    progress.print_table(("name",), [("[bold]" + "x" * 500,)])
    assert "[bold]" + "x" * 500 in capsys.readouterr().out


def test_tables_show_shares_with_two_digits() -> None:
    assert progress.percent(0.96345) == "96.34 %"
