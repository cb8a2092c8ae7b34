"""What makes training quicker: convolutions in half the bits, on processors that have them, and plain normalisation."""

from __future__ import annotations

from functools import cache

import torch
from torch import nn

from .normalisation import BatchRenorm


class Convolving(nn.Module):
    """A module that convolves, in bfloat16 if it is ``quick``; what is not a convolution stays in full precision."""

    quick = False

    def convolving(self, device: torch.device) -> torch.autocast:
        """The precision of convolutions on a device."""
        return torch.autocast(device.type, torch.bfloat16, enabled=self.quick and has_bfloat16(device.type))


def make_quick(network: nn.Module, quick: bool) -> None:
    """Let a network convolve in bfloat16, and normalise by batches as they are; or not."""
    for module in network.modules():
        if isinstance(module, Convolving | BatchRenorm):
            module.quick = quick


@cache
def has_bfloat16(device: str = "cpu") -> bool:
    """Whether a device multiplies bfloat16 itself; emulated, it is slower than ordinary numbers."""
    if device != "cpu":
        return device == "cuda" and torch.cuda.is_bf16_supported()
    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))
