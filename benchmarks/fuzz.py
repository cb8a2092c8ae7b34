"""Thousands of damaged files, each given to the command that reads its kind: every one must be used, or refused in one
sentence, within 20 seconds and 2 GB.

    python benchmarks/fuzz.py

Writes results/fuzz/fuzz.json and fuzz.md. The seed decides every file; `benchmarks/fuzz_seeds.py` makes the sound ones.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from fuzz_seeds import KINDS, Kind, make_seeds
from machine import REPOSITORY, facts
from PIL import Image

from shapeparse.support import files

SECONDS, MEGABYTES = 20.0, 2048
"""What a file may take."""
ODD = (b"0", b"-1", b"1e999", b"NaN", b"null", b'"x"', b"[]", b"{}", b"1000000000000", b"0.5", b"true", b"-1e-9")
"""Values in the place of others, in files of text."""


@dataclass
class Found:
    """What became of the files of one kind."""

    kind: str
    files: int = 0
    used: int = 0
    refused: int = 0
    slowest_seconds: float = 0.0
    peak_megabytes: float = 0.0
    wrong: list[str] = field(default_factory=list)
    """Tracebacks, hangs, and what was said by others than shapeparse."""


def damaged(content: bytes, draw: random.Random, is_text: bool) -> bytes:
    """The content with one to four mistakes in it."""
    for _ in range(draw.randint(1, 4)):
        size = len(content)
        start = draw.randrange(max(size, 1))
        end = min(size, start + draw.randint(1, 1 + min(size, 200)))
        values = list(re.finditer(rb'-?\d[\d.e+-]*|"[^"]*"|\[|\{', content[:200_000])) if is_text else []
        change = draw.choice(("flip", "cut", "repeat", "end", "noise", "value", "value", "value"))
        if change == "value" and values:
            place = draw.choice(values)
            content = content[: place.start()] + draw.choice(ODD) + content[place.end() :]
        elif change == "cut":
            content = content[:start] + content[end:]
        elif change == "repeat":
            content = content[:end] + content[start:end] + content[end:]
        elif change == "end":
            content = content[:start]
        elif change == "noise":
            content = content[:start] + draw.randbytes(end - start) + content[end:]
        elif size:
            content = content[:start] + bytes([content[start] ^ 1 << draw.randrange(8)]) + content[start + 1 :]
    return content


def cases(kind: Kind, seeds: Path, count: int, draw: random.Random) -> Iterator[list[bytes]]:
    """The damaged contents of each call of the command."""
    sound = [path.read_bytes() for path in sorted((seeds / kind.name).iterdir())]
    left = count
    while left:
        some = min(kind.at_a_time, left)
        yield [damaged(draw.choice(sound), draw, kind.is_text) for _ in range(some)]
        left -= some


def answer(kind: Kind, seeds: Path, contents: list[bytes]) -> dict[str, Any]:
    """What the command line makes of some files, called in this process."""
    from shapeparse.commands.cli import main

    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        words = kind.prepare(here, seeds, contents)
        out, started, wrong, code = io.StringIO(), time.perf_counter(), "", 0
        with _own_words(here / "said") as said, contextlib.redirect_stdout(out):
            try:
                code = main(words)
            except SystemExit as end:
                code = int(end.code or 0)
            except BaseException:
                wrong = traceback.format_exc(limit=-3)
        lines = [line for line in said.read_text(errors="replace").splitlines() if line.strip()]
        strange = [line for line in lines if not line.startswith(("shapeparse: ", "Compiling"))]
        if not wrong and (code not in (0, 2) or strange or (code == 2 and not lines)):
            wrong = f"exit code {code}; it said {strange[:3] or lines[:3]}"
        refused = min(len(contents), sum(line.startswith("shapeparse: ") for line in lines))
        seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"wrong": wrong, "refused": refused, "seconds": seconds, "peak": peak}


@contextlib.contextmanager
def _own_words(path: Path) -> Iterator[Path]:
    """Standard error as a file, for C libraries too."""
    kept = os.dup(2)
    usual, sys.stderr = sys.stderr, path.open("w", buffering=1)
    os.dup2(sys.stderr.fileno(), 2)
    try:
        yield path
    finally:
        sys.stderr.close()
        sys.stderr = usual
        os.dup2(kept, 2)
        os.close(kept)


def worker(seeds: Path, calls: Connection) -> None:
    """Answers calls until there are none."""
    import torch

    torch.set_num_threads(1)
    kinds = {kind.name: kind for kind in KINDS}
    while (call := calls.recv()) is not None:
        calls.send(answer(kinds[call[0]], seeds, call[1]))


class Worker:
    """A process that answers calls, started anew after one that took too long."""

    def __init__(self, seeds: Path) -> None:
        self.seeds = seeds
        self.start()

    def start(self) -> None:
        """Start the process."""
        context = multiprocessing.get_context("spawn")
        self.calls, theirs = context.Pipe()
        self.process = context.Process(target=worker, args=(self.seeds, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, kind: Kind, contents: list[bytes]) -> dict[str, Any]:
        """What becomes of some files."""
        self.calls.send((kind.name, contents))
        try:
            if self.calls.poll(SECONDS * len(contents)):
                found: dict[str, Any] = self.calls.recv()
                return found
            wrong = "a hang"
        except EOFError:
            wrong = "the process died"
        self.process.kill()
        self.process.join()
        self.start()
        return {"wrong": wrong, "refused": 0, "seconds": SECONDS * len(contents), "peak": 0.0}


def fuzz(kind: Kind, seeds: Path, asked: Worker, share: float, seed: int, kept: Path) -> Found:
    """Give a command its damaged files; those that it cannot deal with are kept."""
    found, draw = Found(kind.name), random.Random(f"{seed} {kind.name}")
    for contents in cases(kind, seeds, round(kind.count * share), draw):
        made = asked.ask(kind, contents)
        if made["wrong"] and len(contents) > 1:  # which one was it?
            each = [asked.ask(kind, [content]) for content in contents]
        else:
            each = [made]
        for place, one in enumerate(each):
            if one["wrong"]:
                found.wrong.append(one["wrong"])
                kept.mkdir(parents=True, exist_ok=True)
                (kept / f"{kind.name}-{len(found.wrong)}").write_bytes(contents[place])
        found.files += len(contents)
        found.refused += sum(one["refused"] for one in each)
        found.slowest_seconds = max(found.slowest_seconds, *(one["seconds"] / len(contents) for one in each))
        found.peak_megabytes = max(found.peak_megabytes, *(one["peak"] for one in each))
    found.used = found.files - found.refused - len(found.wrong)
    return found


def bombs(seeds: Path, count: int) -> dict[str, Any]:
    """Peak memory of `parse` on photographs of 100 million grey pixels, and a WebP file that says it has far more."""
    with tempfile.TemporaryDirectory() as folder:
        photos = Path(folder) / "photos"
        photos.mkdir()
        Image.fromarray(np.zeros((10_000, 10_000), np.uint8)).save(photos / "0.png", compress_level=1)
        for place in range(1, count):
            shutil.copy(photos / "0.png", photos / f"{place}.png")
        small = io.BytesIO()
        Image.new("RGBA", (8, 8), (1, 2, 3, 4)).save(small, "WEBP", lossless=False)
        content = bytearray(small.getvalue())
        content[24:30] = (16_382).to_bytes(3, "little") * 2
        (photos / "bomb.webp").write_bytes(content)
        words = ["parse", str(photos), "--model", str(seeds / "run"), "--formats", "json", "--out", str(photos / "out")]
        said = subprocess.run(
            ["/usr/bin/env", sys.executable, "-c", PEAK, *words], capture_output=True, text=True, check=False
        )
    *_, peak = said.stdout.split()
    return {
        "photographs": count,
        "megapixels_each": 100,
        "peak_megabytes": float(peak),
        "said": said.stderr.strip()[-80:],
    }


PEAK = """
import resource, sys
from shapeparse.commands.cli import main
main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def table(found: list[Found], large: dict[str, Any]) -> str:
    """The results as Markdown."""
    rows = [
        f"| {one.kind} | {one.files} | {one.used} | {one.refused} | {len(one.wrong)} | {one.slowest_seconds:.2f} "
        f"| {one.peak_megabytes:.0f} |"
        for one in found
    ]
    total = sum(one.files for one in found)
    wrong = sum(len(one.wrong) for one in found)
    return "\n".join(
        [
            "# What came of damaged files",
            "",
            f"{total:,} damaged files; {wrong} ended in a traceback, a hang or with words that are not ours.",
            "",
            "| kind | files | used all the same | refused in a sentence | wrong | slowest, s per file | peak, MB |",
            "|---|---|---|---|---|---|---|",
            *rows,
            "",
            f"`parse` of {large['photographs']} grey photographs of {large['megapixels_each']} megapixels and a WebP "
            f"file that claims 268: {large['peak_megabytes']:,.0f} MB at most.",
            "",
        ]
    )


