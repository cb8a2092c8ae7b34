"""What is wrong with options, in one sentence: the library that reads them answers with a box of types instead."""

from __future__ import annotations

import re
from collections.abc import Callable

_Words = Callable[[re.Match[str]], str]
_END = r"(?: Argument helptext.*| For full helptext.*|$)"
_KNOWN: tuple[tuple[str, _Words], ...] = (
    (
        r"Error parsing (?P<option>\S+?)(?: \(.*?\))?: .*(?:base 10|to float): '(?P<value>.*?)'" + _END,
        lambda found: (
            f"{found['option']} is {found['value']!r}, which is not "
            f"{'a whole number' if 'int()' in found[0] else 'a number'}"
        ),
    ),
    (
        r"invalid choice '(?P<value>.*?)' for argument '(?P<option>.*?)'\. Expected one of \((?P<known>.*?)\)",
        lambda found: f"{found['option']} is {found['value']!r}; give one of {found['known'].replace(chr(39), '')}",
    ),
    (r"Missing value for argument '(?P<option>.*?)'", lambda found: f"{found['option']} needs a value behind it"),
    (
        r"Unrecognized options: (?P<option>[^\s,]+).*?(?:Perhaps you meant: (?P<near>\S+).*)?" + _END,
        lambda found: (
            f"There is no option {found['option']}" + (f"; did you mean {found['near']}?" if found["near"] else "")
        ),
    ),
    (
        r"Required options? .*? (?P<option>--\S+|\S+ \[)",
        lambda found: f"{found['option'].rstrip(' [')} is needed",
    ),
    (r"Error parsing (?P<option>\S+?): (?P<why>.*?)" + _END, lambda found: f"{found['option']}: {found['why']}"),
)
"""What tyro says, and how it is said instead."""


def complaint(said: str, command: str) -> str:
    """What tyro says is wrong with the options of a command, as one sentence."""
    text = " ".join(re.sub(r"[│╭╮╰╯─]+|-{3,}|[+|]", " ", said).split())
    for pattern, words in _KNOWN:
        if found := re.search(pattern, text):
            sentence = words(found).rstrip(".;")
            break
    else:
        sentence = re.sub(_END, "", text).rstrip(".")
    joined = " " if sentence.endswith("?") else "; "
    return f"{sentence}{joined}`shapeparse {command} --help` explains the options."
