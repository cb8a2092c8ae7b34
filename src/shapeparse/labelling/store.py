"""A folder that is being labelled: photographs, masks, trees and journals, and nothing of them is ever lost.

The journals are the truth (``journal``); masks and trees are written from them after every change, atomically.
"""

from __future__ import annotations

import io
import os
import shutil
import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from ..data import Skipped
from ..data.dataset import natural_order
from ..data.folder import files_by_stem
from ..data.images import read_image, read_mask
from ..grammar import BoolArray, ParseTree
from ..support import files
from ..support.errors import UserError
from ..support.processes import alone
from ..support.text import one_line
from .edits import Edit, Labels, Sight, edit_to_json
from .journal import Journal, State

THUMBNAIL = 96
"""Pixels of the longer side of a photograph in the list."""


class Stale(UserError):
    """A change of labels that are no longer the present ones."""


@dataclass(frozen=True, eq=False)
class Photograph:
    """A sound photograph of the folder."""

    number: int
    name: str
    """Its file's name without the extension; masks, trees and journals are called the same."""
    path: Path
    width: int
    height: int
    thumbnail: npt.NDArray[np.uint8]
    journal: Journal
    given: Path | None
    """The mask that was there when the folder was opened."""


class Store:
    """The photographs of a folder and their labels. All that changes anything happens one after the other."""

    def __init__(
        self, photos: Path, out: Path | None = None, follow: Callable[[Iterable], Iterable] = lambda items: items
    ) -> None:
        self.photos, self.folder = places(photos, out)
        for part in ("images", "masks", "trees", "labels", "parsers"):
            files.make_folder(self.folder / part)
        self._lock = threading.RLock()
        self._held = ExitStack()
        self._held.enter_context(alone(self.folder / "labels" / ".lock", patience=2))
        self.problems: list[Skipped] = []
        self.photographs: list[Photograph] = []
        self._read_again = lru_cache(maxsize=3)(read_image)
        found, masks = files_by_stem(self.photos), files_by_stem(self.folder / "masks")
        for name in follow(sorted(found, key=natural_order)):
            try:
                self.photographs.append(self._photograph(name, found[name], masks.get(name, [])))
            except UserError as error:
                self.problems.append(Skipped(found[name][0], str(error)))
        if not self.photographs:
            first = f" (the first problem: {self.problems[0].reason})" if self.problems else ""
            self.close()
            raise UserError(f"{one_line(self.photos)} has no photograph that can be labelled{first}; add some.")
        for photograph in self.photographs:
            self._mend(photograph)

    def close(self) -> None:
        """Let others work on the folder."""
        self._held.close()

    def photograph(self, number: int) -> Photograph:
        """The photograph of that number."""
        if not 0 <= number < len(self.photographs):
            raise UserError(f"There is no photograph {number}; there are {len(self.photographs)}.")
        return self.photographs[number]

    def pixels(self, number: int) -> npt.NDArray[np.uint8]:
        """The photograph, (height, width, 3); the last few are kept."""
        return self._read_again(self.photograph(number).path)

    def state(self, number: int) -> State:
        """What has become of a photograph; one that came with a mask is accepted."""
        photograph = self.photograph(number)
        if not photograph.journal.lines and self._mask_file(photograph) is not None:
            return "accepted"
        return photograph.journal.state

    def labels(self, number: int) -> Labels:
        """The present labels; without any, nothing is paint."""
        photograph = self.photograph(number)
        with self._lock:
            labels = photograph.journal.labels()
            if labels is None:
                labels = self._first_labels(photograph)
        return labels

    def likely(self, number: int) -> npt.NDArray[np.uint8] | None:
        """The map of the parser that made the proposal, 0 to 255."""
        parser = self.photograph(number).journal.by
        return None if parser is None else self._map(number, parser)

    def _map(self, number: int, parser: int) -> npt.NDArray[np.uint8] | None:
        path = self.map_path(parser, self.photograph(number).name)
        if not path.exists():
            return None
        with Image.open(path) as image:
            return np.array(image.convert("L"))

    def map_path(self, parser: int, name: str) -> Path:
        """Where the map is that a parser made of a photograph."""
        return self.parser_folder(parser) / "maps" / f"{name}.png"

    def parser_folder(self, parser: int) -> Path:
        """The run folder of the parser of that number."""
        return self.folder / "parsers" / str(parser)

    # Changes. ``step`` is how many lines the journal had when the person saw it; None if that does not matter.

    def edit(self, number: int, edit: Edit, step: int | None = None) -> Labels:
        """Use a tool."""
        with self._lock:
            journal = self._seen(number, step)
            before = self.labels(number)
            sight = Sight(lambda: self.pixels(number), self.likely(number), journal.untouched)
            labels = edit(before, sight)
            self._begin(number)
            self._note(number, "edit", labels, edit=edit_to_json(edit))
            return labels

    def undo(self, number: int, step: int | None = None) -> Labels:
        """Take the last change back."""
        with self._lock:
            if self._seen(number, step).history.done:
                self._note(number, "undo")
            return self.labels(number)

    def redo(self, number: int, step: int | None = None) -> Labels:
        """Bring the last change back that was taken back."""
        with self._lock:
            if self._seen(number, step).history.undone:
                self._note(number, "redo")
            return self.labels(number)

    def accept(self, number: int, step: int | None = None) -> None:
        """The mask is right, and may be learned from."""
        with self._lock:
            self._seen(number, step)
            if self.state(number) != "accepted":
                self._begin(number)
                self._note(number, "accept")

    def withdraw(self, number: int, step: int | None = None) -> None:
        """It is not right after all."""
        with self._lock:
            self._seen(number, step)
            if self.state(number) == "accepted":
                self._begin(number)
                self._note(number, "withdraw")

    def propose(self, number: int, tree: ParseTree, parser: int) -> bool:
        """Offer a parser's labels; not where a person has begun to work, which is said."""
        with self._lock:
            if self.state(number) not in ("new", "proposed"):
                return False
            tree = replace(tree, name=self.photograph(number).path.name)
            labels = Labels.proposed(tree, self._map(number, parser))
            self.photograph(number).journal.note("propose", labels, by=parser)
            return True

    def accepted(self) -> list[Photograph]:
        """What may be learned from."""
        return [one for one in self.photographs if self.state(one.number) == "accepted"]

    def snapshot(self, folder: Path, names: Iterable[str]) -> None:
        """A dataset of these photographs as they are now. Masks are replaced and never written into, so links do."""
        by_name = {one.name: one for one in self.photographs}
        for part in ("images", "masks"):
            files.make_folder(folder / part)
        with self._lock:
            for name in names:
                photograph = by_name[name]
                mask = self._mask_file(photograph)
                assert mask is not None
                link_or_copy(photograph.path, folder / "images" / photograph.path.name)
                link_or_copy(mask, folder / "masks" / mask.name)

    # What happens on the disk

    def _photograph(self, name: str, paths: list[Path], masks: list[Path]) -> Photograph:
        for several, kind in ((paths, "photographs"), (masks, "masks")):
            if len(several) > 1:
                names = " and ".join(one_line(path.name) for path in several)
                raise UserError(f"There are {len(several)} {kind} of the same name, {names}; keep one of them.")
        pixels = read_image(paths[0])
        height, width = pixels.shape[:2]
        small = Image.fromarray(pixels)
        small.thumbnail((THUMBNAIL, THUMBNAIL))
        journal = Journal(self.folder / "labels" / f"{name}.jsonl", width, height, paths[0].name)
        given = masks[0] if masks else None
        if given is not None and not journal.lines:
            _check_size(given, width, height)
        if journal.lines:
            journal.labels()  # which refuses a journal of another photograph
        return Photograph(len(self.photographs), name, paths[0], width, height, np.array(small), journal, given)

    def _first_labels(self, photograph: Photograph) -> Labels:
        mask_file = self._mask_file(photograph)
        if mask_file is None:
            mask = np.zeros((photograph.height, photograph.width), bool)
        else:
            mask = _check_size(mask_file, photograph.width, photograph.height)
        return Labels.of(mask, name=photograph.path.name)

    def _begin(self, number: int) -> None:
        """Before the first change of a photograph: what was there, and a copy of the file."""
        photograph = self.photograph(number)
        if photograph.journal.lines:
            return
        mask = self._mask_file(photograph)
        if mask is not None:
            self._keep_copy(mask)
        start = {"from": "mask", "file": mask.name} if mask is not None else {"from": "nothing"}
        photograph.journal.note("begin", self._first_labels(photograph), **start)

    def _note(self, number: int, did: str, labels: Labels | None = None, **facts: Any) -> None:
        photograph = self.photograph(number)
        photograph.journal.note(did, labels, **facts)
        self._write(photograph)

    def _write(self, photograph: Photograph) -> None:
        labels = self.labels(photograph.number)
        place = self.folder / "images" / photograph.path.name
        if not place.exists():
            link_or_copy(photograph.path, place)
        target = self.folder / "masks" / f"{photograph.name}.png"
        write_mask(target, labels.mask)
        if photograph.given not in (None, target):  # of another format; it was copied when the journal began
            photograph.given.unlink(missing_ok=True)
        labels.tree.save(self.folder / "trees" / f"{photograph.name}.json")

    def _mend(self, photograph: Photograph) -> None:
        """Make mask and journal agree again: after a kill in between, or when another program wrote the mask."""
        journal = photograph.journal
        if journal.state in ("new", "proposed"):
            return
        labels, path = self.labels(photograph.number), self._mask_file(photograph)
        try:
            found = None if path is None else _check_size(path, photograph.width, photograph.height)
        except UserError:
            assert path is not None
            self._keep_copy(path)
            found = None
        if found is not None and np.array_equal(found, labels.mask):
            return
        last = journal.last_mask()
        if found is None or (last is not None and np.array_equal(found, last)):
            self._write(photograph)
        else:
            name = photograph.path.name
            self._note(photograph.number, "found", Labels.of(found, labels.rectangles, name))

    def _mask_file(self, photograph: Photograph) -> Path | None:
        usual = self.folder / "masks" / f"{photograph.name}.png"
        return usual if usual.exists() else photograph.given

    def _keep_copy(self, mask: Path) -> None:
        kept = files.make_folder(self.folder / "before")
        target, count = kept / mask.name, 1
        while target.exists():
            count += 1
            target = kept / f"{mask.stem}-{count}{mask.suffix}"
        files.write_bytes(target, mask.read_bytes())

    def _seen(self, number: int, step: int | None) -> Journal:
        journal = self.photograph(number).journal
        if step is not None and step != journal.step:
            raise Stale("The labels were changed elsewhere meanwhile, in another tab perhaps; look at them first.")
        return journal


