"""One mask, tree or photograph, planned and written: the work of ``paint``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ..data.dataset import Skipped, natural_order
from ..data.images import check_threshold, read_image, read_mask
from ..grammar import BoolArray, ParseTree
from ..oracle.optimal import best_tree
from ..painting import FORMATS, ExportSettings, PaintPlan, PaintSettings, Part, choose_plan, export_plan
from ..painting.choose import LIFTED, least_seconds
from ..painting.georeference import Affine, read_world_file, world_file_beside
from ..painting.plan import Metrics
from ..painting.plane import Turn, best_angle
from ..painting.view import Front, View
from ..painting.zones import dilated, eroded, reachable, read_zone, without_islands
from ..parsing.settings import ParseSettings
from ..support import files
from ..support.errors import UserError
from ..support.text import one_line
from .inputs import Job, plan

if TYPE_CHECKING:
    from ..parsing.parser import Parser

Format = Literal["json", "geojson", "svg", "gcode", "csv", "fields2cover", "ros-path", "ros-poses"]

CHOSEN = "chosen"
"""The name of the plan that is written, beside those of all that were made."""
GREY, PURE, CLEAR = 8, 32, 0.97
"""An image is taken for a mask if its channels differ by at most GREY, and this share of its pixels is at most PURE
away from black or white."""

Picture = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Settings:
    """How inputs are read, planned and written; see the arguments of ``shapeparse paint``."""

    paint: PaintSettings
    export: ExportSettings
    formats: tuple[Format, ...]
    depth: int | None = None
    threshold: float = 0.5
    rectangles: int | None = None
    price: float | None = None
    input_kind: Literal["auto", "mask", "photo"] = "auto"
    view: View = field(default_factory=View)
    """How photographs and masks of them were taken."""
    angle: float | None = 0.0
    """Degrees by which the plan's frame is turned; None to find the angle of the part."""
    island: float = 0.0
    """The side, in pixels, of a square of which smaller islands are not painted."""

    @property
    def goal(self) -> dict[str, Any]:
        """What a tree is asked to be, as parsers and the tree search take it."""
        asked = {"rectangles": self.rectangles, "price": self.price}
        return {name: value for name, value in asked.items() if value is not None}

    def __post_init__(self) -> None:
        check_threshold(self.threshold)
        ParseSettings(depth=self.depth, **self.goal)  # which refuses what no tree can be asked for


@dataclass(frozen=True)
class Beside:
    """Files, or folders of files with the inputs' names, that belong to the inputs."""

    masks: Path | None = None
    photos: Path | None = None
    world: Path | None = None
    keep_out: Path | None = None
    region: Path | None = None


@dataclass(frozen=True)
class Item:
    """One mask, tree or photograph to plan, with what belongs to it."""

    job: Job
    mask: Path | None
    photo: Path | None
    beside: Beside

    def is_photo(self, settings: Settings) -> bool:
        """Whether it is a photograph to parse."""
        if self.is_tree or settings.input_kind == "mask":
            return False
        try:
            return settings.input_kind == "photo" or not looks_like_mask(read_image(self.job.path))
        except UserError:
            return False  # it is complained of when it is read again

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
    plan: str
    """The kind that was chosen."""
    width: int
    height: int
    rectangles: int
    narrow: int
    """Of the rectangles, those narrower than the brush."""
    strokes: int
    lifts: int
    turns: int
    painted_length: float
    travel_length: float
    seconds: float
    seconds_least: float
    """No plan is quicker: what is wanted, as far as it must be covered, in strokes as wide as the brush."""
    seconds_rows: float | None
    """Rows with a lift after every stroke."""
    overlap: float
    overspill: float | None
    coverage: float | None
    waste: float | None
    degrees: float
    """By which the frame of the plan is turned."""
    files: tuple[str, ...]


@dataclass(frozen=True)
class Planned:
    """An input with its plan, and how the plan compares."""

    job: Job
    tree: ParseTree | None
    plan: PaintPlan
    ways: dict[str, Metrics]
    least: float
    photo: Picture | None
    world: Affine | None
    strangeness: float | None
    """Of a photograph, for the parser; None of a tree."""
    front: Front


