"""Where the repository is, and what results say of the machine."""

from __future__ import annotations

from pathlib import Path

from shapeparse.support.machine import facts

__all__ = ["REPOSITORY", "facts"]

REPOSITORY = Path(__file__).resolve().parents[1]
