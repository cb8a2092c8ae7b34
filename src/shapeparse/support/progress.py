"""What a person sees while a command works, and how its results are printed.

Results go to standard output, everything else to standard error. On a terminal there are bars and colours; piped or
redirected, tables are plain aligned text that is never cut, and bars are silent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:  # Rich is imported where it is used: bars are for terminals, and most commands have no table
    from rich.console import Console

_WIDE = 10_000
"""Columns of a console that is not a terminal: nothing there needs to be folded."""


def output() -> Console:
    """The console for results: standard output."""
    return _console(sys.stdout)


def errors() -> Console:
    """The console for progress and complaints: standard error."""
    return _console(sys.stderr)


def bar(description: str, total: int | None = None) -> Callable[[Iterable[Any]], Iterable[Any]]:
    """A function that passes items through and shows how many there were: a bar on a terminal, else nothing.

    How many there will be need not be said of items that know their number.
    """

    def follow(items: Iterable[Any]) -> Iterable[Any]:
        if not sys.stderr.isatty():
            yield from items
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = errors()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True) as progress:
            yield from progress.track(items, total, description=description)

    return follow


@contextmanager
def waiting(message: str) -> Iterator[Callable[[], None]]:
    """A function that tells the user, once, why there is a wait until the end of the block."""
    with ExitStack() as stack:
        told = False

        def tell() -> None:
            nonlocal told
            if not told and sys.stderr.isatty():
                stack.enter_context(errors().status(message))
            elif not told:
                note(message)
            told = True

        yield tell


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], footer: Sequence[str] = ()) -> None:
    """Print a table: the first column is text, the others are numbers."""
    from rich.table import Table

    console = output()
    table = Table(
        box=None,
        show_footer=bool(footer),
        header_style="bold",
        footer_style="bold",
        padding=(0, 2, 0, 0),
        pad_edge=False,
    )
    for place, heading in enumerate(columns):
        end = footer[place] if footer else ""
        table.add_column(heading, end, justify="right" if place else "left", no_wrap=place > 0, overflow="fold")
    for row in rows:
        table.add_row(*row)
    console.print(table)


def complain(sentence: str) -> None:
    """Say on standard error what is wrong with something the user gave."""
    print(f"shapeparse: {sentence}", file=sys.stderr)


def note(sentence: str) -> None:
    """Say on standard error what the user should know, though nothing is wrong."""
    print(sentence, file=sys.stderr)


def percent(share: float) -> str:
    """A share between 0 and 1 as tables show it."""
    return f"{100 * share:.2f} %"


def _console(stream: IO[str]) -> Console:
    """Names from outside are printed as they are: ``[bold]`` in a file name is no instruction."""
    from rich.console import Console

    terminal = stream.isatty()
    return Console(file=stream, markup=False, highlight=False, emoji=False, width=None if terminal else _WIDE)