def places(photos: Path, out: Path | None) -> tuple[Path, Path]:
    """Where the photographs are, and the dataset's folder: beside them, or around them if they lie in images/."""
    if not photos.is_dir():
        kind = "is a file" if photos.exists() else "does not exist"
        raise UserError(f"{one_line(photos)} {kind}; give a folder of photographs.")
    if (photos / "images").is_dir():
        return photos / "images", out or photos
    return photos, out or photos.resolve().with_name(f"{photos.resolve().name}-labelled")


def write_mask(path: Path, mask: BoolArray) -> None:
    """Write a mask as PNG, 0 and 255, atomically."""
    write_png(path, mask.astype(np.uint8) * 255)


def write_png(path: Path, pixels: npt.NDArray[np.uint8]) -> None:
    """Write pixels as PNG, atomically, and quickly rather than small."""
    image = Image.fromarray(pixels)
    files.write_with(path, lambda file: image.save(file, format="PNG", compress_level=1))


def link_or_copy(source: Path, target: Path) -> None:
    """The same file under another name; a copy where files cannot have two."""
    if target.exists():
        return
    with suppress(OSError):
        os.link(source, target)
        return
    files.write_with(target, lambda file: shutil.copyfileobj(io.BytesIO(source.read_bytes()), file))


def _check_size(path: Path, width: int, height: int) -> BoolArray:
    mask = read_mask(path)
    if mask.shape != (height, width):
        raise UserError(
            f"The mask {one_line(path)} is {mask.shape[1]} x {mask.shape[0]} pixels but its photograph is {width} x "
            f"{height}; export it at the photograph's size, or move it away."
        )
    return mask
