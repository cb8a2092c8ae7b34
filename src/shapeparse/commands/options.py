"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

from tyro.conf import arg

Device = Annotated[str, arg(metavar="DEVICE", help_behavior_hint="(default: auto)")]
"""auto, cpu, cuda or mps."""
