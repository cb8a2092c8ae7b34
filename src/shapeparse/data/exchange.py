"""Masks from one form into another: a folder, a COCO file, Label Studio's JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..support.errors import UserError
from ..support.files import make_folder, read_json, write_json, write_with
from ..support.text import one_line
from .coco import MAX_JSON_BYTES, run_string
from .dataset import Skipped
from .label_studio import LABEL, is_file_name, read_masks, write_tasks
from .source import load


class Labelled(NamedTuple):
    """A mask and where its image is."""

    name: str
    image: str
    """The path as the written file is to name it."""
    mask: NDArray[np.bool_]


def read_labelled(path: Path) -> tuple[Iterator[Labelled], list[Skipped]]:
    """The masks of a folder with images/ and masks/, a COCO file, or Label Studio's JSON; what is left out is listed.

    The list is complete once all masks have been read.
    """
    if path.suffix.lower() == ".json" and isinstance(read_json(path, "export it again", MAX_JSON_BYTES), list):
        masks, skipped = read_masks(path)
        return (Labelled(name, f"images/{name}", mask) for name, mask in masks), skipped
    dataset = load(path)
    left_out = list(dataset.skipped)

    def samples() -> Iterator[Labelled]:
        for index, name in enumerate(dataset.names):
            try:
                yield Labelled(name, f"images/{dataset.image_path(index).name}", dataset.read(index).mask)
            except UserError as error:
                left_out.append(Skipped(dataset.image_path(index), str(error)))

    return samples(), left_out


def write_masks(folder: Path, masks: Iterable[Labelled]) -> int:
    """Write masks/NAME.png into a folder; how many. One that is there already is refused."""
    place, count = make_folder(folder / "masks"), 0
    for name, _, mask in masks:
        target = place / f"{name}.png"
        if not is_file_name(name):
            raise UserError(f"{one_line(name)} is no name for a mask; rename its image.")
        if target.exists():
            raise UserError(f"{one_line(target)} is there already; choose another --out.")
        image = Image.fromarray(mask.astype(np.uint8) * 255)
        write_with(target, lambda file, image=image: image.save(file, format="PNG"))  # type: ignore[misc]
        count += 1
    return count


def write_coco(path: Path, masks: Iterable[Labelled]) -> int:
    """Write COCO instances, one annotation with run lengths per image that has paint; how many images."""
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for number, (_, image, mask) in enumerate(masks, 1):
        height, width = mask.shape
        images.append({"id": number, "file_name": image.removeprefix("images/"), "width": width, "height": height})
        if mask.any():
            rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
            x, y = int(columns[0]), int(rows[0])
            box = [x, y, int(columns[-1]) - x + 1, int(rows[-1]) - y + 1]
            outline = {"size": [height, width], "counts": run_string(mask)}
            annotations.append(
                {"id": len(annotations) + 1, "image_id": number, "category_id": 1, "iscrowd": 1,
                 "area": int(mask.sum()), "bbox": box, "segmentation": outline}
            )  # fmt: skip
    categories = [{"id": 1, "name": LABEL}]
    write_json(path, {"images": images, "annotations": annotations, "categories": categories})
    return len(images)


WRITERS = {"folder": write_masks, "coco": write_coco, "label-studio": write_tasks}
"""Forms that masks are written in."""