@dataclass(frozen=True)
class Seen:
    """What is known of an input: what is wanted, the true mask if there is one, and the rest to draw with."""

    wanted: BoolArray
    truth: BoolArray
    tree: ParseTree | None
    photo: Picture | None
    strangeness: float | None = None
    front: Front = field(default_factory=Front)


def items_of(paths: Sequence[Path], beside: Beside) -> tuple[list[Item], list[Skipped]]:
    """The items for trees, photographs, and folders of either: of a folder with trees, the trees alone are meant."""
    expanded: list[Path] = []
    for path in paths:
        trees = [file for file in path.glob("[!.]*.json") if not _is_ours(file)] if path.is_dir() else []
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
            items.append(Item(job, mask, photo, beside))
    return items, problems


def _is_ours(path: Path) -> bool:
    """Whether a file beside trees is another kind that we wrote: a summary, or the plan of a tree."""
    try:
        return path.is_file() and files.kind_of(path) not in ("", "shapeparse-tree")
    except OSError:
        return False


def plan_item(item: Item, parser: Parser | None, settings: Settings) -> Planned:
    """Read and plan one input; UserError says in one sentence why it cannot be done."""
    seen = _read(item, parser, settings)
    world_file = _world_file(item, seen.tree, settings.view)
    world = None if world_file is None else read_world_file(world_file)
    part, truth = part_of(item, seen, settings, world)
    chosen = choose_plan(part, settings.paint)
    ways = {name: plan.metrics(truth) for name, plan in chosen.plans.items()}
    ways[CHOSEN] = ways[chosen.plan.kind]
    least = least_seconds(part, settings.paint)
    return Planned(item.job, seen.tree, chosen.plan, ways, least, seen.photo, world, seen.strangeness, seen.front)


def part_of(item: Item, seen: Seen, settings: Settings, world: Affine | None) -> tuple[Part, BoolArray]:
    """What is to be painted of an input after all, and the true mask, in the frame of the plan."""
    wanted, truth, zone = seen.wanted, seen.truth, None
    to_file = _file_frame(wanted.shape[0], settings.paint, world)
    if (hidden := seen.front.hidden()) is not None:
        wanted, truth = wanted & ~hidden, truth & ~hidden
    if item.beside.region is not None:
        region = read_zone(item.beside.region, wanted.shape, to_file)
        wanted, truth = wanted & region, truth & region
    if item.beside.keep_out is not None:
        zone = read_zone(item.beside.keep_out, wanted.shape, to_file)
        wanted, truth = wanted & ~zone, truth & ~zone
    if seen.wanted.any() and not wanted.any():
        raise UserError(
            f"Nothing of {one_line(item.job.path)} is left to paint beside the keep-out and in the region; "
            "make the keep-out smaller."
        )
    wanted = without_islands(wanted, settings.island**2)
    turn = None
    degrees = best_angle(wanted) if settings.angle is None else settings.angle
    if degrees:
        turn = Turn(degrees, wanted.shape[1], wanted.shape[0])
        wanted, truth = turn.turned(wanted), turn.turned(truth)
        zone = None if zone is None else dilated(turn.turned(zone), 1)  # all that the turned pixels touch
    changed = turn is not None or zone is not None or not np.array_equal(wanted, seen.wanted)
    tree = None if changed else seen.tree
    if settings.paint.margin:
        wanted = eroded(wanted, settings.paint.margin)
    if zone is not None:
        wanted = wanted & ~zone
        if not (wanted & reachable(zone, settings.paint.brush)).any() and wanted.any():
            raise UserError(
                f"A brush of {settings.paint.told(settings.paint.brush)} fits nowhere beside the keep-out of "
                f"{one_line(item.job.path)}; give a narrower brush."
            )
    name = item.job.path.name if seen.tree is None else seen.tree.name
    return Part(wanted, name, tree, zone, turn), truth


def _file_frame(height: int, paint: PaintSettings, world: Affine | None) -> Affine:
    """From pixels to the coordinates of GeoJSON files, as plans are written in them."""
    size = paint.pixel_in(paint.length_unit)
    return world or Affine(size, 0, 0, 0, -size, size * height)


