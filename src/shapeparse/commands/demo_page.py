"""The page the demo writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..grammar import ParseTree
from ..oracle import igm
from ..pictures import Cell, figure_png, grid, overlay
from ..pictures.page import Page, photo_uri, png_uri
from ..support import files
from ..support.progress import percent
from ..support.version import __version__
from .decomposition import Decomposed
from .demo_learned_page import GRID_CELL, GRID_ROWS, add_learned
from .demo_learning import LOOKAHEAD, Learned
from .findings import Findings, accuracy_rows

COMMANDS = """\
shapeparse train --data photos --test 20 --out run
shapeparse evaluate run
shapeparse parse new-photos --model run --out rectangles
shapeparse decompose masks --image-dir photos --out rectangles"""


@dataclass(frozen=True)
class Shown:
    """What the demo has found, for its page."""

    command: str
    findings: Findings
    ahead: tuple[float, float]
    """Mean accuracy and leaves of the lookahead oracle on all photographs."""
    results: Sequence[Decomposed]
    chosen: Decomposed
    """The one whose derivation is drawn."""
    learned: Learned


def write_page(out: Path, found: Shown) -> None:
    """Write ``out``/report.html, and the grids it shows as files of their own; derivation.png must be there."""
    held = len(found.learned.held_out.names)
    page = Page(
        "shapeparse: the demo",
        f"Photographs of objects to paint, made by the built-in generator; a parser that learned from some of them to "
        f"decompose an object into few rectangles; and what it makes of {held} it had never seen.",
    )
    page.heading("One object, its rectangles, its tree")
    page.paragraph(
        "A photograph is split again and again, along x or along y, until every rectangle is labelled: paint "
        "(orange) or skip (blue). The splits form a tree; its leaves tile the photograph exactly. Here the oracle, "
        "which sees the mask, chose them."
    )
    tree = found.chosen.tree
    accuracy = percent(tree.accuracy(found.chosen.mask))
    page.picture(
        png_uri((out / "derivation.png").read_bytes()),
        f"A photograph with its true labels, its {tree.leaf_count} rectangles, and the parse tree",
        f"{tree.leaf_count} rectangles label {accuracy} of the pixels as the mask does.",
    )
    add_learned(page, out, found.learned)
    _measured(page, found.findings, found.ahead)
    _compared(page, out, found.results)
    page.heading("Decompositions")
    page.paragraph(
        "By the oracle; each of these is also a tree in JSON, a PNG and an SVG with tooltips, in `decomposed/`."
    )
    page.gallery([_overlay_figure(result) for result in found.results])
    page.heading("Do it with your own")
    page.paragraph(
        "Learn from your photographs with masks, see how well, and parse new photographs without masks; or decompose "
        "masks that you have."
    )
    page.code(COMMANDS)
    files.write_text(out / "report.html", page.html(f"Made by {found.command}, shapeparse {__version__}."))


def _measured(page: Page, findings: Findings, ahead: tuple[float, float]) -> None:
    low, mean, high = findings.paint_range
    page.heading("How well rectangles can do at all")
    page.paragraph(
        f"The oracle on all {findings.usable} photographs, on which {100 * mean:.0f} % of the pixels are paint (from "
        f"{100 * low:.0f} to {100 * high:.0f} %). The oracle takes the split of greatest information gain; with "
        "lookahead it judges every cut by how the rest would go. Accuracy is the share of pixels labelled right."
    )
    rows = accuracy_rows(findings, ahead)
    best = next(place for place, row in enumerate(rows) if "lookahead" in row[0])
    page.table(("", "accuracy", "rectangles"), rows, best)


def _compared(page: Page, out: Path, results: Sequence[Decomposed]) -> None:
    """The grid of objects: photograph, truth, oracle, lookahead oracle."""
    rows = [_grid_row(result) for result in results[:GRID_ROWS]]
    content = figure_png(grid(rows, ("photograph", "truth", "oracle", "with lookahead"), cell=GRID_CELL))
    files.write_bytes(out / "comparison.png", content)
    page.heading("Greedy and looking ahead")
    page.paragraph("The same depth of 7 for both; under each picture the share of pixels labelled right.")
    description = "A grid of objects: photograph, true labels, oracle, oracle with lookahead"
    page.picture(png_uri(content), description, least=22)


def _grid_row(result: Decomposed) -> list[Cell]:
    looking = igm(result.mask, lookahead=LOOKAHEAD)
    assert isinstance(looking, ParseTree)  # one mask, one tree
    trees = [Cell(tree, result.photo, tree.accuracy(result.mask)) for tree in (result.tree, looking)]
    return [Cell(result.photo), Cell(result.mask, result.photo), *trees]


def _overlay_figure(result: Decomposed) -> tuple[str, str, str]:
    tree = result.tree
    caption = f"{tree.leaf_count} rectangles, {percent(tree.accuracy(result.mask))}"
    return photo_uri(overlay(tree, result.photo)), f"Rectangles over {result.job.path.name}", caption
