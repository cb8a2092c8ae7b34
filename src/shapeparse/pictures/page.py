"""Self-contained HTML pages: everything inside the file, light and dark, readable on a phone."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from html import escape

import numpy.typing as npt
from PIL import Image

_STYLE = """
:root { color-scheme: light dark; --ground: #fbfaf8; --ink: #1f2430; --quiet: #5d6473; --line: #dcd9d2;
  --accent: #c2480f; --panel: #fff }
@media (prefers-color-scheme: dark) { :root { --ground: #14171d; --ink: #e8e6e1; --quiet: #a3a9b6; --line: #343a46;
  --accent: #ff8a4c; --panel: #1c2028 } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1.1rem 4rem; max-width: 62rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem } h2 { font-size: 1.25rem; margin: 2.6rem 0 .5rem }
p { max-width: 44rem; margin: .5rem 0 } p.lead { color: var(--quiet); font-size: 1.08rem }
code { font: .92em ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere }
.scroll { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .8rem 0 }
th, td { padding: .35rem .9rem .35rem 0; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap }
th:first-child, td:first-child { text-align: left; white-space: normal } th { font-weight: 600; color: var(--quiet) }
tr.best td { color: var(--accent); font-weight: 600 }
figure { margin: 1rem 0 } figcaption { color: var(--quiet); font-size: .9rem; margin-top: .35rem }
img { display: block; width: 100%; height: auto; border: 1px solid var(--line); border-radius: 6px; background: #fff }
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(13rem, 44vw), 1fr)); gap: 1rem }
.gallery figure { margin: 0 }
.gallery.large { grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)) }
pre { margin: .8rem 0; padding: .7rem .9rem; border: 1px solid var(--line); border-radius: 6px;
  background: var(--panel) }
iframe { display: block; width: 100%; height: max(46rem, 80vh); border: 1px solid var(--line); border-radius: 6px }
footer { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--line); color: var(--quiet);
  font-size: .9rem }
"""


class Page:
    """A page that is written from top to bottom; all text is escaped."""

    def __init__(self, title: str, lead: str = "") -> None:
        self.title = title
        self._parts = [f"<h1>{escape(title)}</h1>"]
        if lead:
            self._parts.append(f'<p class="lead">{escape(lead)}</p>')

    def heading(self, text: str) -> None:
        """Begin a section."""
        self._parts.append(f"<h2>{escape(text)}</h2>")

    def paragraph(self, text: str) -> None:
        """Add a paragraph; what stands between `backticks` is shown as code."""
        pieces = escape(text).split("`")
        marked = [f"<code>{piece}</code>" if place % 2 else piece for place, piece in enumerate(pieces)]
        self._parts.append(f"<p>{''.join(marked)}</p>")

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]], best: int | None = None) -> None:
        """Add a table: the first column is text, the others are numbers; ``best`` is the row to set off."""
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
        body = []
        for place, row in enumerate(rows):
            cells = "".join(f"<td>{escape(cell)}</td>" for cell in row)
            row_class = ' class="best"' if place == best else ""
            body.append(f"<tr{row_class}>{cells}</tr>")
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
        self._parts.append(f'<div class="scroll">{table}</div>')

    def picture(self, source: str, description: str, caption: str = "", least: int = 40) -> None:
        """Add a wide picture (a data URI); on a screen narrower than ``least`` letters it scrolls instead of becoming
        unreadable."""
        self._parts.append(_figure(source, description, caption, least))

    def gallery(self, pictures: Sequence[tuple[str, str, str]], large: bool = False) -> None:
        """Add pictures side by side: (data URI, description, caption) of each; two large ones fill the page."""
        figures = "".join(_figure(source, description, caption) for source, description, caption in pictures)
        size = " large" if large else ""
        self._parts.append(f'<div class="gallery{size}">{figures}</div>')

    def frame(self, page: str, title: str) -> None:
        """Add another self-contained page in a frame of its own, such as the explorer's."""
        self._parts.append(
            f'<iframe title="{escape(title)}" srcdoc="{escape(page)}" sandbox="allow-scripts" loading="lazy"></iframe>'
        )

    def code(self, text: str) -> None:
        """Add lines to copy, such as commands."""
        self._parts.append(f'<pre class="scroll"><code>{escape(text)}</code></pre>')

    def html(self, footer: str = "") -> str:
        """The whole page."""
        end = f"<footer>{escape(footer)}</footer>" if footer else ""
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="generator" content="shapeparse">\n'
            f"<title>{escape(self.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
            + "\n".join(self._parts)
            + f"\n</main>\n{end}\n</body>\n</html>\n"
        )


def png_uri(content: bytes) -> str:
    """A PNG file's content as a data URI."""
    return "data:image/png;base64," + base64.b64encode(content).decode("ascii")


def photo_uri(pixels: npt.NDArray, longest: int = 480) -> str:
    """A photograph as a small JPEG in a data URI."""
    photograph = Image.fromarray(pixels)
    photograph.thumbnail((longest, longest))
    buffer = io.BytesIO()
    photograph.save(buffer, format="JPEG", quality=85)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _figure(source: str, description: str, caption: str, least: int | None = None) -> str:
    style = "" if least is None else f' style="min-width: {least}rem"'
    image = f'<img src="{source}" alt="{escape(description)}"{style}>'
    image = image if least is None else f'<div class="scroll">{image}</div>'
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{image}{below}</figure>"
