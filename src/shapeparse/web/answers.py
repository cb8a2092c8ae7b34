"""What the service says when it cannot do what was asked: always {"error": one sentence}."""

from __future__ import annotations

import json
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from ..support.text import one_line

MOST_LETTERS = 400


class Refusal(Exception):
    """A request that is answered with a status and a sentence."""

    def __init__(self, status: int, sentence: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.headers = status, sentence, headers or {}

    def response(self) -> Response:
        """The answer."""
        sentence = one_line(self.sentence)
        if len(sentence) > MOST_LETTERS:
            sentence = sentence[: MOST_LETTERS - 1] + "…"
        return json_response({"error": sentence}, self.status, self.headers)


def busy(reason: str = "The service is busy") -> Refusal:
    """Too much is asked at once; the client may come again."""
    return Refusal(503, f"{reason}; try again in a moment.", {"Retry-After": "1"})


def json_response(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """JSON that any reader can read: no NaN, ASCII only (so no half of a surrogate pair is in the way either)."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return Response(text, status, headers, media_type="application/json")


async def answer_http_exception(request: Request, error: Exception) -> Response:
    """What the router itself refuses: unknown paths and methods."""
    assert isinstance(error, HTTPException)
    path = one_line(request.url.path)[:100]
    sentences = {
        404: f"There is nothing at {path}; /docs says what there is.",
        405: f"{request.method[:20]} cannot be used at {path}; /docs says what can.",
    }
    sentence = sentences.get(error.status_code, str(error.detail))
    return Refusal(error.status_code, sentence, dict(error.headers or {})).response()


async def answer_invalid(request: Request, error: Exception) -> Response:
    """Parameters that FastAPI itself refuses."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    return Refusal(422, f"{first['loc'][-1]}: {first['msg']}.").response()
