"""What is quick: convolutions in bfloat16 where the processor has it, and only where they were asked for."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from shapeparse.networks import precision
from shapeparse.networks.normalisation import BatchRenorm
from shapeparse.networks.policy import Policy
from shapeparse.networks.precision import Convolving, has_bfloat16, make_quick

CPU = torch.device("cpu")


class Convolution(Convolving):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Conv2d(3, 4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with self.convolving(x.device):
            return self.inner(x)


@pytest.mark.parametrize(("quick", "able"), [(False, True), (True, False), (True, True)])
def test_convolutions_are_bfloat16_only_if_asked_for_and_the_processor_has_it(monkeypatch, quick, able):
    monkeypatch.setattr(precision, "has_bfloat16", lambda device: able)
    module = Convolution()
    make_quick(module, quick)
    found = module(torch.rand(1, 3, 8, 8)).dtype
    assert found == (torch.bfloat16 if quick and able else torch.float32)


def test_all_of_a_network_is_made_quick_and_slow_again(tiny_presets):
    policy = Policy(tiny_presets["scratch"])
    for quick in (True, False):
        make_quick(policy, quick)
        changed = [module for module in policy.modules() if isinstance(module, Convolving | BatchRenorm)]
        assert len(changed) > 5
        assert {module.quick for module in changed} == {quick}


def test_nothing_is_quick_unless_asked_for(tiny_presets):
    assert not any(getattr(module, "quick", False) for module in Policy(tiny_presets["scratch"]).modules())


def test_a_processor_has_bfloat16_if_it_says_so(monkeypatch):
    for able in (True, False):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda able=able: {"avx512_bf16": able})
        assert has_bfloat16.__wrapped__("cpu") == able
    assert not has_bfloat16.__wrapped__("mps")
