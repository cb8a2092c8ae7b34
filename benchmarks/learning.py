"""How accurate imitation and DRAG become in five minutes on all cores: presets fast and crop.

    python benchmarks/learning.py [--data DIR] [--methods ...] [--minutes 5]

``DIR`` is a folder with images/ and masks/; without it the car-panels data beside the repository if it is there, else
the built-in generator. One job at a time, on all cores. Stop it whenever you like: the same command goes on where it
stopped, and skips what is done. Numbers, splits and tables go to results/learning/NAME and NAME-crop.
"""

from __future__ import annotations

import sys
from pathlib import Path

import tyro
from machine import REPOSITORY

from shapeparse.commands import cli

CAR_PANELS = REPOSITORY.parent / "shared" / "data" / "car-panels"


def main(
    data: Path | None = None,
    methods: tuple[str, ...] = ("bc", "dagger", "drag-anchored", "lines"),
    minutes: float = 5.0,
    out: Path = REPOSITORY / "results" / "learning",
) -> int:
    """Run both benchmarks.

    Args:
        data: a folder with images/ and masks/.
        methods: rows of the benchmark with preset fast.
        minutes: budget of each job.
        out: where the folders with results go.
    """
    if data is None and CAR_PANELS.is_dir():
        data = CAR_PANELS
    name = data.name if data else "built-in"
    common = ["--minutes", f"{minutes:g}", "--jobs", "1", *(["--data", str(data)] if data else [])]
    fast = cli.main(["benchmark", "--out", str(out / name), "--methods", *methods, *common])
    crop = cli.main(
        ["benchmark", "--out", str(out / f"{name}-crop"), "--preset", "crop", "--methods", "dagger", *common]
    )
    return max(fast, crop)


if __name__ == "__main__":
    sys.exit(tyro.cli(main))
