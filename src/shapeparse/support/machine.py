"""What results say of the machine they came from: no paths, no names."""

from __future__ import annotations

import os
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any


def cpu_model() -> str:
    """The processor's model name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def facts(*packages: str) -> dict[str, Any]:
    """Date, machine and versions, for a results file."""
    named = ("shapeparse", "torch", "numpy", "numba", *packages)
    return {
        "date": date.today().isoformat(),
        "machine": {"cpu": cpu_model(), "cores": os.cpu_count(), "system": platform.system()},
        "versions": {"python": platform.python_version(), **{package: version(package) for package in named}},
    }
