"""One tree or photograph, planned and written: the work of ``paint``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ..data.dataset import Skipped, natural_order
from ..data.images import check_threshold, read_image, read_mask
from ..grammar import ParseTree
from ..painting import FORMATS, ExportSettings, PaintPlan, PaintSettings, compare, export_plan, plan_painting
from ..painting.alternatives import NEAREST, PLAN, ROWS
from ..painting.georeference import Affine, read_world_file, world_file_beside
from ..painting.plan import Metrics
from ..support import files
from ..support.errors import UserError
from ..support.text import one_line
from .inputs import RESERVED, Job, plan

if TYPE_CHECKING:
    from ..parsing.parser import Parser

Format = Literal["json", "geojson", "svg", "gcode", "csv", "fields2cover"]


@dataclass(frozen=True)
class Settings:
    """How inputs are read, planned and written; see the arguments of ``shapeparse paint``."""

    paint: PaintSettings
    export: ExportSettings
    formats: tuple[Format, ...]
    depth: int | None = None
    threshold: float = 0.5

    def __post_init__(self) -> None:
        check_threshold(self.threshold)


@dataclass(frozen=True)
class Beside:
    """Files, or folders of files with the inputs' names, that belong to the inputs."""

    masks: Path | None = None
    photos: Path | None = None
    world: Path | None = None


@dataclass(frozen=True)
class Item:
    """One tree or photograph to plan, with what belongs to it."""

    job: Job
    mask: Path | None
    photo: Path | None
    world: Path | None

    @property
    def is_tree(self) -> bool:
        """Whether it is a tree to read, not a photograph to parse."""
        return self.job.path.suffix.lower() == ".json"


@dataclass(frozen=True)
class Row:
    """What the summary says of one input; lengths are in the unit of the settings."""

    name: str
    """What its output files are called."""
    input: str
    width: int
    height: int
    rectangles: int
    narrow: int
    """Of the rectangles, those narrower than the brush."""
    strokes: int
    painted_length: float
    travel_length: float
    travel_nearest: float
    """The same strokes, always going to the nearest."""
    travel_rows: float | None
    """Row by row."""
    seconds: float
    overlap: float
    overspill: float
    coverage: float | None
    waste: float | None
    files: tuple[str, ...]


@dataclass(frozen=True)
class Planned:
    """An input with its plan, and how the plan compares."""

    job: Job
    tree: ParseTree
    plan: PaintPlan
    ways: dict[str, Metrics]
    photo: npt.NDArray[np.uint8] | None
    world: Affine | None


def items_of(paths: Sequence[Path], beside: Beside) -> tuple[list[Item], list[Skipped]]:
    """The items for trees, photographs, and folders of either: of a folder with trees, the trees alone are meant."""
    expanded: list[Path] = []
    for path in paths:
        trees = [file for file in path.glob("[!.]*.json") if file.stem not in RESERVED] if path.is_dir() else []
        expanded += sorted(trees, key=lambda file: natural_order(file.name)) or [path]
    jobs, problems = plan(expanded, None)
    masks, photos = _by_stem(beside.masks), _by_stem(beside.photos)
    items = []
    for job in jobs:
        try:
            mask, photo = _companion(job, masks, "mask"), _companion(job, photos, "photograph")
        except UserError as error:
            problems.append(Skipped(job.path, str(error)))
        else:
            items.append(Item(job, mask, photo, beside.world))
    return items, problems


def plan_item(item: Item, parser: Parser | None, settings: Settings) -> Planned:
    """Read and plan one input; UserError says in one sentence why it cannot be done."""
    tree, photo = _read(item, parser, settings)
    mask = None if item.mask is None else read_mask(item.mask, settings.threshold)
    _check_size(item, tree, item.mask, mask)
    world_file = _world_file(item, tree)
    world = None if world_file is None else read_world_file(world_file)
    painting = plan_painting(tree, settings.paint)
    ways = compare(painting, tree.labels() if mask is None else mask, mask)
    return Planned(item.job, tree, painting, ways, photo, world)


def write(done: Planned, out: Path, settings: Settings) -> Row:
    """Write the files of one plan and return its row of the summary."""
    export = replace(settings.export, world=done.world, image=done.photo)
    written = output_files(done.job, out, settings)
    for path, name in zip(written, dict.fromkeys(settings.formats), strict=True):
        files.write_bytes(path, export_plan(done.plan, done.tree, name, export))
    nearest: dict[str, Any] = done.ways[NEAREST]
    same: dict[str, Any] = {name: value for name, value in done.ways[PLAN].items() if name in Row.__dataclass_fields__}
    return Row(
        name=done.job.name, input=str(done.job.path), width=done.plan.width, height=done.plan.height,
        travel_nearest=nearest["travel_length"], travel_rows=done.ways.get(ROWS, {}).get("travel_length"),
        files=tuple(path.name for path in written), **same,
    )  # fmt: skip


def output_files(job: Job, out: Path, settings: Settings) -> list[Path]:
    """The files that will be written of one input."""
    return [out / f"{job.name}{FORMATS[name].suffix}" for name in dict.fromkeys(settings.formats)]


def _read(item: Item, parser: Parser | None, settings: Settings) -> tuple[ParseTree, npt.NDArray[np.uint8] | None]:
    """The tree, and the photograph to draw on if there is one."""
    path = item.job.path
    if not item.is_tree:
        assert parser is not None
        photo = read_image(path)
        return replace(parser.parse(photo, depth=settings.depth), name=path.name), photo
    tree = ParseTree.load(path)
    drawn_on = None if item.photo is None else read_image(item.photo)
    _check_size(item, tree, item.photo, drawn_on)
    return tree, drawn_on


def _check_size(item: Item, tree: ParseTree, path: Path | None, picture: npt.NDArray | None) -> None:
    if picture is not None and picture.shape[:2] != (tree.height, tree.width):
        raise UserError(
            f"{one_line(item.job.path)} is of {tree.width} x {tree.height} pixels but {one_line(path)} has "
            f"{picture.shape[1]} x {picture.shape[0]}; give one of the same size."
        )


Companions = Path | dict[str, list[Path]] | None
"""A file for the only input, or the files of a folder by their stems."""


def _by_stem(given: Path | None) -> Companions:
    if given is None or not given.is_dir():
        return given
    found: dict[str, list[Path]] = {}
    for job in plan([given], None)[0]:
        found.setdefault(job.path.stem, []).append(job.path)
    return found


def _companion(job: Job, given: Companions, what: str) -> Path | None:
    if not isinstance(given, dict):
        return given
    found = given.get(job.path.stem, [])
    if not found:
        raise UserError(f"{one_line(job.path)} has no {what} of the same name in the folder given; add one.")
    if len(found) > 1:
        names = " and ".join(one_line(path.name) for path in found)
        raise UserError(f"{one_line(job.path)} has {len(found)} {what}s, {names}; keep one of them.")
    return found[0]


def _world_file(item: Item, tree: ParseTree) -> Path | None:
    given, path = item.world, item.job.path
    if given is not None and not given.is_dir():
        return given
    return world_file_beside(path if given is None else given / path.name, tree.name)
