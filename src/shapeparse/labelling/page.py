"""The page to label with: the explorer's own parts, and the files of this folder."""

from __future__ import annotations

from importlib.resources import files

from ..explorer.page import STYLES, joined, page_of
from ..support.text import printable

PARTS = ("dom", "words", "tree", "fields", "requests", "cuts")
"""What is the explorer's."""
SCRIPTS = ("stage", "tools", "keys", "label")
"""What is this page's own, in the order in which it is joined."""


def labelling_page(folder: str) -> str:
    """The page for the photographs of a folder."""
    here = files(__package__)
    own = "\n".join(here.joinpath(f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    style = f"{joined(*STYLES)}\n{here.joinpath('label.css').read_text('utf-8')}"
    script = f"{joined(*(f'{name}.js' for name in PARTS))}\n{own}"
    content = {"title": f"Label {printable(folder, 60)}"}
    return page_of("shapeparse-label", content, style, script, images="'self' data: blob:", connect="'self'")
