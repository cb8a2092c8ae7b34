"""A parser learns, and proposes labels: ``python -m shapeparse.labelling.worker FOLDER [IMPORT ...]``.

``FOLDER`` is the folder of a parser, with ``job.json`` in it. How far it is stands in ``status.json``; the labels come
into ``proposals/`` and the maps into ``maps/``, and at the end there is ``result.json``. It ends with the process that
started it, and the next one goes on.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ..data.images import read_image, resize_image
from ..grammar import ParseTree
from ..support import files
from ..support.errors import UserError
from ..support.limits import DEFAULT_PRICE
from ..support.plugins import import_plugin
from ..support.processes import end_with_parent
from .store import write_png
from .teaching import Teaching, teach

NICE = 5
"""How far the work stands back behind the page."""


def main(folder: str, *plugins: str) -> int:
    """Do the job, after importing what registers networks; the exit code."""
    try:
        for plugin in plugins:
            import_plugin(plugin)
        work(Path(folder))
    except UserError as error:
        print(f"shapeparse: {error}", file=sys.stderr)
        return 2
    return 0


def work(folder: Path) -> None:
    """Learn if there is something to learn from, then parse the other photographs."""
    job = files.read_json(folder / "job.json", "remove the folder")
    if hasattr(os, "nice"):
        os.nice(NICE)

    def tell(**facts: Any) -> None:
        files.write_json(folder / "status.json", facts)

    model = job["model"]
    if model is None:
        tell(phase="learning", progress=0.0)

        def report(row: dict[str, Any]) -> None:
            tell(phase="learning", progress=round(row["progress"], 3))

        teach(Teaching(**job["teaching"]), folder / "data", folder, int(job["threads"]), report, job.get("last"))
        model = str(folder)
    propose(folder, model, job["photographs"], tell)
    tell(phase="done", progress=1.0)


def propose(folder: Path, model: str, photographs: dict[str, str], tell: Callable[..., None]) -> None:
    """Parse photographs, given by their names and paths, and write what comes of it."""
    from ..parsing.load import load

    parser = load(None if model == "pretrained" else model)
    for part in ("proposals", "maps"):
        files.make_folder(folder / part)
    doubts: dict[str, float] = {}
    for count, (name, path) in enumerate(photographs.items()):
        tell(phase="proposing", progress=round(count / len(photographs), 3))
        with contextlib.suppress(UserError):  # it was sound when the folder was opened; the others go on
            pixels = read_image(path)
            tree = parser.parse(pixels, price=DEFAULT_PRICE)
            seen = map_of(parser, pixels)
            if seen is not None:
                write_png(folder / "maps" / f"{name}.png", seen)
            tree.save(folder / "proposals" / f"{name}.json")
            doubts[name] = doubt(tree)
    files.write_json(folder / "result.json", {"doubts": doubts})


def map_of(parser: Any, pixels: np.ndarray) -> np.ndarray | None:
    """How likely each place of a photograph is paint, 0 to 255; None if the parser has no map."""
    if not parser.policy.trunk.sees_gain:
        return None
    from ..networks.devices import device_of
    from ..networks.views import to_pixels
    from ..parsing.trees import Seen

    images = resize_image(pixels, parser.side)[None]
    likely = Seen.by(parser.policy, to_pixels(images, device_of(parser.policy)), True).likely[0].cpu().numpy()
    height, width = (min(side, parser.side) for side in pixels.shape[:2])
    return np.asarray(Image.fromarray(np.rint(255 * likely).astype(np.uint8)).resize((width, height)))


def doubt(tree: ParseTree) -> float:
    """The share of the pixels that a parser expects to have labelled wrongly."""
    sure = tree.confidence
    if sure is None:
        return 0.0
    leaves = tree.is_leaf
    return float(((1 - sure[leaves]) * tree.nodes.area[leaves]).sum() / (tree.width * tree.height))


if __name__ == "__main__":
    end_with_parent()
    sys.exit(main(*sys.argv[1:]))
