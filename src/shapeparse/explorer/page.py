"""The explorer's pages: style, script and data in one file, under a policy that lets nothing else run or load."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
from PIL import Image

from ..grammar import BoolArray, ParseTree
from ..pictures.page import photo_uri
from ..pictures.palette import PAINT, SKIP, hexadecimal
from ..support.text import printable
from ..support.version import __version__

if TYPE_CHECKING:  # its router is large, and a page without strokes does not need it
    from ..painting import PaintPlan

LONGEST = 1200
"""Pixels of the longer side of an embedded photograph: sharp on a screen, and a few dozen make a file of megabytes."""

SCRIPTS = (
    "dom", "words", "tree", "glyphs", "treeview", "strokes", "zoom", "picture", "view", "playback", "numbers", "fields",
    "ways", "bench", "requests", "surgery", "cuts", "editing", "handles", "keepouts", "corners", "service", "explorer",
)  # fmt: skip
"""The script's files in the order in which they are joined; together they are one module."""

STYLES = ("explorer.css", "editing.css", "bench.css")
"""The style's files: of all, of whatever corrects trees, and of zoom and planning."""

DRAWINGS = {
    "tree": (".json", "application/json", "the parse tree, which shapeparse reads back"),
    "rectangles-svg": (".svg", "image/svg+xml", "the rectangles as a drawing"),
}
"""What the service exports beside the formats of a painting plan."""

_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">'
    f'<rect width="16" height="16" rx="3" fill="{hexadecimal(SKIP)}"/>'
    f'<path d="M6 5h10v8a3 3 0 0 1-3 3H6z" fill="{hexadecimal(PAINT)}"/></svg>'
)


@dataclass(frozen=True)
class Shown:
    """One parse of a photograph."""

    title: str
    """Who made it: a method, a run, the oracle."""
    tree: ParseTree
    plan: PaintPlan | None = None
    """Strokes to draw and animate."""
    mask: BoolArray | None = None
    """What there is to paint, if that is known: the page then says how right the labels are, and what the strokes cover
    and waste."""
    strangeness: float | None = None
    """Beyond 1, the photograph is unlike those that the parser has learned from, and the page says so."""


@dataclass(frozen=True)
class Exploration:
    """A photograph and one parse of it or more, of which any two can be compared side by side."""

    name: str
    image: npt.NDArray[np.uint8] | None
    """The photograph, (height, width, 3); it may be smaller than the trees' picture, and is stretched to it."""
    parses: tuple[Shown, ...]


def explorer_page(explorations: Sequence[Exploration], title: str) -> str:
    """One HTML file to look at parses with: photographs and trees are in it, and it opens without any server."""
    content = {
        "mode": "page",
        "title": printable(title, 200),
        "explorations": [_exploration(exploration) for exploration in explorations],
    }
    return _page(content, images="data:", connect="'none'")


def explorer_service_page() -> str:
    """The same for ``shapeparse serve``: it takes photographs, and asks the service it came from to parse them."""
    from ..painting import FORMATS

    formats = [
        {"name": name, "suffix": suffix, "description": description}
        for name, (suffix, _, description) in {**DRAWINGS, **FORMATS}.items()
    ]
    content = {"mode": "service", "title": "shapeparse explorer", "formats": formats}
    return _page(content, images="'self' data: blob:", connect="'self'")


def reduced(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The photograph as a page embeds it: no side longer than ``LONGEST``."""
    if max(image.shape[:2]) <= LONGEST:
        return image
    photograph = Image.fromarray(image)
    photograph.thumbnail((LONGEST, LONGEST))
    return np.array(photograph, np.uint8)


def _exploration(exploration: Exploration) -> dict[str, Any]:
    """What ``/api/parse`` and ``/api/plan`` of the service answer, with the photograph in it."""
    tree = exploration.parses[0].tree
    source = None if exploration.image is None else photo_uri(exploration.image, LONGEST)
    return {
        "image": {
            "name": printable(exploration.name), "width": tree.width, "height": tree.height, "source": source
        },
        "parses": [_parse(shown) for shown in exploration.parses],
    }  # fmt: skip


def _parse(shown: Shown) -> dict[str, Any]:
    return {
        "model": shown.title,
        "title": printable(shown.title),
        "tree": json.loads(shown.tree.to_json()),
        "merged_paint": sum(segment.paint for segment in shown.tree.segments(merge=True)),
        "scores": None if shown.mask is None else asdict(shown.tree.scores(shown.mask)),
        "strangeness": shown.strangeness,
        "plan": None if shown.plan is None else shown.plan.to_json(shown.mask),
    }


def _page(content: dict[str, Any], images: str, connect: str) -> str:
    script = joined(*(f"{name}.js" for name in SCRIPTS))
    return page_of("shapeparse-explorer", content, joined(*STYLES), script, images, connect)


def joined(*names: str) -> str:
    """The text of files of the explorer, one after the other."""
    here = files(__package__)
    return "\n".join(here.joinpath(name).read_text("utf-8") for name in names)


def page_of(element: str, content: dict[str, Any], style: str, script: str, images: str, connect: str) -> str:
    """A page that is drawn by one custom element from its content; ``images`` and ``connect`` are what it may load."""
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src {images}; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )
    return Template(joined("explorer.html")).substitute(
        policy=escape(policy), version=__version__, icon=f"data:image/svg+xml,{quote(_ICON)}", element=element,
        title=escape(content["title"]), style=style, script=script, data=_embedded(content),
    )  # fmt: skip


def _hash(text: str) -> str:
    """How a content security policy names the one script, or the one style, that it allows."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _embedded(content: dict[str, Any]) -> str:
    """JSON that cannot end the element it stands in, whatever a file's name holds."""
    return json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
