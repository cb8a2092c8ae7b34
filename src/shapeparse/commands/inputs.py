"""Which masks and photographs the user means, and a name for each one's output files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..data.dataset import Skipped, natural_order
from ..data.folder import EXTENSIONS
from ..support.errors import UserError
from ..support.files import refuse_foreign
from ..support.text import one_line

RESERVED = ("summary", "plans")
"""Names of files that a command writes for all masks together."""
DECOMPOSED, PARSED, PLANNED = "shapeparse-decompose", "shapeparse-parse", "shapeparse-paint"
"""What these files are called in themselves, so that no command replaces those of another."""
FIGURE = "-derivation"
"""Behind the name of a mask in that of its figure."""
CURVE = "-curve"
"""The same for its curve of accuracy over rectangles."""
MOST_BYTES = 180
"""Longer names are cut: most file systems allow 255 bytes, and numbers and extensions are still to be added."""


@dataclass(frozen=True)
class Job:
    """One file to work on."""

    path: Path
    """A mask, a photograph or a tree, as the command takes them."""
    photo: Path | None
    name: str
    """What its output files are called, up to the extension; no two jobs of a run share it."""


def plan(paths: Sequence[Path], photos: Path | None) -> tuple[list[Job], list[Skipped]]:
    """The jobs for ``paths`` (files, and folders of files), and what of them cannot be used.

    ``photos`` is a folder with a photograph of the same name, up to the extension, for every mask.
    """
    masks, problems = _masks(paths)
    by_stem = {} if photos is None else _photos(photos)
    jobs = []
    for mask, name in zip(masks, output_names([mask.stem for mask in masks]), strict=True):
        found = by_stem.get(mask.stem, [])
        if photos is not None and len(found) != 1:
            problems.append(Skipped(mask, _photo_problem(mask, photos, found)))
        else:
            jobs.append(Job(mask, found[0] if found else None, name))
    return jobs, problems


def output_names(stems: Sequence[str]) -> list[str]:
    """A name for each of ``stems``: itself, or with a number behind it where it would be there twice.

    Names that differ only in case count as one, as they do on Windows and macOS.
    """
    stems = [_shortened(stem) for stem in stems]
    own = {stem.casefold() for stem in stems}
    taken = {name.casefold() for name in RESERVED}
    names = []
    for stem in stems:
        name, number = stem, 1
        # A made-up name may not be another input's own name either: that one would have to give way.
        while not taken.isdisjoint(_claims(name)) or (number > 1 and name.casefold() in own):
            number += 1
            name = f"{stem}-{number}"
        taken |= _claims(name)
        names.append(name)
    return names


def refuse_overwriting(outputs: Sequence[Path], jobs: Sequence[Job]) -> None:
    """Raise UserError if a file that will be written is one of the inputs, or there and nothing that we wrote."""
    inputs = {_true_place(path) for job in jobs for path in (job.path, job.photo) if path is not None}
    for output in outputs:
        if _true_place(output) in inputs:
            raise UserError(f"{one_line(output)} is one of the inputs and would be overwritten; choose another --out.")
    refuse_foreign(outputs)


def _shortened(stem: str) -> str:
    return stem if len(os.fsencode(stem)) <= MOST_BYTES else os.fsencode(stem)[:MOST_BYTES].decode(errors="ignore")


def _claims(name: str) -> set[str]:
    return {f"{name}{ending}".casefold() for ending in ("", FIGURE, CURVE)}


def _true_place(path: Path) -> str:
    """Renaming to a link replaces the link, so only the folder is followed."""
    return os.path.normcase(os.path.join(os.path.realpath(path.parent), path.name))


def _masks(paths: Sequence[Path]) -> tuple[list[Path], list[Skipped]]:
    """The files meant by ``paths``, each once, in the order given; a folder's in natural order."""
    found: dict[str, Path] = {}
    problems = []
    for path in paths:
        try:
            for file in _image_files(path) if path.is_dir() else [path]:
                found.setdefault(os.path.abspath(file), file)
        except UserError as error:
            problems.append(Skipped(path, str(error)))
    return list(found.values()), problems


def _photos(folder: Path) -> dict[str, list[Path]]:
    if not folder.is_dir():
        kind = "is a file, not a folder" if folder.exists() else "does not exist"
        raise UserError(f"{one_line(folder)} {kind}; give the folder of the photographs as --image-dir.")
    by_stem: dict[str, list[Path]] = {}
    for file in _image_files(folder):
        by_stem.setdefault(file.stem, []).append(file)
    return by_stem


def _image_files(folder: Path) -> list[Path]:
    try:
        names = os.listdir(folder)
    except OSError as error:
        raise UserError(f"Cannot list {one_line(folder)}; change its permissions.") from error
    files = [folder / name for name in names if not name.startswith(".")]
    images = [file for file in files if file.suffix.lower() in EXTENSIONS and not file.is_dir()]
    if not images:
        raise UserError(f"The folder {one_line(folder)} has no image files; put PNG or JPEG files into it.")
    return sorted(images, key=lambda file: natural_order(file.name))


def _photo_problem(mask: Path, photos: Path, found: list[Path]) -> str:
    if not found:
        return f"The mask {one_line(mask)} has no photograph in {one_line(photos)}; add one of the same name."
    names = " and ".join(one_line(file.name) for file in found)
    return f"The mask {one_line(mask)} has {len(found)} photographs, {names}; keep one of them."
