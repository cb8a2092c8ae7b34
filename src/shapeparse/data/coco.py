"""COCO instance annotations: outlines as polygons or run lengths, in one JSON file for all photographs.

The file's structure is checked when it is opened; an image's own outlines when it is read, so that one broken
outline costs one sample and not the dataset.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from ..support.errors import UserError
from ..support.files import check_file
from ..support.text import one_line
from .dataset import Dataset, Sample, Skipped, natural_order
from .images import check_size, read_image

#: A setting: larger JSON files are not opened (parsed, they take some ten times their size in memory).
MAX_JSON_BYTES = 1 << 30

# A run is at most MAX_PIXELS long, and so are differences of runs: 7 characters of 5 bits are plenty.
_MAX_CHARACTERS_A_RUN = 7


@dataclass(frozen=True)
class _Entry:
    """One image of the file, with its chosen annotations."""

    file_name: str
    parts: tuple[str, ...]
    height: int
    width: int
    annotations: list[dict[str, Any]] = field(default_factory=list)


class CocoDataset(Dataset):
    """The images of a COCO .json; paint is the union of the annotations of the chosen ``categories``.

    ``categories`` are names or ids (None = all). Photographs are looked for in ``root`` if it is given, else
    beside the file and in images/ beside it. An image without a chosen annotation has an empty mask. A
    sample's name is its file_name without the extension; it may contain slashes.
    """

    def __init__(
        self,
        path: str | Path,
        categories: Sequence[str | int] | None = None,
        root: str | Path | None = None,
        side: int | None = None,
    ) -> None:
        path = Path(path)
        roots = [Path(root)] if root is not None else [path.parent, path.parent / "images"]
        entries = _entries(one_line(path), _read_json(path), categories)
        twice = {parts for parts, times in Counter(entry.parts for entry in entries).items() if times > 1}
        stems = Counter(_without_extension(entry.parts) for entry in entries)
        found: dict[str, tuple[Path, _Entry]] = {}
        skipped: list[Skipped] = []
        for entry in entries:
            places = [folder.joinpath(*entry.parts) for folder in roots]
            file = next((place for place in places if os.path.exists(place)), None)
            if entry.parts in twice:
                reason = f"{one_line(path)} lists the image {_brief(entry.file_name)} twice; merge the entries."
                skipped.append(Skipped(file or places[0], reason))
            elif file is None:
                where = " or ".join(one_line(folder) for folder in roots)
                reason = f"There is no image {_brief(entry.file_name)} in {where}; add it or give its folder."
                skipped.append(Skipped(places[0], reason))
            else:
                stem = _without_extension(entry.parts)
                found[stem if stems[stem] == 1 else "/".join(entry.parts)] = file, entry
        if not found:
            first = f" (the first: {skipped[0].reason.rstrip('.')})" if skipped else ""
            raise UserError(f"{one_line(path)} has no image that can be used{first}; add images beside it.")
        names = sorted(found, key=natural_order)
        super().__init__(path, names, skipped, side)
        self._found = [found[name] for name in names]

    def image_path(self, index: int) -> Path:
        return self._found[index][0]

    def _read(self, index: int) -> Sample:
        file, entry = self._found[index]
        image = read_image(file)
        if image.shape[:2] != (entry.height, entry.width):
            raise UserError(
                f"{one_line(file)} is {image.shape[1]} x {image.shape[0]} pixels (upright), but "
                f"{one_line(self.path)} says {entry.width} x {entry.height}; use the image that was annotated."
            )
        mask = np.zeros((entry.height, entry.width), np.bool_)
        for annotation in entry.annotations:
            try:
                mask |= outline_mask(annotation.get("segmentation"), entry.height, entry.width)
            except UserError as error:
                where = f"In {one_line(self.path)}, annotation {_brief(annotation.get('id'))} of"
                raise UserError(f"{where} {_brief(entry.file_name)} {error}") from error
        return Sample(self.names[index], image, mask)


def outline_mask(segmentation: Any, height: int, width: int) -> NDArray[np.bool_]:
    """Draw one annotation's ``segmentation``, polygons or run lengths, as bool (height, width).

    Raises UserError with the end of a sentence whose subject is the annotation.
    """
    if isinstance(segmentation, list):
        return _draw_polygons(segmentation, height, width)
    if isinstance(segmentation, dict):
        if segmentation.get("size") != [height, width]:
            raise UserError(f"has run lengths of another size than [{height}, {width}]; export it again.")
        return _fill_runs(run_lengths(segmentation.get("counts")), height, width)
    raise UserError("has no polygons or run lengths as its segmentation; export it again with outlines.")


def run_lengths(counts: Any) -> list[int]:
    """Return the run lengths of an RLE, given as a list or in COCO's compressed string form.

    The string holds numbers of 5 bits a character, from character 48 on, least bits first; bit 6 says that
    more follow, the last 5 bits carry the sign. From the fourth run on, they are differences to the run
    two before.
    """
    if isinstance(counts, list):
        if not all(type(run) is int for run in counts):
            raise UserError("has run lengths that are not whole numbers; export it again.")
        return counts
    if not isinstance(counts, str):
        raise UserError("has run lengths (counts) that are neither a list nor a string; export it again.")
    runs: list[int] = []
    number = digits = 0
    for character in counts:
        code = ord(character) - 48
        if not 0 <= code < 64 or digits == _MAX_CHARACTERS_A_RUN:
            raise UserError("has compressed run lengths that are garbled; export it again.")
        number |= (code & 31) << (5 * digits)
        digits += 1
        if not code & 32:
            if code & 16:
                number -= 1 << (5 * digits)
            runs.append(number + (runs[-2] if len(runs) > 2 else 0))
            number = digits = 0
    if digits:
        raise UserError("has compressed run lengths that are cut short; export it again.")
    return runs


def run_string(mask: NDArray[np.bool_]) -> str:
    """The run lengths of a mask in COCO's compressed string form, which ``run_lengths`` reads."""
    column = np.concatenate([[False], np.asarray(mask, np.bool_).T.ravel(), [True]])
    ends = np.flatnonzero(column[1:] != column[:-1])
    runs = np.diff(ends, prepend=0)
    if mask.size and mask[-1, -1]:  # the guard at the end then made no run of its own
        runs = np.append(runs, mask.size - int(runs.sum()))
    numbers = runs.copy()
    numbers[3:] -= runs[1:-2]
    digits = np.empty((len(numbers), _MAX_CHARACTERS_A_RUN), np.int64)
    used = np.zeros(digits.shape, np.bool_)
    open_ = np.ones(len(numbers), np.bool_)
    for place in range(_MAX_CHARACTERS_A_RUN):
        code, numbers = numbers & 31, numbers >> 5
        used[:, place] = open_
        more = np.where(code & 16, numbers != -1, numbers != 0)
        digits[:, place] = code + 32 * more + 48
        open_ = open_ & more
    return digits[used].astype(np.uint8).tobytes().decode("ascii")


