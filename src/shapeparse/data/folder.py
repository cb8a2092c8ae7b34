"""A folder with images/ and masks/: a photograph and its mask have the same name, up to the extension."""

from __future__ import annotations

import os
from pathlib import Path

from ..support.errors import UserError
from ..support.text import one_line
from .dataset import Dataset, Sample, Skipped, natural_order
from .images import check_threshold, read_image, read_mask

EXTENSIONS = frozenset({".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp"})


class FolderDataset(Dataset):
    """The pairs of ``path``/images and ``path``/masks, matched by the name without its extension.

    Hidden files and files of other extensions are ignored; a photograph without a mask, a mask without a
    photograph and names that are there twice are listed in ``skipped``.
    """

    def __init__(self, path: str | Path, threshold: float = 0.5, side: int | None = None) -> None:
        path = Path(path)
        check_threshold(threshold)
        if not os.path.isdir(path):
            kind = "is a file, not a folder" if os.path.exists(path) else "does not exist"
            raise UserError(f"{one_line(path)} {kind}; give a folder with images/ and masks/, or a COCO .json file.")
        images, masks = _sub_folder(path / "images"), _sub_folder(path / "masks")
        skipped: list[Skipped] = []
        pairs: dict[str, tuple[Path, Path]] = {}
        for stem in sorted(images.keys() | masks.keys(), key=natural_order):
            reason = _reason_to_skip(images.get(stem, []), masks.get(stem, []))
            if reason:
                skipped.append(Skipped((images.get(stem) or masks[stem])[0], reason))
            else:
                pairs[stem] = images[stem][0], masks[stem][0]
        if not pairs:
            raise UserError(
                f"{one_line(path)} has no photograph in images/ with a mask of the same name in masks/; "
                "add pairs such as images/1.jpg and masks/1.png."
            )
        super().__init__(path, list(pairs), skipped, side)
        self.threshold = threshold
        self._pairs = list(pairs.values())

    def image_path(self, index: int) -> Path:
        return self._pairs[index][0]

    def mask_path(self, index: int) -> Path:
        """Return the file of the mask."""
        return self._pairs[index][1]

    def _read(self, index: int) -> Sample:
        image_path, mask_path = self._pairs[index]
        image, mask = read_image(image_path), read_mask(mask_path, self.threshold)
        if image.shape[:2] != mask.shape:
            raise UserError(
                f"The mask {one_line(mask_path)} is {mask.shape[1]} x {mask.shape[0]} pixels but its image is "
                f"{image.shape[1]} x {image.shape[0]}; export the mask at the image's size."
            )
        return Sample(self.names[index], image, mask)


def _sub_folder(folder: Path) -> dict[str, list[Path]]:
    if not os.path.isdir(folder):
        raise UserError(
            f"{one_line(folder.parent)} has no {folder.name}/ sub-folder; "
            "put photographs into images/ and their masks, of the same names, into masks/."
        )
    return files_by_stem(folder)


def files_by_stem(folder: Path) -> dict[str, list[Path]]:
    """The image files of a folder by their names without extension, in the order of their names."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise UserError(f"Cannot list {one_line(folder)}; change its permissions.") from error
    found: dict[str, list[Path]] = {}
    for name in names:
        file = folder / name
        if not name.startswith(".") and file.suffix.lower() in EXTENSIONS:
            found.setdefault(file.stem, []).append(file)
    return found


def _reason_to_skip(images: list[Path], masks: list[Path]) -> str | None:
    """Say why these files of one stem make no pair; None if they do."""
    for files, kind in ((images, "images"), (masks, "masks")):
        if len(files) > 1:
            names = " and ".join(one_line(file.name) for file in files)
            return f"There are {len(files)} {kind} of the same name, {names}; keep one of them."
    if not masks:
        return f"The image {one_line(images[0])} has no mask; add one of the same name to masks/."
    if not images:
        return f"The mask {one_line(masks[0])} has no image; add one of the same name to images/."
    return None
