"""The library in four calls: train a parser, decompose a mask, plan its painting; the command line adds only words."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from .data import BUILT_IN, Source
from .grammar import ParseTree
from .learning.methods import ABLATIONS, METHODS, Method
from .learning.names import REGISTERED, register_method
from .learning.run import Report
from .learning.settings import TrainSettings
from .learning.start import new_run, resumed_run
from .networks.presets import PRESETS, Preset, register_preset
from .oracle.igm import Mask, units_of
from .oracle.optimal import best_tree
from .painting.choose import Part, choose_plan
from .painting.plan import PaintPlan
from .painting.settings import PaintSettings
from .painting.zones import eroded
from .parsing.load import load
from .parsing.parser import Parser
from .support.text import checked_names


def train(
    data: str | Path | Source | None = None,
    *,
    out: str | Path,
    method: str | Method = TrainSettings.method,
    preset: str | Preset = TrainSettings.preset,
    minutes: float | None = None,
    epochs: int | None = None,
    validation: float | None = None,
    test: int = 0,
    begin_with: str | Path | None = None,
    resume: bool = False,
    device: str = "auto",
    callback: Report | None = None,
    **settings: Any,
) -> Parser:
    """Learn a parser from photographs with masks; the best one on validation photographs.

    Args:
        data: a folder with images/ and masks/, a COCO .json file, or a ``Source``; the built-in generator if not given.
        out: the run folder.
        method: the name of a method, or a ``Method`` of one's own, which is registered under its title.
        preset: the name of a network, or a ``Preset`` of one's own, which is registered under its encoder's name.
        minutes: budget in minutes; 5 if neither it nor ``epochs`` is given.
        epochs: budget in passes over the photographs instead: repeatable to the bit.
        validation: share of the photographs that are not learned from, but say what to expect; a tenth if not given. Of
            fewer than 40, all are learned from, and cross-validation says it.
        test: photographs to hold out altogether.
        begin_with: a run folder, or ``"pretrained"``: begin with the weights of that parser; ``"none"`` for those of no
            parser. If not given, fewer than 40 photographs begin with the pretrained one, if it has the same network.
        resume: go on with the run in ``out``, with its settings; with ``minutes`` or ``epochs`` of its own, train a
            complete one on.
        device: auto, cpu, cuda or mps.
        callback: is told the metrics of every epoch, and may raise ``KeyboardInterrupt`` to stop.
        settings: more of ``TrainSettings`` by name, such as ``seed=1`` or ``learning={"rate": 1e-3}``.

    >>> import shapeparse, tempfile
    >>> source = shapeparse.data.Source(count=6)  # a few photographs of the built-in generator
    >>> with tempfile.TemporaryDirectory() as run:
    ...     parser = shapeparse.train(source, out=run, method="bc", preset="fast", epochs=1, depth=2)
    >>> parser.title
    'Behaviour cloning'
    """
    checked_names("train", settings, TrainSettings)
    out = Path(out)
    if resume:
        again = data.source if isinstance(data, Source) else data
        moved = None if again in (None, BUILT_IN) else str(again)
        trainer = resumed_run(out, data=moved, device=device, minutes=minutes, epochs=epochs)
    else:
        chosen = TrainSettings(
            method=method if isinstance(method, str) else _registered_method(method),
            preset=preset if isinstance(preset, str) else _registered_preset(preset),
            epochs=epochs,
            minutes=minutes,
            **settings,
        )
        source = data if isinstance(data, Source) else Source(BUILT_IN if data is None else str(data))
        trainer = new_run(out, source, chosen, validation, test, device, begin_with)
    trainer.run(resume, (lambda row: callback(row) if "epoch" in row else None) if callback else lambda row: None)
    return load(out, device)


def decompose(
    mask: Mask,
    *,
    rectangles: int | None = None,
    price: float | None = None,
    accuracy: float | None = None,
    depth: int | None = None,
    min_extent: int = 1,
    missed: float = 1.0,
    wasted: float = 1.0,
) -> ParseTree:
    """The best tree of one mask, or of a map of probabilities; see ``shapeparse.best_tree`` for what is known of it.

    Args:
        mask: (height, width); bool, 0/1 or 0/255 are labels, floats are probabilities of paint.
        rectangles: the most accurate tree of at most so many rectangles.
        price: accuracy, as a share of the image, that every rectangle must bring; 0.0005 if nothing is asked for.
        accuracy: the fewest rectangles that label this share of the pixels right.
        depth: depth of the deepest leaf; no limit if not given.
        min_extent: a node is split along an axis only while its extent there is greater than this.
        missed: what a pixel costs that should be painted and is not.
        wasted: what a pixel costs that is painted and should not be.

    >>> import numpy as np
    >>> mask = np.zeros((8, 8), bool)
    >>> mask[2:5, 3:7] = True
    >>> decompose(mask, rectangles=5).accuracy(mask)
    1.0
    """
    found = best_tree(
        mask, rectangles=rectangles, price=price, accuracy=accuracy, depth=depth, min_extent=min_extent,
        missed=missed, wasted=wasted,
    )  # fmt: skip
    return found.tree


def paint(what: ParseTree | Mask, settings: PaintSettings | None = None, **changes: Any) -> PaintPlan:
    """The strokes that paint a mask, or what a tree labels paint, in their order: the quickest plan that covers it.

    Args:
        what: a tree, of a mask or of a photograph, or a mask.
        settings: the brush, speeds, the kind of plan and its limits.
        changes: single settings by name, such as ``brush=12``, ``coverage=0.98`` or ``plan="rows"``.

    >>> import numpy as np
    >>> plan = paint(np.ones((40, 60), bool), brush=20)
    >>> len(plan.strokes), plan.kind
    (4, 'rows')
    """
    checked_names("paint", changes, PaintSettings)
    settings = replace(settings or PaintSettings(), **changes)
    if isinstance(what, ParseTree):
        part = Part(eroded(what.labels(), settings.margin), what.name, what)
    else:
        units, unit = units_of(what)
        part = Part(eroded(2 * units >= unit, settings.margin))
    return choose_plan(part, settings).plan


def _registered_method(method: Method) -> str:
    known = {**METHODS, **ABLATIONS, **REGISTERED}
    name = next((name for name, one in known.items() if one is method), None)
    if name is None:
        name = "-".join(re.findall(r"\w+", method.title.lower()))
        register_method(name, method)
    return name


def _registered_preset(preset: Preset) -> str:
    name = next((name for name, known in PRESETS.items() if known is preset), None)
    if name is None:
        name = preset.encoder or preset.trunk + "-of-ones-own"
        register_preset(name, preset)
    return name
