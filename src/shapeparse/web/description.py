"""The API described: what OpenAPI says of each path beside what its function says itself."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import Response
from pydantic.json_schema import models_json_schema

from ..explorer.page import DRAWINGS
from ..painting import FORMATS
from .samples import SAMPLES
from .schemas import (
    EXPORT_EXAMPLE,
    PARSE_FORM,
    PLAN_EXAMPLE,
    PLAN_FORM,
    Error,
    ExportRequest,
    ParseAnswer,
    PlanAnswer,
    PlanRequest,
)

SUMMARY = "Decompose the picture of an object into few labelled rectangles, and plan how to paint it."
TEXT = """\
Whatever cannot be done is answered by `{"error": "one sentence"}`. Every answer has an `X-Request-Id`, which the log
has too; send one of your own to find it there again.

The service works on a few requests at a time and lets a few more wait; beyond that it answers 503 with `Retry-After`.
It keeps nothing of a request; there are no accounts and no cookies."""

REASONS = {
    400: "The request cannot be read",
    403: "The request comes from a page of another site",
    404: "There is no such thing",
    408: "The request took too long to arrive",
    413: "Too many bytes or pixels",
    415: "The wrong kind of content",
    422: "Something in the request cannot be used",
    503: "The service is busy; try again after `Retry-After` seconds",
}
"""Why a request is refused, by status."""
TREE = {"$ref": "#/components/schemas/Tree"}


def posting(name: str) -> dict[str, Any]:
    """What OpenAPI says of one of the three paths that take a request's body."""
    media_types = dict.fromkeys(media_type for _, media_type, _ in (DRAWINGS | FORMATS).values())
    described: dict[str, dict[str, Any]] = {
        "parse": {
            "response_model": ParseAnswer,
            "response_description": "The photograph and its parses",
            "openapi_extra": _body(
                "multipart/form-data", PARSE_FORM, {"sample": "window", "model": ["oracle"]},
                "curl -F image=@photo.jpg -F mask=@mask.png -F model=oracle http://127.0.0.1:8000/api/parse",
            ),
        },
        "plan": {
            "response_model": PlanAnswer,
            "response_description": "The strokes, in the order in which they are painted",
            "openapi_extra": _body(
                "application/json", {"$ref": "#/components/schemas/PlanRequest"}, PLAN_EXAMPLE,
                "curl --json @request.json http://127.0.0.1:8000/api/plan",
            ),
        },
        "export": {
            **file(*media_types),
            "openapi_extra": _body(
                "application/json", {"$ref": "#/components/schemas/ExportRequest"}, EXPORT_EXAMPLE,
                "curl --json @request.json -OJ http://127.0.0.1:8000/api/export",
            ),
        },
    }  # fmt: skip
    described["plan"]["openapi_extra"]["requestBody"]["content"]["multipart/form-data"] = {
        "schema": PLAN_FORM, "example": {"request": json.dumps(PLAN_EXAMPLE)},
    }  # fmt: skip
    options = described[name]
    options["responses"] = options.get("responses", {}) | errors(400, 403, 408, 413, 415, 422, 503)
    return options


def file(*media_types: str) -> dict[str, Any]:
    """Options of a path that answers with a file."""
    binary, readable = {"type": "string", "format": "binary"}, {"type": "object"}
    content = {kind: {"schema": readable if kind.endswith("json") else binary} for kind in media_types}
    return {"response_class": Response, "responses": {200: {"description": "The file", "content": content}}}


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Answers that say why not."""
    return {status: {"model": Error, "description": REASONS[status]} for status in statuses}


def document(app: FastAPI) -> dict[str, Any]:
    """The whole OpenAPI document."""
    content = get_openapi(
        title=app.title, version=app.version, summary=app.summary, description=app.description, routes=app.routes
    )
    template = "#/components/schemas/{model}"
    requests = [(PlanRequest, "validation"), (ExportRequest, "validation")]
    _, definitions = models_json_schema(requests, ref_template=template)  # type: ignore[arg-type]
    for definition in definitions["$defs"].values():
        definition["properties"]["tree"] = TREE
    content["components"]["schemas"] |= definitions["$defs"]
    for path, methods in content["paths"].items():
        if path.startswith("/api/samples/{name}"):
            methods["get"]["parameters"][0]["schema"]["enum"] = list(SAMPLES)
    return content


def _body(media_type: str, schema: dict[str, Any], example: dict[str, Any], curl: str) -> dict[str, Any]:
    content = {media_type: {"schema": schema, "example": example}}
    return {"requestBody": {"required": True, "content": content}, "x-curl": curl}
