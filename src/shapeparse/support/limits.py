"""Limits and defaults that searches, settings and help texts share. Nothing here loads NumPy or Numba."""

from __future__ import annotations

DEFAULT_PRICE = 0.0005
"""If nothing is asked for, every rectangle must bring this share of the pixels: few rectangles, high accuracy."""
TEACHER_PRICE = 0.0001
"""What every rectangle of the optimal teacher must bring, if nobody says: it is imitated for its accuracy."""
MOST_RECTANGLES = 4096
"""That a search can be asked for."""
PROVEN_DEPTH = 4
"""Trees of at most so many levels are searched over all pixel lines."""
LOOKAHEAD = 8
"""Candidate cuts per axis of the oracle that looks ahead, if nobody says."""
MOST_LOOKAHEAD = 1024
"""Candidate cuts per axis that a search may look ahead."""
