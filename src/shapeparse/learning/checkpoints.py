"""What resuming needs, as named tensors: networks, optimisers, memory, and the state of the random generator."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from ..parsing.runs import load_state
from ..support.errors import UserError
from ..support.text import one_line
from .memory import Memory

Networks = dict[str, nn.Module]
Optimisers = dict[str, torch.optim.Optimizer]


def pack_networks(networks: Networks, optimisers: Optimisers) -> dict[str, Tensor]:
    """Networks and optimisers as named tensors."""
    packed: dict[str, Tensor] = {}
    for name, network in networks.items():
        packed |= {f"network.{name}.{key}": value for key, value in network.state_dict().items()}
    for name, optimiser in optimisers.items():
        for index, state in optimiser.state_dict()["state"].items():
            packed |= {f"optimiser.{name}.{index}.{key}": value for key, value in state.items()}
    return packed


def unpack_networks(networks: Networks, optimisers: Optimisers, packed: dict[str, Tensor], path: Path) -> None:
    """Put back what ``pack_networks`` took."""
    for name, network in networks.items():
        load_state(network, _below(packed, f"network.{name}."), path)
    for name, optimiser in optimisers.items():
        states: dict[int, dict[str, Tensor]] = {}
        for key, value in _below(packed, f"optimiser.{name}.").items():
            index, entry = key.split(".")
            states.setdefault(int(index), {})[entry] = value
        parameters = [parameter for group in optimiser.param_groups for parameter in group["params"]]
        fitted = {index: _laid_out_like(parameters[index], state) for index, state in states.items()}
        optimiser.load_state_dict({"state": fitted, "param_groups": optimiser.state_dict()["param_groups"]})


def pack_state(networks: Networks, optimisers: Optimisers, memory: Memory) -> dict[str, Tensor]:
    """Networks, optimisers and memory as named tensors."""
    packed = pack_networks(networks, optimisers)
    packed |= {f"memory.{name}": torch.from_numpy(column) for name, column in memory.columns.items()}
    packed["memory_added"] = torch.from_numpy(memory.added)
    return packed


def unpack_state(
    networks: Networks, optimisers: Optimisers, memory: Memory, packed: dict[str, Tensor], path: Path
) -> None:
    """Put back what ``pack_state`` took."""
    try:
        unpack_networks(networks, optimisers, packed, path)
        for name, column in memory.columns.items():
            column[:] = packed[f"memory.{name}"].numpy()
        memory.added[:] = packed["memory_added"].numpy()
    except UserError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, RuntimeError) as error:
        raise UserError(f"{one_line(path)} does not fit this run; start again with another --out.") from error


def _laid_out_like(parameter: Tensor, state: dict[str, Tensor]) -> dict[str, Tensor]:
    """An optimiser's state in the parameter's own memory layout, as it was before it went through a file."""
    return {
        name: torch.empty_like(parameter).copy_(value) if value.ndim else value.clone() for name, value in state.items()
    }


def _below(packed: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {key[len(prefix) :]: value for key, value in packed.items() if key.startswith(prefix)}


def rng_note(rng: np.random.Generator) -> str:
    """The state of a random generator as text."""
    return json.dumps(rng.bit_generator.state)


def restore_rng(rng: np.random.Generator, note: str) -> None:
    """Put a random generator back into a noted state."""
    rng.bit_generator.state = json.loads(note)
