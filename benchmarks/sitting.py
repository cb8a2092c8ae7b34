"""From the first click to proposals: `shapeparse label` driven by a simulated person, at a person's pace.

    python benchmarks/sitting.py [--photographs 15] [--out results/labelling]

Starts the command on a folder of generated photographs, with its own defaults. The simulated annotator (``annotator``)
labels photographs through the page's own requests until a parser begins to learn, and takes the seconds that the
keystroke-level model gives a person. While the parser learns, it goes on with one more photograph, draws on it and
takes that back, and all requests of the page are measured. Writes sitting.json and sitting.md.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.request import Request, urlopen

import numpy as np
import tyro
from annotator import CLICK, ENOUGH, KEY, THINK, best_edit, seconds_of
from machine import REPOSITORY, facts

from shapeparse.data.generator import generate
from shapeparse.labelling.edits import Brush, Labels, Sight, edit_to_json
from shapeparse.labelling.store import write_png
from shapeparse.support.errors import UserError
from shapeparse.support.files import make_folder, write_json, write_text

SIDE = 512
SEED = 9000
PAUSE = 0.25
"""Seconds between two looks at the page while a parser learns."""
STROKE = Brush((0.2 * SIDE, 0.3 * SIDE, 0.6 * SIDE, 0.5 * SIDE), SIDE / 40, paint=True)
"""What is drawn and taken back again while a parser learns."""
TOO_LONG = 3600.0


@dataclass
class Page:
    """What a browser would ask of the command, and how long each answer took."""

    address: str
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def ask(self, kind: str, path: str, content: dict[str, Any] | None = None) -> bytes:
        """One request; its time counts under its kind."""
        body = None if content is None else json.dumps(content).encode()
        request = Request(self.address + path, body, {"Content-Type": "application/json"} if body else {})
        start = time.perf_counter()
        with urlopen(request, timeout=60) as response:
            answer: bytes = response.read()
        self.seconds.setdefault(kind, []).append(time.perf_counter() - start)
        return answer

    def sitting(self) -> dict[str, Any]:
        """The list of photographs and the parser."""
        content: dict[str, Any] = json.loads(self.ask("the list", "api/sitting"))
        return content


def main(photographs: int = 15, out: Path = REPOSITORY / "results" / "labelling", pace: float = 1.0) -> None:
    """Sit through the beginning once.

    Args:
        photographs: in the folder.
        out: where the results go.
        pace: how many times as long as the model says a person takes; 0 for no pauses, to see that it works.
    """
    pictures = [generate(SEED, index, SIDE) for index in range(photographs)]
    with tempfile.TemporaryDirectory() as place, labelling(Path(place), [photo for photo, _ in pictures]) as page:
        result = sat_through(page, pictures, pace)
    result |= {"photographs": photographs, "side": SIDE, "pace": pace, "load": os.getloadavg()[0], **facts()}
    write_json(make_folder(out) / "sitting.json", {"benchmark": "sitting", **result})
    write_text(out / "sitting.md", text_of(result))
    print(text_of(result))


@contextmanager
def labelling(folder: Path, photos: list[np.ndarray], *options: str) -> Iterator[Page]:
    """The command on a folder of photographs."""
    make_folder(folder / "photos")
    for number, photo in enumerate(photos):
        write_png(folder / "photos" / f"part-{number + 1:02}.png", photo)
    command = [sys.executable, "-m", "shapeparse", "label", str(folder / "photos"), "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        if found is None:
            raise UserError("shapeparse label did not start; see above.")
        yield Page(found.group())
    finally:
        process.terminate()
        process.wait()


def sat_through(page: Page, pictures: list[tuple[np.ndarray, np.ndarray]], pace: float) -> dict[str, Any]:
    """Label until a parser learns, then look at the page until it has proposed labels for the rest."""
    first = time.perf_counter()
    accepted = 0
    while not page.sitting()["learner"]["busy"]:
        if accepted < page.sitting()["learner"]["every"]:
            number = int(page.sitting()["next"][0])
            label(page, number, *pictures[number], pace)
            page.ask("accept", f"api/photographs/{number}/accept", {})
            time.sleep(pace * (THINK + CLICK))
            accepted += 1
    learning = time.perf_counter()
    page.seconds = {}
    watched = int(page.sitting()["next"][0])
    label(page, watched, *pictures[watched], pace)
    while any(one["state"] == "new" for one in page.sitting()["photographs"]):
        problem = page.sitting()["learner"]["problem"]
        if problem or time.perf_counter() - first > TOO_LONG:
            raise UserError(f"No proposals came. {problem}")
        page.ask("a photograph's labels", f"api/photographs/{watched}")
        page.ask("a mask", f"api/photographs/{watched}/mask")
        page.ask("an edit", f"api/photographs/{watched}/edit", {"edit": edit_to_json(STROKE)})
        page.ask("undo", f"api/photographs/{watched}/undo", {})
        time.sleep(PAUSE)
    end = time.perf_counter()
    waits = {kind: summary(times) for kind, times in page.seconds.items()}
    return {"accepted": accepted, "labelling": learning - first, "learning": end - learning, "waits": waits}


def label(page: Page, number: int, photo: np.ndarray, truth: np.ndarray, pace: float) -> None:
    """Label a photograph from nothing with the tools of the page."""
    labels, sight, tool = Labels.of(np.zeros(truth.shape, bool)), Sight(lambda: photo), ""
    while (labels.mask == truth).mean() < ENOUGH:
        begun = time.perf_counter()
        edit = best_edit(labels, truth, sight, tool, ENOUGH)
        if edit is None:
            return
        takes = pace * (seconds_of(edit) + KEY * (edit.tool != tool))
        labels, tool = edit(labels, sight), edit.tool
        time.sleep(max(0.0, takes - (time.perf_counter() - begun)))  # a person thinks meanwhile, too
        page.ask("an edit", f"api/photographs/{number}/edit", {"edit": edit_to_json(edit)})


def summary(times: list[float]) -> dict[str, float]:
    """Of some waiting times, in milliseconds."""
    high = quantiles(times, n=20, method="inclusive")[-1] if len(times) > 1 else times[0]
    return {"count": len(times), "median": 1000 * median(times), "most of 95 %": 1000 * high, "most": 1000 * max(times)}


def text_of(result: dict[str, Any]) -> str:
    """The results to read."""
    total, machine = result["labelling"] + result["learning"], result["machine"]
    lines = [
        "# From the first click to proposals",
        "",
        f"A simulated person labels {result['accepted']} of {result['photographs']} generated photographs of "
        f"{result['side']} x {result['side']} pixels from nothing, in {result['labelling']:.0f} s; a parser learns "
        f"from them and proposes labels for the others, in {result['learning']:.0f} s. **{total:.0f} s** from the "
        "first click to proposals for the rest. How long the page waits for answers meanwhile, in milliseconds:",
        "",
        "| request | times | median | 95 % within | longest |",
        "| --- | ---: | ---: | ---: | ---: |",
        *(
            f"| {kind} | {wait['count']} | {wait['median']:.0f} | {wait['most of 95 %']:.0f} | {wait['most']:.0f} |"
            for kind, wait in result["waits"].items()
        ),
        "",
        f"{machine['cpu']}, {machine['cores']} cores, load average {result['load']:.1f} in the end; {result['date']}. "
        "Made by `python benchmarks/sitting.py`.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    tyro.cli(main)
