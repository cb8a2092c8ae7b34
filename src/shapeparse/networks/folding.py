"""The same function in fewer steps, for networks that no longer learn."""

from __future__ import annotations

import copy
from itertools import pairwise
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_weights

from .blocks import Adding, Up
from .normalisation import BatchRenorm

Network = TypeVar("Network", bound=nn.Module)

MOST_CONDITION = 1000.0
"""Of a matrix that is inverted: with a greater one, too little would be left of float32's precision."""


def folded(network: Network) -> Network:
    """A copy in which normalisations, and convolutions beside the way up, are part of the convolutions around them, and
    sums overwrite what they are of."""
    network = copy.deepcopy(network).eval()
    for module in list(network.modules()):
        if isinstance(module, nn.Sequential):
            _fold_normalisations(module)
        elif isinstance(module, Up):
            _fold_lateral(module)
        if isinstance(module, Adding):
            module.in_place = True
    return network


def _fold_normalisations(block: nn.Sequential) -> None:
    for place, (before, norm) in enumerate(pairwise(list(block)), start=1):
        if not isinstance(before, nn.Conv2d):
            continue
        if isinstance(norm, BatchRenorm):
            known = (norm.mean, norm.variance, norm.epsilon)
        elif isinstance(norm, nn.BatchNorm2d):
            assert norm.running_mean is not None and norm.running_var is not None
            known = (norm.running_mean, norm.running_var, norm.eps)
        else:
            continue
        before.weight, before.bias = fuse_conv_bn_weights(before.weight, before.bias, *known, norm.weight, norm.bias)
        block[place] = nn.Identity()


@torch.no_grad()
def _fold_lateral(up: Up) -> None:
    """With N c for the narrowed coarse map and L f + b for the finer one, M (N c + L f + b) is M L (L⁻¹ (N c + b) + f):
    the finer map is then added as it is. Enlarging goes on commuting, and zeros beyond the border stay zeros."""
    merge, narrow, lateral = up.merge[0], up.narrow, up.lateral
    assert isinstance(merge, nn.Conv2d)
    assert isinstance(lateral, nn.Conv2d)
    assert narrow.bias is not None
    assert lateral.bias is not None
    matrix = lateral.weight[:, :, 0, 0].double()
    if not torch.linalg.cond(matrix) <= MOST_CONDITION:
        return
    inverse = torch.linalg.inv(matrix)

    def undone(weight: Tensor) -> Tensor:
        return torch.tensordot(inverse, weight.double(), dims=1).float()

    narrow.weight.copy_(undone(narrow.weight))
    narrow.bias.copy_(undone(narrow.bias + lateral.bias))
    merge.weight.copy_(torch.einsum("omyx,mi->oiyx", merge.weight.double(), matrix).float())
    up.lateral = nn.Identity()
