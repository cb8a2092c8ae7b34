"""Pages and their policies: only the scripts and styles that are in a page may run in it."""

from __future__ import annotations

import base64
import hashlib
import re

from fastapi.testclient import TestClient

from shapeparse.web.pages import documentation, page_policy, page_response


def hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_inline_scripts_and_styles_are_allowed_by_their_hashes_alone() -> None:
    policy = page_policy("<style>a &amp; b</style><script>1 < 2 && go()</script><script>two()</script>")
    assert f"script-src {hashed('1 < 2 && go()')} {hashed('two()')};" in policy
    assert f"style-src {hashed('a &amp; b')};" in policy
    assert "unsafe" not in policy


def test_a_page_without_scripts_may_run_none_and_data_is_no_script() -> None:
    policy = page_policy('<p>text</p><script type="application/json">{"a": 1}</script>')
    assert "script-src 'none'; style-src 'none';" in policy


def test_a_page_is_answered_with_its_policy() -> None:
    answer = page_response("<script>x</script>")
    assert answer.headers["content-security-policy"] == page_policy("<script>x</script>")


def test_the_documentation_says_of_every_path_what_it_takes_and_why_it_refuses(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    page = documentation(document)
    for path, methods in document["paths"].items():
        for method in methods:
            assert f"<h2>{method.upper()} {path}</h2>" in page
    for field in ("image", "sample", "mask", "depth", "price", "brush", "overlap"):
        assert f"<code>{field}</code>" in page
    assert re.search(r"<code>depth</code> \(whole number\)", page)
    assert "<code>503</code> The service is busy" in page
