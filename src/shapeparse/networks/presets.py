"""Presets: the sizes of the networks and the training settings that go with them, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from ..support.checks import is_whole
from ..support.errors import UserError
from ..support.text import unknown

TrunkName = Literal["paper", "crop", "shared", "frozen", "map"]


MOST_LAYERS = 12
BOUNDS = {
    "side": (8, 1024), "look": (8, 1024), "widths": (1, 1024), "channels": (1, 512), "positions": (2, 256),
    "strips": (1, 16), "cells": (2, 16), "hidden": (1, 512), "crop": (8, 256), "dense": (1, 4096),
}  # fmt: skip
"""From the least to the most that a network's sizes may be: a file may claim anything, and memory is finite."""


@dataclass(frozen=True)
class Preset:
    """A network's shape. Every method can use every preset.

    >>> Preset("shared", side=128, widths=(8, 16, 24)).look
    128
    """

    trunk: TrunkName
    """How a node is seen: ``paper`` masks the whole image, ``crop`` cuts the node out, ``shared`` encodes an image
    once and takes every node's features from that, ``frozen`` does so on an encoder that does not learn, ``map`` also
    predicts how likely each place is paint."""
    side: int = 256
    """Images are squashed to this square before a network sees them; trees stay in the image's own pixels."""
    look: int = 128
    """``shared``, ``map``: side to which the encoder shrinks that square: recognition needs less than cutting."""
    widths: tuple[int, ...] = ()
    """Channels of the convolutions, from fine to coarse."""
    channels: int = 32
    """Channels of the shared feature map."""
    positions: int = 32
    """``shared``: stretches along an axis for which split heads give a score."""
    strips: int = 2
    """``shared``: strips across the axis that the split heads tell apart."""
    cells: int = 4
    """``shared``: the rule head sees a node as this many by this many means."""
    hidden: int = 32
    """``shared``, ``map``: channels of the split heads."""
    crop: int = 48
    """``crop``: side of the cut-out node."""
    dense: tuple[int, ...] = (128, 128)
    """Widths of the dense layers."""
    location: Literal["mean", "mode"] = "mean"
    """``shared``, ``frozen``, ``map``: whether a split lies at the mean of the scored stretches, or at the likeliest of
    them. Methods that learn a distribution over cuts have the second."""
    encoder: str = ""
    """``frozen``, ``map``: ``lite0`` for the encoder that was pretrained on ImageNet. ``shared``, ``map``: name of an
    encoder from outside the package; see ``encoders.register_encoder``. Without one: as ``widths`` say, from
    scratch."""
    encoder_settings: Mapping[str, Any] = field(default_factory=dict)
    """What that encoder is built with."""

    def __post_init__(self) -> None:
        if self.trunk not in get_args(TrunkName):
            raise UserError(f"trunk is {ascii(self.trunk)[:40]}; give one of {', '.join(get_args(TrunkName))}.")
        for name, (least, most) in BOUNDS.items():
            given = getattr(self, name)
            several = given if name in ("widths", "dense") else (given,)
            if name in ("widths", "dense") and not (isinstance(given, tuple) and len(given) <= MOST_LAYERS):
                raise UserError(f"{name} is {ascii(given)[:40]}; give at most {MOST_LAYERS} whole numbers.")
            if not all(is_whole(one) and least <= one <= most for one in several):
                raise UserError(f"{name} is {ascii(given)[:40]}; give whole numbers from {least} to {most}.")
        if self.location not in ("mean", "mode"):
            raise UserError(f"location is {ascii(self.location)[:40]}; give one of mean, mode.")
        if not isinstance(self.encoder, str) or not isinstance(self.encoder_settings, Mapping):
            raise UserError("encoder must be a name, and encoder_settings what it is built with.")

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Preset:
        """What ``dataclasses.asdict`` gave, read back from JSON, which knows lists only."""
        known: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in content.items()}
        return cls(**known)


PRESETS = {
    "paper": Preset("paper", widths=(20,) * 7, dense=(1000, 200)),
    "crop": Preset("crop", widths=(16, 24, 24, 32, 32, 48, 48), dense=(256, 128)),
    "fast": Preset("shared", widths=(24, 48, 96, 128), dense=(192, 128)),
    "frozen": Preset(
        "frozen", look=256, widths=(16,), channels=16, positions=16, hidden=16, dense=(96, 64), encoder="lite0"
    ),
    "scratch": Preset("map", look=256, widths=(16, 32, 64, 128, 192), channels=24, hidden=16, dense=(192, 128)),
    "best": Preset(
        "map", look=256, widths=(16, 32, 48, 96, 96), channels=24, hidden=16, dense=(192, 128), encoder="lite0"
    ),
}


OURS = frozenset(PRESETS)


def register_preset(name: str, preset: Preset) -> None:
    """Make a network of one's own known under a name, for settings, run folders and benchmarks.

    >>> register_preset("small", Preset("shared", widths=(8, 16, 32), channels=8))
    >>> preset_named("small").channels
    8
    """
    if name in OURS:
        raise UserError(f"{name!r} is a preset of shapeparse; take another name for yours.")
    PRESETS[name] = preset


def preset_named(name: str) -> Preset:
    """The preset of that name."""
    if name not in PRESETS:
        raise unknown("preset", name, PRESETS)
    return PRESETS[name]
