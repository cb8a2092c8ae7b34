"""Requests are hostile until read: the form of a parse, its files, and JSON with a tree in it."""

from __future__ import annotations

import io
import json
import math
import re
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi import Request
from PIL import Image, UnidentifiedImageError
from pydantic import BaseModel, ValidationError
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from ..data.images import FORMATS, check_size, to_mask, to_rgb
from ..grammar import BoolArray, ParseTree
from ..support.errors import UserError
from ..support.text import one_line
from .answers import Refusal
from .parsers import Photo
from .settings import MAX_DEPTH, MAX_JSON_BYTES, MAX_NODES, MAX_PARSES

FIELDS = ("image", "sample", "mask", "model", "depth", "price")
MAX_FIELD_BYTES = 1000

Wanted = TypeVar("Wanted", bound=BaseModel)


class _InMemory(MultiPartParser):
    """Files stay in memory, where the limit on bytes holds them; none is ever written to disk."""

    spool_max_size = 1 << 62


@dataclass(frozen=True)
class File:
    """An uploaded file. Its name is only ever shown."""

    name: str
    content: bytes


@dataclass(frozen=True)
class ParseForm:
    """What a client wants parsed."""

    image: File | None
    sample: str | None
    mask: File | None
    models: tuple[str, ...]
    depth: int | None
    price: float


async def read_form(request: Request) -> ParseForm:
    """Read a form of a parse while it arrives."""
    if not _is_type(request, "multipart/form-data"):
        raise Refusal(415, "Send a form with a file (multipart/form-data), as `curl -F image=@photo.jpg` does.")
    parser = _InMemory(
        request.headers, request.stream(), max_files=4, max_fields=16 + MAX_PARSES, max_part_size=MAX_FIELD_BYTES
    )
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise Refusal(400, f"The form cannot be read: {_lower(error.message)}.") from error
    fields: dict[str, list[str | File]] = {}
    for name, value in form.multi_items():
        if name not in FIELDS:
            raise UserError(f"There is no field {one_line(name[:40])!r}; the fields are {', '.join(FIELDS)}.")
        if isinstance(value, UploadFile) and not value.filename and not value.size:
            continue  # what a browser sends when no file was chosen
        fields.setdefault(name, []).append(await _file(value) if isinstance(value, UploadFile) else value)
    return _checked(fields)


async def read_json(request: Request) -> bytes:
    """Read the body of a request that must be JSON."""
    if not _is_type(request, "application/json"):
        raise Refusal(415, "Send JSON, with the header `Content-Type: application/json`.")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_JSON_BYTES:
            raise Refusal(413, f"The request is larger than {MAX_JSON_BYTES:,} bytes; send a smaller tree.")
    return bytes(body)


def as_request(body: bytes, kind: type[Wanted]) -> Wanted:
    """The JSON of a request as its model, or one sentence about the first thing that is wrong with it."""
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        if first["type"] == "json_invalid":
            raise Refusal(400, f"The request is not JSON: {_lower(first['msg'])}.") from error
        place = ".".join(str(part) for part in first["loc"][:3]) or "The request"
        raise UserError(f"{one_line(place[:80])}: {_lower(first['msg'])}.") from error


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


async def _file(upload: UploadFile) -> File:
    return File(clean_name(upload.filename or ""), await upload.read())


def _checked(fields: dict[str, list[str | File]]) -> ParseForm:
    image, mask = _one_file(fields, "image"), _one_file(fields, "mask")
    sample, depth, price = (_one_text(fields, name) for name in ("sample", "depth", "price"))
    if (image is None) == (sample is None):
        raise UserError("Send a photograph as the file `image`, or the name of a `sample`: one of the two.")
    if sample is not None and mask is not None:
        raise UserError("A sample has a mask of its own; send `mask` only with `image`.")
    models = tuple(dict.fromkeys(_text(value, "model") for value in fields.get("model", [])))
    if len(models) > MAX_PARSES:
        raise UserError(f"{len(models)} models are asked for; at most {MAX_PARSES} are compared at a time.")
    return ParseForm(image, sample, mask, models, _depth(depth), _price(price))


def _depth(text: str | None) -> int | None:
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,3}", text) or int(text) > MAX_DEPTH:
        raise UserError(f"depth is {one_line(text[:40])!r}; give a whole number from 0 to {MAX_DEPTH}.")
    return int(text)


def _price(text: str | None) -> float:
    if text is None:
        return 0.0
    try:
        price = float(text)
    except ValueError:
        price = math.nan
    if not 0 <= price <= 1:
        raise UserError(f"price is {one_line(text[:40])!r}; give a share of the picture from 0 to 1, such as 0.001.")
    return price


def _one_file(fields: dict[str, list[str | File]], name: str) -> File | None:
    value = _one(fields, name)
    if isinstance(value, str):
        raise UserError(f"`{name}` must be a file, as in `curl -F {name}=@file.png`.")
    return value


def _one_text(fields: dict[str, list[str | File]], name: str) -> str | None:
    value = _one(fields, name)
    return None if value is None else _text(value, name)


def _text(value: str | File, name: str) -> str:
    if not isinstance(value, str):
        raise UserError(f"`{name}` must be text, not a file.")
    return value


def _one(fields: dict[str, list[str | File]], name: str) -> str | File | None:
    values = fields.get(name, [])
    if len(values) > 1:
        raise UserError(f"`{name}` was sent {len(values)} times; send it once.")
    return values[0] if values else None


def _is_type(request: Request, wanted: str) -> bool:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == wanted


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:].rstrip(".")
