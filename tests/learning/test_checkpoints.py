"""What resuming needs, as named tensors: all of it comes back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import nn

from shapeparse import Nodes
from shapeparse.learning.checkpoints import (
    pack_networks,
    pack_state,
    restore_rng,
    rng_note,
    unpack_networks,
    unpack_state,
)
from shapeparse.learning.memory import Memory, Transitions

PATH = Path("run/checkpoint.safetensors")


def network() -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)).to(
        memory_format=torch.channels_last  # type: ignore[call-overload]
    )


def trained(steps: int = 3) -> tuple[nn.Sequential, torch.optim.Optimizer]:
    model = network()
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.1)
    for seed in range(steps):
        step(model, optimiser, seed)
    return model, optimiser


def step(model: nn.Module, optimiser: torch.optim.Optimizer, seed: int) -> None:
    images = torch.rand(2, 3, 6, 6, generator=torch.Generator().manual_seed(seed))
    optimiser.zero_grad()
    model(images).square().sum().backward()
    optimiser.step()


def same(one: nn.Module, other: nn.Module) -> bool:
    states = one.state_dict(), other.state_dict()
    return all(torch.equal(value, states[1][name]) for name, value in states[0].items())


def test_a_network_goes_on_with_its_optimiser_as_if_nothing_had_happened():
    model, optimiser = trained()
    packed = pack_networks({"a": model}, {"a": optimiser})
    packed = {name: tensor.contiguous().clone() for name, tensor in packed.items()}
    again, fresh = trained(steps=0)
    unpack_networks({"a": again}, {"a": fresh}, packed, PATH)
    assert same(model, again)
    for seed in (7, 8):
        step(model, optimiser, seed)
        step(again, fresh, seed)
    assert same(model, again)


def test_an_optimisers_state_lies_in_memory_as_its_weights_do():
    """Fused optimisers go through both as they lie in memory."""
    model, optimiser = trained()
    packed = {name: tensor.contiguous() for name, tensor in pack_networks({"a": model}, {"a": optimiser}).items()}
    unpack_networks({"a": model}, {"a": optimiser}, packed, PATH)
    weight = model[0].weight
    assert isinstance(weight, nn.Parameter)
    assert optimiser.state[weight]["exp_avg"].stride() == weight.stride()
    assert not weight.is_contiguous()


def filled(seed: int) -> Memory:
    memory, rng = Memory(2, 4), np.random.default_rng(seed)
    nodes = Nodes.roots([(9, 7), (9, 7)]).take(rng.integers(0, 2, 5))
    memory.add(Transitions(nodes, rng.integers(0, 4, 5).astype(np.int8), rng.integers(0, 9, 5).astype(np.int32)))
    return memory


def test_the_memory_comes_back_whole():
    model, optimiser = trained()
    memory, other = filled(0), filled(1)
    packed = {name: tensor.clone() for name, tensor in pack_state({"a": model}, {"a": optimiser}, memory).items()}
    unpack_state({"a": model}, {"a": optimiser}, other, packed, PATH)
    assert other.added.tolist() == memory.added.tolist()
    for name, column in memory.columns.items():
        np.testing.assert_array_equal(other.columns[name], column)


def test_what_does_not_fit_is_refused(refused):
    model, optimiser = trained()
    packed = pack_state({"a": model}, {"a": optimiser}, filled(0))
    for broken in (
        {name: tensor for name, tensor in packed.items() if name != "memory_added"},
        {**packed, "memory.x": torch.zeros(1, 1)[:, :0]},
        {**packed, "optimiser.a.99.step": torch.zeros(())},
        {**packed, "optimiser.a.step": torch.zeros(())},
    ):
        message = refused(unpack_state, {"a": model}, {"a": optimiser}, filled(0), broken, PATH)
        assert "does not fit this run" in message
    others = {"a": nn.Conv2d(3, 5, 3)}
    assert "does not fit the network" in refused(unpack_state, others, {}, filled(0), packed, PATH)


def test_chance_goes_on_where_it_stopped():
    rng, other = np.random.default_rng(3), np.random.default_rng(9)
    rng.random(5)
    restore_rng(other, rng_note(rng))
    assert other.random(4).tolist() == rng.random(4).tolist()
