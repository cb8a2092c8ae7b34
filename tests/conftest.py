"""What all tests share: seeded hypothesis examples, actors that act at random, and the trees they make."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from shapeparse import Actions, Limits, Nodes, ParseTree, Rule, UserError, expand, valid_rules

os.environ.setdefault("MPLBACKEND", "Agg")
settings.register_profile("shapeparse", max_examples=50, deadline=None, derandomize=True)
settings.load_profile("shapeparse")

CAR_PANELS = Path(__file__).resolve().parents[2] / "shared" / "data" / "car-panels"


class RandomActor:
    """Any valid action, drawn from the seed and the node alone: the order in which nodes are asked plays no part."""

    def __init__(self, seed: int, limits: Limits) -> None:
        self.seed, self.limits = seed, limits

    def __call__(self, nodes: Nodes) -> Actions:
        columns = (nodes.image, nodes.x, nodes.y, nodes.w, nodes.h, nodes.depth)
        drawn = [self._draw(*node) for node in zip(valid_rules(nodes, self.limits), *columns, strict=True)]
        rule, location = zip(*drawn, strict=True)
        return Actions.at_locations(nodes, rule, location)

    def _draw(self, valid: np.ndarray, *node: np.int32) -> tuple[int, float]:
        rng = np.random.default_rng([self.seed, *(int(number) for number in node)])
        weight = valid * np.array([4, 4, 1, 1])
        return int(rng.choice(len(Rule), p=weight / weight.sum())), rng.random()


@pytest.fixture(scope="session")
def random_actor() -> Callable[[int, Limits], RandomActor]:
    return RandomActor


@pytest.fixture(scope="session")
def car_panels() -> list[np.ndarray]:
    """The 362 masks of car-panels, from the folder ``shared`` beside the repository."""
    if not CAR_PANELS.is_dir():
        pytest.skip("the car-panels data is not beside the repository")
    from shapeparse.images import read_mask

    return [read_mask(path) for path in sorted((CAR_PANELS / "masks").glob("*.png"))]


@pytest.fixture(scope="session")
def refused() -> Callable[..., str]:
    """Call something that must fail with a UserError of one line; answer the line."""

    def call(function: Callable, *arguments: object, **options: object) -> str:
        with pytest.raises(UserError) as caught:
            function(*arguments, **options)
        message = str(caught.value)
        assert message.endswith(".")
        assert message.isprintable()  # so there is no line break in it
        assert len(message) < 400
        return message

    return call


side = st.integers(1, 12)
random_limits = st.builds(Limits, st.integers(0, 5), st.integers(1, 3))


@st.composite
def random_trees(draw: st.DrawFn) -> ParseTree:
    """Any valid tree of a small image."""
    limits, size, seed = draw(random_limits), (draw(side), draw(side)), draw(st.integers(0, 999))
    return expand([size], RandomActor(seed, limits), limits).trees()[0]


# So a test asks for a tree with ``@given(st.from_type(ParseTree))`` and needs no import from here.
st.register_type_strategy(Limits, random_limits)
st.register_type_strategy(ParseTree, random_trees())
