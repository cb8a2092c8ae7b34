"""What tests of networks share: nodes of every kind, networks with random weights everywhere, and pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from shapeparse import Limits, Nodes
from shapeparse.networks.critic import Critic
from shapeparse.networks.presets import PRESETS, Preset
from shapeparse.networks.views import NodeView

LIMITS = Limits(depth=3, min_extent=2)
SIZES = np.array([[48, 32], [32, 64]], np.int32)
NODES = Nodes(
    *(np.array(column, np.int32) for column in zip(
        (0, 0, 0, 48, 32, 0),  # a root: anything may be done
        (1, 3, 5, 9, 2, 1),  # two pixels high: not split along y
        (0, 40, 8, 1, 20, 2),  # one pixel wide: not split along x
        (1, 0, 0, 2, 1, 2),  # too small either way
        (0, 8, 8, 16, 16, 3),  # as deep as may be
        strict=True,
    ))
)  # fmt: skip


@pytest.fixture(params=list(PRESETS))
def preset(request, tiny_presets) -> Preset:
    return tiny_presets[request.param]


@pytest.fixture(scope="session")
def some_nodes() -> tuple[Nodes, np.ndarray, Limits]:
    """Five nodes of two images, the images' sizes, and the limits."""
    return NODES, SIZES, LIMITS


@pytest.fixture(scope="session")
def shaken() -> Callable[[torch.nn.Module], torch.nn.Module]:
    """The network with random weights everywhere, also where it starts with zeros."""

    def shake(network: torch.nn.Module, seed: int = 0) -> torch.nn.Module:
        chance = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.add_(0.15 * torch.randn(parameter.shape, generator=chance))
        return network.eval()

    return shake


@pytest.fixture(scope="session")
def pictures() -> Callable[..., torch.Tensor]:
    return lambda side, count=2: torch.rand(count, 3, side, side, generator=torch.Generator().manual_seed(1))


@pytest.fixture(scope="session")
def ask() -> Callable[..., Any]:
    """What a policy or a critic says of nodes of images."""

    def answer(network: Any, images: torch.Tensor, nodes: Nodes = NODES, sizes: np.ndarray = SIZES) -> Any:
        view = NodeView.of(nodes, sizes, LIMITS)
        features = network.trunk(network.trunk.encode(images), view)
        return network(features) if isinstance(network, Critic) else network.decide(features, view.valid)

    return answer
