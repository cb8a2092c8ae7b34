"""What an engineer would do today: a U-Net predicts the mask, which the oracle can then decompose.

``Segmenter`` trains one in a run folder, with checkpoints and exact resume; ``load_segmenter`` reads the best back.
"""

from __future__ import annotations

import dataclasses
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..grammar import is_whole
from ..learning.augmentation import colour_jitter, random_crops
from ..learning.beginning import NOTHING, pretrained_map
from ..learning.checkpoints import pack_networks, unpack_networks
from ..learning.data import TrainingData
from ..learning.run import Report, Training
from ..learning.settings import LearningSettings
from ..networks.lite import load_weights
from ..networks.precision import has_bfloat16
from ..networks.presets import preset_named
from ..networks.views import to_pixels
from ..parsing.runs import RunFolder
from ..parsing.shipped import NAME as PRETRAINED
from ..support.errors import UserError
from ..support.text import one_line
from .unet import LiteUNet, UNet

OURS = {"none": "scratch", "lite0": "best"}
"""Our presets with the same encoders."""


@dataclass(frozen=True)
class SegmenterSettings:
    """Everything that decides a segmenter besides its data."""

    epochs: int | None = None
    """Budget in epochs: the same seed then always gives the same run."""
    minutes: float | None = None
    """Budget in minutes, if no epochs are given."""
    seed: int = 0
    """Of all that is random."""
    encoder: Literal["none", "lite0"] = "none"
    """Whether it begins with random weights, or with an encoder that was pretrained on ImageNet."""
    begin_with: Literal["none", "pretrained"] = "none"
    """``pretrained`` to begin with the weights of the parser that comes with the package, on the same encoder."""
    widths: tuple[int, ...] = ()
    """Channels of the U-Net from fine to coarse; the first see half of the image's side, each next one half of that. As
    our own networks have them, if not given."""
    encoder_rate: float = LearningSettings.encoder_rate
    """Highest learning rate of the pretrained encoder, as for our own."""
    rate: float = 3e-3
    """Highest learning rate."""
    weight_decay: float = 0.05
    """AdamW's decay; 0 makes it Adam."""
    passes: int = 2
    """Looks at each training image in an epoch; a parser's epoch has about as many."""
    batch: int = 8
    """Images in a minibatch, at least; those that are left over join the others."""
    clip: float = 1.0
    """Largest norm of a gradient."""
    flips: bool = True
    """Also learn from images flipped left to right."""
    zoom: float = 1.3
    """How many times larger or smaller things may become in training images; 1 for not at all."""
    colour: float = 0.2
    """How much the light of training images is varied."""
    quick: bool = True
    """Convolve in bfloat16 while training, on processors that have it."""
    threads: int | None = None
    """Threads; all cores if not given."""

    def __post_init__(self) -> None:
        for name in ("minutes", "rate", "weight_decay", "clip", "zoom", "colour"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise UserError(f"{name} is {value}; give a finite number of at least 0.")
        for name, least in {"seed": 0, "passes": 1, "batch": 2, "threads": 1}.items():
            value = getattr(self, name)
            if not (name == "threads" and value is None) and (not is_whole(value) or value < least):
                raise UserError(f"{name} is {value}; give a whole number of at least {least}.")
        if self.zoom < 1:
            raise UserError(f"zoom is {self.zoom}; give a number of at least 1.")
        if self.colour > 1:
            raise UserError(f"colour is {self.colour}; give a number from 0 to 1.")
        if self.encoder not in OURS:
            raise UserError(f"encoder is {ascii(self.encoder)[:40]}; choose one of {', '.join(OURS)}.")
        beginnings = (NOTHING, PRETRAINED) if self.encoder == "lite0" else (NOTHING,)
        if self.begin_with not in beginnings:
            raise UserError(f"begin_with is {ascii(self.begin_with)[:40]}; choose one of {', '.join(beginnings)}.")
        object.__setattr__(self, "widths", tuple(self.widths) or preset_named(OURS[self.encoder]).widths)
        if not self.widths or any(not is_whole(width) or width < 1 for width in self.widths):
            raise UserError(f"widths is {self.widths}; give at least one whole number, all of them at least 1.")
        if self.epochs is None and self.minutes is None:
            object.__setattr__(self, "minutes", 5.0)
        no_epochs = self.epochs is not None and (not is_whole(self.epochs) or self.epochs < 1)
        if no_epochs or (self.minutes is not None and self.minutes <= 0):
            raise UserError("The budget is empty; give --epochs or --minutes greater than 0.")


class Segmenter(Training):
    """The training of one U-Net."""

    def __init__(self, settings: SegmenterSettings, data: TrainingData, folder: str | Path) -> None:
        super().__init__(settings, data, folder)
        self.settings = settings
        with torch.random.fork_rng():
            torch.manual_seed(settings.seed)
            self.network = new_network(settings).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        groups = [{"params": list(self.network.parameters()), "highest": settings.rate}]
        if isinstance(self.network, LiteUNet):
            load_weights(self.network.eyes)
            if settings.begin_with == PRETRAINED:
                begin_with_pretrained(self.network, settings.widths)
            self.network.eyes.freeze(LearningSettings.frozen_stages)
            pretrained = [one for one in self.network.eyes.parameters() if one.requires_grad]
            known = {id(one) for one in self.network.eyes.parameters()}
            others = [one for one in self.network.parameters() if id(one) not in known]
            groups = [
                {"params": others, "highest": settings.rate},
                {"params": pretrained, "highest": settings.encoder_rate},
            ]
        else:
            self._set_pixel_statistics(self.network)
        self.optimiser = torch.optim.AdamW(groups, lr=settings.rate, weight_decay=settings.weight_decay)

    def config(self) -> dict[str, Any]:
        """What ``config.json`` holds: the settings, and a number that other data would change."""
        return {"peer": "segmenter", "settings": dataclasses.asdict(self.settings), "fingerprint": self.fingerprint}

    def model(self) -> nn.Module:
        return self.network

    def probabilities(self, images: npt.NDArray[np.uint8], flips: bool = True) -> npt.NDArray[np.float32]:
        """(images, side, side): how likely each pixel is paint, by the weights that were best on validation."""
        return load_segmenter(self.folder.path).probabilities(images, flips)

    def _one_epoch(self, started: float, report: Report) -> dict[str, Any]:
        count = len(self.data.train_images)
        order = np.concatenate([self.rng.permutation(count) for _ in range(self.settings.passes)])
        if len(order) == 1:  # normalisation over a batch needs two views at least
            order = np.repeat(order, 2)
        parts = np.array_split(order, max(1, len(order) // self.settings.batch))
        losses: list[float] = []
        for number, part in enumerate(parts):
            progress = self.progress(number / len(parts))
            if progress >= 1:
                break
            for group in self.optimiser.param_groups:
                group["lr"] = group["highest"] * one_cycle(progress)
            losses.append(self._update(part))
            self.seconds = time.perf_counter() - started
            report({"within": (number + 1) / len(parts), "progress": self.progress((number + 1) / len(parts))})
        self.epoch += 1
        predicted = predict(self.network, self.data.validation_images, flips=False) > 0.5
        self.seconds = time.perf_counter() - started
        return {
            "epoch": self.epoch,
            "seconds": round(self.seconds, 2),
            "loss": float(np.mean(losses)),
            "validation_accuracy": float((predicted == self.data.validation_masks).mean()),
        }

    def _update(self, part: npt.NDArray[np.integer]) -> float:
        """One step on some images; the loss."""
        settings = self.settings
        pixels = to_pixels(self.data.train_images[part])
        masks = torch.from_numpy(self.data.train_masks[part]).float()
        pixels, masks = random_crops(pixels, masks, settings.zoom, settings.flips, self.rng)
        self.network.train()
        with torch.autocast("cpu", torch.bfloat16, enabled=settings.quick and has_bfloat16()):
            logits = self.network(colour_jitter(pixels, settings.colour, self.rng))
        loss: Tensor = F.binary_cross_entropy_with_logits(logits.float(), masks)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), settings.clip)
        if math.isfinite(float(norm)):
            self.optimiser.step()
        return loss.item()

    def _pack(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        return pack_networks({"unet": self.network}, {"unet": self.optimiser}), {}

    def _unpack(self, tensors: dict[str, Tensor], values: dict[str, Any]) -> None:
        path = self.folder.checkpoint_path
        unpack_networks({"unet": self.network}, {"unet": self.optimiser}, tensors, path)

    def _set_pixel_statistics(self, network: UNet) -> None:
        """Mean and spread of the training images alone."""
        images = self.data.train_images.reshape(-1, 3)
        network.pixel_mean.copy_(torch.from_numpy(images.mean(axis=0) / 255))
        network.pixel_std.copy_(torch.from_numpy(images.std(axis=0) / 255).clamp(min=0.02))


def new_network(settings: SegmenterSettings) -> UNet | LiteUNet:
    """The U-Net that settings describe, not trained yet."""
    return (LiteUNet if settings.encoder == "lite0" else UNet)(settings.widths)


def begin_with_pretrained(network: LiteUNet, widths: tuple[int, ...]) -> None:
    """Give a U-Net of such widths the map of the pretrained parser, the same network but for what nodes see."""
    known = pretrained_map(dataclasses.replace(preset_named(OURS["lite0"]), widths=widths)).state_dict()
    network.pyramid.load_state_dict({name: known[name] for name in network.pyramid.state_dict()})


class TrainedSegmenter:
    """A U-Net that has learned, ready to predict masks."""

    def __init__(self, network: UNet | LiteUNet, facts: dict[str, Any]) -> None:
        self.network, self.facts = network.eval(), facts

    def probabilities(self, images: npt.NDArray[np.uint8], flips: bool = True) -> npt.NDArray[np.float32]:
        """(images, height, width): how likely each pixel is paint, of (images, height, width, 3) bytes.

        With ``flips``, each image is also looked at flipped left to right, and the two answers are averaged.
        """
        return predict(self.network, images, flips)


def load_segmenter(folder: str | Path) -> TrainedSegmenter:
    """The segmenter that a training kept as its best."""
    run = RunFolder(folder)
    config = run.read_config()
    try:
        if config["peer"] != "segmenter":
            raise ValueError("another peer")
        network = new_network(SegmenterSettings(**config["settings"]))
    except (KeyError, TypeError, ValueError, RuntimeError, MemoryError) as error:
        raise UserError(
            f"{one_line(run.config_path)} does not describe a segmenter; restore it or train again."
        ) from error
    network = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return TrainedSegmenter(network, run.read_model(network))


@torch.no_grad()
def predict(
    network: UNet | LiteUNet, images: npt.NDArray[np.uint8], flips: bool, batch: int = 16
) -> npt.NDArray[np.float32]:
    """(images, height, width) probabilities of paint, a few images at a time."""
    network.eval()
    found = np.empty(images.shape[:3], np.float32)
    for first in range(0, len(images), batch):
        pixels = to_pixels(images[first : first + batch])
        share = torch.sigmoid(network(pixels))
        if flips:
            share = (share + torch.sigmoid(network(pixels.flip(3))).flip(2)) / 2
        found[first : first + batch] = share.numpy()
    return found


def one_cycle(progress: float, rise: float = 0.2) -> float:
    """The learning rate over the course of training: up along a cosine, and then down along a longer one."""
    if progress < rise:
        return 0.04 + 0.96 * 0.5 * (1 - math.cos(math.pi * progress / rise))
    return 0.001 + 0.999 * 0.5 * (1 + math.cos(math.pi * (progress - rise) / (1 - rise)))
