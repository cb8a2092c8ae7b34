"""A reader of pages, and results made to measure."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from shapeparse.data import Loaded

Make = Callable[..., dict[str, Any]]
WithTrees = Callable[[Path, dict[str, Any]], Loaded]


@pytest.fixture(autouse=True)
def quick_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few pictures of few pixels, which are quickly drawn."""
    for name in ("OBJECTS", "DISPUTED", "FAILURES"):
        monkeypatch.setattr(f"shapeparse.benchmark.report.galleries.{name}", 2)
    monkeypatch.setattr("shapeparse.pictures.figures._DPI", 24)
    monkeypatch.setattr("shapeparse.pictures.pixels._TARGET", 32)


class Reader(HTMLParser):
    """Checks that tags are balanced; keeps headings, all text, and the beginnings of what is referred to."""

    VOID = frozenset({"meta", "img", "link", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.headings: list[str] = []
        self.words: list[str] = []
        self.sources: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.sources += [str(value)[:20] for name, value in attrs if name in ("src", "href", "srcset", "action")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)


def read(path: Path) -> Reader:
    """A page, which must need nothing beside it."""
    text = path.read_text()
    found = Reader(text)
    assert all(source.startswith("data:image/") for source in found.sources)
    assert not re.search(r"https?://|url\(|@import", text.replace("http://www.w3.org/2000/svg", ""))  # a mere name
    return found


def keep(results: dict[str, Any], chosen: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The results with some of their runs."""
    return results | {"runs": [run for run in results["runs"] if chosen(run)]}


def set_each(results: dict[str, Any], row: str, accuracy: float) -> None:
    """Give a row the same accuracy on every image."""
    for run in results["runs"]:
        if run["row"] == row:
            run["test_accuracy_each"] = [accuracy] * len(run["test_accuracy_each"])
            run["test"]["accuracy"] = accuracy
