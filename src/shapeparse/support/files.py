"""The one place that writes files, to a temporary name first, renamed when complete; and that looks before reading.

Nothing replaces a file of another kind: see :func:`kind_of`.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from .errors import UserError
from .text import one_line

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_BYTES = 1 << 30
"""Larger files are not opened."""
MAX_JSON = 64 << 20
"""Larger files of settings and results are not read."""
HEAD = 4096
"""Bytes at the beginning of a file that tell its kind."""


def write_with(path: str | Path, write: Callable[[BinaryIO], object]) -> None:
    """Call ``write`` with an open binary file that becomes ``path`` only when it is complete.

    A crash, a full disk or an error in ``write`` leaves whatever was at ``path`` before untouched.
    """
    path = Path(path)
    descriptor, temporary = _open_beside(path)
    try:
        with os.fdopen(descriptor, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        refuse_other_kind(path, kind_of(temporary, path.suffix))
        os.replace(temporary, path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise UserError(
            f"Cannot write {path}: {error.strerror or error}; free space or choose another --out."
        ) from error
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write ``content`` to ``path`` atomically."""
    write_with(path, lambda file: file.write(content))


def write_text(path: str | Path, content: str) -> None:
    """Write ``content`` to ``path`` atomically, as UTF-8."""
    write_bytes(path, content.encode())


def write_json(path: str | Path, content: Any) -> None:
    """Write ``content`` to ``path`` atomically, as indented JSON."""
    write_text(path, json.dumps(content, indent=2, allow_nan=False) + "\n")


def write_array(path: str | Path, array: NDArray[Any]) -> None:
    """Write a NumPy array to ``path`` atomically, as ``np.load`` reads it, memory-mapped if wanted."""
    import numpy as np  # which help texts do without

    write_with(path, lambda file: np.save(file, array, allow_pickle=False))


def read_json(path: str | Path, remedy: str, limit: int = MAX_JSON) -> Any:
    """The content of a JSON file that may hold anything, or be none: a pipe, a device, nested without end.

    ``remedy`` ends the sentence of the error.
    """
    path = Path(path)
    check_file(path, limit)
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise UserError(f"{one_line(path)} cannot be read ({error.strerror or error}); {remedy}.") from error
    except RecursionError as error:
        raise UserError(f"{one_line(path)} cannot be read (it is nested too deeply); {remedy}.") from error
    except ValueError as error:
        raise UserError(f"{one_line(path)} cannot be read (it is not JSON: {one_line(error)}); {remedy}.") from error


def kind_of(path: str | Path, suffix: str | None = None) -> str:
    """What kind a file is of: the first word at its beginning that starts with ``shapeparse``.

    Nearly all that is written here has one, such as ``shapeparse-tree``: as the format of a JSON file, as the software
    of a PNG picture, as a class of an SVG drawing. A table (``.csv``) has none, and its first two columns tell what it
    is of; nor have lines of numbers (``.txt``), of which it is how many. Weights (``.safetensors``) are all of one
    kind: what is noted in them lies there in an order of chance. The kind of any other file is empty.
    """
    with open(path, "rb") as file:
        head = file.read(HEAD)
    suffix = (Path(path).suffix if suffix is None else suffix).lower()
    line = head.decode("latin-1").split("\n")[0]
    if suffix == ".safetensors":
        return "safetensors" if head[8:9] == b"{" else ""
    if suffix == ".csv":
        return ",".join(line.split(",")[:2])
    if suffix == ".txt" and re.fullmatch(r"[-+.\de ]+", line):
        return f"{len(line.split())} numbers"
    mark = re.search(rb"shapeparse(-[a-z]+)*", head)
    return mark[0].decode() if mark else ""


def refuse_other_kind(path: str | Path, kind: str) -> None:
    """Raise UserError if there is a file at ``path`` that is not of that kind: it is somebody's, and would be lost."""
    path = Path(path)
    try:
        status = path.stat()
        same = not stat.S_ISREG(status.st_mode) or status.st_size == 0 or kind_of(path) == kind
    except FileNotFoundError:
        return
    except OSError as error:
        raise UserError(
            f"Cannot look at {one_line(path)} ({error.strerror or error}); choose another --out."
        ) from error
    if not same:
        raise UserError(
            f"{one_line(path)} is another kind of file and is not replaced; move it away or choose another --out."
        )


def refuse_foreign(paths: Iterable[str | Path]) -> None:
    """Raise UserError, before work begins, if a file that is to be written is there and has no kind: see `kind_of`."""
    for path in map(Path, paths):
        if path.is_file():
            refuse_other_kind(path, kind_of(path) or "written here")


def make_folder(path: str | Path) -> Path:
    """Make ``path`` a folder that can be written to, or say in one sentence why it cannot be."""
    path = Path(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise UserError(
            f"Cannot use {path} as output folder: it, or a part of it, is a file; choose another --out."
        ) from error
    except OSError as error:
        raise UserError(
            f"Cannot make the output folder {path}: {error.strerror or error}; choose another --out."
        ) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise UserError(f"The output folder {path} is not writable; change its permissions or choose another --out.")
    return path


def check_file(path: Path, limit: int = MAX_BYTES) -> None:
    """Raise UserError unless ``path`` is an existing, regular, non-empty file of at most ``limit`` bytes."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UserError(f"There is no file {one_line(path)}; check the path.") from error
    except (OSError, ValueError) as error:
        raise UserError(f"Cannot look at {one_line(path)}; check the path and its permissions.") from error
    if stat.S_ISDIR(status.st_mode):
        raise UserError(f"{one_line(path)} is a folder; give the path of a file in it.")
    if not stat.S_ISREG(status.st_mode):  # a pipe would block for ever, a device might never end
        raise UserError(f"{one_line(path)} is not a regular file; give the path of an ordinary file.")
    if status.st_size == 0:
        raise UserError(f"{one_line(path)} is empty (0 bytes); copy or export it again.")
    if status.st_size > limit:
        raise UserError(f"{one_line(path)} is larger than {limit:,} bytes; give a smaller file.")


def _open_beside(path: Path) -> tuple[int, str]:
    try:
        return tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise UserError(f"Cannot write {path}: {error.strerror or error}; choose another --out.") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
