"""Parsers in ONNX: the same trees as PyTorch's, for any number of images, and files that are something else refused."""

from __future__ import annotations

import hashlib
import json
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
from shapeparse.parsing.familiarity import Familiarity
from shapeparse.parsing.load import load
from shapeparse.parsing.parser import Parser
from shapeparse.parsing.trees import signatures_of
from shapeparse.support.files import kind_of

pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")

from shapeparse.parsing import onnx_file
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
    made = Parser(policy, preset.side, Limits(5), {"method": "dagger"})
    seen = signatures_of(policy, np.stack([generate(1, index, preset.side)[0] for index in range(6)]))
    assert seen is not None
    made.familiarity = Familiarity.fit(seen)
    return made


@pytest.fixture(scope="module", params=["fast", "scratch", "best"])
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
    assert max(len(tree) for tree in expected) > 1
    assert again.parse(images) == expected
    assert again.parse(images[0]) == expected[0]
    np.testing.assert_allclose(again.parse(images[0]).likely, expected[0].likely, atol=1e-4)
    strange = [[one.strangeness for one in each.parse_knowingly(images)] for each in (again, original)]
    assert strange[0] == pytest.approx(strange[1], rel=0.01)
    assert (again.limits, again.side, again.facts) == (original.limits, original.side, original.facts)


def test_it_tells_its_kind_and_replaces_no_file_of_another(exported, refused, tmp_path):
    original, path = exported
    assert kind_of(path) == "shapeparse"
    (tmp_path / "theirs.onnx").write_bytes(b"\x08\x08\x12\x07pytorch")
    assert "is not replaced" in refused(export_onnx, original, tmp_path / "theirs.onnx")


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


def test_a_file_with_another_bit_is_refused_whether_it_loads_or_not(exported, refused, tmp_path):
    content, path = exported[1].read_bytes(), tmp_path / "damaged.onnx"
    said = []
    for part in (0.3, 0.5, 0.7, 0.9):
        place = int(part * len(content))
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        said.append(refused(load_onnx, path))
    assert all("damaged.onnx is" in sentence for sentence in said)
    assert any("checksum" in sentence for sentence in said)


def changed(path, target, change):
    """A copy of a file with another graph inside, and a checksum that is right."""
    onnx = pytest.importorskip("onnx")
    model = onnx.load(path)
    change(model)
    next(note for note in model.metadata_props if note.key == "checksum").value = onnx_file.NO_SUM
    content = model.SerializeToString()
    digest = hashlib.sha256(content).hexdigest().encode()
    target.write_bytes(content.replace(onnx_file.NO_SUM.encode(), digest))
    return target


def not_numbers(model):
    weights = next(tensor for tensor in model.graph.initializer if len(tensor.raw_data) > 64)
    weights.raw_data = np.full(len(weights.raw_data) // 4, np.nan, np.float32).tobytes()


def other_names(model):
    for node in model.graph.node:
        node.input[:] = ["pictures" if name == "images" else name for name in node.input]
    model.graph.input[0].name = "pictures"


def other_network(model):
    note = next(note for note in model.metadata_props if note.key == "shapeparse")
    described = json.loads(note.value)
    described["network"]["positions"] //= 2
    note.value = json.dumps(described)


@pytest.mark.parametrize("change", [not_numbers, other_names, other_network])
def test_a_graph_that_answers_nonsense_is_refused_when_it_is_loaded(exported, refused, tmp_path, change):
    assert load_onnx(changed(exported[1], tmp_path / "same.onnx", lambda model: None)).side == exported[0].side
    assert "other.onnx" in refused(load_onnx, changed(exported[1], tmp_path / "other.onnx", change))


def test_a_truncated_file_is_refused(exported, refused, tmp_path):
    path = tmp_path / "half.onnx"
    path.write_bytes(exported[1].read_bytes()[:-2000])
    assert "half.onnx" in refused(load_onnx, path)
