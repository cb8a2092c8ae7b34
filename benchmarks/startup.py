"""How long it takes until the command line answers, in seconds of processor time: the least of some starts each.

    python benchmarks/startup.py

Writes results/speed/startup.json. Kernels and modules are compiled before anything is measured.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import tyro
from PIL import Image

from shapeparse.support import files
from shapeparse.support.machine import facts

REPOSITORY = Path(__file__).resolve().parents[1]
HELP = ("train", "parse", "benchmark", "evaluate", "paint", "demo", "export")
LIMITS = {"import shapeparse": 0.2, **{f"{name} --help": 0.6 for name in HELP}, "decompose one mask": 1.0}
"""What each may take."""


def main(starts: int = 5, out: Path = REPOSITORY / "results" / "speed") -> None:
    """Start each command some times, and write startup.json.

    Args:
        starts: how often each is started.
        out: where the results go.
    """
    with tempfile.TemporaryDirectory() as folder:
        mask = np.zeros((256, 256), np.uint8)
        mask[60:180, 40:220] = 255
        Image.fromarray(mask).save(f"{folder}/mask.png")
        cli = [sys.executable, "-m", "shapeparse"]
        commands = {
            "python": [sys.executable, "-c", ""],
            "import shapeparse": [sys.executable, "-c", "import shapeparse"],
            **{f"{name} --help": [*cli, name, "--help"] for name in HELP},
            "decompose one mask": [*cli, "decompose", "mask.png", "--out", "out"],
        }
        seconds = {name: min(start(words, folder) for _ in range(1 + starts)) for name, words in commands.items()}
    for name, value in seconds.items():
        limit = f"   (at most {LIMITS[name]})" if name in LIMITS else ""
        print(f"{value:6.2f} s   {name}{limit}")
    files.make_folder(out)
    files.write_json(out / "startup.json", {"seconds": seconds, "limits": LIMITS, "starts": starts, **facts()})


def start(words: list[str], folder: str) -> float:
    """Processor time of a process and its children, in seconds."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=folder, check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    tyro.cli(main)
