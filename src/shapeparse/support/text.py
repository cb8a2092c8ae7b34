"""Names from outside, made safe to print and to draw: a file name may hold anything."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from .errors import UserError

# Control characters, lone surrogates and the other code points that XML 1.0 refuses, and the marks that turn
# the direction of the text after them.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]+")


def printable(name: str, longest: int = 80) -> str:
    """``name`` in one line without unprintable characters, cut in its middle to ``longest`` characters."""
    clean = _UNPRINTABLE.sub(" ", name).strip()
    if len(clean) <= longest:
        return clean
    tail = (longest - 1) // 2
    return f"{clean[: longest - 1 - tail]}…{clean[len(clean) - tail :]}"


def percent(share: float) -> str:
    """A share between 0 and 1 as people read it: ``96.3 %``."""
    return f"{100 * share:.1f} %"


def one_line(text: object) -> str:
    """Return ``text`` (a path, say) fit for a one-line message: control characters and the like escaped."""
    plain = str(text)
    return plain if plain.isprintable() else repr(plain)


FEW = 24
"""Names that are all listed beside the closest ones."""


def unknown(kind: str, name: object, known: Iterable[str]) -> UserError:
    """The error for a name that is not known: it says which ones are closest, or all that there are.

    >>> print(unknown("method", "daggr", ["bc", "dagger", "mcpg"]))
    There is no method 'daggr'; did you mean dagger? All are bc, dagger, mcpg.
    """
    names = list(known)
    near = difflib.get_close_matches(str(name), names, n=2, cutoff=0.6)
    listed = ", ".join(names)
    hint = f"choose one of {listed}."
    if near:
        others = f"All are {listed}." if len(names) <= FEW else f"There are {len(names)} in all."
        hint = f"did you mean {' or '.join(near)}? {others}"
    return UserError(f"There is no {kind} {str(name)[:60]!a}; {hint}")


def checked_names(what: str, given: Iterable[str], settings: Any) -> None:
    """Refuse names that are no fields of a dataclass of settings, and say which come close."""
    known = [field.name for field in fields(settings)]
    for name in given:
        if name not in known:
            raise unknown(f"setting of {what}", name, known)