def _fill_runs(runs: list[int], height: int, width: int) -> NDArray[np.bool_]:
    if any(run < 0 for run in runs) or sum(runs) != height * width:
        raise UserError(f"has run lengths that do not add up to {height} x {width} pixels; export it again.")
    paint = np.arange(len(runs)) % 2 == 1
    # Runs go down the columns, from the left one to the right one.
    return np.ascontiguousarray(np.repeat(paint, runs).reshape(width, height).T)


def _draw_polygons(polygons: list[Any], height: int, width: int) -> NDArray[np.bool_]:
    if not polygons:
        raise UserError("has an empty segmentation; export it again with outlines.")
    canvas = Image.new("L", (width, height))
    draw = ImageDraw.Draw(canvas)
    far = max(height, width)
    for polygon in polygons:
        if not isinstance(polygon, list) or len(polygon) < 6 or len(polygon) % 2:
            raise UserError("has a polygon that is not a list x, y, x, y ... of three points or more; mend it.")
        if not all(type(value) in (int, float) for value in polygon):
            raise UserError("has a polygon with a coordinate that is not a number; mend it.")
        if not all(-far <= value <= 2 * far for value in polygon):  # so neither NaN nor infinity passes
            raise UserError("has a polygon far outside of the image; mend it.")
        draw.polygon(polygon, fill=1)
    return np.asarray(np.array(canvas) != 0, np.bool_)


