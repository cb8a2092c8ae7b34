"""Encoders from outside the package: any module that makes a feature map of an image."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import torch
from torch import nn

from ..support.errors import UserError

Build: TypeAlias = Callable[..., nn.Module]
"""Makes, from its settings, a module from images (images, 3, side, side) to features (images, channels, rows, columns),
at any resolution."""

ENCODERS: dict[str, Build] = {}
TRIED = 64
"""Side of the image that a new encoder is tried on."""


def register_encoder(name: str, build: Build) -> None:
    """Make an encoder of one's own known under the name that presets and run folders call it by.

    >>> register_encoder("one-layer", lambda width: nn.Conv2d(3, width, 8, stride=8))
    >>> build_encoder("one-layer", {"width": 16}, channels=16).stride
    (8, 8)
    """
    ENCODERS[name] = build


def build_encoder(name: str, settings: Mapping[str, Any], channels: int) -> nn.Module:
    """An encoder whose features have so many channels; the sentence of the error says what is wrong with one."""
    if name not in ENCODERS:
        raise UserError(
            f"The encoder {ascii(name)[:60]} is not part of shapeparse; import what registers it first, with "
            "`shapeparse --import FILE.py COMMAND ...` or an import of your own."
        )
    encoder = ENCODERS[name](**settings)
    device = next((held.device for held in encoder.parameters()), torch.device("cpu"))
    with torch.no_grad():
        found = encoder.eval()(torch.zeros(1, 3, TRIED, TRIED, device=device))
    encoder.train()
    if not isinstance(found, torch.Tensor) or found.ndim != 4 or found.shape[1] != channels:
        shape = tuple(found.shape) if isinstance(found, torch.Tensor) else type(found).__name__
        raise UserError(
            f"The encoder {ascii(name)[:60]} makes {shape} of an image of {TRIED} x {TRIED}; it must make features of "
            f"the shape (images, {channels}, rows, columns), or the preset's channels must be others."
        )
    return encoder
