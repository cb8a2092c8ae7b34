"""Where networks compute: one place chooses a device, and one turns arrays into tensors on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import shapeparse
from shapeparse.networks.devices import as_tensor, choose_device, device_of, exact

SOURCES = Path(shapeparse.__file__).parent
KERNELS_AND_FILES = {
    "networks/devices.py",  # the one place
    "networks/pooling.py",  # what Numba's kernels fill is on the processor
    "learning/checkpoints.py",  # as are files
    "learning/trainer.py",
    "parsing/onnx_file.py",  # ONNX Runtime answers with arrays
    "parsing/refine.py",
}


def test_arrays_become_tensors_in_one_place_only():
    """Whoever makes tensors elsewhere forgets the device."""
    calling = {
        str(path.relative_to(SOURCES))
        for layer in ("networks", "learning", "parsing")
        for path in (SOURCES / layer).glob("*.py")
        if "from_numpy" in path.read_text()
    }
    assert "networks/devices.py" in calling
    assert calling <= KERNELS_AND_FILES


def test_the_processor_is_always_there_and_auto_takes_the_best_there_is(monkeypatch):
    assert choose_device("cpu") == torch.device("cpu")
    for cuda, mps, expected in ((False, False, "cpu"), (False, True, "mps"), (True, True, "cuda")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=cuda: there)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda there=mps: there)
        assert choose_device("auto").type == expected


def test_a_device_by_its_number_must_be_there(monkeypatch, refused):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert choose_device("cuda:1") == torch.device("cuda", 1)
    assert "has no device cuda:2" in refused(choose_device, "cuda:2")


@pytest.mark.parametrize("name", ["abacus", "cuda:x", "", "cpu\n" + "x" * 999, "meta"])
def test_a_device_that_does_not_exist_is_refused(refused, name):
    assert "choose one of auto, cpu, cuda, mps" in refused(choose_device, name)


def test_a_device_that_this_machine_lacks_is_refused_with_those_it_has(monkeypatch, refused):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    for name in ("cuda", "mps", "cuda:0"):
        assert "choose among cpu, or auto" in refused(choose_device, name)


def test_a_network_is_where_its_weights_are():
    assert device_of(nn.Linear(2, 2, device="meta")).type == "meta"
    buffers = nn.Module()
    buffers.register_buffer("held", torch.zeros(1, device="meta"))
    assert device_of(buffers).type == "meta"
    assert device_of(nn.Identity()) == device_of("no network") == torch.device("cpu")


def test_on_the_processor_arrays_and_tensors_share_their_memory():
    array = np.zeros(3)
    tensor = as_tensor(array, torch.device("cpu"))
    array[1] = 7
    assert tensor.tolist() == [0, 7, 0]
    assert tensor.dtype == torch.float64


def test_elsewhere_tensors_are_copied_whatever_the_default_device():
    assert as_tensor(np.zeros(3), torch.device("meta")).device.type == "meta"
    with torch.device("meta"):
        assert as_tensor(np.zeros(3), torch.device("cpu")).device.type == "cpu"


def test_exact_is_double_precision():
    assert exact(torch.zeros(1)).dtype == torch.float64
