"""Options that several commands have: they mean the same everywhere."""

from __future__ import annotations

import typing

from shapeparse.commands import decompose, parse
from shapeparse.commands.options import FORMATS, Format


def test_what_can_be_written_is_what_is_written_by_default() -> None:
    assert typing.get_args(Format) == FORMATS
    assert parse.Args.formats == decompose.Args.formats == FORMATS
