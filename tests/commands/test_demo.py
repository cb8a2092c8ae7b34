"""``shapeparse demo``: everything it writes is there, and its page stands alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from .conftest import Result


def test_the_demo_writes_data_trees_figures_and_a_page_that_stands_alone(
    cli: Callable[..., Result], tmp_path: Path
) -> None:
    result = cli("demo", "--out", tmp_path / "demo", "--count", 3, "--size", 64)
    assert (result.code, result.sentences) == (0, [])
    assert "lookahead" in result.out
    for name in ("data/masks/0002.png", "decomposed/0000.svg", "derivation.svg", "comparison.png", "report.html"):
        assert (tmp_path / "demo" / name).stat().st_size > 0
    page = (tmp_path / "demo" / "report.html").read_text()
    sources = re.findall(r'(?:src|href)="([^"]{0,20})', page)
    assert sources
    assert all(source.startswith("data:image/") for source in sources)
    assert "prefers-color-scheme: dark" in page
    assert 'name="viewport"' in page
    assert page.count("<img") == page.count('alt="') == 2 + 3
    assert str(tmp_path) not in page


def test_the_demo_can_be_repeated(cli: Callable[..., Result], tmp_path: Path) -> None:
    pages = []
    for _ in range(2):
        assert cli("demo", "--out", tmp_path / "demo", "--count", 1, "--size", 32).code == 0
        pages.append((tmp_path / "demo" / "report.html").read_bytes())
    assert pages[0] == pages[1]


def test_the_demo_refuses_an_output_that_is_a_file(cli: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("mine")
    result = cli("demo", "--out", tmp_path / "demo")
    assert (result.code, len(result.sentences)) == (2, 1)


@pytest.mark.parametrize("text", ["<b>&", "a `code <x>` b"])
def test_pages_escape_what_they_are_given(text: str) -> None:
    from shapeparse.page import Page

    page = Page(text, text)
    page.heading(text)
    page.paragraph(text)
    page.table([text], [[text]])
    page.gallery([("data:image/png;base64,", text, text)])
    tags: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            tags.append(tag)

    Reader().feed(page.html(text))
    assert "b" not in tags
    assert "x" not in tags
