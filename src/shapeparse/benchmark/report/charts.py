"""The report's charts, section by section; each leaves out what was not run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ...pictures import figure_png
from ...pictures.page import Page, png_uri
from ...pictures.palette import INK, PAINT, QUIET, SKIP, Colour
from ..checks import is_counted
from ..paper import PAPER_TABLE
from ..standings import LEARNERS, Standings, kind, test_accuracy
from ..statistics import Curve, Group, mean_curve
from ..words import amount, listed, percent, signed_interval
from .figures import Mark, accuracy_dots, forest, regret_rows, value_rows
from .panels import curve_panel, regret_panel

SLOW = 90
"""Seconds from which on curves are drawn over minutes."""


def add_accuracies(page: Page, standings: Standings) -> None:
    """Test accuracy of every row, and DRAG minus every other."""
    groups = standings.ranked((*LEARNERS, "line"))
    marks = [_mark(standings, group) for group in groups]
    folds = [[run["test"]["accuracy"] for run in group.runs.values()] for group in groups]
    paper = [PAPER_TABLE[group.row][1] / 100 if group.row in PAPER_TABLE else None for group in groups]
    pictures = [
        (
            _uri(accuracy_dots(marks, folds, paper)),
            "Test accuracy: " + _described(standings, groups, [percent(test_accuracy(group)) for group in groups]),
            "Test accuracy: a dot a fold, a bar at the mean. Orange: DRAG; blue: the other methods; black: peers; "
            "grey: lines for orientation.",
        )
    ]
    pairs = [(group, drag) for group in groups if (drag := standings.drag_beside(group)) not in (None, group)]
    known = [(group, found) for group, drag in pairs if drag and (found := standings.difference(drag, group))]
    if known:
        rivals, intervals = [group for group, _ in known], [interval for _, interval in known]
        pictures.append(
            (
                _uri(forest([_mark(standings, rival) for rival in rivals], intervals)),
                "DRAG minus: " + _described(standings, rivals, [signed_interval(one) for one in intervals]),
                "DRAG minus each other row, with 95 % intervals: a hollow dot cannot be told from zero, an arrow is "
                "off the scale.",
            )
        )
    page.gallery(pictures, large=True)


def add_learning(page: Page, standings: Standings) -> None:
    """Validation accuracy over the time of training, a panel a row; over updates, where it went on to a plateau."""
    together = _trained_together(standings.ranked())
    by_updates = any(run.get("plateau") for groups in together for run in groups[0].runs.values())
    found = []
    for groups in together:
        runs = groups[0].runs.values()
        courses = (_over_updates(run) if by_updates else run.get("validation_curve") or [] for run in runs)
        curve = mean_curve(courses, by_ratio=by_updates)
        if curve is not None:
            found.append((groups, curve))
    if not found:
        return
    slow = not by_updates and max(float(curve.x[-1]) for _, curve in found) >= SLOW
    curves = [curve._replace(x=curve.x / (60 if slow else 1)) for _, curve in found]
    page.heading("How they learned")
    across = "the number of updates, on a logarithmic axis" if by_updates else "the time of training"
    page.paragraph(
        f"Accuracy on the validation images, which choose the epoch that is kept, over {across}: the mean over folds "
        "and their range, as far as all folds reach; pale: all the others. The best on test images first."
    )
    line = standings.named("majority-set")
    level = None if line is None else ("majority label", _validation(line))
    unit = "updates" if by_updates else "minutes of training" if slow else "seconds of training"
    pictures = []
    for place, ((groups, _), curve) in enumerate(zip(found, curves, strict=True)):
        others = curves[:place] + curves[place + 1 :]
        title = listed([standings.title(group) for group in groups])
        best = f"{percent(float(curve.mean.max()))} at best"
        panel = curve_panel(curve, _colour(groups[0]), others, unit, level, by_updates)
        description = f"Learning curve of {title}: from {percent(float(curve.mean[0]))}, {best}"
        pictures.append((_uri(panel), description, f"{title}: {best}"))
    page.gallery(pictures)


def add_depths(page: Page, standings: Standings) -> None:
    """Accuracy of the tree cut off at each depth."""
    groups = [group for group in standings.ranked() if group.by_depth("accuracy_by_depth")]
    oracle = standings.named("oracle")
    if oracle is not None and oracle.by_depth("accuracy_by_depth"):
        groups.insert(0, oracle)
    if not groups:
        return
    curves = [_depth_curve(group) for group in groups]
    page.heading("How accuracy grows with depth")
    page.paragraph(
        "Accuracy on test images if the trees are cut off at a depth and every open rectangle gets its true majority "
        "label: what the splits down to there are worth. A curve that falls at its end lost by its own labels."
    )
    pictures = []
    for place, (group, curve) in enumerate(zip(groups, curves, strict=True)):
        panel = curve_panel(curve, _colour(group), curves[:place] + curves[place + 1 :], "depth in the tree")
        values = ", ".join(percent(float(value)) for value in curve.mean)
        top = int(curve.mean.argmax())
        caption = f"{standings.title(group)}: {percent(float(curve.mean[-1]))}"
        if top < len(curve.mean) - 1:
            caption += f"; {percent(float(curve.mean[top]))} if cut at depth {top}"
        pictures.append((_uri(panel), f"{standings.title(group)}, from depth 0 on: {values}", caption))
    page.gallery(pictures)


def add_regret(page: Page, standings: Standings) -> None:
    """Where accuracy was lost against the oracle, by labels and by splits, at each depth."""
    found = [
        (group, group.by_depth("label_regret_by_depth"), group.by_depth("split_regret_by_depth"))
        for group in standings.ranked()
    ]
    found = [(group, labels, splits) for group, labels, splits in found if labels and splits]
    if not found:
        return
    page.heading("Where accuracy was lost")
    page.paragraph(
        "Each decision on test images is charged with what the oracle, going on from there, could no longer make good; "
        "the charges add up exactly to the distance from the oracle. Orange: labels given; blue: splits made. What "
        "lies below zero is better than the oracle's own decision, which is greedy."
    )
    marks = [_mark(standings, group) for group, _, _ in found]
    overview = regret_rows(marks, [labels for _, labels, _ in found], [splits for _, _, splits in found])
    lost = [percent(sum(labels) + sum(splits)) for _, labels, splits in found]
    description = "Accuracy lost: " + _described(standings, [group for group, _, _ in found], lost)
    caption = "All rows on one scale. Pale pieces are decisions near the root, dark ones the deepest."
    pictures = [(_uri(overview), description, caption)]
    oracle = standings.named("oracle")
    groups = [*([oracle] if oracle is not None else []), *(group for group, _, _ in found)]
    leaves = [(group, spread.mean) for group in groups if (spread := group.over_folds("leaves", "test"))]
    if leaves:
        caption = "Rectangles in a test image's tree."
        pictures.append(_value_picture(standings, leaves, "rectangles an image", caption))
    page.gallery(pictures, large=True)
    page.paragraph("The same by depth; every panel has a scale of its own.")
    pictures = []
    for group, labels, splits in found:
        caption = f"{standings.title(group)}: labels {percent(sum(labels))}, splits {percent(sum(splits))}"
        pictures.append((_uri(regret_panel(labels, splits)), f"Accuracy lost by depth, {caption}", caption))
    page.gallery(pictures)


def add_times(page: Page, standings: Standings) -> None:
    """The times of training and parsing."""
    charts = (
        ("seconds", 1 / 60, "minutes of training", "Time of one training."),
        ("parse_ms", 1.0, "milliseconds an image", "Time to parse a test image, many at once."),
    )
    pictures = []
    for name, scale, unit, caption in charts:
        spreads = [(group, group.over_folds(name)) for group in standings.groups]
        rows = [(group, spread.mean * scale) for group, spread in spreads if spread is not None]
        if rows:
            pictures.append(_value_picture(standings, rows, unit, caption))
    if pictures:
        page.heading("Time")
        page.gallery(pictures, large=True)


def _trained_together(groups: Sequence[Group]) -> list[list[Group]]:
    """Rows that one job made, such as two ways to use one network's masks, side by side."""
    found: dict[tuple[str, ...], list[Group]] = {}
    for group in groups:
        found.setdefault(tuple(str(run.get("job")) for run in group.runs.values()), []).append(group)
    return list(found.values())


