"""How photographs were taken, as it is typed after ``paint`` and ``rectify``: corners or markers, a size, a lens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from ..data.images import read_image
from ..painting.lens import read_lens
from ..painting.markers import DICTIONARIES
from ..painting.view import View
from ..support.errors import UserError
from ..support.text import unknown


class Asked(Protocol):
    """The arguments that say it."""

    @property
    def corners(self) -> tuple[str, ...]: ...
    @property
    def markers(self) -> str | None: ...
    @property
    def size(self) -> str | None: ...
    @property
    def lens(self) -> Path | None: ...
    @property
    def scale(self) -> float | None: ...


def view_of(asked: Asked) -> View:
    """The view that the arguments describe; UserError says what is wrong with them."""
    lens = None if asked.lens is None else read_lens(asked.lens)
    if asked.corners and asked.markers is not None:
        raise UserError("Both --corners and --markers were given; give one of them.")
    if not asked.corners and asked.markers is None:
        if asked.size is not None:
            raise UserError("--size goes with --corners or --markers; give four corners of a rectangle of that size.")
        return View(lens)
    if asked.size is None:
        raise UserError("--corners and --markers go with --size; say how large their rectangle is, as 1200x800mm.")
    family = next((name for name in DICTIONARIES if name == asked.markers), None)
    if asked.markers is not None and family is None:
        raise unknown("family of markers", asked.markers, DICTIONARIES)
    view = View(lens, corners_of(asked.corners), family, size_of(asked.size), asked.scale)
    assert view.plane is not None or view.markers is not None  # which checks the corners
    return view


def scale_of_markers(paths: Sequence[Path], view: View) -> float:
    """Millimetres per pixel of the first photograph that shows all markers."""
    problems = [UserError("Markers are found in photographs, and none was given.")]
    for path in paths:
        try:
            plane = view.of(read_image(path)).plane
        except UserError as error:
            problems.append(error)
        else:
            assert plane is not None
            return plane.scale
    raise problems[min(1, len(problems) - 1)]


def size_of(text: str) -> tuple[float, float]:
    """Width and height in millimetres, as 1200x800mm."""
    found = re.fullmatch(r"\s*([\d.]+)\s*[x×]\s*([\d.]+)\s*(mm|m)\s*", text)
    try:
        if found is None:
            raise ValueError
        times = 1000 if found[3] == "m" else 1
        return float(found[1]) * times, float(found[2]) * times
    except ValueError as error:
        raise UserError(f"--size is {text!a}; give width and height with a unit, such as 1200x800mm.") from error


def corners_of(words: tuple[str, ...]) -> tuple[tuple[float, float], ...]:
    """Points of the photograph, each as x,y."""
    corners = []
    for text in words:
        try:
            x, y = (float(word) for word in text.split(","))
        except ValueError as error:
            raise UserError(f"A corner is {text!a}; give x,y in pixels of the photograph, such as 120,80.") from error
        corners.append((x, y))
    return tuple(corners)
