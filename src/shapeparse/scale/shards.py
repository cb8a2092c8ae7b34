"""Very many photographs, parsed in numbered shards: a shard that is finished is never done again.

An output folder holds ``manifest.json`` (the settings and the list of photographs), a file for every finished shard,
``skipped.jsonl`` and, at the end, ``summary.json``. Who does the work (see ``bulk_ray``) only hands over the results.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..data.dataset import Skipped
from ..data.images import read_image
from ..grammar import ParseTree
from ..parsing.parser import Parser
from ..parsing.runs import RunFolder
from ..parsing.settings import ParseSettings
from ..support import files
from ..support.errors import UserError
from ..support.text import one_line

SHARD = 1000
"""Photographs in a shard."""
BATCH = 8
"""Photographs that the network sees at a time, as in an ordinary parse."""
MANIFEST = {"format": "shapeparse-bulk", "version": 1}

Format = Literal["jsonl", "parquet"]


class Input(NamedTuple):
    """A photograph to parse."""

    name: str
    """No two have the same."""
    path: str
    """As it was given."""


class Result(NamedTuple):
    """What became of a photograph."""

    place: int
    """In the list of inputs."""
    row: dict[str, Any]
    """As the shard holds it; of a photograph that cannot be used, its path and the reason."""


@dataclass(frozen=True)
class Settings:
    """What may not change between two starts with the same folder, besides the photographs."""

    model: str
    """The fingerprint of the parser."""
    parse: ParseSettings
    format: Format = "jsonl"
    shard: int = SHARD


class Shards:
    """The files of one bulk parse."""

    def __init__(self, out: Path, inputs: Sequence[Input], settings: Settings) -> None:
        self.out, self.inputs, self.settings = out, inputs, settings
        self.manifest_path, self.skipped_path = out / "manifest.json", out / "skipped.jsonl"
        self.summary_path = out / "summary.json"
        self.parts = [
            out / f"part-{number:05d}.{settings.format}" for number in range(-(-len(inputs) // settings.shard))
        ]
        self.skipped: list[dict[str, Any]] = []
        """Lines of ``skipped.jsonl``: the shard, the path and the reason."""

    def outputs(self) -> list[Path]:
        """Every file that will be written."""
        return [self.manifest_path, self.skipped_path, self.summary_path, *self.parts]

    def start(self) -> list[int]:
        """The places of the photographs that are left to parse; refuses a folder that holds another parse."""
        files.make_folder(self.out)
        ours = MANIFEST | {"settings": asdict(self.settings), "inputs": [one.path for one in self.inputs]}
        if self.manifest_path.exists():
            self._refuse_another(ours)
        else:
            self._refuse_files_of_others()
            files.write_json(self.manifest_path, ours)
        finished = {number for number, path in enumerate(self.parts) if path.exists()}
        if self.skipped_path.exists():
            lines = [json.loads(line) for line in self.skipped_path.read_text(encoding="utf-8").splitlines()]
            self.skipped = [line for line in lines if line["shard"] in finished]
        return [place for place in range(len(self.inputs)) if place // self.settings.shard not in finished]

    def collect(self, results: Iterable[Result]) -> None:
        """Take results, in any order, and write each shard when its last photograph is there."""
        gathered: dict[int, dict[int, dict[str, Any]]] = {}
        for place, row in results:
            number = place // self.settings.shard
            rows = gathered.setdefault(number, {})
            rows[place] = row
            if len(rows) == min(self.settings.shard, len(self.inputs) - number * self.settings.shard):
                self._write(number, [rows[place] for place in sorted(rows)])
                del gathered[number]

    def finish(self, facts: dict[str, Any], problems: Sequence[Skipped]) -> list[Skipped]:
        """Write the summary. All that was skipped: photographs, and ``problems``, which were none to begin with."""
        lines: list[dict[str, Any]] = sorted(self.skipped, key=lambda line: line["shard"])
        lines += [{"shard": None, "path": str(problem.path), "reason": problem.reason} for problem in problems]
        self._write_skipped(lines)
        content = (
            MANIFEST
            | facts
            | {
                "settings": asdict(self.settings),
                "photographs": len(self.inputs),
                "parsed": len(self.inputs) - len(self.skipped),
                "shards": [path.name for path in self.parts],
                "problems": [{"file": line["path"], "reason": line["reason"]} for line in lines],
            }
        )
        files.write_json(self.summary_path, content)
        return [Skipped(Path(line["path"]), line["reason"]) for line in lines]

    def _write(self, number: int, rows: Sequence[dict[str, Any]]) -> None:
        """First what was skipped, then the shard: once that is there, all of it counts as done."""
        self.skipped += [{"shard": number, **row} for row in rows if "reason" in row]
        self._write_skipped(self.skipped)
        write = {"jsonl": _as_lines, "parquet": _as_parquet}[self.settings.format]
        files.write_bytes(self.parts[number], write([row for row in rows if "reason" not in row]))

    def _write_skipped(self, lines: Sequence[dict[str, Any]]) -> None:
        files.write_bytes(self.skipped_path, _as_lines(lines))

    def _refuse_files_of_others(self) -> None:
        there = next((path for path in self.outputs() if path.exists()), None)
        if there is not None:
            raise UserError(f"{one_line(there)} is there already, and of no bulk parse; choose another --out.")

    def _refuse_another(self, ours: dict[str, Any]) -> None:
        theirs = files.read_json(self.manifest_path, "restore it, or choose another --out")
        if not isinstance(theirs, dict) or {name: theirs.get(name) for name in MANIFEST} != MANIFEST:
            raise UserError(f"{one_line(self.manifest_path)} is not that of a bulk parse; choose another --out.")
        before, now = (_flat(one.get("settings")) for one in (theirs, ours))
        changed = [name for name, value in now.items() if before.get(name) != value]
        changed += ["photographs"] if theirs.get("inputs") != ours["inputs"] else []
        if changed:
            raise UserError(f"{one_line(self.out)} holds parses with other {', '.join(changed)}; give another --out.")


def _flat(settings: Any) -> dict[str, Any]:
    """Settings with those of the parse beside the others."""
    if not isinstance(settings, dict):
        return {}
    parse = settings.get("parse")
    rest = {name: value for name, value in settings.items() if name != "parse"}
    return {**rest, **(parse if isinstance(parse, dict) else {})}


def parse_batch(parser: Parser, batch: Sequence[tuple[int, Input]], settings: ParseSettings) -> list[Result]:
    """Read and parse photographs, given with their places; few are in memory at their own size."""
    read: list[tuple[int, Input]] = []
    results = []

    def readable() -> Iterator[npt.NDArray[np.uint8]]:
        for place, one in batch:
            try:
                pixels = read_image(one.path)
            except UserError as error:
                results.append(Result(place, {"path": one.path, "reason": str(error)}))
                continue
            read.append((place, one))
            yield pixels

    trees = list(parser.parse_each(readable(), settings, BATCH))
    results += [Result(place, _row(one, tree)) for (place, one), tree in zip(read, trees, strict=True)]
    return results


def fingerprint(run: Path) -> str:
    """Text that another parser would change."""
    if run.suffix.lower() == ".onnx":
        return hashlib.sha256(run.read_bytes()).hexdigest()
    folder = RunFolder(run)
    content = folder.config_path.read_bytes() + folder.model_path.read_bytes()
    return hashlib.sha256(content).hexdigest()


def _row(one: Input, tree: ParseTree) -> dict[str, Any]:
    """The accuracy is not known, since there is no mask."""
    return {
        "name": one.name,
        "path": one.path,
        "width": tree.width,
        "height": tree.height,
        "leaves": tree.leaf_count,
        "rectangles": [[int(number) for number in leaf] for leaf in tree.segments()],
        "tree": replace(tree, name=Path(one.path).name).to_json(),
    }


def _as_lines(rows: Sequence[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def _as_parquet(rows: Sequence[dict[str, Any]]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    text, number = pyarrow.string(), pyarrow.int32()
    kinds = {"rectangles": pyarrow.list_(pyarrow.list_(number)), "width": number, "height": number, "leaves": number}
    columns = ("name", "path", "width", "height", "leaves", "rectangles", "tree")
    schema = pyarrow.schema([(column, kinds.get(column, text)) for column in columns])
    content = io.BytesIO()
    plain = [row | {name: _plain(row[name]) for name in ("name", "path")} for row in rows]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(plain, schema), content)
    return content.getvalue()


def _plain(text: str) -> str:
    """A file's name may hold bytes that are no letters, which Parquet's text cannot."""
    return text.encode(errors="backslashreplace").decode()