def _read_json(path: Path) -> dict[str, Any]:
    check_file(path, MAX_JSON_BYTES)
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise UserError(f"Cannot read {one_line(path)}; check its permissions.") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{one_line(path)} is not valid JSON; export it again.") from error
    except MemoryError as error:
        raise UserError(f"{one_line(path)} does not fit into memory; split it.") from error
    if not isinstance(content, dict):
        raise UserError(f"{one_line(path)} is not a COCO file (no object at its top); export it as COCO instances.")
    return content


def _entries(name: str, content: dict[str, Any], categories: Sequence[str | int] | None) -> list[_Entry]:
    """Check the structure, and return the images with their chosen annotations."""
    chosen = _choose(name, _records(name, content, "categories"), categories)
    entries: dict[int | str, _Entry] = {}
    for record in _records(name, content, "images"):
        identity = _identity(name, record, "id", "An image")
        if identity in entries:
            raise UserError(f"{name} has two images with the id {_brief(identity)}; give each its own.")
        entries[identity] = _entry(name, record)
    for record in _records(name, content, "annotations"):
        image = _identity(name, record, "image_id", "An annotation")
        category = _identity(name, record, "category_id", "An annotation")
        if image not in entries:  # not ignored: "1" for 1 would make every mask empty without a word
            raise UserError(f"{name} annotates image {_brief(image)}, which it does not list; export it again.")
        if category not in chosen:
            raise UserError(f"{name} uses category {_brief(category)}, which it does not list; export it again.")
        if chosen[category]:
            entries[image].annotations.append(record)
    return list(entries.values())


def _entry(name: str, record: dict[str, Any]) -> _Entry:
    file_name, height, width = record.get("file_name"), record.get("height"), record.get("width")
    if not isinstance(file_name, str):
        raise UserError(f"{name} has an image without a file_name; export it again.")
    if type(height) is not int or type(width) is not int or height < 1 or width < 1:
        raise UserError(f"{name} gives no whole width and height for {_brief(file_name)}; export it again.")
    check_size(f"{name} lists {_brief(file_name)}, which", width, height)
    return _Entry(file_name, _safe_parts(name, file_name), height, width)


def _safe_parts(name: str, file_name: str) -> tuple[str, ...]:
    """Split a file_name at its slashes (of either kind), and refuse one that leads out of the root."""
    place = PureWindowsPath(file_name)  # understands what either system takes for a separator or a root
    if place.anchor or not place.parts or ".." in place.parts or "\0" in file_name:
        raise UserError(
            f"{name} has the file_name {_brief(file_name)}, which leads out of its folder; "
            "use paths relative to the images."
        )
    return place.parts


def _choose(name: str, records: list[dict[str, Any]], wanted: Sequence[str | int] | None) -> dict[int | str, bool]:
    """Return for every category id whether it is paint; ``wanted`` are names, ids, or ids as text."""
    names = {_identity(name, record, "id", "A category"): record.get("name") for record in records}
    if wanted is None:
        return dict.fromkeys(names, True)
    chosen = dict.fromkeys(names, False)
    for choice in [wanted] if isinstance(wanted, str) else wanted:
        matches = [key for key, title in names.items() if title == choice]
        matches = matches or [key for key in names if str(key) == str(choice)]
        if not matches:
            listed = ", ".join(f"{one_line(title)} ({key})" for key, title in list(names.items())[:50])
            raise UserError(f"{name} has no category {_brief(choice)}; it has {listed or 'none'}.")
        chosen.update(dict.fromkeys(matches, True))
    return chosen


def _records(name: str, content: dict[str, Any], key: str) -> list[dict[str, Any]]:
    records = content.get(key)
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise UserError(f"{name} has no list of objects called {key!r}; export it as COCO instances.")
    return records


def _identity(name: str, record: dict[str, Any], key: str, what: str) -> int | str:
    value = record.get(key)
    if type(value) is int or isinstance(value, str):
        return value
    raise UserError(f"{what} in {name} has no {key!r} that is a whole number or text; export it again.")


def _without_extension(parts: tuple[str, ...]) -> str:
    return "/".join((*parts[:-1], Path(parts[-1]).stem))


def _brief(value: object) -> str:
    """Return ``value``, which came out of the file, short and escaped."""
    text = repr(value) if isinstance(value, (int, str)) else "without an id"
    return text if len(text) <= 80 else f"{text[:77]}..."