def _colour(group: Group) -> Colour:
    if group.row == "drag":
        return PAINT
    return {"method": SKIP, "peer": INK}.get(kind(group), QUIET)


def _mark(standings: Standings, group: Group) -> Mark:
    return Mark(standings.short_title(group), _colour(group))


def _value_picture(
    standings: Standings, rows: Sequence[tuple[Group, float]], unit: str, caption: str
) -> tuple[str, str, str]:
    groups, values = [group for group, _ in rows], [value for _, value in rows]
    figure = value_rows([_mark(standings, group) for group in groups], values, unit)
    return _uri(figure), f"{unit}: {_described(standings, groups, [amount(value) for value in values])}", caption


def _validation(line: Group) -> float:
    found = line.over_folds("accuracy", "validation") or line.over_folds("accuracy", "test")
    assert found is not None
    return found.mean


def _over_updates(run: dict[str, Any]) -> list[tuple[float, float]]:
    """The run's validation accuracies over its updates; none if these were not written down."""
    points, updates = run.get("validation_curve") or [], run.get("curve_updates") or []
    if not is_counted(updates) or len(points) != len(updates):
        return []
    return [(float(count), float(accuracy)) for (_, accuracy), count in zip(points, updates, strict=True) if count]


def _depth_curve(group: Group) -> Curve:
    values = np.array(group.by_depth("accuracy_by_depth"))
    return Curve(np.arange(len(values), dtype=np.float64), values, values, values)


def _described(standings: Standings, groups: Sequence[Group], values: Sequence[str]) -> str:
    return "; ".join(f"{standings.title(group)} {value}" for group, value in zip(groups, values, strict=True))


def _uri(figure: Figure) -> str:
    return png_uri(figure_png(figure))
