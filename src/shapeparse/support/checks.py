"""What values users give may be. Nothing here loads NumPy, so that help texts are quick."""

from __future__ import annotations

from numbers import Integral
from typing import Any


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, of Python or NumPy; truth values are not.

    >>> is_whole(7), is_whole(7.0), is_whole(True)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)
