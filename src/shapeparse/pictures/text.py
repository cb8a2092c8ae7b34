"""Names from outside, made safe to draw: a file name may hold anything."""

from __future__ import annotations

import re

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
