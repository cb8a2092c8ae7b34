"""One job: train a row on one fold, parse its test images once, and say how it went."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..data import Loaded
from ..grammar import Forest, ParseTree, Rule
from ..learning.methods import ABLATIONS, method_named
from ..learning.run import Report
from ..learning.trainer import Trainer
from ..oracle import igm
from ..parsing.evaluation import evaluate_forest, off_middle
from ..parsing.load import load
from ..parsing.trees import parse_images
from ..peers.colours import fit_colours
from ..peers.segmenter import Segmenter, SegmenterSettings
from ..support import files
from ..support.limits import LOOKAHEAD
from ..support.machine import facts
from .plan import Job, Plan, settings_json

PARTS = ("train", "validation", "test")
UNET_MINUTES = 5.0
"""Of the U-Net where methods train until a plateau."""
Images = npt.NDArray[np.uint8]
Masks = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Row:
    """A finished row: how it makes trees, and what is known of how it came about."""

    name: str
    title: str
    kind: str
    trees: Callable[[Images, Masks], list[ParseTree]]
    """Given images, and masks that only the lines of the table may look at."""
    settings: dict[str, Any] = field(default_factory=dict)
    curve: Sequence[Sequence[float]] = ()
    epochs: int | None = None
    best_epoch: int | None = None
    seconds: float | None = None
    nodes_per_second: float | None = None
    course: dict[str, Any] = field(default_factory=dict)
    """Updates, nodes learned from, and when the plateau was reached if the training went on until then."""
    raw: Callable[[Images], Masks] | None = None
    """For peers that predict a mask before they decompose it."""


def run_job(
    plan: Plan, job: Job, loaded: Loaded, folder: Path, threads: int | None = None, report: Report = lambda _: None
) -> list[dict[str, Any]]:
    """Do a job, going on from its last checkpoint if there is one. A run for every row that comes of it."""
    files.make_folder(folder)
    if threads is not None:  # not among the settings, so that a job can go on with another number of them
        torch.set_num_threads(threads)
    rows = {"lines": _lines, "colours": _colours, "unet": _unet, "unet-lite": _unet}.get(job.row, _method)
    return [
        _measured(row, plan, job, loaded, folder, threads) for row in rows(plan, job, loaded, folder, threads, report)
    ]


def _measured(row: Row, plan: Plan, job: Job, loaded: Loaded, folder: Path, threads: int | None) -> dict[str, Any]:
    run: dict[str, Any] = {
        "job": job.name, "row": row.name, "title": row.title, "kind": row.kind, "preset": job.preset,
        "fold": job.fold, "seed": plan.seed + job.fold, "settings": row.settings, "epochs": row.epochs,
        "best_epoch": row.best_epoch, "seconds": row.seconds, "nodes_per_second": row.nodes_per_second,
        "validation_curve": [list(point) for point in row.curve], "raw_test_accuracy": None, "threads": threads,
        **row.course,
    }  # fmt: skip
    for part in PARTS:
        images, masks = plan.part(loaded, job.fold, part)
        start = perf_counter()
        trees = row.trees(images, masks)
        elapsed = perf_counter() - start
        found = evaluate_forest(Forest.of(trees), masks, plan.limits)
        run[part] = found.summary() | {"off_middle_by_depth": off_middle([Forest.of(trees)], plan.limits)}
        if part == "test":
            run["parse_ms"] = 1000 * elapsed / len(images)
            run["test_accuracy_each"] = found.accuracy.tolist()
            if row.raw is not None:
                run["raw_test_accuracy"] = float((row.raw(images) == masks).mean())
            text = [json.loads(tree.to_json()) for tree in trees]
            files.write_text(folder / f"{row.name}.test_trees.json", json.dumps(text))
    return run | facts()


# ---- the paper's rows ----------------------------------------------------------------------------------------------


def _method(plan: Plan, job: Job, loaded: Loaded, folder: Path, threads: int | None, report: Report) -> list[Row]:
    settings = plan.settings(job)
    trainer = Trainer(settings, plan.training_data(loaded, job.fold), folder, device=plan.device)
    metrics = trainer.run(resume=True, report=report)
    parser = load(folder, plan.device)

    def trees(images: Images, masks: Masks) -> list[ParseTree]:
        return [tree for forest in parse_images(parser.policy, images, parser.limits) for tree in forest.trees()]

    kind = "ablation" if job.row in ABLATIONS else "method"
    return [
        Row(
            job.row, method_named(job.row).title, kind, trees, settings_json(settings),
            [(row["seconds"], row["validation_accuracy"]) for row in metrics], trainer.epoch, trainer.best_epoch,
            trainer.seconds, statistics.median(row["nodes_per_second"] for row in metrics), {
                "updates": trainer.learner.updates, "node_samples": trainer.node_samples,
                "curve_updates": [row["updates"] for row in metrics],
                "plateau": None if trainer.plateau is None else trainer.plateau.to_json(),
            },
        )
    ]  # fmt: skip


# ---- lines and peers -----------------------------------------------------------------------------------------------


def _lines(plan: Plan, job: Job, loaded: Loaded, folder: Path, threads: int | None, report: Report) -> list[Row]:
    """What no learner is: the majority labels below, and the oracle, which sees the mask, above."""
    common = plan.part(loaded, job.fold, "train")[1].mean() >= 0.5

    def one_label(images: Images, masks: Masks) -> list[ParseTree]:
        return [_single_leaf(mask.shape, bool(common)) for mask in masks]

    def own_majority(images: Images, masks: Masks) -> list[ParseTree]:
        return [_single_leaf(mask.shape, bool(mask.mean() >= 0.5)) for mask in masks]

    return [
        Row("majority-set", "Majority label of the training set", "line", one_label),
        Row("majority-image", "Majority label of each image", "line", own_majority),
        Row("oracle", "Oracle (IGM), sees the mask", "line", lambda images, masks: _decomposed(masks, plan)),
        Row(
            "oracle-lookahead", "Oracle with lookahead", "line",
            lambda images, masks: _decomposed(masks, plan, LOOKAHEAD),
        ),
    ]  # fmt: skip


def _colours(plan: Plan, job: Job, loaded: Loaded, folder: Path, threads: int | None, report: Report) -> list[Row]:
    start = perf_counter()
    labels = fit_colours(*plan.part(loaded, job.fold, "train"), seed=plan.seed + job.fold)
    title, seconds = "Colour clusters, then IGM", perf_counter() - start
    return [
        Row(
            "colours", title, "peer", lambda images, masks: _decomposed(labels.masks(images), plan),
            seconds=seconds, raw=labels.masks,
        )
    ]  # fmt: skip


def _unet(plan: Plan, job: Job, loaded: Loaded, folder: Path, threads: int | None, report: Report) -> list[Row]:
    """Segment, then parse: a U-Net's mask, decomposed by the oracle as if it were the truth."""
    minutes = UNET_MINUTES if plan.epochs is None and plan.minutes is None else plan.minutes
    lite = job.row == "unet-lite"
    settings = SegmenterSettings(plan.epochs, minutes, plan.seed + job.fold, "lite0" if lite else "none")
    segmenter = Segmenter(settings, plan.training_data(loaded, job.fold), folder)
    metrics = segmenter.run(resume=True, report=report)
    curve = [(row["seconds"], row["validation_accuracy"]) for row in metrics]

    def raw(images: Images) -> Masks:
        return segmenter.probabilities(images) > 0.5

    def row(name: str, title: str, lookahead: int) -> Row:
        return Row(
            name, title, "peer", lambda images, masks: _decomposed(raw(images), plan, lookahead),
            settings_json(settings), curve, segmenter.epoch, segmenter.best_epoch, segmenter.seconds, raw=raw,
        )  # fmt: skip

    name, title = ("segment-lite", "U-Net on the encoder") if lite else ("segment", "U-Net")
    return [row(name, f"{title}, then IGM", 0), row(f"{name}-lookahead", f"{title}, then lookahead", LOOKAHEAD)]


def _decomposed(masks: Masks, plan: Plan, lookahead: int = 0) -> list[ParseTree]:
    trees = igm(list(masks), plan.limits.depth, plan.limits.min_extent, lookahead)
    assert isinstance(trees, list)
    return trees


def _single_leaf(shape: tuple[int, ...], paint: bool) -> ParseTree:
    height, width = shape
    zero = np.zeros(1, np.int32)
    size = (np.array([width], np.int32), np.array([height], np.int32))
    rule = np.array([Rule.PAINT if paint else Rule.SKIP], np.int8)
    return ParseTree(width, height, zero, zero, *size, zero, np.array([-1], np.int32), rule, zero)
