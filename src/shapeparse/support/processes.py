"""Processes that share files: one at a time, and none that goes on when nobody waits for it."""

from __future__ import annotations

import contextlib
import os
import platform
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

from .errors import UserError
from .files import make_folder
from .text import one_line, printable

PAUSE = 0.1
"""Seconds between two looks at a lock that another process has."""


@contextlib.contextmanager
def alone(path: Path, patience: float = 0.0) -> Iterator[None]:
    """Hold the lock file ``path``, or say who works in its folder if that does not end within ``patience`` seconds.

    The system drops the lock when the process ends, however it ends. The file says who holds it, and is gone
    afterwards. Systems without such locks (Windows) go without.
    """
    make_folder(path.parent)
    deadline = time.monotonic() + patience
    while (descriptor := _taken(path)) is None:
        if time.monotonic() >= deadline:
            raise UserError(
                f"{one_line(path.parent)} is being worked in by another process{_holder(path)}; wait for it, or choose "
                "another folder."
            )
        time.sleep(PAUSE)
    try:
        since = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()} on {platform.node()} since {since}\n".encode())
        yield
    finally:
        path.unlink(missing_ok=True)  # before others can have it, or theirs would be gone
        os.close(descriptor)


def refuse_if_taken(path: Path) -> None:
    """Raise UserError if another process works in the folder of a lock file; for those who take it much later."""
    if path.exists():
        with alone(path):
            pass


def end_with_parent() -> None:
    """End this process, at once, when the one that started it is gone, however that ended.

    Standard input is a pipe from there on which nothing is ever sent: the system closes it when its other end is gone.
    """

    def watch() -> None:
        os.read(0, 1)
        os._exit(130)

    threading.Thread(target=watch, daemon=True).start()


def _taken(path: Path) -> int | None:
    """An open lock file that is ours now; None if it is another's."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o666)
    except OSError as error:
        raise UserError(f"Cannot write {one_line(path)}: {error.strerror or error}; choose another folder.") from error
    try:
        import fcntl
    except ImportError:
        return descriptor
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), path.stat()):
            return descriptor
    except OSError:  # another has it, or has just removed it
        pass
    os.close(descriptor)
    return None


def _holder(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            said = printable(file.readline(200))
    except OSError:
        said = ""
    return f" ({said})" if said else ""
