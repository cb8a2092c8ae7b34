"""A bulk parse on a Ray cluster: Ray Data streams blocks of photographs through processes that hold the parser.

Nodes read the photographs and the run folder themselves, so both must lie where every node can reach them; shards are
written by the process that was started. ``RAY_ADDRESS`` names a cluster; without it, this machine is one.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

from ..parsing.load import load
from ..parsing.settings import ParseSettings
from .cluster import cluster
from .shards import Input, Result, parse_batch

BLOCK = 64
"""Photographs that a process is given at a time."""


class BlockParser:
    """Holds the parser in a process of the cluster."""

    def __init__(self, run: str | None, settings: ParseSettings, base: str) -> None:
        import torch

        torch.set_num_threads(1)  # there is a process for every core
        with contextlib.suppress(OSError):
            os.chdir(base)  # so that paths mean what they meant to who gave them
        self.parser, self.settings = load(run), settings

    def __call__(self, block: dict[str, Any]) -> dict[str, list[Any]]:
        """Parse a block; what goes in and comes out is JSON text, which holds the names of all files."""
        inputs = [Input(*json.loads(text)) for text in block["input"]]
        batch = list(zip(block["place"].tolist(), inputs, strict=True))
        results = parse_batch(self.parser, batch, self.settings)
        return {
            "place": [result.place for result in results],
            "row": [json.dumps(result.row) for result in results],
        }


def stream(
    inputs: Sequence[Input], places: Sequence[int], run: Path | None, settings: ParseSettings
) -> Generator[Result, None, None]:
    """Parse the photographs at some places of ``inputs``, by every node's own pretrained parser if no run is given.

    Results come as they are ready.
    """
    if not places:
        return
    with cluster(os.environ.get("RAY_ADDRESS")) as ray:
        from ray import data

        logging.getLogger("ray.data").setLevel(logging.ERROR)
        context = data.DataContext.get_current()
        context.enable_progress_bars = False
        context.execution_options.preserve_order = True  # so that one shard after the other is completed
        blocks = -(-len(places) // BLOCK)
        processes = max(1, min(blocks, int(ray.cluster_resources().get("CPU", 1))))
        paths = [{"place": place, "input": json.dumps(inputs[place])} for place in places]
        parsed = data.from_items(paths, override_num_blocks=blocks).map_batches(
            BlockParser,
            fn_constructor_args=(None if run is None else str(run.resolve()), settings, os.getcwd()),
            batch_size=None,
            compute=data.ActorPoolStrategy(size=processes),
            num_cpus=1,
        )
        for block in parsed.iter_batches(batch_size=None):
            for place, row in zip(block["place"], block["row"], strict=True):
                yield Result(int(place), json.loads(row))
