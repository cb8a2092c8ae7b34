"""Values that users give: whole numbers are known without NumPy, and NumPy's are whole too."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from shapeparse.support.checks import is_whole


@pytest.mark.parametrize("value", [0, -3, 10**30, np.int8(4), np.uint64(9)])
def test_whole_numbers_of_python_and_numpy(value: object) -> None:
    assert is_whole(value)


@pytest.mark.parametrize("value", [1.0, True, np.bool_(True), "1", None, np.float32(2), float("nan")])
def test_all_else_is_not_whole(value: object) -> None:
    assert not is_whole(value)


def test_checks_are_known_without_loading_numpy() -> None:
    code = "import sys, shapeparse.support.checks; assert 'numpy' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
