"""Label Studio's JSON: tasks with brushes, polygons and rectangles, read as masks and written from them.

A file is hostile until read: each task is a mask, or one sentence that says what is wrong with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from ..support.errors import UserError
from ..support.files import read_json, write_text
from ..support.text import one_line
from .coco import MAX_JSON_BYTES, outline_mask
from .dataset import Skipped
from .images import check_size

SHAPES = ("brushlabels", "polygonlabels", "rectanglelabels")
LABEL = "paint"
SIZES = (3, 4, 8, 16)
"""Bits of the four kinds of run lengths that are written."""
FAR = 1000
"""Percent of an image: nobody draws farther outside of it."""
LONGEST_NAME = 200
"""Bytes of the name of a file, without its extension."""
UPLOADED = re.compile(r"^[0-9a-f]{8}-(?=.)")
"""What Label Studio puts before the name of an uploaded file."""


def read_masks(path: str | Path) -> tuple[Iterator[tuple[str, NDArray[np.bool_]]], list[Skipped]]:
    """The masks of an exported file, by the names of their images without extension; tasks left out, with reasons.

    All labels are paint. Masks are drawn one by one, for a small file may ask for many large ones; the list is complete
    once all have been.
    """
    path = Path(path)
    tasks = read_json(path, "export it again as JSON", MAX_JSON_BYTES)
    if not isinstance(tasks, list) or not tasks:
        raise UserError(f"{one_line(path)} is not a list of tasks; export it from Label Studio as JSON.")
    skipped: list[Skipped] = []

    def masks() -> Iterator[tuple[str, NDArray[np.bool_]]]:
        names: set[str] = set()
        for number, task in enumerate(tasks):
            try:
                name, mask = _task(task)
                if name in names:
                    raise UserError(f"is the second of the image {one_line(name)}; keep one of them.")
            except UserError as error:
                skipped.append(Skipped(path, f"Task {number + 1} of {one_line(path)} {error}"))
                continue
            names.add(name)
            yield name, mask

    return masks(), skipped


def write_tasks(path: str | Path, masks: Iterable[tuple[str, str, NDArray[np.bool_]]]) -> int:
    """Write tasks with brushes, of names, the addresses or paths of their images, and masks; how many."""
    tasks: list[dict[str, Any]] = []
    for name, image, mask in masks:
        height, width = mask.shape
        value = {"format": "rle", "rle": encode_brush(mask), "brushlabels": [LABEL]}
        result = {
            "id": f"{len(tasks)}", "type": "brushlabels", "from_name": "tag", "to_name": "image",
            "original_width": width, "original_height": height, "image_rotation": 0, "value": value,
        }  # fmt: skip
        tasks.append({"data": {"image": image, "name": name}, "annotations": [{"result": [result]}]})
    write_text(path, json.dumps(tasks))
    return len(tasks)


def is_file_name(name: str) -> bool:
    """Whether a name out of a file may become that of a file in a folder: nothing leads elsewhere, or is hidden."""
    plain = 0 < len(name.encode("utf-8", "replace")) <= LONGEST_NAME and name.isprintable()
    return plain and not name.startswith(".") and not set(name) & set("/\\")


def encode_brush(mask: NDArray[np.bool_]) -> list[int]:
    """A mask as Label Studio packs a brush: the bits of runs of the bytes of an RGBA picture, as bytes."""
    flat = np.repeat(mask.ravel().astype(np.uint8) * 255, 4)
    ends = np.flatnonzero(np.diff(flat)) + 1
    edges = np.concatenate([[0], ends, [len(flat)]])
    bits = [format(len(flat), "032b"), format(8 - 1, "05b"), *(format(size - 1, "04b") for size in SIZES)]
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        left, value = last - first, format(int(flat[first]), "08b")
        while left:
            run = min(left, 1 << SIZES[-1])
            bits.append(f"111{format(run - 1, '016b')}{value}")
            left -= run
    text = "".join(bits)
    text += "0" * (-len(text) % 8)
    return np.packbits(np.frombuffer(text.encode(), np.uint8) - ord("0")).tolist()


def decode_brush(packed: Any, height: int, width: int) -> NDArray[np.bool_]:
    """The mask of a packed brush: where its picture is not transparent."""
    if not isinstance(packed, list) or not all(type(byte) is int and 0 <= byte < 256 for byte in packed):
        raise UserError("has a brush that is not a list of bytes; export it again.")
    bits = _Bits(np.unpackbits(np.array(packed, np.uint8)))
    total, word = bits.read(32), bits.read(5) + 1
    sizes = [bits.read(4) + 1 for _ in range(4)]
    if total != 4 * height * width or word > 16:
        raise UserError(f"has a brush of another size than {width} x {height}; export it again.")
    values = np.zeros(total, np.uint16)
    place = 0
    while place < total:
        repeated = bits.read(1)
        run = bits.read(sizes[bits.read(2)]) + 1
        end = min(place + run, total)
        if repeated:
            values[place:end] = bits.read(word)
        else:
            values[place:end] = [bits.read(word) for _ in range(end - place)]
        place = end
    return np.asarray(values[3::4].reshape(height, width) != 0)


class _Bits:
    """Numbers from a row of bits."""

    def __init__(self, bits: NDArray[np.uint8]) -> None:
        self.text, self.place = (bits + ord("0")).tobytes().decode(), 0

    def read(self, count: int) -> int:
        found = self.text[self.place : self.place + count]
        if len(found) < count:
            raise UserError("has a brush that is cut short; export it again.")
        self.place += count
        return int(found, 2)


def _task(task: Any) -> tuple[str, NDArray[np.bool_]]:
    data = task.get("data") if isinstance(task, dict) else None
    image = data.get("image") if isinstance(data, dict) else None
    if not isinstance(image, str):
        raise UserError("has no image; name it image in the labelling interface.")
    name = _name_of(image)
    drawn = task.get("annotations")
    results = drawn[0].get("result") if isinstance(drawn, list) and drawn and isinstance(drawn[0], dict) else None
    shapes = [one for one in results if isinstance(one, dict)] if isinstance(results, list) else []
    sizes = [(one.get("original_width"), one.get("original_height")) for one in shapes]
    if not sizes:
        raise UserError("has no annotation; label it, or leave it out of the export.")
    width, height = sizes[0]
    if type(width) is not int or type(height) is not int or any(size != sizes[0] for size in sizes):
        raise UserError("does not say the size of its image; export it again.")
    check_size("has an image that", width, height)
    mask = np.zeros((height, width), np.bool_)
    for shape in shapes:
        if shape.get("type") in SHAPES:
            mask |= _shape(str(shape["type"]), shape.get("value"), height, width)
    return name, mask


def _name_of(image: str) -> str:
    try:
        path = unquote(urlsplit(image).path)
    except ValueError as error:  # an address that is none
        raise UserError(f"has the image {one_line(image)}, which is no address; rename it.") from error
    name = UPLOADED.sub("", PurePosixPath(path.replace("\\", "/")).stem)
    if not is_file_name(name):
        raise UserError(f"has the image {one_line(image)}, whose name cannot be that of a mask; rename it.")
    return name


def _shape(kind: str, value: Any, height: int, width: int) -> NDArray[np.bool_]:
    if not isinstance(value, dict):
        raise UserError("has a shape without a value; export it again.")
    if kind == "brushlabels":
        return decode_brush(value.get("rle"), height, width)
    if kind == "polygonlabels":
        points = value.get("points")
    else:
        sides: list[Any] = [value.get(side) for side in ("x", "y", "width", "height")]
        if not all(type(side) in (int, float) and abs(side) <= FAR for side in sides) or value.get("rotation"):
            raise UserError("has a rectangle that is turned or far outside of its image; draw it as a polygon.")
        x, y, w, h = sides
        left, right = (max(round(at * width / 100), 0) for at in (x, x + w))
        top, bottom = (max(round(at * height / 100), 0) for at in (y, y + h))
        box = np.zeros((height, width), np.bool_)
        box[top:bottom, left:right] = True
        return box
    if not isinstance(points, list) or not all(isinstance(point, list) and len(point) == 2 for point in points):
        raise UserError("has a polygon that is not a list of points; export it again.")
    numbers = [value for point in points for value in point]
    if not all(type(value) in (int, float) for value in numbers):
        raise UserError("has a polygon with a coordinate that is not a number; mend it.")
    if not all(abs(value) <= FAR for value in numbers):
        raise UserError("has a polygon far outside of its image; mend it.")
    scaled = [value * (height if place % 2 else width) / 100 for place, value in enumerate(numbers)]
    return outline_mask([scaled], height, width)
