"""Numba without SciPy: kernels run, SciPy is neither loaded nor lost."""

from __future__ import annotations

import subprocess
import sys

import pytest

KERNEL = "from shapeparse.oracle.kernels import pop_box; import numpy as np; pop_box(np.zeros((4, 5), np.int64), 0)"


def printed(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip()


def test_a_kernel_runs_without_loading_linear_algebra() -> None:
    assert printed(f"import sys; {KERNEL}; print('scipy.linalg' in sys.modules)") == "False"


def test_who_needs_linear_algebra_has_it_afterwards() -> None:
    pytest.importorskip("scipy")
    script = (
        "import shapeparse.support.numba, numpy as np, numba;"
        "double = numba.njit(lambda a: np.dot(a, a)); print(double(2 * np.eye(2))[0, 0])"
    )
    assert printed(script) == "4.0"
