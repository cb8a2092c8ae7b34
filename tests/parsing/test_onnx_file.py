"""Parsers in ONNX: the same trees as PyTorch's, for any number of images, and files that are something else refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from shapeparse import Limits
from shapeparse.data.generator import generate
from shapeparse.networks.policy import Policy
from shapeparse.networks.presets import PRESETS
from shapeparse.networks.views import to_pixels
from shapeparse.parsing.load import load
from shapeparse.parsing.parser import Parser

pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")

from shapeparse.parsing.onnx_file import export_onnx, load_onnx

COUNT = 24


def parser(preset, seed: int = 0) -> Parser:
    """A parser whose decisions are random but not tied, as those of an untrained one are."""
    torch.manual_seed(seed)
    policy = Policy(preset)
    for module in policy.modules():
        if isinstance(module, torch.nn.Linear | torch.nn.Conv1d):
            torch.nn.init.normal_(module.weight, std=0.3)
    if preset.trunk == "map":
        evidence = policy.get_submodule("trunk.encoder.evidence")
        assert isinstance(evidence, torch.nn.Conv2d) and evidence.bias is not None
        torch.nn.init.normal_(evidence.weight, std=3.0)
        with torch.no_grad():  # about half of a photograph shall look like paint
            logits = policy.eval().encode(to_pixels(generate(0, 0, preset.side)[0][None])).logits
            evidence.bias -= logits.median()
    return Parser(policy, preset.side, Limits(5), {"method": "dagger"})


@pytest.fixture(scope="module", params=["fast", "best"])
def exported(request, tmp_path_factory) -> tuple[Parser, Path]:
    path = tmp_path_factory.mktemp("onnx") / "parser.onnx"
    original = parser(replace(PRESETS[request.param], side=32, look=32, widths=(4, 6, 8), channels=4, dense=(16, 16)))
    export_onnx(original, path)
    return original, path


def test_trees_are_those_of_pytorch_for_many_images_of_any_size(exported):
    original, path = exported
    again = load_onnx(path)
    random = np.random.default_rng(0)
    images = [generate(0, index, 48)[0][: random.integers(20, 48), : random.integers(20, 48)] for index in range(COUNT)]
    expected = original.parse(images)
    assert len({len(tree) for tree in expected}) > 1
    assert again.parse(images) == expected
    assert again.parse(images[0]) == expected[0]
    np.testing.assert_allclose(again.parse(images[0]).likely, expected[0].likely, atol=1e-4)
    assert (again.limits, again.side, again.facts) == (original.limits, original.side, original.facts)


def test_a_loaded_file_is_known_by_its_name(exported):
    assert load(exported[1]).side == exported[0].side


def test_networks_that_look_anew_for_every_node_are_refused(refused, tiny_presets, tmp_path):
    assert "preset fast or best" in refused(export_onnx, parser(tiny_presets["crop"]), tmp_path / "crop.onnx")
    assert not (tmp_path / "crop.onnx").exists()


@pytest.mark.parametrize("content", [b"", b"not a graph", b"\x08\x07" * 50])
def test_files_that_are_something_else_are_refused(refused, tmp_path, content):
    path = tmp_path / "other.onnx"
    path.write_bytes(content)
    message = refused(load_onnx, path)
    assert "other.onnx" in message


def test_a_truncated_file_is_refused(exported, refused, tmp_path):
    path = tmp_path / "half.onnx"
    path.write_bytes(exported[1].read_bytes()[:-2000])
    assert "half.onnx" in refused(load_onnx, path)
