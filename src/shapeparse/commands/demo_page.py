"""The page the demo writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .. import __version__, files
from ..oracle import igm
from ..page import Page, photo_uri, png_uri
from ..pictures import Cell, figure_png, grid, overlay
from ..progress import percent
from ..tree import ParseTree
from .decomposition import Decomposed
from .findings import Findings, accuracy_rows

LOOKAHEAD = 4
GRID_ROWS = 5


def write_page(
    out: Path,
    seed: int,
    findings: Findings,
    ahead: tuple[float, float],
    results: Sequence[Decomposed],
    chosen: Decomposed,
) -> None:
    """Write ``out``/report.html, and the grid it shows as a file of its own; derivation.png must be there."""
    page = Page(
        "shapeparse: the demo",
        "Photographs of objects to paint, made by the built-in generator, and their masks decomposed into "
        "few rectangles by the oracle that sees the mask.",
    )
    page.heading("One object, its rectangles, its tree")
    page.paragraph(
        "A photograph is split again and again, along x or along y, until every rectangle is labelled: paint "
        "(orange) or skip (blue). The splits form a tree; its leaves tile the photograph exactly."
    )
    accuracy = chosen.tree.accuracy(chosen.mask)
    page.picture(
        png_uri((out / "derivation.png").read_bytes()),
        f"A photograph with its true labels, its {chosen.tree.leaf_count} rectangles, and the parse tree",
        f"{chosen.tree.leaf_count} rectangles label {percent(accuracy)} of the pixels as the mask does.",
    )
    _measured(page, findings, ahead)
    _compared(page, out, results)
    page.heading("Decompositions")
    page.paragraph("Each of these is also a tree in JSON, a PNG and an SVG with tooltips, in `decomposed/`.")
    page.gallery([_overlay_figure(result) for result in results])
    page.heading("Do it with your own")
    page.paragraph("`shapeparse decompose masks --image-dir photos --out rectangles` does this for masks of yours.")
    command = f"shapeparse demo --count {findings.usable} --seed {seed}"
    files.write_text(out / "report.html", page.html(f"Made by {command}, shapeparse {__version__}."))


def _measured(page: Page, findings: Findings, ahead: tuple[float, float]) -> None:
    low, mean, high = findings.paint_range
    page.heading("How well rectangles can do")
    page.paragraph(
        f"Means over {findings.usable} photographs, on which {100 * mean:.0f} % of the pixels are paint (from "
        f"{100 * low:.0f} to {100 * high:.0f} %). The oracle takes the split of greatest information gain; with "
        "lookahead it judges every cut by how the rest would go. Accuracy is the share of pixels labelled right."
    )
    rows = accuracy_rows(findings, ahead)
    best = next(place for place, row in enumerate(rows) if "lookahead" in row[0])
    page.table(("", "accuracy", "rectangles"), rows, best)


def _compared(page: Page, out: Path, results: Sequence[Decomposed]) -> None:
    """The grid of objects: photograph, truth, oracle, lookahead oracle."""
    rows = [_grid_row(result) for result in results[:GRID_ROWS]]
    content = figure_png(grid(rows, ("photograph", "truth", "oracle", "with lookahead")))
    files.write_bytes(out / "comparison.png", content)
    page.heading("Greedy and looking ahead")
    page.paragraph("The same depth of 7 for both; under each picture the share of pixels labelled right.")
    page.picture(png_uri(content), "A grid of objects: photograph, true labels, oracle, oracle with lookahead")


def _grid_row(result: Decomposed) -> list[Cell]:
    looking = igm(result.mask, lookahead=LOOKAHEAD)
    assert isinstance(looking, ParseTree)  # one mask, one tree
    trees = [Cell(tree, result.photo, tree.accuracy(result.mask)) for tree in (result.tree, looking)]
    return [Cell(result.photo), Cell(result.mask, result.photo), *trees]


def _overlay_figure(result: Decomposed) -> tuple[str, str, str]:
    tree = result.tree
    caption = f"{tree.leaf_count} rectangles, {percent(tree.accuracy(result.mask))}"
    return photo_uri(overlay(tree, result.photo)), f"Rectangles over {result.job.mask.name}", caption
