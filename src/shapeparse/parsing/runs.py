"""A run folder: ``config.json``, ``metrics.csv``, ``model.safetensors`` (the best policy) and what resuming needs.

Everything is written to a temporary name and renamed; no pickle.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from ..networks.lite import LITE, pretrained_tensors
from ..support import files
from ..support.errors import UserError
from ..support.text import one_line
from .familiarity import PREFIX, Familiarity

VERSION = 1
ENCODER = "encoder"
"""The note that says which pretrained encoder has the tensors that a file of weights leaves out."""


class RunFolder:
    """The files of one training run."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.config_path = self.path / "config.json"
        self.metrics_path = self.path / "metrics.csv"
        self.model_path = self.path / "model.safetensors"
        self.checkpoint_path = self.path / "checkpoint.safetensors"
        self.lock_path = self.path / "training.lock"

    def write_config(self, config: dict[str, Any]) -> None:
        """Write the run's settings."""
        files.make_folder(self.path)
        files.write_json(self.config_path, {"format": "shapeparse-run", "version": VERSION, **config})

    def read_config(self) -> dict[str, Any]:
        """Read the run's settings, or say why this is not a run folder."""
        if not self.path.is_dir():
            raise UserError(f"{one_line(self.path)} is not a folder; give a run folder that `shapeparse train` made.")
        if not self.config_path.exists():
            raise UserError(
                f"{one_line(self.path)} has no config.json; give a run folder that `shapeparse train` made."
            )
        config = files.read_json(self.config_path, "restore it or train again")
        if not isinstance(config, dict) or config.get("format") != "shapeparse-run":
            raise UserError(f"{one_line(self.config_path)} is not the config of a shapeparse run; train again.")
        if config.get("version") != VERSION:
            raise UserError(
                f"{one_line(self.path)} was made by another version "
                f"(run format {str(config.get('version'))[:20]!r}; this "
                f"one reads {VERSION}); use that version of shapeparse or train again."
            )
        return config

    def not_a_training(self, error: Exception) -> UserError:
        """What to say of a ``config.json`` in which something is missing or of another kind."""
        return UserError(
            f"{one_line(self.config_path)} does not describe a training ({one_line(error)}); restore it or train again."
        )

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

    def add_familiarity(self, familiarity: Familiarity) -> None:
        """Note beside the best policy's weights what its photographs are like."""
        tensors, notes = read_tensors(self.model_path)
        write_tensors(self.model_path, tensors | familiarity.tensors(), notes)

    def read_familiarity(self) -> Familiarity | None:
        """What the best policy knows of its photographs, if that was noted."""
        try:
            return Familiarity.from_tensors(read_tensors(self.model_path)[0])
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(
                f"{one_line(self.model_path)} is damaged (its familiarity); restore it or train again."
            ) from error

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
        raise UserError(f"{one_line(path)} is missing; train again, or give another run folder.")
    try:
        with safe_open(path, "pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise UserError(f"{one_line(path)} is damaged ({one_line(error)}); restore it or train again.") from error


def read_network(network: nn.Module, path: Path) -> dict[str, Any]:
    """Load a network's weights, whatever their precision in the file; what is known of them."""
    tensors, notes = read_tensors(path)
    own = {name: one for name, one in tensors.items() if not name.startswith(PREFIX)}
    if notes.get(ENCODER) == LITE:
        wanted = network.state_dict().keys()
        own = {name: one for name, one in pretrained_tensors().items() if name in wanted} | own
    load_state(network, own, path)
    try:
        facts = json.loads(notes.get("facts", "{}"))
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        raise UserError(f"{one_line(path)} is damaged (its notes); restore it or train again.")
    return facts


def load_state(network: nn.Module, tensors: dict[str, Tensor], path: Path) -> None:
    """Fill a network with tensors that must fit it exactly, and be numbers."""
    for name, known in network.state_dict().items():
        given = tensors.get(name)
        if given is None or not known.is_floating_point():
            continue
        if not given.is_floating_point() or not torch.isfinite(given).all():
            what = "is not finite" if given.is_floating_point() else f"has numbers of type {given.dtype}"
            raise UserError(f"{one_line(path)} is damaged (its tensor {name} {what}); restore it or train again.")
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        raise UserError(f"{one_line(path)} does not fit the network of its config.json; train again.") from error
