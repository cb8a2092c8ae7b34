"""A run folder: ``config.json``, ``metrics.csv``, ``model.safetensors`` (the best policy), ``critic.safetensors`` (its
critic, if it learned one) and what resuming needs.

Everything is written to a temporary name and renamed; no pickle.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from . import files
from .errors import UserError
from .images import shown
from .learner import Learner
from .memory import Memory

VERSION = 1


class RunFolder:
    """The files of one training run."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.config_path = self.path / "config.json"
        self.metrics_path = self.path / "metrics.csv"
        self.model_path = self.path / "model.safetensors"
        self.critic_path = self.path / "critic.safetensors"
        self.checkpoint_path = self.path / "checkpoint.safetensors"

    def write_config(self, config: dict[str, Any]) -> None:
        """Write the run's settings."""
        files.make_folder(self.path)
        files.write_json(self.config_path, {"format": "shapeparse-run", "version": VERSION, **config})

    def read_config(self) -> dict[str, Any]:
        """Read the run's settings, or say why this is not a run folder."""
        if not self.path.is_dir():
            raise UserError(f"{shown(self.path)} is not a folder; give a run folder that `shapeparse train` made.")
        try:
            config = json.loads(self.config_path.read_text())
        except FileNotFoundError as error:
            raise UserError(
                f"{shown(self.path)} has no config.json; give a run folder that `shapeparse train` made."
            ) from error
        except (OSError, ValueError, RecursionError) as error:
            raise UserError(
                f"{shown(self.config_path)} cannot be read ({shown(error)}); restore it or train again."
            ) from error
        if not isinstance(config, dict) or config.get("format") != "shapeparse-run":
            raise UserError(f"{shown(self.config_path)} is not the config of a shapeparse run; train again.")
        if config.get("version") != VERSION:
            raise UserError(
                f"{shown(self.path)} was made by another version (run format {str(config.get('version'))[:20]!r}; this "
                f"one reads {VERSION}); use that version of shapeparse or train again."
            )
        return config

    def write_metrics(self, rows: list[dict[str, Any]]) -> None:
        """Write the metrics of all epochs."""
        text = io.StringIO()
        names = list(dict.fromkeys(name for row in rows for name in row))
        table = csv.DictWriter(text, names, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
        files.write_text(self.metrics_path, text.getvalue())

    def write_model(self, policy: nn.Module, facts: dict[str, Any]) -> None:
        """Write the policy's weights, with what is known of them."""
        write_tensors(self.model_path, policy.state_dict(), {"facts": json.dumps(facts)})

    def read_model(self, policy: nn.Module) -> dict[str, Any]:
        """Load the best policy's weights, whatever their precision in the file; what is known of them."""
        return read_network(policy, self.model_path)

    def write_critic(self, critic: nn.Module, facts: dict[str, Any]) -> None:
        """Write the weights of the critic beside a policy, with the same facts, by which the two are known to belong
        together."""
        write_tensors(self.critic_path, critic.state_dict(), {"facts": json.dumps(facts)})

    def read_critic(self, critic: nn.Module, facts: dict[str, Any]) -> None:
        """Load the weights of the critic beside the policy of which these ``facts`` are known."""
        if read_network(critic, self.critic_path) != facts:
            raise UserError(
                f"{shown(self.critic_path)} is not of the same epoch as {self.model_path.name} beside it, since the "
                "training was stopped between the two; go on with --resume, train again, or parse without a beam."
            )

    def remove_leftovers(self) -> None:
        """Remove half-written files of a run that was killed."""
        for path in self.path.glob(".*.part"):
            path.unlink(missing_ok=True)


def write_tensors(path: Path, tensors: dict[str, Tensor], notes: dict[str, str]) -> None:
    """Write named tensors and notes to a safetensors file, atomically."""
    files.write_bytes(path, packed_tensors(tensors, notes))


def packed_tensors(tensors: dict[str, Tensor], notes: dict[str, str]) -> bytes:
    """The content of a safetensors file."""
    return save({name: tensor.contiguous() for name, tensor in tensors.items()}, notes)


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Read a safetensors file, or say in one sentence what is wrong with it."""
    if not path.is_file():
        raise UserError(f"{shown(path)} is missing; train again, or give another run folder.")
    try:
        with safe_open(path, "pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise UserError(f"{shown(path)} is damaged ({shown(error)}); restore it or train again.") from error


def read_network(network: nn.Module, path: Path) -> dict[str, Any]:
    """Load a network's weights, whatever their precision in the file; what is known of them."""
    tensors, notes = read_tensors(path)
    load_state(network, tensors, path)
    try:
        facts = json.loads(notes.get("facts", "{}"))
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        raise UserError(f"{shown(path)} is damaged (its notes); restore it or train again.")
    return facts


def load_state(network: nn.Module, tensors: dict[str, Tensor], path: Path) -> None:
    """Fill a network with tensors that must fit it exactly."""
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        raise UserError(f"{shown(path)} does not fit the network of its config.json; train again.") from error


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


def pack_state(learner: Learner, memory: Memory) -> dict[str, Tensor]:
    """Networks, optimisers and memory as named tensors."""
    packed = pack_networks(learner.networks(), learner.optimisers())
    packed |= {f"memory.{name}": torch.from_numpy(column) for name, column in memory.columns.items()}
    packed["memory_added"] = torch.from_numpy(memory.added)
    return packed


def unpack_state(learner: Learner, memory: Memory, packed: dict[str, Tensor], path: Path) -> None:
    """Put back what ``pack_state`` took."""
    try:
        unpack_networks(learner.networks(), learner.optimisers(), packed, path)
        for name, column in memory.columns.items():
            column[:] = packed[f"memory.{name}"].numpy()
        memory.added[:] = packed["memory_added"].numpy()
    except UserError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, RuntimeError) as error:
        raise UserError(f"{shown(path)} does not fit this run; start again with another --out.") from error


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
