"""What a run in ``results.json`` must hold for tables and reports to be made of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..support.checks import is_whole

Check = Callable[[Any], bool]
MOST = 10_000_000
"""Numbers in a list, epochs, folds and the like are fewer."""


def is_number(value: Any) -> bool:
    """Whether it is a finite number."""
    return is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def is_count(value: Any) -> bool:
    """Whether it is a whole number that can be counted to."""
    return is_whole(value) and 0 <= value < MOST


def is_text(value: Any) -> bool:
    """Whether it is text."""
    return isinstance(value, str)


def is_object(value: Any) -> bool:
    """Whether it has names and values."""
    return isinstance(value, dict)


def listed(check: Check) -> Check:
    """Whether it is a list of such values."""
    return lambda value: isinstance(value, list) and all(map(check, value))


def maybe(check: Check) -> Check:
    """Whether it is such a value, or null."""
    return lambda value: value is None or check(value)


def is_point(value: Any) -> bool:
    """Whether it is seconds and an accuracy."""
    return listed(is_number)(value) and len(value) == 2


def is_counted(value: Any) -> bool:
    """Whether it is a list of counts."""
    return listed(is_count)(value)


SUMMARY: dict[str, Check] = {
    **dict.fromkeys(("accuracy", "iou", "coverage", "waste", "leaves", "regret"), is_number),
    **dict.fromkeys(("oracle_accuracy", "majority_accuracy"), is_number),
    **dict.fromkeys(("label_regret_by_depth", "split_regret_by_depth", "accuracy_by_depth"), listed(is_number)),
    "images": is_count,
}
MACHINE: dict[str, Check] = {"cpu": is_text, "system": is_text, "cores": maybe(is_count)}
RUN: dict[str, Check] = {
    **dict.fromkeys(("job", "row", "title", "kind", "preset", "date"), is_text),
    **dict.fromkeys(("train", "validation", "test"), lambda value: lacking(value, SUMMARY) is None),
    **dict.fromkeys(("seconds", "nodes_per_second", "raw_test_accuracy"), maybe(is_number)),
    **dict.fromkeys(("epochs", "best_epoch"), maybe(is_count)),
    "machine": lambda value: lacking(value, MACHINE) is None,
    "versions": lambda value: is_object(value) and all(map(is_text, value.values())),
    "validation_curve": listed(is_point),
    "test_accuracy_each": listed(is_number),
    "settings": is_object,
    "fold": is_count,
    "seed": is_whole,
    "parse_ms": is_number,
}


def lacking(value: Any, checks: dict[str, Check]) -> str | None:
    """The first name that is missing, or whose value is of another kind."""
    if not is_object(value):
        return "all"
    return next((name for name, check in checks.items() if name not in value or not check(value[name])), None)


def wrong_in_runs(runs: Any, tests: Sequence[int]) -> str | None:
    """What is wrong with the runs of a record, in words; ``tests`` are the numbers of test images, fold by fold."""
    if not isinstance(runs, list):
        return "its runs are no list"
    for place, run in enumerate(runs):
        name = lacking(run, RUN)
        if name is not None:
            return f"run {place + 1} has no valid {name}"
        if run["fold"] >= len(tests) or len(run["test_accuracy_each"]) != tests[run["fold"]]:
            return f"run {place + 1} is of no split"
    return None
