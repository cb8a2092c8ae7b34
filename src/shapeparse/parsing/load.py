"""From a run folder, or an ONNX file, to a parser."""

from __future__ import annotations

from pathlib import Path

from ..grammar import Limits
from ..networks.devices import choose_device
from ..networks.folding import folded
from ..networks.policy import Policy
from ..networks.presets import Preset
from ..support.errors import UserError
from ..support.text import one_line
from .onnx_file import load_onnx
from .parser import Parser
from .runs import RunFolder
from .shipped import pretrained_folder


def load(run: str | Path | None = None, device: str = "auto") -> Parser:
    """The parser that a training run kept as its best; or one in an ONNX file; the pretrained one if none is given.

    A network of one's own must be registered before (see ``shapeparse.register_encoder``).

    >>> import shapeparse
    >>> shapeparse.load().limits.depth
    7
    """
    run = pretrained_folder() if run is None else run
    where = choose_device(device)
    if Path(run).suffix.lower() == ".onnx":
        return load_onnx(run)
    folder = RunFolder(run)
    config = folder.read_config()
    try:
        preset = Preset.from_json(config["network"])
        limits = Limits(**config["limits"])
        policy = Policy(preset)
        method = str(config["settings"]["method"])
        facts = {"method": method, "title": str(config.get("title", method))}
    except UserError as error:
        raise UserError(f"{one_line(folder.config_path)} does not describe a network: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError, MemoryError) as error:
        raise UserError(
            f"{one_line(folder.config_path)} does not describe a network; restore it or train again."
        ) from error
    facts = {**folder.read_model(policy), **facts}
    familiarity = folder.read_familiarity()
    try:
        return Parser(folded(policy).to(where), preset.side, limits, facts, familiarity)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"{one_line(folder.model_path)} is damaged (its calibration); restore it or train again."
        ) from error
