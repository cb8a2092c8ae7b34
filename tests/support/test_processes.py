"""One process at a time works in a folder, and none goes on when nobody waits for it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shapeparse.support.processes import alone, refuse_if_taken

pytest.importorskip("fcntl")

HOLD = "import sys, time; from pathlib import Path; from shapeparse.support.processes import alone\n"
HOLD += "with alone(Path(sys.argv[1])):\n    print('mine', flush=True)\n    time.sleep(600)"


def test_another_process_is_refused_and_told_who_works_there_since_when(tmp_path: Path, refused) -> None:
    with alone(tmp_path / "run" / "lock"):
        sentence = refused(alone(tmp_path / "run" / "lock").__enter__)
    assert f"{tmp_path / 'run'} is being worked in by another process ({os.getpid()} on " in sentence
    assert " since 20" in sentence


def test_the_file_is_gone_afterwards_and_the_folder_free(tmp_path: Path) -> None:
    for _ in range(2):
        with alone(tmp_path / "lock"):
            assert (tmp_path / "lock").exists()
        assert list(tmp_path.iterdir()) == []


def test_a_process_that_was_killed_holds_nothing(tmp_path: Path, refused) -> None:
    path = tmp_path / "lock"
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"mine\n"
        assert f"another process ({process.pid} on" in refused(refuse_if_taken, path)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert path.exists()  # left behind, and nobody's
    refuse_if_taken(path)
    assert list(tmp_path.iterdir()) == []


def test_those_with_patience_get_it_when_it_is_free(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with alone(path):
        waiting = subprocess.Popen(
            [sys.executable, "-c", HOLD.replace("sys.argv[1])", "sys.argv[1]), 60"), str(path)], stdout=subprocess.PIPE
        )
    assert waiting.stdout is not None
    try:
        assert waiting.stdout.readline() == b"mine\n"
    finally:
        waiting.kill()
        waiting.communicate()


def test_a_lock_that_cannot_be_made_is_one_sentence(tmp_path: Path, refused) -> None:
    (tmp_path / "lock").mkdir()
    assert "Cannot write" in refused(alone(tmp_path / "lock").__enter__)
    (tmp_path / "file").write_text("x")
    assert "is a file" in refused(alone(tmp_path / "file" / "lock").__enter__)


def test_looking_at_a_folder_that_nobody_made_makes_none(tmp_path: Path) -> None:
    refuse_if_taken(tmp_path / "run" / "lock")
    assert list(tmp_path.iterdir()) == []


CHILD = """
from shapeparse.support.processes import end_with_parent
end_with_parent()
print("here", flush=True)
while True:
    sum(range(10_000_000))
"""
PARENT = """
import subprocess, sys, time
pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=sys.stdout)
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], **pipes)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(600)
"""


def test_a_process_ends_at_once_with_the_process_that_started_it_even_if_that_is_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT, CHILD], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    try:
        parent.kill()
        parent.communicate(timeout=30)  # until nobody is left who could write there
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
