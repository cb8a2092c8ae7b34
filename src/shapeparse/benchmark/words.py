"""Numbers as the table and the report write them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .statistics import Interval, Spread

NONE = "–"
_MINUS, _FIXED_SPACE = "−", "\u00a0"


def percent(share: float, digits: int = 1) -> str:
    """A share between 0 and 1: ``93.1 %``, which no line break parts."""
    return f"{100 * share:.{digits}f}{_FIXED_SPACE}%".replace("-", _MINUS)


def spread_words(spread: Spread) -> str:
    """A mean over folds with its standard deviation, for a sentence: ``93.1 ± 0.4 %``."""
    deviation = "" if spread.deviation is None else f" ± {100 * spread.deviation:.1f}"
    return f"{100 * spread.mean:.1f}{deviation} %".replace(" ", _FIXED_SPACE)


def spread_percent(spread: Spread | None) -> str:
    """The same for a column of percentages: ``93.12 ± 0.41``."""
    if spread is None:
        return NONE
    deviation = "" if spread.deviation is None else f" ± {100 * spread.deviation:.2f}"
    return f"{100 * spread.mean:.2f}{deviation}"


def signed(value: float, digits: int = 2) -> str:
    """A difference of accuracies in points, with its sign: ``−0.42``; zero has none."""
    text = f"{100 * value:+.{digits}f}"
    return text[1:] if not text.strip("+-0.") else text.replace("-", _MINUS)


def signed_interval(interval: Interval | None, digits: int = 2) -> str:
    """A difference with its interval: ``+0.84 [+0.31, +1.42]``."""
    if interval is None:
        return NONE
    if math.isnan(interval.low):
        return f"{signed(interval.mean, digits)} (one fold)"
    return "{} [{}, {}]".format(*(signed(value, digits) for value in interval))


def interval_words(interval: Interval) -> str:
    """An interval for the middle of a sentence."""
    if math.isnan(interval.low):
        return "one fold"
    return f"95 % interval {signed(interval.low)} to {signed(interval.high)}"


def amount(value: float) -> str:
    """A time or a count with as many digits as matter: ``1,234``, ``47.1``, ``0.06``."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def listed(words: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def plural(count: int, noun: str) -> str:
    """``1 fold``, ``3 folds``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``3rd``, ``4th``."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
