"""Numba, imported here for all kernels, without SciPy.

Before its first kernel runs, Numba imports SciPy's linear algebra where that is installed, only to choose how
``np.convolve`` multiplies. That takes long, and no kernel here needs it. A program that uses SciPy still can: it is out
of sight only while Numba looks for it.
"""

from __future__ import annotations

import sys
from typing import Any

import numba as nb

__all__ = ["nb"]

_BLAS = "scipy.linalg.cython_blas"

if _BLAS not in sys.modules:
    modules: dict[str, Any] = sys.modules
    modules[_BLAS] = None  # an import then fails, as if there were none
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        del modules[_BLAS]
