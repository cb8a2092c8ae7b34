"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated, Literal

from tyro.conf import arg

Device = Annotated[str, arg(metavar="DEVICE")]
"""auto, cpu, cuda or mps."""
Format = Literal["json", "png", "svg"]
Search = Literal["optimal", "greedy", "lookahead"]
FORMATS: tuple[Format, ...] = ("json", "png", "svg")
"""What is written of every mask or photograph."""
