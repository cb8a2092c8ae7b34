"""Encoders from outside the package: any module that makes a feature map of an image, or a pyramid of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import torch
from torch import nn

from ..support.errors import UserError

Build: TypeAlias = Callable[..., nn.Module]
"""Makes, from its settings, a module from images (images, 3, side, side) to features (images, channels, rows, columns),
at any resolution; or, for presets with an evidence map, to a list of them at strides 2, 4, 8 and so on."""

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


def build_pyramid(name: str, settings: Mapping[str, Any], strides: int) -> tuple[nn.Module, tuple[int, ...]]:
    """An encoder that gives maps at so many strides, and the channels of each; the error says what is wrong with one.

    >>> class Blurred(nn.Module):
    ...     def forward(self, images):
    ...         return [nn.functional.avg_pool2d(images, 2), nn.functional.avg_pool2d(images, 4)]
    >>> register_encoder("blurred", Blurred)
    >>> build_pyramid("blurred", {}, strides=2)[1]
    (3, 3)
    """
    encoder, found = _tried(name, settings)
    wanted = [TRIED // 2 ** (level + 1) for level in range(strides)]
    maps = found if isinstance(found, list | tuple) else []
    if [tuple(one.shape[2:]) for one in maps if isinstance(one, torch.Tensor)] != [(side, side) for side in wanted]:
        raise UserError(
            f"The encoder {ascii(name)[:60]} must make a list of {strides} maps of an image of {TRIED} x {TRIED}, "
            f"whose sides are {', '.join(map(str, wanted))}; or give the preset other widths."
        )
    return encoder, tuple(one.shape[1] for one in maps)


def build_encoder(name: str, settings: Mapping[str, Any], channels: int) -> nn.Module:
    """An encoder whose features have so many channels; the sentence of the error says what is wrong with one."""
    encoder, found = _tried(name, settings)
    if not isinstance(found, torch.Tensor) or found.ndim != 4 or found.shape[1] != channels:
        shape = tuple(found.shape) if isinstance(found, torch.Tensor) else type(found).__name__
        raise UserError(
            f"The encoder {ascii(name)[:60]} makes {shape} of an image of {TRIED} x {TRIED}; it must make features of "
            f"the shape (images, {channels}, rows, columns), or the preset's channels must be others."
        )
    return encoder


def _tried(name: str, settings: Mapping[str, Any]) -> tuple[nn.Module, Any]:
    """An encoder, and what it makes of an empty image."""
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
    return encoder, found
