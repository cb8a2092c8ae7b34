"""What was shown, what was changed, and when: one line of JSON per event, of which nothing is ever taken back.

A line stands in the file before anything else is written, so killing the program loses at most the change in hand. Each
line that changes labels holds the labels themselves, so that no later version of a tool can change the past.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ..data.coco import outline_mask, run_string
from ..grammar import BoolArray
from ..support.errors import UserError
from ..support.files import MAX_BYTES, check_file
from ..support.text import one_line
from .edits import Labels
from .surgery import from_words, to_words

State: TypeAlias = Literal["new", "proposed", "corrected", "accepted"]
EVENTS = ("begin", "found", "propose", "edit", "undo", "redo", "accept", "withdraw")
"""``begin`` holds the labels that were there at first, ``found`` a mask that somebody else wrote since."""
CHANGES = ("begin", "found", "propose", "edit")
"""The events that bring labels."""

Line: TypeAlias = dict[str, Any]


@dataclass
class History:
    """What a journal's lines come to."""

    base: int | None = None
    """The line whose labels undo never goes behind."""
    done: list[int] = field(default_factory=list)
    """The lines of the edits that count, in their order."""
    undone: list[int] = field(default_factory=list)
    """Those that redo would bring back, the next one last."""
    accepted: bool = False

    def follow(self, number: int, event: str) -> None:
        """Take the line of that number into account."""
        if event in ("begin", "propose"):
            self.base, self.done, self.undone = number, [], []
        elif event in ("edit", "found"):
            self.done.append(number)
            self.undone = []
        elif event == "undo" and self.done:
            self.undone.append(self.done.pop())
        elif event == "redo" and self.undone:
            self.done.append(self.undone.pop())
        self.accepted = event == "accept"

    @property
    def shown(self) -> int | None:
        """The line whose labels are the present ones."""
        return self.done[-1] if self.done else self.base


class Journal:
    """The journal of one photograph."""

    def __init__(self, path: Path, width: int, height: int, name: str) -> None:
        self.path, self.width, self.height, self.name = path, width, height, name
        self.lines, self._sound = _read(path)
        self.history = History()
        for number, line in enumerate(self.lines):
            self.history.follow(number, line["did"])
        if self.lines and self.history.base is None:
            raise UserError(f"{one_line(path)} does not begin with labels; restore it or move it away.")

    @property
    def step(self) -> int:
        """How many lines there are: it tells whether somebody has seen the last one."""
        return len(self.lines)

    @property
    def state(self) -> State:
        """What has become of the photograph."""
        history = self.history
        if history.accepted:
            return "accepted"
        began_with_a_mask = history.base is not None and self.lines[history.base].get("from") == "mask"
        if history.done or history.undone or began_with_a_mask:
            return "corrected"
        return "proposed" if self.by is not None else "new"

    @property
    def by(self) -> int | None:
        """The number of the parser that proposed what the person began with."""
        number = None if self.history.base is None else self.lines[self.history.base].get("by")
        return number if type(number) is int else None

    @property
    def untouched(self) -> bool:
        """Whether nothing but the number of rectangles was changed of a proposal."""
        return self.by is not None and all(
            self.lines[number].get("edit", {}).get("tool") == "rectangles" for number in self.history.done
        )

    def labels(self, number: int | None = None) -> Labels | None:
        """The labels of a line; the present ones if no line is given; None before there are any."""
        number = self.history.shown if number is None else number
        if number is None:
            return None
        line = self.lines[number]
        try:
            mask = outline_mask({"size": [self.height, self.width], "counts": line["mask"]}, self.height, self.width)
            tree = from_words(line["tree"], self.width, self.height, self.name)
            count = line.get("rectangles")
            return Labels(mask, tree, count if type(count) is int else None)
        except UserError as error:
            raise UserError(f"Line {number + 1} of {one_line(self.path)} {error}") from error
        except (KeyError, TypeError, AttributeError) as error:
            raise UserError(f"Line {number + 1} of {one_line(self.path)} lacks its labels; restore it.") from error

    def note(self, did: str, labels: Labels | None = None, **facts: Any) -> None:
        """Write down an event, on the disk before this returns."""
        line: Line = {"at": datetime.now(timezone.utc).isoformat(timespec="milliseconds"), "did": did, **facts}
        if self.history.shown is not None:
            line["shown"] = self.history.shown
        if labels is not None:
            line |= {"tree": to_words(labels.tree), "mask": run_string(labels.mask)}
            if labels.rectangles is not None:
                line["rectangles"] = labels.rectangles
        self._append((json.dumps(line, allow_nan=False) + "\n").encode())
        self.lines.append(line)
        self.history.follow(len(self.lines) - 1, did)

    def last_mask(self) -> BoolArray | None:
        """The mask before the last change, which a mask file still shows if the program was killed in between."""
        before = History()
        for number, line in enumerate(self.lines[:-1]):
            before.follow(number, line["did"])
        labels = None if before.shown is None else self.labels(before.shown)
        return None if labels is None else labels.mask

    def _append(self, content: bytes) -> None:
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                os.truncate(descriptor, self._sound)  # what a killed program had begun to write
                os.lseek(descriptor, 0, os.SEEK_END)
                os.write(descriptor, content)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise UserError(
                f"Cannot write {one_line(self.path)}: {error.strerror or error}; free space or change its permissions."
            ) from error
        self._sound += len(content)


def _read(path: Path) -> tuple[list[Line], int]:
    """The lines of a file, and how many bytes of it they are: a last line that was cut short is left out."""
    try:
        if not path.exists() or (path.is_file() and path.stat().st_size == 0):
            return [], 0
        check_file(path, MAX_BYTES)
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"Cannot read {one_line(path)}: {error.strerror or error}; change its permissions.") from error
    lines: list[Line] = []
    sound = 0
    for text in content.splitlines(keepends=True):
        whole = text.endswith(b"\n")
        try:
            line = json.loads(text) if whole else None
        except (ValueError, RecursionError):
            line = None
        if not isinstance(line, dict) or line.get("did") not in EVENTS:
            if sound + len(text) == len(content):
                break
            raise UserError(f"Line {len(lines) + 1} of {one_line(path)} is no event; restore it or move it away.")
        lines.append(line)
        sound += len(text)
    return lines, sound
