"""What clients send is hostile until read: pictures, trees, and the JSON they come in."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from typing import Any, TypeVar

from PIL import Image, UnidentifiedImageError
from pydantic import BaseModel, ValidationError

from ..data.images import FORMATS, check_size, to_mask, to_rgb
from ..grammar import BoolArray, ParseTree
from ..support.errors import UserError
from ..support.text import one_line
from .answers import Refusal
from .parsers import Photo
from .settings import MAX_NODES, MAX_SIDE

Wanted = TypeVar("Wanted", bound=BaseModel)


@dataclass(frozen=True)
class File:
    """An uploaded file. Its name is only ever shown."""

    name: str
    content: bytes


def as_request(body: bytes, kind: type[Wanted]) -> Wanted:
    """The JSON of a request as its model, or one sentence about the first thing that is wrong with it."""
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        if first["type"] == "json_invalid":
            raise Refusal(400, f"The request is not JSON: {in_a_sentence(first['msg'])}.") from error
        place = ".".join(str(part) for part in first["loc"][:3]) or "The request"
        raise UserError(f"{one_line(place[:80])}: {in_a_sentence(first['msg'])}.") from error


def as_tree(content: dict[str, Any], max_pixels: int) -> ParseTree:
    """A tree that a client sent, validated and not too large to be drawn and planned."""
    try:
        tree = ParseTree.from_json(json.dumps(content))
    except UserError as error:
        raise UserError(f"The tree is not valid: {error}") from error
    except ValueError as error:  # numbers too long to be written
        raise UserError("The tree is not valid: it holds numbers out of all bounds.") from error
    if len(tree) > MAX_NODES:
        raise UserError(f"The tree has {len(tree)} nodes, more than the {MAX_NODES} the service takes; prune it.")
    _check_pixels("The tree's image", tree.width, tree.height, max_pixels)
    return tree


def read_photo(file: File, max_pixels: int) -> Photo:
    """The pixels of an uploaded photograph."""
    return to_rgb(_open(file, max_pixels))


def read_upload_mask(file: File, max_pixels: int) -> BoolArray:
    """An uploaded mask."""
    return to_mask(_open(file, max_pixels))


def clean_name(name: str) -> str:
    """The last part of a path, without what cannot be printed, and not long: a name to show, not to open."""
    last = re.split(r"[/\\]", name)[-1]
    return "".join(letter for letter in last if letter.isprintable()).strip()[:100].strip() or "image"


def in_a_sentence(message: str) -> str:
    """What a library says, as the end of a sentence of ours."""
    return message[:1].lower() + message[1:].rstrip(".")


def _open(file: File, max_pixels: int) -> Image.Image:
    """The image, as yet undecoded: only its header was read."""
    name = file.name
    if not file.content:
        raise UserError(f"{name} is empty (0 bytes); choose another file.")
    try:
        image = Image.open(io.BytesIO(file.content), formats=FORMATS)
    except UnidentifiedImageError as error:
        known = "JPEG, PNG, WebP, TIFF, BMP, GIF or PNM"
        raise UserError(f"{name} is not a {known} image; save it as PNG or JPEG.") from error
    except Image.DecompressionBombError as error:
        raise Refusal(413, f"{name} has more than {max_pixels:,} pixels; make it smaller.") from error
    except Exception as error:  # corrupt headers raise nearly anything
        raise UserError(f"{name} is damaged or cut short; copy or export it again.") from error
    image.filename = name  # so that sentences about its pixels name it
    _check_pixels(name, *image.size, max_pixels)
    return image


def _check_pixels(name: str, width: int, height: int, max_pixels: int) -> None:
    check_size(name, width, height)
    if width * height > max_pixels:
        raise Refusal(413, f"{name} has more than {max_pixels:,} pixels ({width} x {height}); make it smaller.")
    if max(width, height) > MAX_SIDE:
        raise Refusal(
            413, f"{name} has a side of more than {MAX_SIDE:,} pixels ({width} x {height}); cut it in pieces."
        )
