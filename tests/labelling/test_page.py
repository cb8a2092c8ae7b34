"""The page: one file, and nothing in it comes from elsewhere."""

from __future__ import annotations

import re

from shapeparse.labelling.page import labelling_page


def test_the_page_is_one_file_and_names_are_text() -> None:
    page = labelling_page("</script><b>photos")
    assert "<shapeparse-label>" in page and 'customElements.define("shapeparse-label"' in page
    assert "<b>photos" not in page
    assert not re.findall(r"https?://(?!www\.w3\.org)", page)
    assert "connect-src 'self'" in page.replace("&#x27;", "'")