def write(done: Planned, out: Path, settings: Settings) -> Row:
    """Write the files of one plan and return its row of the summary."""
    export = replace(settings.export, world=done.world, image=done.photo)
    written = output_files(done.job, out, settings)
    for path, name in zip(written, dict.fromkeys(settings.formats), strict=True):
        files.write_bytes(path, export_plan(done.plan, done.tree, name, export))
    same: dict[str, Any] = {
        name: value for name, value in done.ways[CHOSEN].items() if name in Row.__dataclass_fields__
    }
    width, height = done.plan.image_size
    return Row(
        name=done.job.name, input=str(done.job.path), plan=done.plan.kind, width=width, height=height,
        seconds_least=done.least, seconds_rows=done.ways.get(LIFTED, {}).get("seconds"),
        degrees=0.0 if done.plan.turn is None else done.plan.turn.degrees,
        files=tuple(path.name for path in written), **same,
    )  # fmt: skip


def output_files(job: Job, out: Path, settings: Settings) -> list[Path]:
    """The files that will be written of one input."""
    return [out / f"{job.name}.plan{FORMATS[name].suffix}" for name in dict.fromkeys(settings.formats)]


def looks_like_mask(image: Picture) -> bool:
    """Whether an image is in black and white."""
    low, high = image.min(axis=2), image.max(axis=2)
    pure = (high <= PURE) | (low >= 255 - PURE)
    return bool((high - low).max() <= GREY and pure.mean() >= CLEAR)


def _read(item: Item, parser: Parser | None, settings: Settings) -> Seen:
    """One input from the front, with the true mask and the photograph to draw on if they are known."""
    path, view = item.job.path, settings.view
    if item.is_tree:
        if not view.is_plain:
            raise UserError(
                f"{one_line(path)} is a tree, and --corners, --markers and --lens are for photographs; give the "
                "photograph, or the --scale of a tree of a rectified one."
            )
        tree = ParseTree.load(path)
        photo = None if item.photo is None else read_image(item.photo)
        _check_size(item, tree, item.photo, photo)
        labels = tree.labels()
        return Seen(labels, _truth(item, settings, tree, Front()), tree, photo)
    if item.is_photo(settings):
        return _parsed(item, parser, settings)
    if view.markers is not None:
        raise UserError(f"{one_line(path)} is a mask, and markers are found in photographs; give --corners.")
    front = Front(view.lens, view.plane)
    mask = front.mask(read_mask(path, settings.threshold))
    drawn = np.repeat(np.where(mask, 225, 245).astype(np.uint8)[..., None], 3, axis=2)
    if not settings.goal:
        return Seen(mask, mask, None, drawn, front=front)
    tree = replace(best_tree(mask, depth=settings.depth, **settings.goal).tree, name=path.name)
    return Seen(tree.labels(), mask, tree, drawn, front=front)


def _parsed(item: Item, parser: Parser | None, settings: Settings) -> Seen:
    """A photograph from the front, parsed."""
    assert parser is not None
    photo = read_image(item.job.path)
    front = settings.view.of(photo)
    photo = front.picture(photo)
    found, strangeness = next(parser.parse_knowingly([photo], depth=settings.depth, **settings.goal))
    tree = replace(found, name=item.job.path.name)
    return Seen(tree.labels(), _truth(item, settings, tree, front), tree, photo, strangeness, front)


def _truth(item: Item, settings: Settings, tree: ParseTree, front: Front) -> BoolArray:
    """The true mask if it is given, else the labels."""
    if item.mask is None:
        return tree.labels()
    mask = front.mask(read_mask(item.mask, settings.threshold))
    _check_size(item, tree, item.mask, mask)
    return mask


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


def _world_file(item: Item, tree: ParseTree | None, view: View) -> Path | None:
    given, path = item.beside.world, item.job.path
    if given is not None and not given.is_dir():
        return given
    if given is None and not view.is_plain:
        return None  # one beside the photograph is not of the rectified one
    return world_file_beside(path if given is None else given / path.name, "" if tree is None else tree.name)
