"""Parsers as one ONNX file, for machines without PyTorch's training side: what looks at images, and what decides.

The file is the encoder's graph, from images to feature map and evidence map, so that any ONNX runtime can use it alone.
The graph that decides about nodes travels in its metadata, with all that is needed to parse: the means over boxes that
link the two are computed by shapeparse itself.
"""

from __future__ import annotations

import base64
import copy
import importlib
import json
import logging
import warnings
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from ..grammar import Limits
from ..networks.devices import CPU
from ..networks.maps import Encoded
from ..networks.policy import Policy, PolicyOutput
from ..networks.presets import Preset
from ..networks.trunks import SharedTrunk
from ..networks.views import GEOMETRY, NodeView
from ..support import files
from ..support.errors import UserError
from ..support.files import check_file
from ..support.text import one_line
from ..support.version import __version__
from .parser import Parser

FORMAT, VERSION = "shapeparse-onnx", 1
MAX_BYTES = 1 << 30
INSTALL = "install the extra with `pip install shapeparse[onnx]`"
MEANS = ("inner", "outer", "along_x", "along_y")


class Looking(nn.Module):
    """The encoder as a graph: images to feature map, and to the evidence map if it has one."""

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, images: Tensor) -> tuple[Tensor, ...]:
        encoded = self.policy.encode(images)
        return (encoded.features, encoded.logits) if isinstance(encoded, Encoded) else (encoded,)


class Deciding(nn.Module):
    """The heads as a graph: means over boxes of nodes, their geometry and valid rules, to what the policy says."""

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self.policy = policy

    def forward(
        self, inner: Tensor, outer: Tensor, along_x: Tensor, along_y: Tensor, geometry: Tensor, valid: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        features = cast(SharedTrunk, self.policy.trunk).read(inner, outer, along_x, along_y, geometry)
        output = self.policy.decide(features, valid)
        return output.log_rule, output.split_logit, output.split_log_sigma


def export_onnx(parser: Parser, path: str | Path) -> None:
    """Write a parser as an ONNX file, atomically."""
    if not isinstance(parser.policy, Policy):
        raise UserError("The parser was read from an ONNX file; copy that file.")
    policy = copy.deepcopy(parser.policy).to(CPU)  # wherever it computes
    if not isinstance(policy.trunk, SharedTrunk):
        raise UserError(
            f"The network {policy.trunk.preset.trunk!r} looks at the image anew for every node, which no graph holds; "
            "train with the preset fast or best."
        )
    preset = policy.trunk.preset
    looking = _graph(
        Looking(policy),
        {"images": torch.zeros(2, 3, parser.side, parser.side, device=CPU)},
        ("features", "logits"),
        "images",
    )
    deciding = _graph(Deciding(policy), _example_means(policy), ("log_rule", "split_logit", "split_log_sigma"), "nodes")
    notes = {
        "format": FORMAT,
        "version": VERSION,
        "made_by": f"shapeparse {__version__}",
        "side": parser.side,
        "network": asdict(preset),
        "limits": asdict(parser.limits),
        "facts": parser.facts,
    }
    for key, value in (
        ("shapeparse", json.dumps(notes)),
        ("deciding", base64.b64encode(deciding.SerializeToString()).decode()),
    ):
        looking.metadata_props.add(key=key, value=value)
    files.write_bytes(path, looking.SerializeToString())


def load_onnx(path: str | Path) -> Parser:
    """A parser from an ONNX file; it gives the trees of the parser that was exported."""
    path = Path(path)
    check_file(path, MAX_BYTES)
    runtime = _imported("onnxruntime")
    try:
        looking = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        notes = looking.get_modelmeta().custom_metadata_map
        described = json.loads(notes["shapeparse"])
        if described["format"] != FORMAT or described["version"] != VERSION:
            raise ValueError("another format")
        deciding = runtime.InferenceSession(
            base64.b64decode(notes["deciding"], validate=True), providers=["CPUExecutionProvider"]
        )
        policy = OnnxPolicy(looking, deciding, Preset.from_json(described["network"]))
        limits, side, facts = Limits(**described["limits"]), int(described["side"]), dict(described["facts"])
    except UserError:
        raise
    except Exception as error:  # the runtime has many kinds of errors of its own for files that are not what they seem
        raise UserError(
            f"{one_line(path)} is not a parser in ONNX; make one with `shapeparse export RUN --onnx FILE`."
        ) from error
    return Parser(cast(Policy, policy), side, limits, facts)


class OnnxPolicy:
    """Looks and decides as the policy that was exported does, by ONNX Runtime."""

    def __init__(self, looking: Any, deciding: Any, preset: Preset) -> None:
        self.looking, self.deciding = looking, deciding
        with torch.device("meta"):  # only its way of pooling is needed, not its weights
            self.trunk = cast(SharedTrunk, Policy(preset).trunk)
        self.outputs = [output.name for output in looking.get_outputs()]

    def eval(self) -> OnnxPolicy:
        """There is nothing else that it could do."""
        return self

    def encode(self, images: Tensor) -> Any:
        """As ``Policy.encode``."""
        found = self.looking.run(None, {"images": np.ascontiguousarray(images.numpy())})
        named = SimpleNamespace(**dict(zip(self.outputs, map(torch.from_numpy, found), strict=True)))
        return Encoded(named.features, named.logits) if "logits" in self.outputs else named.features

    def evidence_map(self, images: Tensor) -> Tensor:
        """As ``Policy.evidence_map``."""
        (logits,) = self.looking.run(["logits"], {"images": np.ascontiguousarray(images.numpy())})
        return torch.from_numpy(logits)

    def __call__(self, encoded: Any, view: NodeView) -> PolicyOutput:
        means = dict(zip(MEANS, (mean.numpy() for mean in self.trunk.pool(encoded, view)), strict=True))
        given = {**means, "geometry": view.geometry().numpy(), "valid": view.valid.numpy()}
        return PolicyOutput(*(torch.from_numpy(output) for output in self.deciding.run(None, given)))


def _example_means(policy: Policy) -> dict[str, Tensor]:
    """Some nodes, for the graph to be traced with."""
    trunk = cast(SharedTrunk, policy.trunk)
    preset, channels = trunk.preset, trunk.mean_channels
    half, across = preset.cells // 2, (preset.strips, preset.positions)
    shapes = dict(zip(MEANS, ((preset.cells,) * 2, (half, half), across, across[::-1]), strict=True))
    means = {name: torch.zeros(3, *shape, channels, device=CPU) for name, shape in shapes.items()}
    return {
        **means,
        "geometry": torch.zeros(3, GEOMETRY, device=CPU),
        "valid": torch.ones(3, 4, dtype=torch.bool, device=CPU),
    }


def _graph(module: nn.Module, example: dict[str, Tensor], outputs: tuple[str, ...], batch: str) -> Any:
    """A module as an ONNX graph whose first axis, the ``batch``, is as long as one likes."""
    _imported("onnxscript")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    count = torch.export.Dim(batch)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        names = outputs[: len(module(*example.values()))]
        program = torch.onnx.export(
            module.eval(), tuple(example.values()), dynamo=True, verbose=False, input_names=list(example),
            output_names=list(names), dynamic_shapes=tuple({0: count} for _ in example),
        )  # fmt: skip
    assert program is not None
    return program.model_proto


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UserError(f"ONNX needs the package {name}; {INSTALL}.") from error
