"""Parsers as one ONNX file, for machines without PyTorch's training side: what looks at images, and what decides.

The file is the encoder's graph, from images to feature map and evidence map, so that any ONNX runtime can use it alone.
The graph that decides about nodes travels in its metadata, with all that is needed to parse: the means over boxes that
link the two are computed by shapeparse itself.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import importlib
import json
import logging
import warnings
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import safetensors.torch
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
from .familiarity import Familiarity
from .parser import Parser
from .runs import packed_tensors
from .settings import ParseSettings

FORMAT, VERSION = "shapeparse-onnx", 2
MAX_BYTES = 1 << 30
INSTALL = "install the extra with `pip install shapeparse[onnx]`"
MEANS = ("inner", "outer", "along_x", "along_y")
NO_SUM = "0" * 64
"""In the place of the checksum while it is computed."""


class Looking(nn.Module):
    """The encoder as a graph: images to feature map, and to the evidence map and the signature if it has these."""

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, images: Tensor) -> tuple[Tensor, ...]:
        encoded = self.policy.encode(images)
        if not isinstance(encoded, Encoded):
            return (encoded,)
        assert encoded.signature is not None
        return encoded.features, encoded.logits, encoded.signature


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
        ("features", "logits", "signature"),
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
    known = {} if parser.familiarity is None else parser.familiarity.tensors()
    for key, value in (
        ("shapeparse", json.dumps(notes)),
        ("deciding", base64.b64encode(deciding.SerializeToString()).decode()),
        ("familiarity", base64.b64encode(packed_tensors(known, {})).decode()),
        ("checksum", NO_SUM),
    ):
        looking.metadata_props.add(key=key, value=value)
    looking.producer_name = "shapeparse"
    content = looking.SerializeToString()
    files.write_bytes(path, content.replace(NO_SUM.encode(), hashlib.sha256(content).hexdigest().encode()))


def load_onnx(path: str | Path) -> Parser:
    """A parser from an ONNX file; it gives the trees of the parser that was exported."""
    path = Path(path)
    check_file(path, MAX_BYTES)
    runtime = _imported("onnxruntime")
    try:
        content = path.read_bytes()
        looking = _session(runtime, content)
        notes = looking.get_modelmeta().custom_metadata_map
        described = json.loads(notes["shapeparse"])
        if described["format"] != FORMAT or described["version"] != VERSION:
            raise ValueError("another format")
        _check_sum(path, content, notes["checksum"])
        deciding = _session(runtime, base64.b64decode(notes["deciding"], validate=True))
        policy = OnnxPolicy(looking, deciding, Preset.from_json(described["network"]), one_line(path))
        parser = Parser(
            cast(Policy, policy), policy.trunk.preset.side, Limits(**described["limits"]), dict(described["facts"])
        )
        known = base64.b64decode(notes.get("familiarity", ""), validate=True)
        parser.familiarity = Familiarity.from_tensors(safetensors.torch.load(known)) if known else None
        parser.parse(np.full((8, 8, 3), 128, np.uint8), ParseSettings(search="policy"))  # does it answer at all?
    except UserError:
        raise
    except Exception as error:  # the runtime has many kinds of errors of its own for files that are not what they seem
        raise UserError(
            f"{one_line(path)} is not a parser in ONNX; make one with `shapeparse export RUN --onnx FILE`."
        ) from error
    return parser


def _session(runtime: Any, content: bytes) -> Any:
    options = runtime.SessionOptions()
    options.log_severity_level = 4  # what is wrong with a file is said here, and once
    return runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _check_sum(path: Path, content: bytes, noted: str) -> None:
    """A damaged file often loads, and answers nonsense: refuse one that is not as it was written."""
    if hashlib.sha256(content.replace(noted.encode(), NO_SUM.encode())).hexdigest() != noted:
        raise UserError(f"{one_line(path)} is damaged (its checksum is another); copy or export it again.")


class OnnxPolicy:
    """Looks and decides as the policy that was exported does, by ONNX Runtime."""

    def __init__(self, looking: Any, deciding: Any, preset: Preset, name: str) -> None:
        self.looking, self.deciding, self.name = looking, deciding, name
        with torch.device("meta"):  # only its way of pooling is needed, not its weights
            self.trunk = cast(SharedTrunk, Policy(preset).trunk)
        self.outputs = [output.name for output in looking.get_outputs()]

    def eval(self) -> OnnxPolicy:
        """There is nothing else that it could do."""
        return self

    def encode(self, images: Tensor) -> Any:
        """As ``Policy.encode``."""
        found = self._answers(self.looking, None, {"images": np.ascontiguousarray(images.numpy())})
        named = SimpleNamespace(**dict(zip(self.outputs, found, strict=True)))
        if "logits" not in self.outputs:
            return named.features
        return Encoded(named.features, named.logits, getattr(named, "signature", None))

    def evidence_map(self, images: Tensor) -> Tensor:
        """As ``Policy.evidence_map``."""
        return self._answers(self.looking, ["logits"], {"images": np.ascontiguousarray(images.numpy())})[0]

    def __call__(self, encoded: Any, view: NodeView) -> PolicyOutput:
        means = dict(zip(MEANS, (mean.numpy() for mean in self.trunk.pool(encoded, view)), strict=True))
        given = {**means, "geometry": view.geometry().numpy(), "valid": view.valid.numpy()}
        return PolicyOutput(*self._answers(self.deciding, None, given))

    def _answers(self, graph: Any, names: list[str] | None, given: dict[str, Any]) -> list[Tensor]:
        found = graph.run(names, given)
        if any(np.isnan(answer).any() for answer in found):  # minus infinity is the logarithm of what cannot be
            raise UserError(f"{self.name} answers with numbers that are none (NaN); export it again.")
        return [torch.from_numpy(answer) for answer in found]


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
