"""What people are told of photographs that are unlike those that a parser has learned from."""

from __future__ import annotations

from collections.abc import Sequence

from ..support import progress

REMEDY = "label a few of yours: `shapeparse label PHOTOS`"


def unlike(strangeness: Sequence[float | None]) -> int:
    """How many photographs are unlike what the parser knows."""
    return sum(found is not None and found > 1 for found in strangeness)


def warn_of_strangers(strangeness: Sequence[float | None]) -> None:
    """Tell the user of photographs that are unlike what the parser knows, if there are any."""
    sentence = warning(strangeness)
    if sentence is not None:
        progress.note(sentence)


def warning(strangeness: Sequence[float | None]) -> str | None:
    """What to say of photographs, and what to do; None if all are familiar, or the parser does not know.

    >>> print(warning([0.4, 1.7, None])[:69])
    1 of 3 photographs is unlike those that this parser has learned from,
    """
    count, all_of_them = unlike(strangeness), len(strangeness)
    if not count:
        return None
    if all_of_them == 1:
        which = "The photograph is"
    else:
        which = f"{count} of {all_of_them} photographs {'is' if count == 1 else 'are'}"
    return f"{which} unlike those that this parser has learned from, so do not rely on its labels there; {REMEDY}."
