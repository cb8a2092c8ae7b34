"""The one kind of error a user's own input can cause."""

from __future__ import annotations


class UserError(ValueError):
    """A mistake in what the user gave us: one sentence that names the file or value and the remedy.

    The command line prints the sentence without a traceback and exits with code 2.

    >>> import shapeparse
    >>> try:
    ...     shapeparse.Limits(depth=-1)
    ... except UserError as error:
    ...     print(error)
    depth is -1; give a whole number from 0 to 64.
    """
