"""The service's two pages, each with a policy that lets the browser run and load nothing but what is in them."""

from __future__ import annotations

import base64
import hashlib
import json
from html.parser import HTMLParser
from typing import Any

from fastapi.responses import HTMLResponse

from ..pictures.page import Page

_DATA_BLOCKS = ("application/json", "application/ld+json")


def page_response(html: str) -> HTMLResponse:
    """A page with its policy."""
    return HTMLResponse(html, headers={"Content-Security-Policy": page_policy(html)})


def page_policy(html: str) -> str:
    """A content security policy by which only the page's own scripts and styles count, known by their hashes."""
    found = _Inline()
    found.feed(html)
    found.close()
    scripts, styles = (" ".join(map(_hash, texts)) or "'none'" for texts in (found.scripts, found.styles))
    return (
        f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src 'self' data: blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


class _Inline(HTMLParser):
    """The texts of the scripts and styles of a page, exactly as they stand there."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self._open: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "style":
            self._open = self.styles
        elif tag == "script" and dict(attrs).get("type") not in _DATA_BLOCKS:
            self._open = self.scripts
        if self._open is not None:
            self._open.append("")

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._open[-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._open = None


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def documentation(document: dict[str, Any]) -> str:
    """The OpenAPI document as a page to read."""
    info = document["info"]
    page = Page(f"{info['title']} {info['version']}", info["summary"])
    for paragraph in info["description"].split("\n\n"):
        page.paragraph(" ".join(paragraph.split()))
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            page.heading(f"{method.upper()} {path}")
            _operation(page, operation, document["components"]["schemas"])
    page.heading("Refusals")
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    reasons = {status: answer["description"] for one in operations for status, answer in one["responses"].items()}
    for status in sorted(set(reasons) - {"200"}):
        page.paragraph(f"`{status}` {reasons[status]}.")
    page.heading("For programs")
    page.paragraph("The same as an OpenAPI document is at `/openapi.json`.")
    return page.html()


def _operation(page: Page, operation: dict[str, Any], schemas: dict[str, Any]) -> None:
    page.paragraph(" ".join(operation.get("description", operation["summary"]).split()))
    for content_type, content in operation.get("requestBody", {}).get("content", {}).items():
        page.paragraph(f"Takes `{content_type}`:")
        schema = _resolved(content["schema"], schemas)
        for name, field in schema.get("properties", {}).items():
            needed = "; needed" if name in schema.get("required", []) else ""
            page.paragraph(f"`{name}` ({_kind(field)}{needed}): {_resolved(field, schemas).get('description', '')}")
        if content_type == "application/json":
            page.paragraph("For example, as `request.json`:")
            page.code(json.dumps(content["example"], indent=2))
    if "x-curl" in operation:
        page.code(operation["x-curl"])
    answers = dict(operation["responses"])
    page.paragraph(f"Answers `200`: {answers.pop('200')['description']}.")
    if answers:
        page.paragraph(f"Refuses with {', '.join(f'`{status}`' for status in answers)}; see below.")


def _resolved(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref")
    return {**schemas[reference.rpartition("/")[2]], **schema} if reference else schema


def _kind(field: dict[str, Any]) -> str:
    """The type of a field in words."""
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    if "anyOf" in field:
        return " or ".join(_kind(one) for one in field["anyOf"] if one.get("type") != "null")
    if "$ref" in field:
        return f"a {field['$ref'].rpartition('/')[2].lower()}"
    kind = {"string": "text", "integer": "whole number", "array": "one or several"}.get(field["type"], field["type"])
    kind = "file" if field.get("format") == "binary" else kind
    default = field.get("default")
    return kind if default is None else f"{kind}, else `{json.dumps(default)}`"
