"""The report's pictures: the paper's Fig. 3, where the rows disagree, and where the best one fails."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import chain

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from ...explorer import Exploration, Shown, explorer_page
from ...pictures import Cell, figure_png, grid
from ...pictures.page import Page, photo_uri
from ..standings import Standings
from ..statistics import Group
from ..words import percent
from .parses import Parses

OBJECTS, DISPUTED, FAILURES = 6, 4, 6
"""Objects in the three grids."""
MOST_COLUMNS = 8
"""Photograph, truth and oracle, and the rows for which that leaves room."""
MOST_EXPLORED = 2
"""Rows in the explorer, beside the oracle."""
_CELL = 98.0
_FIRST_COLUMNS = ("photograph", "truth", "oracle")
_FEWEST_PIXELS = 1600


def add_pictures(page: Page, standings: Standings, parses: Parses) -> None:
    """All three grids, of one fold's test images."""
    shown = _shown(parses)
    _add_objects(page, standings, parses, shown)
    if len(shown) > 1:
        _add_disputed(page, standings, parses, shown)
    _add_failures(page, standings, parses)


def evenly_spread(count: int, wanted: int) -> list[int]:
    """At most ``wanted`` ranks from the first to the last, evenly spread."""
    return [int(rank) for rank in np.unique(np.linspace(0, count - 1, wanted).round())]


def _shown(parses: Parses) -> list[Group]:
    """DRAG first, then the others from the best on, as many as there are columns for."""
    ordered = sorted(parses.learners, key=lambda group: group.row != "drag")
    return ordered[: MOST_COLUMNS - len(_FIRST_COLUMNS)]


def _add_objects(page: Page, standings: Standings, parses: Parses, shown: Sequence[Group]) -> None:
    order = np.argsort(-parses.accuracies(parses.learners).mean(axis=0), kind="stable")
    ranks = evenly_spread(len(order), OBJECTS)
    page.heading("Parses, as in the paper's Fig. 3")
    page.paragraph(
        f"{len(ranks)} of the {len(parses)} test images of fold {parses.fold}, evenly spread from the one that is "
        "easiest on average to the hardest, so none is picked to please. Under each picture: the share of pixels "
        "labelled right. Warm is paint, cool is skip; the oracle sees the mask, the others only the photograph."
    )
    names = [f"{rank + 1} of {len(order)}" for rank in ranks]
    places = [int(order[rank]) for rank in ranks]
    _add_rows(page, standings, parses, shown, places, names)
    page.paragraph("The same objects to explore: choose a photograph, and compare two of its parses.")
    page.frame(_explorer(standings, parses, shown, places, names), "Explorer of the parses above")


def _explorer(
    standings: Standings, parses: Parses, shown: Sequence[Group], places: Sequence[int], names: Sequence[str]
) -> str:
    """A page that shows the oracle's trees of some objects beside those of the first rows."""
    explorations = []
    for place, name in zip(places, names, strict=True):
        oracle, mask = parses.oracle_tree(place), parses.masks[place]
        trees = [(standings.title(group), parses.tree(group, place)) for group in shown[:MOST_EXPLORED]]
        found = [(title, tree) for title, tree in trees if tree is not None]
        several = (Shown(title, tree, mask=mask) for title, tree in [*found, ("Oracle", oracle)])
        explorations.append(Exploration(name, parses.images[place], tuple(several)))
    return explorer_page(explorations, "Parses")


def _add_disputed(page: Page, standings: Standings, parses: Parses, shown: Sequence[Group]) -> None:
    accuracy = parses.accuracies(list(shown))
    spread = accuracy.max(axis=0) - accuracy.min(axis=0)
    order = np.argsort(-spread, kind="stable")[:DISPUTED]
    page.heading("Where they disagree most")
    page.paragraph(
        "Test images on which the best and the worst of the rows shown are furthest apart: by "
        f"{100 * spread[order].min():.0f} to {100 * spread[order].max():.0f} points of accuracy."
    )
    names = [f"{100 * spread[place]:.0f} points" for place in order]
    _add_rows(page, standings, parses, shown, [int(place) for place in order], names)


def _add_failures(page: Page, standings: Standings, parses: Parses) -> None:
    best = parses.learners[0]
    accuracy = parses.accuracies([best])[0]
    order = [int(place) for place in np.argsort(accuracy, kind="stable")[:FAILURES]]
    title = standings.title(best)
    page.heading(f"The worst of {title}")
    page.paragraph(
        f"{title} is the most accurate row with trees to show. These are its {len(order)} worst test images of fold "
        f"{parses.fold}; its mean there is {percent(float(accuracy.mean()))}."
    )
    cells = [_cells(parses, [best], place) for place in order]
    pairs = [list(chain(*cells[first : first + 2])) for first in range(0, len(cells), 2)]
    columns = [*_FIRST_COLUMNS, standings.short_title(best)]
    _add_grid(page, pairs, columns * (2 if len(cells) > 1 else 1), [], len(cells))


def _add_rows(
    page: Page,
    standings: Standings,
    parses: Parses,
    shown: Sequence[Group],
    places: Sequence[int],
    names: Sequence[str],
) -> None:
    """A row an object, a column a source of labels."""
    columns = [*_FIRST_COLUMNS, *(standings.short_title(group) for group in shown)]
    _add_grid(page, [_cells(parses, shown, place) for place in places], columns, names, len(places))


def _add_grid(
    page: Page, rows: Sequence[Sequence[Cell]], columns: Sequence[str], names: Sequence[str], objects: int
) -> None:
    description = f"A grid of {objects} objects: {', '.join(dict.fromkeys(columns))}"
    page.picture(_jpeg_uri(grid(rows, columns, names, _CELL)), description, least=6 * len(columns))


def _cells(parses: Parses, shown: Sequence[Group], place: int) -> list[Cell]:
    trees = [parses.oracle_tree(place), *(parses.tree(group, place) for group in shown)]
    return [parses.photograph(place), parses.truth(place), *(parses.cell(tree, place) for tree in trees)]


def _jpeg_uri(figure: Figure) -> str:
    """The figure as JPEG: photographs as PNG would make the page ten times as heavy."""
    with Image.open(io.BytesIO(figure_png(figure))) as picture:
        pixels = np.asarray(picture.convert("RGB"))
    return photo_uri(pixels, longest=max(_FEWEST_PIXELS, round(0.75 * max(pixels.shape))))
