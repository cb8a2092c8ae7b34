"""The command line: the table of commands, and what becomes of errors.

A command is a module of ``shapeparse.commands`` with a frozen dataclass ``Args`` (its docstring and its fields' are
the help), a text ``EXAMPLES``, and ``run(args) -> int``, the exit code. Only the chosen command's module is imported,
so a command may import what it likes without slowing down the others.
"""

from __future__ import annotations

import contextlib
import difflib
import gc
import importlib
import inspect
import io
import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..support.errors import UserError
from ..support.plugins import import_plugin
from ..support.version import __version__
from .complaints import complaint

DESCRIPTION = """\
Decompose the picture of an object into few labelled rectangles: paint or skip."""

EXAMPLES = """\
  shapeparse demo                                  see everything at once
  shapeparse parse photo.jpg                       rectangles of a photograph
  shapeparse decompose mask.png --out rectangles   your own mask, as rectangles
  shapeparse data check photos                     is my data sound?
  shapeparse train --data photos --out run         learn from it
  shapeparse parse new.jpg --model run --out out   and use what was learned"""

ENDING = """\
before the command:
  --import MODULE   import a module, or a .py file, that registers methods or
                    networks of your own

exit codes:
  0 all is well; 2 something given cannot be used, and a sentence says what and
  why; 130 stopped with Ctrl-C

`shapeparse COMMAND --help` explains a command."""


class Command(NamedTuple):
    """A row of the table of commands."""

    words: str
    """What the user types."""
    module: str
    """The module of ``shapeparse.commands``."""
    summary: str
    """One line for the list of commands."""


COMMANDS = (
    Command("demo", "demo", "make data, learn from it, and write a page with pictures"),
    Command("decompose", "decompose", "turn masks into few labelled rectangles"),
    Command("train", "train", "learn a parser from photographs with masks"),
    Command("evaluate", "evaluate", "hold a trained parser against masks and the oracle"),
    Command("parse", "parse", "decompose photographs with a trained parser"),
    Command("rectify", "rectify", "show photographs taken at an angle from the front"),
    Command("paint", "paint", "plan a robot's strokes, and write them in its format"),
    Command("serve", "serve", "explore photographs, rectangles and strokes in the browser"),
    Command("label", "label", "label photographs in the browser while a parser learns"),
    Command("edit", "edit", "correct one tree in the browser"),
    Command("export", "export", "write a trained parser as an ONNX file"),
    Command("benchmark", "benchmark", "compare all methods and their peers on one dataset"),
    Command("data make", "data_make", "write photographs with masks, made by the built-in generator"),
    Command("data convert", "data_convert", "masks between a folder, COCO and Label Studio"),
    Command("data check", "data_check", "read a dataset, and say what it holds and what is wrong with it"),
)


def process() -> int:
    """The command line as a process of its own.

    To look for garbage among freshly imported modules, and once more when the process ends, would take much of a short
    command's time: so it is looked for rarely, and not at the end.
    """
    gc.set_threshold(50_000, 20, 20)
    try:
        return main()
    finally:
        gc.freeze()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a letter shows "?", and nothing breaks
            stream.reconfigure(errors="replace")
    try:
        code = _dispatch(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
        return code
    except UserError as error:
        print(f"shapeparse: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("shapeparse: stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader (`| head`) has seen enough; Python's own flush at exit must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _dispatch(words: list[str]) -> int:
    while words[:1] == ["--import"]:
        if len(words) < 2:
            raise UserError("--import needs the name of a module or of a .py file behind it.")
        import_plugin(words[1])
        words = words[2:]
    if not words or words[0] in ("-h", "--help", "help"):
        print(_help())
        return 0
    if words[0] in ("-V", "--version"):
        print(f"shapeparse {__version__}")
        return 0
    for command in COMMANDS:
        length = len(command.words.split())
        if words[:length] == command.words.split():
            return _run(command, words[length:])
    group = f"{words[0]} "
    if any(command.words.startswith(group) for command in COMMANDS) and words[1:2] in ([], ["-h"], ["--help"]):
        print(_help(group))
        return 0
    raise UserError(_unknown(words))


def _run(command: Command, rest: list[str]) -> int:
    import tyro

    module: Any = importlib.import_module(f".{command.module}", __package__)

    def parsed(**default: Any) -> Any:
        said = io.StringIO()
        try:
            with contextlib.redirect_stderr(said), _joined_help_lines():
                return tyro.cli(
                    module.Args,
                    prog=f"shapeparse {command.words}",
                    description=_description(inspect.getdoc(module.Args) or "", module.EXAMPLES.strip("\n")),
                    args=rest,
                    config=(tyro.conf.FlagCreatePairsOff,),
                    **default,
                )
        except SystemExit as stop:
            if stop.code:
                raise UserError(complaint(said.getvalue(), command.words)) from stop
            raise

    args = parsed()
    if hasattr(module, "usual"):  # what the other options are when not given depends on some of them
        args = parsed(default=module.usual(args))
    return int(module.run(args))


@contextlib.contextmanager
def _joined_help_lines() -> Iterator[None]:
    """Tyro begins a new line where a field's docstring does, because the docstring's indentation is left in it."""
    try:
        import docstring_parser
    except ImportError:  # a tyro that reads docstrings in another way
        yield
        return
    as_written: Any = docstring_parser.parse_from_object

    def without_indentation(*documented: Any) -> docstring_parser.Docstring:
        found: docstring_parser.Docstring = as_written(*documented)
        for field in found.params:
            field.description = field.description and inspect.cleandoc(field.description)
        return found

    docstring_parser.parse_from_object = without_indentation  # type: ignore[assignment]
    try:
        yield
    finally:
        docstring_parser.parse_from_object = as_written


def _description(text: str, examples: str) -> str:
    """A command's help above its options. Tyro joins lines unless they are indented, so all but the first one is."""
    first, _, rest = text.partition("\n\n")
    body = [textwrap.indent(textwrap.fill(part, 76), "  ") for part in rest.split("\n\n") if part]
    return "\n".join([first, *body]) + f"\n\nexamples:\n{examples}"


def _help(group: str = "") -> str:
    rows = [command for command in COMMANDS if command.words.startswith(group)]
    width = max(len(command.words) for command in rows)
    listed = "\n".join(f"  {command.words:<{width}}   {command.summary}" for command in rows)
    usage = f"usage: shapeparse {group}COMMAND [OPTIONS]"
    if group:
        return f"{usage}\n\ncommands:\n{listed}\n\n`shapeparse {group}COMMAND --help` explains a command."
    return f"{usage}\n\n{DESCRIPTION}\n\ncommands:\n{listed}\n\nexamples:\n{EXAMPLES}\n\n{ENDING}"


def _unknown(words: list[str]) -> str:
    known = [command.words for command in COMMANDS]
    in_group = any(name.startswith(f"{words[0]} ") for name in known)
    typed = " ".join(words[: 2 if in_group else 1])
    near = difflib.get_close_matches(typed, known, n=1) or [name for name in known if name.endswith(f" {typed}")]
    hint = f"did you mean `{near[0]}`?" if near else "`shapeparse --help` lists them all."
    return f"There is no command `{typed}`; {hint}"


if __name__ == "__main__":
    sys.exit(process())
