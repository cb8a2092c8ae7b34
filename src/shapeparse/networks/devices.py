"""Where networks compute: the one place that chooses a device, and that turns arrays into tensors on it."""

from __future__ import annotations

from typing import Any, Literal

import numpy.typing as npt
import torch
from torch import Tensor

from ..support.errors import UserError

DeviceName = Literal["auto", "cpu", "cuda", "mps"]
CPU = torch.device("cpu")


def choose_device(name: str = "auto") -> torch.device:
    """The device of that name, if this machine has it; ``auto`` takes a GPU if there is one, else the processor.

    >>> choose_device("cpu")
    device(type='cpu')
    """
    kind, _, number = name.partition(":")
    have = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        return torch.device(next(kind for kind, there in have.items() if there))
    if kind not in have or (number and not number.isdigit()):
        raise UserError(f"There is no device {ascii(name)[:40]}; choose one of auto, cpu, cuda, mps.")
    if not have[kind] or (kind == "cuda" and number and int(number) >= torch.cuda.device_count()):
        there = ", ".join(kind for kind, there in have.items() if there)
        raise UserError(f"This machine, or its PyTorch, has no device {name}; choose among {there}, or auto.")
    return torch.device(name)


def device_of(network: Any) -> torch.device:
    """Where a network's weights are; what is not PyTorch's computes on the processor."""
    if not isinstance(network, torch.nn.Module):
        return CPU
    for held in (*network.parameters(), *network.buffers()):
        return held.device
    return CPU


def exact(tensor: Tensor) -> Tensor:
    """The same numbers in double precision, on devices that have it."""
    return tensor if tensor.device.type == "mps" else tensor.double()


def as_tensor(array: npt.NDArray, device: torch.device) -> Tensor:
    """An array as a tensor on a device; on the processor both share their memory."""
    tensor = torch.from_numpy(array)
    if device.type == "mps" and tensor.dtype == torch.float64:  # which that device does not have
        tensor = tensor.float()
    return tensor if device.type == "cpu" else tensor.to(device)
