"""``shapeparse export``: a trained parser for other runtimes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from ..support.errors import UserError
from ..support.text import one_line

EXAMPLES = """
  shapeparse export run --onnx parser.onnx
  shapeparse export --onnx pretrained.onnx
  shapeparse parse photo.jpg --model parser.onnx --out rectangles
"""


@dataclass(frozen=True)
class Args:
    """Write a trained parser as one ONNX file.

    `shapeparse parse --model FILE` gives the same trees with it. Any ONNX runtime
    can use the graph alone, from images (n, 3, side, side) with values from 0 to 1
    to the feature map and, with the preset best, the map of how likely paint is.
    """

    onnx: Annotated[Path, arg(metavar="FILE")]
    """Where to write it; the name must end in .onnx."""
    run: Positional[
        Annotated[Path | None, arg(metavar="RUN", help_behavior_hint="(default: the pretrained parser)")]
    ] = None
    """The run folder of the parser, made by `shapeparse train`."""


def run(args: Args) -> int:
    """Export and say so."""
    from ..parsing.load import load  # with PyTorch, which the help does without
    from ..parsing.onnx_file import export_onnx
    from ..parsing.shipped import run_or_pretrained

    if args.onnx.suffix.lower() != ".onnx":
        raise UserError(f"{one_line(args.onnx)} does not end in .onnx; give such a name, so that it is known again.")
    export_onnx(load(run_or_pretrained(args.run), "cpu"), args.onnx)
    print(f"The parser is in {one_line(args.onnx)} ({args.onnx.stat().st_size / 1e6:.1f} MB).")
    return 0
