"""The generator's two entry points: one picture in memory, or a whole folder of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ...support.errors import UserError
from ...support.files import make_folder, read_json, write_json, write_with
from ...support.text import unknown
from . import scene, wide

VERSION = 1
"""Raised whenever the same (world, seed, index) would give another picture."""
SMALLEST, LARGEST = 16, 2048
MOST = 1_000_000
"""Pictures in a folder."""
MOST_SEED = 2**63 - 1
JPEG_QUALITY = 92
WORLDS = {"plain": scene.render, "wide": wide.render}
"""What the pictures show: three kinds of parts before clutter, or many kinds before anything."""
PLAIN = "plain"
"""The world of whatever names none, and of all that was made before there were two."""
RECORD = "generator.json"


def generate(seed: int, index: int, size: int = 256, world: str = PLAIN) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """One photograph of an object, (size, size, 3), and its paint mask, (size, size).

    The same ``world``, ``seed`` and ``index`` give the same bytes every time, and the same scene at every ``size``.
    """
    _check(seed, size, world)
    if index < 0:
        raise UserError(f"The index {index} is negative; give 0 or more.")
    return WORLDS[world](seed, index, size)


def write_dataset(
    out: Path,
    count: int = 362,
    seed: int = 0,
    size: int = 256,
    world: str = PLAIN,
    progress: Callable[[Iterable[int]], Iterable[int]] = lambda indices: indices,
) -> None:
    """Write ``count`` photographs to ``out/images``, their masks to ``out/masks``, a record beside them.

    A folder the generator made before is brought up to date; a folder of somebody else's pictures is refused.
    ``progress`` wraps the indices, to show how far it has got.
    """
    _check(seed, size, world)
    if not 1 <= count <= MOST:
        raise UserError(f"Cannot generate {count} images; ask for a count from 1 to {MOST:,}.")
    out = Path(out)
    owned = _owned_count(out)
    _refuse_foreign_files(out, range(owned, count))
    record = {"world": world, "seed": seed, "count": count, "size": size, "version": VERSION}
    make_folder(out)
    # Claims the files of the old and the new set before any is touched: an interrupted call can be repeated.
    write_json(out / RECORD, record | {"count": max(owned, count), "complete": False})
    make_folder(out / "images")
    make_folder(out / "masks")
    for index in progress(range(count)):
        _write_pair(out, index, *generate(seed, index, size, world))
    _remove_files(out, range(count, owned))
    write_json(out / RECORD, record)


def _check(seed: int, size: int, world: str) -> None:
    if world not in WORLDS:
        raise unknown("world", world, WORLDS)
    if not 0 <= seed <= MOST_SEED:
        raise UserError(f"The seed is {seed}; give a whole number from 0 to {MOST_SEED}.")
    if not SMALLEST <= size <= LARGEST:
        raise UserError(f"Cannot generate images of size {size}; choose a size from {SMALLEST} to {LARGEST}.")


def _paths(out: Path, index: int) -> tuple[Path, Path]:
    return out / "images" / f"{index:04d}.jpg", out / "masks" / f"{index:04d}.png"


def _write_pair(out: Path, index: int, image: NDArray[np.uint8], mask: NDArray[np.bool_]) -> None:
    image_path, mask_path = _paths(out, index)
    photograph, label = Image.fromarray(image), Image.fromarray(mask.astype(np.uint8) * 255)
    write_with(image_path, lambda file: photograph.save(file, format="JPEG", quality=JPEG_QUALITY))
    write_with(mask_path, lambda file: label.save(file, format="PNG"))


def _owned_count(out: Path) -> int:
    """How many images the generator wrote here before: 0 for a new folder; an error for a foreign one."""
    if not (out / RECORD).exists():
        for folder in (out / "images", out / "masks"):
            if folder.is_dir() and any(folder.iterdir()):
                raise UserError(f"{folder} holds files the generator did not make; choose another --out.")
        return 0
    count = _read_record(out / RECORD).get("count")
    if type(count) is not int or not 0 <= count <= MOST:
        raise UserError(f"{out / RECORD} was not written by the generator; remove it or choose another --out.")
    return count


def _read_record(path: Path) -> dict[str, Any]:
    record = read_json(path, "remove it or choose another --out")
    return record if isinstance(record, dict) else {}


def _refuse_foreign_files(out: Path, indices: range) -> None:
    for index in indices:
        for path in _paths(out, index):
            if path.exists():
                raise UserError(f"{path} was not made by the generator; move it away or choose another --out.")


def _remove_files(out: Path, indices: range) -> None:
    for index in indices:
        for path in _paths(out, index):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise UserError(f"Cannot remove {path}: {error.strerror or error}; remove it by hand.") from error
