"""What all tests share: seeded hypothesis examples, actors that act at random, and the trees they make."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from shapeparse import Actions, Limits, Nodes, ParseTree, Rule, UserError, valid_rules
from shapeparse.grammar import expand
from shapeparse.painting.lens import Lens
from shapeparse.painting.markers import DICTIONARIES
from shapeparse.painting.plane import Plane
from shapeparse.painting.sampling import resampled

os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # what tests train is so small that threads only wait for each other
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


@pytest.fixture(autouse=True)
def _same_weights_in_any_order() -> None:
    """Networks that a test makes begin with the same weights, whichever tests this process ran before."""
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


@pytest.fixture(scope="session")
def random_actor() -> Callable[[int, Limits], RandomActor]:
    return RandomActor


@pytest.fixture(scope="session")
def car_panels() -> list[np.ndarray]:
    """The 362 masks of car-panels, from the folder ``shared`` beside the repository."""
    if not CAR_PANELS.is_dir():
        pytest.skip("the car-panels data is not beside the repository")
    from shapeparse.data.images import read_mask

    return [read_mask(path) for path in sorted((CAR_PANELS / "masks").glob("*.png"))]


def one(found: ParseTree | list[ParseTree]) -> ParseTree:
    """What ``igm`` makes of a mask."""
    assert isinstance(found, ParseTree)
    return found


def many(found: ParseTree | list[ParseTree]) -> list[ParseTree]:
    """What ``igm`` makes of a stack of masks."""
    assert isinstance(found, list)
    return found


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


@pytest.fixture(scope="session")
def photographs() -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    """Some photographs of the built-in generator, (count, size, size, 3), with their masks; made once."""
    made: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}

    def some(count: int, size: int = 32) -> tuple[np.ndarray, np.ndarray]:
        from shapeparse.data.generator import generate

        if (count, size) not in made:
            pairs = [generate(7, index, size) for index in range(count)]
            made[count, size] = np.stack([image for image, _ in pairs]), np.stack([mask for _, mask in pairs])
        images, masks = made[count, size]
        return images.copy(), masks.copy()

    return some


@pytest.fixture
def tiny_presets(monkeypatch: pytest.MonkeyPatch) -> dict:
    """Every preset, so small that a test can train it."""
    from shapeparse.networks.presets import PRESETS

    small: dict[str, dict[str, Any]] = {
        "fast": {"side": 32, "widths": (4, 6, 8), "channels": 4, "positions": 8, "dense": (16, 16)},
        "scratch": {"side": 32, "look": 32, "widths": (4, 6, 8), "channels": 4, "positions": 8, "dense": (16, 16)},
        "best": {"side": 64, "look": 64, "widths": (4, 6, 8, 8, 8), "channels": 4, "positions": 8, "dense": (16, 16)},
        "frozen": {"side": 64, "look": 64, "widths": (8,), "channels": 4, "positions": 8, "dense": (16, 16)},
        "crop": {"side": 32, "widths": (4,) * 7, "crop": 16, "dense": (16, 16)},
        "paper": {"side": 48, "widths": (4,) * 7, "dense": (16, 16)},
    }
    for name, sizes in small.items():
        monkeypatch.setitem(PRESETS, name, replace(PRESETS[name], **sizes))
    return PRESETS


@pytest.fixture(scope="session")
def table_policy() -> Callable:
    """A policy that knows only how deep a node is and whether it touches the image's first corner: a table."""
    import torch

    from shapeparse.networks.policy import PolicyOutput
    from shapeparse.networks.views import NodeView

    class TablePolicy(torch.nn.Module):
        def __init__(self, limits: Limits, seed: int = 0, log_sigma: float = -1.0) -> None:
            super().__init__()
            rows = 2 * (limits.depth + 1)
            drawn = torch.randn(rows, 6, generator=torch.Generator().manual_seed(seed))
            self.depth = limits.depth
            self.rule, self.split = (torch.nn.Parameter(part.clone()) for part in drawn.split([4, 2], dim=1))
            self.log_sigma = torch.nn.Parameter(torch.full((rows, 2), log_sigma))

        def encode(self, images: torch.Tensor) -> None:
            return None

        def forward(self, encoded: None, view: NodeView) -> PolicyOutput:
            depth = np.rint(view.depth * max(self.depth, 1)).astype(np.int64)
            row = torch.from_numpy(2 * depth + (view.x + view.y > 0))
            scores = self.rule[row].masked_fill(~view.valid, -1e9)
            return PolicyOutput(torch.log_softmax(scores, dim=1), self.split[row], self.log_sigma[row])

    return TablePolicy


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


# ---- photographs taken at an angle -----------------------------------------------------------------------------------


@pytest.fixture
def marker_sheet() -> Callable[..., np.ndarray]:
    """A white sheet of 1300 x 900 mm, a pixel each, with markers of 80 mm around the corners of 1200 x 800 mm; of a
    family of markers and their numbers. Skipped where OpenCV is missing."""
    cv2 = pytest.importorskip("cv2")

    def sheet(family: str, numbers: tuple[int, ...] = (0, 1, 2, 3)) -> np.ndarray:
        dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARIES[family]))  # type: ignore[index]
        paper = np.full((900, 1300, 3), 255, np.uint8)
        for number, (x, y) in zip(numbers, ((50, 50), (1250, 50), (1250, 850), (50, 850)), strict=True):
            paper[y - 40 : y + 40, x - 40 : x + 40] = cv2.aruco.generateImageMarker(dictionary, number, 80)[..., None]
        return paper

    return sheet


@pytest.fixture
def at_an_angle() -> Callable[..., np.ndarray]:
    """A photograph of a flat picture, of a given shape; the corners of the flat picture are where they are told to be
    in it, through a lens if there is one."""

    def photographed(
        flat: np.ndarray, corners: tuple[tuple[float, float], ...], shape: tuple[int, int], lens: Lens | None = None
    ) -> np.ndarray:
        plane = Plane(corners, flat.shape[1], flat.shape[0], 1.0, lens)
        return resampled(flat, shape, plane.on_plane, fine=2)

    return photographed
