"""Trees to draw: random ones of any size, made with the package's own expansion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from shapeparse.grammar import Actions, Limits, Nodes, ParseTree, Rule, cut_from_location, expand, valid_rules


@pytest.fixture
def random_tree() -> Callable[..., ParseTree]:
    """A function that makes a tree that splits wherever it may, with random cuts and labels."""

    def make(width: int, height: int, depth: int, seed: int = 0, name: str = "") -> ParseTree:
        random, limits = np.random.default_rng(seed), Limits(depth=depth)

        def actor(nodes: Nodes) -> Actions:
            wish = random.random((len(nodes), len(Rule))) + np.array([1, 1, 0, 0])
            rule = np.where(valid_rules(nodes, limits), wish, -1).argmax(axis=1).astype(np.int8)
            cut = cut_from_location(random.uniform(0.2, 0.8, len(nodes)), np.maximum(nodes.extent(rule), 2))
            return Actions(rule, np.where(rule < Rule.PAINT, cut, 0).astype(np.int32))

        return expand([(width, height)], actor, limits).trees([name])[0]

    return make


HOSTILE_NAMES = [
    "<script>alert(1)</script>",
    "]]><!-- & \"double\" 'single' -->",
    "a\x00b\x07\x1b[31m\nc\ud800\ufffe\u202e",
    "$\\frac{1}{$ 100 % {braces}",
    "日本語 🚗",
    "x" * 5000,
]


@pytest.fixture(params=HOSTILE_NAMES)
def hostile_name(request: pytest.FixtureRequest) -> str:
    """A name that would break or deface a picture if it were drawn as it is."""
    return str(request.param)
