"""The learner: when it begins, what becomes of its proposals, and what a kill leaves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shapeparse import UserError
from shapeparse.labelling.edits import Labels, edit_of
from shapeparse.labelling.learner import SPREAD, Learner
from shapeparse.labelling.store import Store
from shapeparse.labelling.teaching import Teaching
from shapeparse.support.files import make_folder, write_json

from .conftest import house


class Process:
    """A process that is over as soon as somebody looks."""

    def __init__(self, folder: Path, work: Callable[[Path], int]) -> None:
        self.folder, self.work, self.returncode = folder, work, 0

    def poll(self) -> int:
        self.returncode = self.work(self.folder)
        return self.returncode

    def terminate(self) -> None:
        self.returncode = -15

    def wait(self) -> int:
        return self.returncode


def proposes(folder: Path) -> int:
    make_folder(folder / "proposals")
    for name in ("part 0", "part 1", "part 2"):
        Labels.of(house()).tree.save(folder / "proposals" / f"{name}.json")
    write_json(folder / "result.json", {"doubts": {"part 2": 0.3}})
    return 0


@pytest.fixture
def store(photos: Path) -> Iterator[Store]:
    store = Store(photos)
    yield store
    store.close()


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the processes of this test do, one after the other; each is told the folder."""
    works: list[Any] = []

    def popen(command: list[str], **_: Any) -> Process:
        return Process(Path(command[3]), works.pop(0))

    monkeypatch.setattr("shapeparse.labelling.learner.subprocess.Popen", popen)
    return works


def accept(store: Store, *numbers: int) -> None:
    for number in numbers:
        store.edit(number, edit_of({"tool": "rectangle", "x": 0, "y": 0, "w": 5, "h": 5, "paint": True}))
        store.accept(number)


def test_a_parser_learns_after_every_few_and_proposes_the_rest(store: Store, started: list[Any]) -> None:
    learner = Learner(store, Teaching(every=2))
    accept(store, 0)
    learner.look()
    assert not learner.status()["busy"] and learner.ready == -1
    started.append(proposes)
    accept(store, 1)
    learner.look()
    assert learner.status()["busy"] and (store.parser_folder(1) / "data" / "masks" / "part 0.png").exists()
    learner.look()
    assert (learner.ready, learner.learned, store.state(2), store.state(0)) == (1, 2, "proposed", "accepted")
    assert np.array_equal(store.labels(2).mask, house()) and learner.next() == [2]
    again = Learner(store, Teaching(every=2))
    assert (again.ready, again.begun, again.process) == (1, 1, None)


def test_a_round_that_was_killed_goes_on_at_the_next_start(store: Store, started: list[Any]) -> None:
    started += [lambda folder: -9, proposes]
    accept(store, 0, 1)
    first = Learner(store, Teaching(every=2))
    first.look()
    assert first.begun == 1 and first.process is not None
    second = Learner(store, Teaching(every=2))
    assert second.begun == 1 and second.process is not None
    second.look()
    assert second.ready == 1


def test_a_round_that_fails_is_told_and_not_begun_again_by_itself(store: Store, started: list[Any]) -> None:
    def fails(folder: Path) -> int:
        (folder / "log.txt").write_text("Traceback\nshapeparse: The data has 1 usable image.\n")
        return 2

    started += [fails, proposes]
    accept(store, 0, 1)
    learner = Learner(store, Teaching(every=2))
    learner.look()
    learner.look()
    assert learner.status()["problem"] == "The data has 1 usable image." and not learner.status()["busy"]
    accept(store, 2)
    learner.ask()
    learner.look()
    learner.look()
    assert learner.ready == 2 and not learner.status()["problem"]


def test_the_accuracy_to_expect_is_what_became_of_proposals(store: Store) -> None:
    learner = Learner(store, Teaching(every=2))
    for number in range(2):
        store.propose(number, Labels.of(house()).tree, 1)
    accept(store, 0)
    assert learner.agreement() is None
    store.accept(1)
    found = learner.agreement()
    wrong = float((house()[:5, :5] == 0).sum()) / house().size
    assert found is not None and found[2] == 2
    assert found[0] == pytest.approx(1 - wrong / 2)
    assert found[1] == pytest.approx(((wrong**2 / 2 + SPREAD**2) / 4) ** 0.5)


def test_a_model_that_is_given_proposes_at_once_and_is_what_comes_of_it(store: Store, started: list[Any]) -> None:
    started.append(proposes)
    learner = Learner(store, Teaching(), model="pretrained")
    learner.look()
    assert {store.state(number) for number in range(3)} == {"proposed"}
    done = learner.finish()
    assert done["run"] == "pretrained" and done["count"] == 3 and (store.folder / "trees" / "part 2.json").exists()


def test_what_cannot_be_yet_is_refused(store: Store) -> None:
    learner = Learner(store, Teaching())
    with pytest.raises(UserError, match="at least 2"):
        learner.ask()
    with pytest.raises(UserError, match="No parser has learned"):
        learner.finish()


def test_a_real_process_learns(store: Store) -> None:
    accept(store, 0, 1)
    learner = Learner(store, Teaching(every=2, preset="fast", epochs=1))
    end = time.monotonic() + 300
    while learner.ready < 1 and time.monotonic() < end and not learner.problem:
        learner.look()
        time.sleep(0.1)
    assert learner.ready == 1 and store.state(2) == "proposed", learner.problem
    learner.stop()
