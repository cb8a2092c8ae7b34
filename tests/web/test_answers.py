"""Refusals: one printable sentence, not too long, as JSON that any reader reads."""

from __future__ import annotations

import json

import pytest

from shapeparse.web.answers import MOST_LETTERS, Refusal, busy, json_response


def said(refusal: Refusal) -> str:
    content = json.loads(refusal.response().body)
    assert list(content) == ["error"]
    return str(content["error"])


def test_a_refusal_is_a_status_and_a_sentence() -> None:
    refusal = Refusal(413, "It is too large.", {"X-Why": "size"})
    assert said(refusal) == "It is too large."
    assert refusal.response().status_code == 413
    assert refusal.response().headers["x-why"] == "size"


def test_what_cannot_be_printed_is_escaped_and_what_is_long_is_cut() -> None:
    assert said(Refusal(400, "a\nb\x1b[31m")).isprintable()
    long = said(Refusal(400, "x" * 5000))
    assert len(long) == MOST_LETTERS
    assert long.endswith("…")


def test_who_comes_too_early_is_told_to_come_again() -> None:
    assert busy().status == 503
    assert busy().response().headers["retry-after"] == "1"
    assert said(busy("The kettle is on")) == "The kettle is on; try again in a moment."


def test_json_is_plain_ascii_without_numbers_that_are_none() -> None:
    assert bytes(json_response({"name": "Tür \ud800"}).body).isascii()
    with pytest.raises(ValueError, match="JSON compliant"):
        json_response({"value": float("nan")})
