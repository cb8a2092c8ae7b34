"""Memory that was freed is there for the next time."""

from __future__ import annotations

import subprocess
import sys

import pytest

from shapeparse.support.memory import keep_freed_memory

AGAIN = """
import resource, sys
import numpy as np
from shapeparse.support.memory import keep_freed_memory

if sys.argv[1] == "keep" and not keep_freed_memory():
    print(-1)
    raise SystemExit
for time in range(3):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    blocks = [np.ones(1 << 21) for _ in range(8)]  # 128 MB
    del blocks
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def pages_that_were_fetched_again(how: str) -> int:
    ran = subprocess.run([sys.executable, "-c", AGAIN, how], capture_output=True, text=True, check=True)
    return int(ran.stdout)


def test_what_was_freed_is_not_fetched_again():
    kept = pages_that_were_fetched_again("keep")
    if kept < 0:
        pytest.skip("this C library has no mallopt")
    assert kept < 100 < pages_that_were_fetched_again("usual")


def test_other_systems_are_left_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert not keep_freed_memory()
