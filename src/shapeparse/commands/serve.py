"""``shapeparse serve``: the explorer in the browser, and the API behind it."""

from __future__ import annotations

import logging
import math
import os
import sys
import time
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from tyro.conf import UseAppendAction, arg

from ..support import progress
from ..support.errors import UserError
from ..web.settings import ServiceSettings
from .options import Device

EXAMPLES = """
  shapeparse serve
  shapeparse serve --model run
  shapeparse serve --model run --model other-run --port 8080
"""

MEGA = 1_000_000
DEFAULTS = ServiceSettings()


@dataclass(frozen=True)
class Args:
    """Explore photographs, their rectangles and brush strokes in the browser.

    Prints an address to open. The page there takes photographs, or has samples to
    try; the same can be asked by programs, as /docs explains. Nothing is stored, and no other machine is asked
    anything. It stops with Ctrl-C, after finishing what runs.
    """

    model: Annotated[UseAppendAction[tuple[Path, ...]], arg(metavar="RUN", help_behavior_hint="(may be repeated)")] = ()
    """The run folder of a parser, made by `shapeparse train`. Without any there is the pretrained one; the oracles,
    which need masks, are always there."""
    host: str = "127.0.0.1"
    """Name or address of this machine to listen at."""
    port: int = 8000
    """Port to listen at; 0 takes a free one."""
    public: Annotated[bool, arg(help_behavior_hint="")] = False
    """Allow a --host that other machines can reach."""
    max_megabytes: float = DEFAULTS.max_bytes / MEGA
    """Largest request."""
    max_megapixels: float = DEFAULTS.max_pixels / MEGA
    """Largest photograph."""
    device: Device = "auto"
    """Where parsers compute: auto takes a GPU if there is one."""
    at_once: Annotated[int, arg(help_behavior_hint="(default: one a core, at most 4)")] = DEFAULTS.at_once
    """Requests worked on at the same time; twice as many may wait."""


def run(args: Args) -> int:
    """Serve until told to stop."""
    try:
        from ..web import create_app
        from ..web.server import address_of, host_names, listen, serve
    except ImportError as error:
        raise UserError(
            f"The service needs the package {error.name}; install the extra with `pip install shapeparse[service]`."
        ) from error
    from ..oracle.ready import ready_oracle  # with Numba, which the help does without

    for name in ("max_megabytes", "max_megapixels"):
        if not math.isfinite(getattr(args, name)):
            raise UserError(f"--{name.replace('_', '-')} is {getattr(args, name)}; give a number.")
    settings = ServiceSettings(
        max_bytes=round(args.max_megabytes * MEGA), max_pixels=round(args.max_megapixels * MEGA),
        at_once=args.at_once, hosts=host_names(args.host, args.public), device=args.device,
    )  # fmt: skip
    bound = listen(args.host, args.port, args.public)
    with bound:
        ready_oracle()
        _ready_best_tree()
        models = args.model or _pretrained()
        app = create_app(replace(settings, models=models))
        if models:
            _share_cores(args.at_once)
        print(f"The explorer is at {address_of(bound)} (Ctrl-C stops it).", flush=True)
        _log_to_stderr()
        serve(app, bound)
    return 0


def _ready_best_tree() -> None:
    """Have the kernels of the search for the best tree compiled, too, so that no client waits for that."""
    import numpy as np

    from ..oracle.optimal import best_tree
    from ..oracle.ready import explained_compiling

    with explained_compiling("Compiling the search for the best tree (only this once) …"):
        best_tree(np.eye(4, dtype=bool), rectangles=3)
        best_tree(np.eye(4), price=0.01)


def _pretrained() -> tuple[Path, ...]:
    """The pretrained parser; where there is none, oracles alone are worth serving too."""
    from ..parsing.shipped import run_or_pretrained

    try:
        return (run_or_pretrained(None),)
    except UserError as error:
        progress.note(f"{error} Until then there are only the oracles, which need a mask with every photograph.")
        return ()


def _share_cores(at_once: int) -> None:
    """As many threads of PyTorch a parse as leave every parse its own."""
    import torch

    torch.set_num_threads(max(1, (os.cpu_count() or 1) // at_once))


def _log_to_stderr() -> None:
    """One line a request, with the time in UTC."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)sZ %(message)s", "%Y-%m-%dT%H:%M:%S"))
    handler.formatter.converter = time.gmtime  # type: ignore[union-attr]
    for name, level in (("shapeparse.web", logging.INFO), ("uvicorn.error", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
    warnings.filterwarnings("ignore", module="PIL")  # of odd files that clients send
