"""The demo's page: what it says is what the demo found."""

from __future__ import annotations

import re
from pathlib import Path

import shapeparse
from shapeparse.commands.demo_page import COMMANDS


def page_of(demo_once: tuple[Path, str]) -> str:
    return (demo_once[0] / "report.html").read_text()


def test_its_sections_stand_in_order(demo_once: tuple[Path, str]) -> None:
    assert re.findall("<h2>(.*?)</h2>", page_of(demo_once)) == [
        "One object, its rectangles, its tree", "A parser that sees no mask", "How it learned, and what it lacks",
        "How well rectangles can do at all", "Greedy and looking ahead", "Decompositions", "Do it with your own",
    ]  # fmt: skip


def test_it_says_how_it_was_made_and_what_to_do_next(demo_once: tuple[Path, str]) -> None:
    page = page_of(demo_once)
    assert "Made by shapeparse demo --count 6 --seed 0 --method drag-anchored --epochs 1" in page
    assert f"shapeparse {shapeparse.__version__}." in page
    for command in COMMANDS.splitlines():
        assert command in page


def test_lookahead_is_set_off_in_the_table_and_every_decomposition_is_shown(demo_once: tuple[Path, str]) -> None:
    page = page_of(demo_once)
    assert '<tr class="best"><td>oracle with lookahead, depth 7</td>' in page
    for place in range(6):
        assert f"Rectangles over 000{place}.png" in page
