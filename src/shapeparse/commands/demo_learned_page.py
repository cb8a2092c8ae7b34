"""The part of the demo's page that shows the trained parser."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..explorer import Exploration, Shown, explorer_page
from ..grammar import BoolArray, ParseTree
from ..oracle import igm
from ..painting import PaintSettings, plan_painting
from ..pictures import Cell, figure_png, grid, learning_curve, regret_bars, reliability_plot
from ..pictures.page import Page, png_uri
from ..support import files
from ..support.progress import percent
from .demo_learning import Learned
from .findings import AHEAD_DEPTH

BRUSH = 12
GRID_ROWS, GRID_CELL = 5, 90.0
"""Cells are small enough for a phone to show a whole row."""


def add_learned(page: Page, out: Path, learned: Learned) -> None:
    """What was learned: figures, pictures, the course of training, and where accuracy was lost."""
    count, seconds = len(learned.held_out.names), learned.metrics[-1]["seconds"]
    time = f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.1f} minutes"
    page.heading("A parser that sees no mask")
    page.paragraph(
        f"The oracle needs the mask. This parser saw {learned.trained_on} photographs with their masks and learned in "
        f"{time} to do without ({learned.title}). Means over {count} photographs that it met only "
        "afterwards:"
    )
    page.table(("held-out photographs", "accuracy", "rectangles"), learned.rows(), best=1)
    _pictures(page, out, learned)
    _course(page, learned)


def _pictures(page: Page, out: Path, learned: Learned) -> None:
    """Held-out objects from the best parse to the worst, so that nothing is picked to please."""
    order = np.argsort(-learned.evaluation.accuracy, kind="stable")
    ranks = np.unique(np.linspace(0, len(order) - 1, GRID_ROWS).round().astype(int))
    rows = [_grid_row(learned, int(order[rank])) for rank in ranks]
    names = [f"{rank + 1} of {len(order)}" for rank in ranks]
    content = figure_png(grid(rows, ("photograph", "truth", "oracle", "learned parser"), names, GRID_CELL))
    files.write_bytes(out / "held-out.png", content)
    page.paragraph(
        "Held-out objects, evenly spread from the best parse to the worst; under each picture the share of pixels "
        "labelled right. All of them are in `parsed/`, as trees and pictures."
    )
    description = "A grid of held-out objects: photograph, true labels, oracle, learned parser"
    page.picture(png_uri(content), description, least=22)
    page.paragraph(
        "The same objects to explore: hover or click, replay how they were split, watch the strokes that would paint "
        f"them with a brush of {BRUSH} pixels, and compare the parser with the oracle."
    )
    explorations = [_exploration(learned, int(order[rank]), name) for rank, name in zip(ranks, names, strict=True)]
    page.frame(explorer_page(explorations, "Held-out objects"), "Explorer of held-out objects")


def _exploration(learned: Learned, index: int, name: str) -> Exploration:
    photo, mask = learned.held_out.images[index], learned.held_out.masks[index]
    trees = {learned.title: learned.trees[index], "Oracle": _oracle(mask)}
    brush = PaintSettings(brush=BRUSH)
    several = (Shown(title, tree, plan_painting(tree, brush), mask) for title, tree in trees.items())
    return Exploration(name, photo, tuple(several))


def _oracle(mask: BoolArray) -> ParseTree:
    tree = igm(mask, AHEAD_DEPTH)
    assert isinstance(tree, ParseTree)  # one mask, one tree
    return tree


def _grid_row(learned: Learned, index: int) -> list[Cell]:
    photo, mask = learned.held_out.images[index], learned.held_out.masks[index]
    trees = (_oracle(mask), learned.trees[index])
    return [Cell(photo), Cell(mask, photo), *(Cell(tree, photo, tree.accuracy(mask)) for tree in trees)]


def _course(page: Page, learned: Learned) -> None:
    summary = learned.evaluation.summary()
    seconds = [row["seconds"] for row in learned.metrics]
    accuracy = [row["validation_accuracy"] for row in learned.metrics]
    levels = {"oracle": summary["oracle_accuracy"], "majority label": summary["majority_accuracy"]}
    splits, labels = summary["split_regret_by_depth"], summary["label_regret_by_depth"]
    page.heading("How it learned, and what it lacks")
    page.paragraph(
        f"First: accuracy on {learned.validated_on} validation photographs, which chose the epoch that was kept. "
        f"Second: where the {percent(summary['regret'])} between the oracle and the parser were lost, by depth of "
        "decision. Each decision is charged with what the oracle, going on from there, could no longer make good; the "
        "bars add up exactly. A bar below zero is a decision better than the oracle's own, which is greedy."
    )
    sure = learned.reliability
    page.paragraph(
        "Third: of labels that the parser is about equally sure of, how many pixels it labels right. On the dashed "
        f"line it is as sure as it should be; on average it is off by {percent(sure.error)}. "
        "`shapeparse parse --review 0.8` lists the rectangles of which it is less sure than that."
    )
    page.gallery(
        [
            (
                png_uri(figure_png(learning_curve(seconds, accuracy, levels))),
                f"Validation accuracy over {seconds[-1]:.0f} seconds, from {percent(accuracy[0])} to "
                f"{percent(accuracy[-1])}",
                "Accuracy on validation photographs; dashed: on the held-out ones.",
            ),
            (
                png_uri(figure_png(regret_bars(splits, labels))),
                "Accuracy lost at each depth of the tree, by splits and by labels",
                f"Accuracy lost by depth: {percent(sum(splits))} by splits, {percent(sum(labels))} by labels.",
            ),
            (
                png_uri(figure_png(reliability_plot(*(column.tolist() for column in sure)))),
                "How often labels are right, over how sure the parser is of them",
                "How often labels are right; a larger dot stands for more of the pictures.",
            ),
        ],
        large=True,
    )
