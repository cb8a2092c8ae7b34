"""Pages: everything inside, everything escaped."""

from __future__ import annotations

import base64
import io
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

from shapeparse.pictures.page import Page, photo_uri, png_uri


class Tags(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_whatever_is_written_stays_text(hostile_name: str) -> None:
    page = Page(hostile_name, hostile_name)
    page.heading(hostile_name)
    page.paragraph(hostile_name)
    page.table([hostile_name], [[hostile_name]])
    page.code(hostile_name)
    page.frame(f"<p>{hostile_name}</p>", hostile_name)
    page.picture("data:,", hostile_name, hostile_name)
    found = Tags(page.html(footer=hostile_name))
    assert not {"script", "b", "i"} & set(found.tags)
    assert found.text.count("alert(1)") == (10 if "alert" in hostile_name else 0)


def test_backticks_mark_code() -> None:
    page = Page("Title")
    page.paragraph("Type `a < b` and `c`.")
    assert "<p>Type <code>a &lt; b</code> and <code>c</code>.</p>" in page.html()


def test_the_best_row_of_a_table_is_set_off() -> None:
    page = Page("Title")
    page.table(["name", "value"], [["one", "1"], ["two", "2"]], best=1)
    assert '<tr><td>one</td><td>1</td></tr><tr class="best"><td>two</td><td>2</td></tr>' in page.html()


def test_galleries_hold_their_pictures_in_order() -> None:
    page = Page("Title")
    page.gallery([("data:,a", "one", "first"), ("data:,b", "two", "")], large=True)
    html = page.html()
    assert html.index("data:,a") < html.index(">first<") < html.index("data:,b")
    assert 'class="gallery large"' in html
    assert html.count("<figcaption>") == 1


def test_pictures_are_inside_the_page() -> None:
    content = io.BytesIO()
    Image.new("L", (2, 2)).save(content, "PNG")
    assert base64.b64decode(png_uri(content.getvalue()).partition(",")[2]) == content.getvalue()
    kind, _, data = photo_uri(np.zeros((100, 400, 3), np.uint8), longest=80).partition(",")
    assert kind == "data:image/jpeg;base64"
    assert Image.open(io.BytesIO(base64.b64decode(data))).size == (80, 20)


@pytest.mark.parametrize("text", ["<b>&", "a `code <x>` b"])
def test_pages_escape_what_they_are_given(text: str) -> None:
    page = Page(text, text)
    page.heading(text)
    page.paragraph(text)
    page.table([text], [[text]])
    page.gallery([("data:image/png;base64,", text, text)])
    tags = Tags(page.html(text)).tags
    assert "b" not in tags
    assert "x" not in tags
