"""The learner beside the person: parsers that learn in a process of their own, and propose labels for the rest."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from dataclasses import asdict, replace
from functools import lru_cache
from math import sqrt
from pathlib import Path
from typing import Any

from ..grammar import ParseTree
from ..support import files, plugins
from ..support.errors import UserError
from .order import Order, looks, ranked
from .store import Store
from .teaching import LEAST, Teaching

OFFERED = 5
"""Photographs that are offered as the next ones."""
SPREAD = 0.02
"""How much the accuracy of proposals is taken to vary before any is known; it counts like one of them, for a few that
were accepted as they are do not make the next one certain."""
PAUSE = 0.3
"""Seconds between looks at the process."""


class Learner:
    """Starts parsers one after the other, and hands their proposals to the store."""

    def __init__(self, store: Store, teaching: Teaching, model: str | None = None, order: Order = "chosen") -> None:
        self.store, self.teaching, self.order = store, teaching, order
        self.process: subprocess.Popen[bytes] | None = None
        self.problem = ""
        self.asked = False
        """Whether somebody wants a parser to learn now."""
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self._looks = [looks(one.thumbnail) for one in store.photographs]
        self._doubts: dict[int, float] = {}
        self._agreement = lru_cache(maxsize=None)(self._agreement_at)
        self._ranked: tuple[tuple[str, ...], list[int]] = ((), [])
        """The states of all photographs when the next ones were chosen, and these."""
        self.share: tuple[float, float, int] | None = None
        """The accuracy to expect, as ``agreement`` last said."""
        self.begun = max(self._numbers(), default=-1)
        """The number of the last parser that was begun; 0 is a model that was given."""
        self.ready = max((number for number in self._numbers() if self._result(number)), default=-1)
        """The number of the last parser that has proposed; -1 before there is one."""
        self.learned = self._learned_from(self.ready)
        """How many photographs it has learned from."""
        if self.begun < 0 and model is not None:
            self._start(0, model)
        elif self.begun > self.ready:
            self._run(self.begun)
        elif self.ready >= 0:
            self._adopt(self.ready)

    def watch(self) -> None:
        """Look after the process until ``stop``; meant for a thread."""
        while not self._stopped.wait(PAUSE):
            self.look()

    def stop(self) -> None:
        """End the process; what it has learned stays, and the next sitting goes on."""
        self._stopped.set()
        with self._lock:
            if self.process is not None:
                self.process.terminate()
                self.process.wait()
                self.process = None

    def look(self) -> None:
        """Take over what a process has done, and begin the next one when it is time."""
        with self._lock:
            if self.process is not None and self.process.poll() is not None:
                code, self.process = self.process.returncode, None
                if code == 0 and self._result(self.begun):
                    self.problem = ""
                    self._adopt(self.begun)
                else:
                    self.problem = self._reason(self.begun, code)
                    self.learned = self._learned_from(self.begun)
            count = len(self.store.accepted())
            due = count >= self.learned + self.teaching.every or (self.asked and count != self.learned)
            if self.process is None and count >= LEAST and due:
                self._start(self.begun + 1 if self.begun >= 0 else 1)
        self.share = self.agreement()

    def ask(self) -> None:
        """Let a parser learn now, if there is anything new to learn."""
        if len(self.store.accepted()) < LEAST:
            raise UserError(f"A parser needs at least {LEAST} accepted photographs to learn from; accept more.")
        self.asked = True

    def status(self) -> dict[str, Any]:
        """What the page shows of it."""
        busy = self.process is not None
        told = self._told(self.begun) if busy else {}
        share = self.share
        return {
            "busy": busy, "phase": told.get("phase", "starting") if busy else "", "progress": told.get("progress", 0.0),
            "ready": self.ready, "learned": self.learned, "every": self.teaching.every, "problem": self.problem,
            "agreement": None if share is None else {"mean": share[0], "error": share[1], "count": share[2]},
        }  # fmt: skip

    def agreement(self) -> tuple[float, float, int] | None:
        """The accuracy to expect: how much of the last proposals was right, by what became of them; the mean, its
        standard error, and of how many. Nobody had seen these photographs when the parser made its proposal."""
        corrected = [one for one in self.store.accepted() if one.journal.by is not None]
        corrected.sort(key=lambda one: one.journal.by or 0)
        last = [self._agreement(one.number, one.journal.step) for one in corrected[-2 * self.teaching.every :]]
        if len(last) < 2:
            return None
        mean = sum(last) / len(last)
        variance = (sum((share - mean) ** 2 for share in last) + SPREAD**2) / len(last)
        return mean, sqrt(variance / len(last)), len(last)

    def next(self) -> list[int]:
        """The next photographs of those that are neither accepted nor begun, in the order in which they are offered."""
        states = [self.store.state(one.number) for one in self.store.photographs]
        labelled = [number for number, state in enumerate(states) if state in ("accepted", "corrected")]
        others = [number for number, state in enumerate(states) if state in ("new", "proposed")]
        known = (*states, str(self.ready))
        if known != self._ranked[0]:
            self._ranked = known, ranked(self.order, self._looks, labelled, others, self._doubts, most=OFFERED)
        return self._ranked[1]

    def finish(self) -> dict[str, Any]:
        """Good enough: the run folder, with the trees of all photographs beside it."""
        if self.ready < 0:
            raise UserError("No parser has learned yet; accept more photographs, or let it learn now.")
        trees = 0
        for one in self.store.photographs:
            labels = one.journal.labels()
            if labels is not None:
                replace(labels.tree, name=one.path.name).save(self.store.folder / "trees" / f"{one.name}.json")
                trees += 1
        return {"run": self._model(self.ready), "trees": str(self.store.folder / "trees"), "count": trees}

    # The process

    def _start(self, number: int, model: str | None = None) -> None:
        folder = files.make_folder(self.store.parser_folder(number))
        names = [one.name for one in self.store.accepted()]
        if model is None:
            self.store.snapshot(folder / "data", names)
        rest = {one.name: str(one.path.resolve()) for one in self.store.photographs if one.name not in names}
        threads = max(1, (os.cpu_count() or 1) - 1)
        job = {
            "model": model, "teaching": asdict(self.teaching), "threads": threads, "photographs": rest,
            "learned": 0 if model else len(names), "last": self._model(self.ready),
        }  # fmt: skip
        files.write_json(folder / "job.json", job)
        self.asked = False
        self.begun = number
        self._run(number)

    def _run(self, number: int) -> None:
        folder = self.store.parser_folder(number)
        (folder / "status.json").unlink(missing_ok=True)
        job = files.read_json(folder / "job.json", "remove the folder")
        threads = str(job["threads"])
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "NUMBA_NUM_THREADS": threads}
        environment.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        command = [sys.executable, "-m", "shapeparse.labelling.worker", str(folder), *plugins.IMPORTED]
        with (folder / "log.txt").open("wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log, env=environment)

    def _adopt(self, number: int) -> None:
        folder = self.store.parser_folder(number)
        doubts = self._result(number).get("doubts", {})
        for one in self.store.photographs:
            path = folder / "proposals" / f"{one.name}.json"
            if one.journal.by == number or not path.exists():
                continue
            with contextlib.suppress(UserError):
                tree = ParseTree.load(path)
                if (tree.width, tree.height) == (one.width, one.height):
                    self.store.propose(one.number, tree, number)
        self._doubts = {one.number: float(doubts[one.name]) for one in self.store.photographs if one.name in doubts}
        self.ready, self.learned = number, self._learned_from(number)

    def _numbers(self) -> list[int]:
        folders = (self.store.folder / "parsers").iterdir()
        return [int(path.name) for path in folders if path.name.isdecimal() and (path / "job.json").exists()]

    def _result(self, number: int) -> dict[str, Any]:
        return _content(self.store.parser_folder(number) / "result.json")

    def _told(self, number: int) -> dict[str, Any]:
        return _content(self.store.parser_folder(number) / "status.json")

    def _model(self, number: int) -> str | None:
        """The run folder of a parser, or the name of one that was given; None before there is one."""
        if number < 0:
            return None
        run = self.store.parser_folder(number)
        return str(_content(run / "job.json").get("model") or run)

    def _learned_from(self, number: int) -> int:
        return int(_content(self.store.parser_folder(number) / "job.json").get("learned", 0))

    def _agreement_at(self, number: int, step: int) -> float:
        journal = self.store.photograph(number).journal
        first, last = journal.labels(journal.history.base), journal.labels()
        assert first is not None and last is not None
        return float((first.mask == last.mask).mean())

    def _reason(self, number: int, code: int) -> str:
        if code < 0:
            return f"The parser was ended by signal {-code}; let it learn again."
        log = self.store.parser_folder(number) / "log.txt"
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1].removeprefix("shapeparse: ") if lines else f"The parser ended with exit code {code}."


def _content(path: Path) -> dict[str, Any]:
    """What a file of JSON holds; nothing if it is not there yet."""
    if not path.exists():
        return {}
    with contextlib.suppress(UserError):
        content = files.read_json(path, "remove it")
        if isinstance(content, dict):
            return content
    return {}
