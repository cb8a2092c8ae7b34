"""The bodies of requests, read while they arrive: forms with files, and JSON."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from ..parsing.settings import ParseSettings
from ..support.errors import UserError
from ..support.text import one_line
from .answers import Refusal
from .schemas import PlaneRequest
from .settings import MAX_DEPTH, MAX_JSON_BYTES, MAX_PARSES, MAX_RECTANGLES
from .uploads import File, as_request, clean_name, in_a_sentence

PARSE_FIELDS = ("image", "sample", "mask", "model", "depth", "rectangles", "price", "accuracy", "plane")
PLAN_FIELDS = ("request", "mask", "sample")
MAX_FIELD_BYTES = 1000

Fields = dict[str, list[str | File]]


class _InMemory(MultiPartParser):
    """Files stay in memory, where the limit on bytes holds them; none is ever written to disk."""

    spool_max_size = 1 << 62


@dataclass(frozen=True)
class ParseForm:
    """What a client wants parsed, and how."""

    image: File | None
    sample: str | None
    mask: File | None
    models: tuple[str, ...]
    settings: ParseSettings
    plane: PlaneRequest | None = None
    """What the photograph is rectified to."""


@dataclass(frozen=True)
class PlanForm:
    """What a client wants planned; with a mask the plan is held against it."""

    body: bytes
    """The JSON of the request."""
    mask: File | None = None
    sample: str | None = None
    """A sample has a mask of its own."""


async def read_parse(request: Request) -> ParseForm:
    """Read a form of a parse while it arrives."""
    if not _is_type(request, "multipart/form-data"):
        raise Refusal(415, "Send a form with a file (multipart/form-data), as `curl -F image=@photo.jpg` does.")
    fields = await _fields(request, PARSE_FIELDS)
    image, mask, sample = _one_file(fields, "image"), _one_file(fields, "mask"), _one_text(fields, "sample")
    if (image is None) == (sample is None):
        raise UserError("Send a photograph as the file `image`, or the name of a `sample`: one of the two.")
    if sample is not None and mask is not None:
        raise UserError("A sample has a mask of its own; send `mask` only with `image`.")
    models = tuple(dict.fromkeys(_text(value, "model") for value in fields.get("model", [])))
    if len(models) > MAX_PARSES:
        raise UserError(f"{len(models)} models are asked for; at most {MAX_PARSES} are compared at a time.")
    settings = ParseSettings(
        depth=_whole(fields, "depth", 0, MAX_DEPTH),
        rectangles=_whole(fields, "rectangles", 1, MAX_RECTANGLES),
        price=_share(fields, "price", "from 0 to 1, such as 0.001") or None,
        accuracy=_share(fields, "accuracy", "above 0 and at most 1, such as 0.95"),
    )
    plane = _one_text(fields, "plane")
    asked = None if plane is None else as_request(plane.encode(), PlaneRequest)
    return ParseForm(image, sample, mask, models, settings, asked)


async def read_plan(request: Request) -> PlanForm:
    """Read what is to be planned: JSON alone, or a form with that JSON as a file and a mask beside it."""
    if not _is_type(request, "multipart/form-data"):
        return PlanForm(await read_json(request))
    fields = await _fields(request, PLAN_FIELDS)
    asked, mask, sample = _one_file(fields, "request"), _one_file(fields, "mask"), _one_text(fields, "sample")
    if asked is None:
        raise UserError("The form has no `request`; send its JSON as a file, as in `curl -F request=@request.json`.")
    if sample is not None and mask is not None:
        raise UserError("A sample has a mask of its own; send one of `mask` and `sample`.")
    if len(asked.content) > MAX_JSON_BYTES:
        raise _too_much_json()
    return PlanForm(asked.content, mask, sample)


async def read_json(request: Request) -> bytes:
    """Read the body of a request that must be JSON."""
    if not _is_type(request, "application/json"):
        raise Refusal(415, "Send JSON, with the header `Content-Type: application/json`.")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_JSON_BYTES:
            raise _too_much_json()
    return bytes(body)


async def _fields(request: Request, known: tuple[str, ...]) -> Fields:
    """The fields of a form, by name."""
    parser = _InMemory(
        request.headers, request.stream(), max_files=4, max_fields=16 + MAX_PARSES, max_part_size=MAX_FIELD_BYTES
    )
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise Refusal(400, f"The form cannot be read: {in_a_sentence(error.message)}.") from error
    fields: Fields = {}
    for name, value in form.multi_items():
        if name not in known:
            raise UserError(f"There is no field {one_line(name[:40])!r}; the fields are {', '.join(known)}.")
        if isinstance(value, UploadFile) and not value.filename and not value.size:
            continue  # what a browser sends when no file was chosen
        fields.setdefault(name, []).append(await _file(value) if isinstance(value, UploadFile) else value)
    return fields


async def _file(upload: UploadFile) -> File:
    return File(clean_name(upload.filename or ""), await upload.read())


def _whole(fields: Fields, name: str, least: int, most: int) -> int | None:
    text = _one_text(fields, name)
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,4}", text) or not least <= int(text) <= most:
        raise UserError(f"{name} is {one_line(text[:40])!r}; give a whole number from {least} to {most}.")
    return int(text)


def _share(fields: Fields, name: str, wanted: str) -> float | None:
    text = _one_text(fields, name)
    if text is None:
        return None
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1:
        raise UserError(f"{name} is {one_line(text[:40])!r}; give a share of the picture {wanted}.")
    return share


def _one_file(fields: Fields, name: str) -> File | None:
    value = _one(fields, name)
    if isinstance(value, str):
        raise UserError(f"`{name}` must be a file, as in `curl -F {name}=@file.png`.")
    return value


def _one_text(fields: Fields, name: str) -> str | None:
    value = _one(fields, name)
    return None if value is None else _text(value, name)


def _text(value: str | File, name: str) -> str:
    if not isinstance(value, str):
        raise UserError(f"`{name}` must be text, not a file.")
    return value


def _one(fields: Fields, name: str) -> str | File | None:
    values = fields.get(name, [])
    if len(values) > 1:
        raise UserError(f"`{name}` was sent {len(values)} times; send it once.")
    return values[0] if values else None


def _is_type(request: Request, wanted: str) -> bool:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == wanted


def _too_much_json() -> Refusal:
    return Refusal(413, f"The request is larger than {MAX_JSON_BYTES:,} bytes; send a smaller tree.")