def main(share: float = 1.0, seed: int = 0, large: int = 8, out: Path = REPOSITORY / "results" / "fuzz") -> None:
    """Make sound files, damage copies of them, and see what the commands say.

    Args:
        share: of the files of every kind; 0.05 is quick.
        seed: of all damage.
        large: photographs of 100 megapixels.
        out: where the results go.
    """
    with tempfile.TemporaryDirectory() as folder:
        seeds = make_seeds(Path(folder))
        asked = Worker(seeds)
        found = []
        for kind in KINDS:
            found.append(fuzz(kind, seeds, asked, share, seed, out / "wrong"))
            print(asdict(found[-1]), flush=True)
        asked.calls.send(None)
        heavy = bombs(seeds, large)
    files.make_folder(out)
    content = {"seed": seed, "kinds": [asdict(one) for one in found], "large": heavy, **facts("pillow")}
    files.write_json(out / "fuzz.json", content)
    files.write_text(out / "fuzz.md", table(found, heavy))
    limits = [one.kind for one in found if one.wrong or one.slowest_seconds > SECONDS or one.peak_megabytes > MEGABYTES]
    if limits or heavy["peak_megabytes"] > MEGABYTES:
        sys.exit(f"Not as it should be: {', '.join(limits) or 'large photographs'}.")


if __name__ == "__main__":
    tyro.cli(main)
