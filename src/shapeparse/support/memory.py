"""What the C library does with memory that was freed."""

from __future__ import annotations

import ctypes
import sys

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""What ``mallopt`` calls them (malloc.h)."""
KEPT = 1 << 30
"""Bytes that are kept for the next time at most."""
LARGEST = 1 << 25
"""Bytes of the largest block that is kept; glibc allows no more."""


def keep_freed_memory() -> bool:
    """Let this process keep what it frees, for what it needs next; whether the C library can.

    An update of a network frees hundreds of megabytes and needs them again in the next one. Usually glibc gives them
    back, and the system then clears every page anew, which took a fifth of a training's time.
    """
    if sys.platform != "linux" or not hasattr(library := ctypes.CDLL(None), "mallopt"):
        return False
    return bool(library.mallopt(MMAP_THRESHOLD, LARGEST) and library.mallopt(TRIM_THRESHOLD, KEPT))
